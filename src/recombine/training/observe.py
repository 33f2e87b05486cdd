"""Ask a trained network about every combination and hand over what it showed as arrays."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
import torch
from torch import nn

from recombine.core.seeds import stream, torch_seed
from recombine.data import Problem
from recombine.data.components import ComponentTask
from recombine.data.functions import FunctionTask
from recombine.data.picture_task import picture_task
from recombine.data.scenes import Sprites
from recombine.measures import AnyEvidence, ComponentEvidence, Evidence, ModuleEvidence, SceneEvidence
from recombine.models.activations import activations, channels
from recombine.models.diffusion_network import DiffusionNetwork
from recombine.models.network import device_of, matrices_of
from recombine.models.scene_networks import CompositionalNetwork
from recombine.models.tangent import tangent_kernel
from recombine.training.probing import Probes

# Samples of a combination whose activations are compared with those of others.
COMPARED = 11
# Noisy pictures on which the error of a diffusion model is measured.
DENOISED = 4096
# Larger grids have no similarities: their matrices would be large, and activations larger.
MOST_COMBINATIONS = 256


def observe(
    problem: Problem,
    network: nn.Module,
    untrained: nn.Module,
    seed: int,
    course: Mapping[str, np.ndarray] | None = None,
) -> AnyEvidence:
    """Outputs and representations over the whole grid, held-out combinations included.

    ``course`` is what was measured on the way. The networks compute where they are; what they show is on the CPU.
    """
    if isinstance(problem.task, ComponentTask):
        return _components(problem, problem.task, network, untrained, seed)
    if isinstance(problem.task, FunctionTask):
        return _modules(problem, problem.task, network, seed)
    if isinstance(problem.task, Sprites):
        return _scenes(problem, problem.task, network)
    if isinstance(network, DiffusionNetwork):
        assert isinstance(untrained, DiffusionNetwork)
        return replace(_samples(problem, network, untrained, seed), course=course or {})
    everything = problem.everything
    codes = torch.from_numpy(everything.codes)
    layers = {name: tensor.numpy() for name, tensor in activations(network, codes).items()}
    pictures = {}
    if hasattr(network, "embeddings"):
        with torch.no_grad():
            pictures = {name: picture.cpu().numpy() for name, picture in network.embeddings().items()}  # type: ignore[operator]
    outputs = layers["output"].reshape(everything.targets.shape)
    found = drawn(problem, outputs, layers, pictures, channels(network, codes[:1]))
    return replace(found, course=course or {})


def truth(problem: Problem) -> Evidence:
    """The evidence a perfect model would give: the true pictures, as its only layer and as its output."""
    everything = problem.everything
    flat = everything.targets.reshape(len(everything), -1)
    layers = {"input": everything.codes, "layer0": flat, "output": flat}
    return drawn(problem, everything.targets, layers)


def drawn(
    problem: Problem,
    outputs: np.ndarray,
    layers: Mapping[str, np.ndarray] | None = None,
    embeddings: Mapping[str, np.ndarray] | None = None,
    channels: Mapping[str, tuple[int, int, int]] | None = None,
) -> Evidence:
    """The evidence of pictures that somebody drew for every combination, with what else is known of it."""
    task = picture_task(problem.task)
    return Evidence(
        shape=(problem.grid.shape[0], problem.grid.shape[1]),
        targets=problem.everything.targets,
        outputs=outputs,
        sections=problem.parts.sections,
        dark=task.dark,
        layers=layers or {},
        embeddings=embeddings or {},
        periodic=task.periodic,
        channels=channels or {},
        places=task.places,
        rings=(problem.grid.factors[0].periodic, problem.grid.factors[1].periodic),
        threshold=task.threshold,
    )


def _samples(problem: Problem, network: DiffusionNetwork, untrained: DiffusionNetwork, seed: int) -> Evidence:
    """A sample for every combination, and what the probe holds: of samples, and of true pictures as baselines.

    Layers: "pixels" are the true pictures themselves; "untrained" is the probe of the network before training, shown
    them; "true" that of the trained one; "noised-t" the same at a later time; "bottleneck" and "probe" are those of
    samples at the last step.
    """
    everything = problem.everything
    codes, targets = torch.from_numpy(everything.codes), torch.from_numpy(everything.targets)
    sampled = activations(network, codes, ["bottleneck", network.probe, "output"], chunk=1024)
    noise = torch.randn(targets.shape, generator=torch.Generator().manual_seed(torch_seed(seed, "observe", "noise")))
    later = {
        f"noised-{time}": network.represented(codes, targets, time, noise)
        for time in (network.schedule.steps // 10, network.schedule.steps // 2)
    }
    layers = {
        "input": codes,
        "pixels": targets.flatten(1),
        "untrained": untrained.represented(codes, targets),
        "true": network.represented(codes, targets),
        **later,
        "bottleneck": sampled["bottleneck"],
        "probe": sampled[network.probe],
        "output": sampled["output"],
    }
    outputs = sampled["output"].numpy().reshape(everything.targets.shape)
    found = drawn(problem, outputs, {name: layer.numpy() for name, layer in layers.items()})
    if problem.reveal and problem.examples is not None:  # nothing is held out, so that chance decides what is new
        shown = problem.shown(seed)
        found = replace(found, sections={"id": shown, "ood": ~shown})
    return replace(found, denoising=_denoising(problem, network, seed))


def pictures_denoised(problem: Problem, passes: int) -> int:
    """How many pictures a diffusion model is run on while it is observed, if drawing one takes ``passes``.

    Beside drawing, it is shown every true picture four times, and `DENOISED` noisy ones of either sort.
    """
    return len(problem.everything) * (passes + 4) + 2 * DENOISED


@torch.no_grad()
def _denoising(problem: Problem, network: DiffusionNetwork, seed: int) -> dict[str, float]:
    """The error that training lowers, on pictures that were shown and on those of cells of which nothing was."""
    shown, everything = problem.training_set(seed), problem.everything
    rng = stream(seed, "observe", "denoising")
    rows = {"shown": (shown, rng.permutation(len(shown))), "new": (everything, np.flatnonzero(~problem.shown(seed)))}
    # The same times and the same noise for both, each picture as often as any other.
    times = torch.arange(DENOISED) * network.schedule.steps // DENOISED
    noise = torch.randn((DENOISED, *network.image), generator=torch.Generator().manual_seed(int(rng.integers(2**31))))
    found = {}
    for name, (examples, some) in rows.items():
        if len(some):
            chosen = rng.permutation(np.resize(some, DENOISED))
            codes, pictures = torch.from_numpy(examples.codes[chosen]), torch.from_numpy(examples.pictures[chosen])
            there = (each.to(device_of(network)) for each in (codes, pictures, times, noise))
            parts = zip(*(each.split(512) for each in there), strict=True)
            found[name] = float(torch.cat([network.missed(*part) for part in parts]).mean())
    return found


def _modules(problem: Problem, task: FunctionTask, network: nn.Module, seed: int) -> ModuleEvidence:
    asked = task.asked(seed)
    layers = activations(network, torch.from_numpy(asked.codes))
    # Where what would be held out is shown, nothing is held out: all of it is trained on.
    shown = {"id": problem.trained, "ood": problem.parts.held_out & False}
    masks = shown if problem.reveal else problem.parts.sections
    sections = {name: np.repeat(mask, task.asked_each) for name, mask in masks.items()}
    return ModuleEvidence(
        targets=asked.targets[:, 0].astype(np.float64),
        answers=layers["output"].double().numpy(),
        sections=sections,
        modules_in=task.modules_in,
        modules_out=task.modules_out,
        weights=tuple(matrix.detach().cpu().double().numpy() for matrix in matrices_of(network)),
        layers={name: layer.numpy() for name, layer in layers.items()},
        probes=Probes(task, network, asked.positions, seed),
    )


def _scenes(problem: Problem, task: Sprites, network: nn.Module) -> SceneEvidence:
    everything = problem.everything
    codes = torch.from_numpy(everything.codes)
    shape = (len(everything), task.size, task.size, task.channels)
    inside = _recovery(task, network, everything.positions, codes) if isinstance(network, CompositionalNetwork) else {}
    return SceneEvidence(
        targets=everything.targets.reshape(shape),
        outputs=activations(network, codes, ["output"])["output"].numpy().reshape(shape),
        latents=task.scenes(everything.positions),
        sections=problem.asked_sections,
        overlap=task.overlap(everything.positions),
        **inside,
    )


@torch.no_grad()
def _recovery(
    task: Sprites, network: CompositionalNetwork, positions: np.ndarray, codes: torch.Tensor
) -> dict[str, np.ndarray]:
    """The components of a network beside the true ones, and pictures in which one of its own stands among true ones."""
    composition = network.composition
    if composition.learned:  # no component has a true form under a composition that is not known
        return {}
    true = torch.from_numpy(task.components(positions, composition).astype(np.float32))
    own = torch.cat([network.components(part).cpu() for part in codes.to(device_of(network)).split(256)], dim=1)
    swapped = [
        composition.join([own[slot] if slot == taken else true[slot] for slot in range(task.slots)])
        for taken in range(task.slots)
    ]
    return {
        "truths": composition.visible(true).numpy(),
        "components": composition.visible(own).numpy(),
        "swapped": torch.stack(swapped).numpy(),
        "composed": composition.join(list(true)).numpy(),
    }


def _components(
    problem: Problem, task: ComponentTask, network: nn.Module, untrained: nn.Module, seed: int
) -> ComponentEvidence:
    size = problem.grid.size

    def answers(which: str) -> np.ndarray:
        codes = torch.from_numpy(task.asked_of(which, seed).codes)
        return activations(network, codes, ["output"])["output"].numpy().reshape(size, -1)

    return ComponentEvidence(
        combinations=problem.grid.combinations(),
        targets=task.labels,
        answers=answers("held-out").astype(np.float64),
        sections=problem.parts.sections,
        familiar=answers("train").astype(np.float64) if task.images is not None else None,
        similarities=WhenAsked(
            lambda: {
                **similarities(task, untrained, "initial", seed),
                **similarities(task, network, "trained", seed),
            }
        ),
        types=task.types,
    )


class WhenAsked(Mapping[str, np.ndarray]):
    """A mapping that is computed when it is first looked at: kernels of large networks take longer than training."""

    def __init__(self, compute: Callable[[], Mapping[str, np.ndarray]]) -> None:
        self._compute = compute

    @cached_property
    def _found(self) -> Mapping[str, np.ndarray]:
        return self._compute()

    def __getitem__(self, name: str) -> np.ndarray:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def similarities(
    task: ComponentTask, network: nn.Module, when: str, seed: int, of_means: bool = False
) -> Mapping[str, np.ndarray]:
    """How alike a network holds every two combinations: by the activations of each layer, and by its tangent kernel.

    The mean inner product over different samples of the two, at most `COMPARED` of each; a symbol is its only sample.
    That is what salience asks for, and no inner product of anything. ``of_means`` lets a sample be paired with itself:
    then it is the inner product of the two mean activations, a kernel.
    """
    size = task.grid.size
    if size > MOST_COMBINATIONS:
        return {}
    codes = task.asked_of("held-out", seed).codes.reshape(size, -1, task_inputs(task))[:, :COMPARED]
    flat = torch.from_numpy(np.ascontiguousarray(codes.reshape(-1, codes.shape[2])))
    found = {}
    for name, layer in activations(network, flat).items():
        if name not in ("input", "output"):
            rows = layer.double().numpy()
            found[f"{when} {name}"] = averaged(rows @ rows.T, size, of_means)
    generator = torch.Generator().manual_seed(torch_seed(seed, "theory", "probes"))
    few = flat.reshape(size, -1, flat.shape[1])[:, :2].reshape(-1, flat.shape[1])
    kernel = tangent_kernel(network, few, 1, generator=generator)
    found[f"{when} tangent"] = averaged(kernel, size, of_means)
    return found


def task_inputs(task: ComponentTask) -> int:
    return int(np.prod(task.picture)) if task.picture is not None else sum(task.grid.shape)


def averaged(gram: np.ndarray, size: int, of_means: bool) -> np.ndarray:
    """A Gram matrix of samples, averaged within pairs of combinations; ``of_means`` pairs each with itself too."""
    samples = len(gram) // size
    blocks = gram.reshape(size, samples, size, samples)
    mean = blocks.mean(axis=(1, 3))
    if samples > 1 and not of_means:
        own = np.einsum("isis->is", blocks).sum(axis=1)
        mean[np.diag_indices(size)] = (np.einsum("isit->i", blocks) - own) / (samples * (samples - 1))
    return mean
