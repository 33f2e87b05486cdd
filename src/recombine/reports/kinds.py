"""The kinds of work a page can show, each with its own words, facts and figures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from recombine.data.components import ComponentTask
from recombine.data.functions import FunctionTask
from recombine.data.scenes import Sprites
from recombine.measures import ComponentEvidence, Evidence, ModuleEvidence, SceneEvidence, measures
from recombine.papers import kernel_calculations as computed
from recombine.papers import kernel_representations as representations
from recombine.papers.diffusion_factorize.data_need import DiffusionDataNeed
from recombine.papers.diffusion_factorize.forecasting import ForecastOfDiffusion
from recombine.papers.diffusion_factorize.percolating import BumpOverlap, LatticePercolation
from recombine.papers.diffusion_factorize.sampling import SamplingWays
from recombine.papers.first_principles.checking import SupportCheckup
from recombine.papers.first_principles.predictors import SupportPredictors
from recombine.reports.answers import answers_figure
from recombine.reports.component_figure import component_figure
from recombine.reports.context_map import context_map_figure
from recombine.reports.course_figure import course_figure
from recombine.reports.curves import curves_figure
from recombine.reports.curves_by_size import leak_by_shift_figure, robustness_figure
from recombine.reports.data_need_figure import data_need_figure
from recombine.reports.deficient_pixels import deficient_pixels_figure
from recombine.reports.descriptions import describe_calculation, describe_experiment
from recombine.reports.design import design_figure
from recombine.reports.diffusion_forecast_figure import diffusion_forecast_figure
from recombine.reports.embedding_figure import embedding_figure
from recombine.reports.error_maps import error_map_figure
from recombine.reports.kernel_curves import dispersed_figure, leak_figure, salience_figure, spread_figure
from recombine.reports.latent_map_figure import latent_map_figure
from recombine.reports.layers import layer_figures
from recombine.reports.markup import Markup
from recombine.reports.overlap_figure import overlap_figure
from recombine.reports.percolation_figure import percolation_figure
from recombine.reports.persistence_figure import persistence_figure
from recombine.reports.portrait_figure import portrait_figure
from recombine.reports.predictor_figure import predictor_figure
from recombine.reports.ring_figure import ring_figure
from recombine.reports.samples import samples_figure
from recombine.reports.sampling_figure import sampling_figure
from recombine.reports.scene_samples import scene_samples_figure
from recombine.reports.section_bars import section_bars
from recombine.reports.settings import SettingRuns
from recombine.reports.share_bars import shares_figure
from recombine.reports.similarity_figure import similarity_figure
from recombine.reports.spectrum_figure import spectrum_figure
from recombine.reports.superposition_panels import superposition_figure
from recombine.reports.support_plot import support_figure
from recombine.reports.tuning_figure import activation_figure, tuning_figure
from recombine.reports.unfolding_figure import unfolding_figure
from recombine.reports.volume_figure import volume_figure
from recombine.reports.weights_figure import weights_figure
from recombine.studies import Calculation, Experiment, Work

Figures = Iterable[Markup | None]  # drawn one by one, so that whoever wants the first need not wait for the others


@dataclass(frozen=True, slots=True)
class Kind:
    """How one kind of work is shown. ``figures`` gets a setting and its controls; a None is nothing to draw."""

    name: str
    note: str  # what its readers must know
    facts: Callable[[Work], Mapping[str, str]]
    figures: Callable[[SettingRuns, Sequence[SettingRuns]], Figures]


# Figures of the arrays that a record keeps on request; each is None where they are not there.
EXHIBITED: Sequence[Callable[[SettingRuns], Markup | None]] = (
    superposition_figure,
    similarity_figure,
    volume_figure,
    embedding_figure,
    activation_figure,
    tuning_figure,
    course_figure,
    unfolding_figure,
    spectrum_figure,
    portrait_figure,
    persistence_figure,
    ring_figure,
)


def _each(setting: SettingRuns, *draws: Callable[[SettingRuns], Markup | None]) -> Figures:
    return (draw(setting) for draw in draws)


def _pictures(setting: SettingRuns, controls: Sequence[SettingRuns]) -> Figures:
    yield from _each(setting, error_map_figure, section_bars, samples_figure, curves_figure)
    if setting.serves_a_claim():
        yield from layer_figures(setting, controls)
    yield from _each(setting, *EXHIBITED)


def _components(setting: SettingRuns, controls: Sequence[SettingRuns]) -> Figures:
    return _each(setting, design_figure, answers_figure, shares_figure, curves_figure)


def _functions(setting: SettingRuns, controls: Sequence[SettingRuns]) -> Figures:
    yield weights_figure(setting)
    yield robustness_figure(setting, controls)
    yield leak_by_shift_figure(setting, controls)
    yield curves_figure(setting)
    if setting.serves_a_claim():
        yield from layer_figures(setting, controls)


def _scenes(setting: SettingRuns, controls: Sequence[SettingRuns]) -> Figures:
    yield support_figure(setting)
    yield latent_map_figure(setting, controls)
    yield from _each(setting, scene_samples_figure, component_figure, curves_figure)


# Calculations without a figure of their own have none.
DRAWN: Mapping[type[Calculation], Callable[[SettingRuns], Markup | None]] = {
    representations.RandomNetworks: spread_figure,
    representations.SalienceByDepth: salience_figure,
    computed.Leak: leak_figure,
    computed.DispersedAddition: dispersed_figure,
    computed.ContextMap: context_map_figure,
    computed.ContextConjunctions: shares_figure,
    SupportCheckup: deficient_pixels_figure,
    SupportPredictors: predictor_figure,
    BumpOverlap: overlap_figure,
    LatticePercolation: percolation_figure,
    SamplingWays: sampling_figure,
    ForecastOfDiffusion: diffusion_forecast_figure,
    DiffusionDataNeed: data_need_figure,
}


def _calculations(setting: SettingRuns, controls: Sequence[SettingRuns]) -> Figures:
    return [draw(setting) for kind, draw in DRAWN.items() if isinstance(setting.work, kind)]


PICTURES = Kind(
    "Pictures",
    "nMSE is the squared error divided by that of a blank picture: 0 is right, 1 is as bad as drawing nothing, above 1 "
    "the wrong thing is drawn. All maps share one colour scale.",
    describe_experiment,
    _pictures,
)
COMPONENTS = Kind(
    "Components",
    "The answer to a combination of components is one number: a sum, or a class by its sign. Held-out slopes below 1 "
    "are a leak; an accuracy of 0.5 is chance.",
    describe_experiment,
    _components,
)
FUNCTIONS = Kind(
    "Functions",
    "The answers are functions of a few numbers. Cross-talk is the share of all paths from inputs to outputs that join "
    "two modules: 0 is modular, (K - 1)/K of K modules is fully mixed.",
    describe_experiment,
    _functions,
)
SCENES = Kind(
    "Scenes",
    "A picture is composed of sprites, and a support says which scenes are shown. R² is 1 where pictures are right and "
    "0 where they are as bad as the mean picture; it has no lower end. Few pixels show two sprites, so the error there "
    "is told apart.",
    describe_experiment,
    _scenes,
)
CALCULATIONS = Kind(
    "Calculations",
    "What theory computes, and searches that train networks inside. Conditions are 1 where they hold and 0 where not. "
    "Where no chance is involved one computation decides, and its numbers are exact.",
    describe_calculation,
    _calculations,
)


BY_TASK: Mapping[type, Kind] = {ComponentTask: COMPONENTS, FunctionTask: FUNCTIONS, Sprites: SCENES}  # else pictures
EVIDENCE: Mapping[str, type] = {
    COMPONENTS.name: ComponentEvidence, FUNCTIONS.name: ModuleEvidence, SCENES.name: SceneEvidence,
}  # fmt: skip


def kind_of(work: Work) -> Kind:
    """Which kind a piece of work is."""
    if not isinstance(work, Experiment):
        return CALCULATIONS
    return next((kind for task, kind in BY_TASK.items() if isinstance(work.problem.task, task)), PICTURES)


def meaning(work: Work, quantity: str) -> str:
    """What a number of this work is, in words; nothing if nobody said so."""
    if isinstance(work, Calculation):
        known: Mapping[str, str] = work.quantities
    else:
        known = measures.meanings(EVIDENCE.get(kind_of(work).name, Evidence))
    whole, _, part = quantity.partition(".")
    return known.get(quantity) or (f"{part}: {known[whole]}" if part and whole in known else known.get(whole, ""))
