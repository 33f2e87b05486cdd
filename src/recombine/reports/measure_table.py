"""All numbers of a setting; what the measures of trainings are is said once for all settings."""

from collections.abc import Iterable, Mapping

from recombine.papers import Interval
from recombine.reports.kinds import kind_of, meaning
from recombine.reports.markup import Markup, join, prose, tag
from recombine.reports.numbers import count, interval
from recombine.reports.settings import SettingRuns
from recombine.studies import Experiment

FEW = 8  # rows of a table that stands open


def measure_table(setting: SettingRuns) -> Markup | None:
    """Every number, with its interval over seeds: a row per measure, its parts one after the other."""
    found = {name: measured for name in setting.quantities() if (measured := setting.interval(name)) is not None}
    if not found:
        return None
    trained = isinstance(setting.work, Experiment)
    seeds = {measured.seeds for measured in found.values()}
    shared = f", {count(seeds.pop(), 'seed')}" if trained and len(seeds) == 1 else ""
    cells: list[tuple[str, ...]]
    if trained:
        cells = [(tag("code", name), _parts(parts, shared)) for name, parts in _by_measure(found).items()]
    else:
        cells = [(tag("code", name), interval(of), prose(meaning(setting.work, name))) for name, of in found.items()]
    estimate = "Value" if setting.work.exact else f"Estimate [95% interval]{shared}"
    heads = ("Measure", estimate, "What it is")[: len(cells[0])]
    head = tag("thead", tag("tr", [tag("th", words, scope="col") for words in heads]))
    body = tag("tbody", [tag("tr", [tag("td", cell) for cell in row]) for row in cells])
    # A handful of numbers is read at once; more would push the next setting away.
    return tag(
        "details",
        tag("summary", f"All measures of {setting.label}"),
        tag("p", tag("a", "What they are", href=f"#{_anchor(setting)}")) if trained else None,
        tag("div", tag("table", head, body, class_="measures"), class_="scroll"),
        open=len(found) <= FEW,
    )


def measure_meanings(settings: Iterable[SettingRuns]) -> Markup | None:
    """What the measures of trainings are: a folded table for each kind."""
    kinds: dict[str, dict[str, str]] = {}
    places: dict[str, str] = {}
    for setting in settings:
        if isinstance(setting.work, Experiment) and setting.quantities():
            places[kind_of(setting.work).name] = _anchor(setting)
            known = kinds.setdefault(kind_of(setting.work).name, {})
            for name in _by_measure(dict.fromkeys(setting.quantities())):
                known.setdefault(name, meaning(setting.work, name))
    return join([_meanings(kind, places[kind], known) for kind, known in kinds.items()]) if kinds else None


def _meanings(kind: str, place: str, known: Mapping[str, str]) -> Markup:
    rows = [
        tag("tr", tag("th", tag("code", name), scope="row"), tag("td", prose(says))) for name, says in known.items()
    ]
    table = tag("div", tag("table", tag("tbody", rows), class_="measures"), class_="scroll")
    return tag("details", tag("summary", f"What the measures of {kind.lower()} are"), table, id=place)


def _anchor(setting: SettingRuns) -> str:
    return f"measures-{kind_of(setting.work).name.lower()}"


def _by_measure(found: Mapping[str, Interval | None]) -> dict[str, dict[str, Interval | None]]:
    """Numbers by measure, then by part; one that has no parts is the part without a name."""
    measures: dict[str, dict[str, Interval | None]] = {}
    for name, measured in found.items():
        whole, _, part = name.partition(".")
        measures.setdefault(whole, {})[part] = measured
    return measures


def _parts(parts: Mapping[str, Interval | None], shared: str) -> Markup:
    said = {part: interval(of).removesuffix(shared) for part, of in parts.items() if of is not None}
    if list(said) == [""]:
        return join(said[""])
    return join("; ".join(f"{part} {words}" for part, words in said.items()))
