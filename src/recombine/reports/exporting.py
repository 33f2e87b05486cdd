"""A generated data set as plain files: what one seed is trained on, what is asked after it, and what both are.

    inputs.npy     a code, or a flat picture, per example
    targets.npy    the right answer per example: rows x columns
    positions.npy  the value of every factor per example, NaN where it is absent; unit latents of scenes
    factors.csv    the level of every factor per example, empty where it is absent, and its section
    problem.yaml   the problem, which makes all of this again
    croissant.json what is in the folder, for tools

Trained rows come first, as `Problem.training_set` gives them; then all that is held out, or asked of a support.
"""

import csv
import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from recombine.audits.exported import DESCRIPTION, INPUTS, POSITIONS, PROBLEM, SECTION, TABLE, TARGETS, TRAINED, WORDS
from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.data import Problem
from recombine.data.sprite_shapes import LATENTS, SHAPES, physical
from recombine.data.task import Examples
from recombine.factors import Factor
from recombine.records import durable
from recombine.records.drafts import Drafts
from recombine.reports.croissant import ArrayIn, DataFile, croissant

RUN = 1024  # rows that are in memory at once; many pictures are drawn when they are needed
TYPES = {".npy": "application/x-npy", ".csv": "text/csv", ".yaml": "application/yaml"}
SAYS = {
    INPUTS: "What a model is given: along the second axis a code, or the pixels of a picture.",
    TARGETS: "What it must answer: a picture of rows and columns, three channels side by side, or a row of numbers.",
    POSITIONS: "The value of every factor in the order of the table's columns, NaN where it is absent.",
    TABLE: "The level of every factor and the section, a row per example.",
    PROBLEM: "The problem, from which recombine makes the same data again.",
}


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written where."""

    path: Path
    examples: int
    sections: Mapping[str, int]  # rows of each
    files: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON values."""
        return {
            "path": str(self.path),
            "examples": self.examples,
            "sections": dict(self.sections),
            "files": list(self.files),
        }


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of examples, each with its section."""

    examples: Examples
    rows: Int[np.ndarray, " rows"]
    sections: Sequence[str]


def export_data(problem: Problem, folder: str | Path, seed: int = 0) -> Exported:
    """Write the data of one seed of a problem to a new or empty folder, whole or not at all.

    `recombine.audits.read_data` reads it back.
    """
    place = free_place(Path(folder))
    columns = column_types(problem)
    parts = [_trained(problem, seed), _asked(problem, seed)]
    sections: dict[str, int] = {}
    for name in (name for part in parts for name in part.sections):
        sections[name] = sections.get(name, 0) + 1
    try:
        with Drafts(place.parent).fresh(".export") as draft:
            draft.mkdir()
            arrays = _write_arrays(draft, parts)
            durable.write(draft / TABLE, _table(problem, list(columns), parts))
            durable.write(draft / PROBLEM, problem.to_yaml().encode())
            files = [_described(draft / name, arrays.get(name)) for name in SAYS]
            today = datetime.now(UTC).date().isoformat()
            document = croissant(problem, seed, files, columns, sections, today)
            durable.write(draft / DESCRIPTION, (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode())
            durable.settle(draft)
            draft.rename(place)
        durable.settle(place.parent)
    except OSError as error:
        raise InputError(
            f"cannot write to {folder}: {error.strerror or type(error).__name__}; free some space there, allow writing "
            "or choose another place (nothing is left behind)."
        ) from error
    return Exported(Path(folder), sum(sections.values()), sections, (*SAYS, DESCRIPTION))


def free_place(folder: Path) -> Path:
    """The folder that an export would make; an `InputError` where there is something already."""
    place = Path(os.path.realpath(folder))
    if place.exists() and not place.is_dir():
        raise InputError(f"cannot export to {folder}: it is no folder; give the name of a new one.")
    if place.is_dir() and (place == Path(os.path.realpath(Path.cwd())) or any(place.iterdir())):
        raise InputError(
            f"cannot export to {folder}: it is in use, and nothing in it is overwritten; give a new or empty folder."
        )
    if not place.parent.is_dir():
        raise InputError(
            f"cannot export to {folder}: there is no folder {str(folder.parent)!r}; make it first or choose another "
            "place."
        )
    return place


def column_types(problem: Problem) -> dict[str, str]:
    """The columns of the table but the section, each with its type in Croissant."""
    if problem.task.continuous:
        names = [f"{latent}{slot + 1}" for slot in range(problem.task.slots) for latent in LATENTS]
        return {name: WORDS if name.startswith("shape") else "sc:Float" for name in names}
    if SECTION in problem.grid.names:
        raise InputError(
            f"task {problem.task.kind!r} has a factor {SECTION!r}, which is the name of the column of sections; rename "
            "the factor."
        )
    return {factor.name: _type(factor) for factor in problem.grid.factors}


def _type(factor: Factor) -> str:
    if not factor.numeric:
        return WORDS
    return "sc:Integer" if all(isinstance(level, int) for level in _written(factor)) else "sc:Float"


def _written(factor: Factor) -> tuple[int | float | str, ...]:
    """The levels as the table has them: integers where all of them are whole."""
    if factor.numeric and all(float(level).is_integer() for level in factor.levels):
        return tuple(int(level) for level in factor.levels)
    return factor.levels


def _trained(problem: Problem, seed: int) -> Part:
    shown = problem.training_set(seed)
    return Part(shown, np.arange(len(shown)), [TRAINED] * len(shown))


def _asked(problem: Problem, seed: int) -> Part:
    """What is asked after training: the held-out combinations, or scenes of the support and of the whole space."""
    if problem.support is not None:
        return _within(problem.everything, np.arange(len(problem.everything)), problem.asked_sections)
    asked = problem.task.asked(seed)
    combinations = problem.grid.index(problem.task.cells(asked.positions))
    return _within(asked, combinations, problem.parts.sections, problem.parts.held_out[combinations])


def _within(
    asked: Examples,
    places: Int[np.ndarray, " items"],
    sections: Mapping[str, Bool[np.ndarray, " all"]],
    kept: Bool[np.ndarray, " items"] | None = None,
) -> Part:
    """Rows by their last section: sections go from the largest to the parts of it."""
    rows = np.arange(len(asked)) if kept is None else np.flatnonzero(kept)
    if TRAINED in sections:
        raise InputError(f"the split has a section {TRAINED!r}, which is the name of what is trained on; rename it.")
    last = {int(place): name for name, mask in sections.items() for place in np.flatnonzero(mask)}
    return Part(asked, rows, [last[int(place)] for place in places[rows]])


def _write_arrays(folder: Path, parts: Sequence[Part]) -> dict[str, ArrayIn]:
    """Write the arrays, and say of each file what is in it."""
    written = {}
    for name, of in ((INPUTS, "codes"), (TARGETS, "pictures"), (POSITIONS, "positions")):
        arrays = [getattr(part.examples, of) for part in parts]
        shape = (sum(len(part.rows) for part in parts), *arrays[0].shape[1:])
        header = {"descr": np.lib.format.dtype_to_descr(arrays[0].dtype), "fortran_order": False, "shape": shape}
        with (folder / name).open("xb") as file:
            np.lib.format.write_array_header_1_0(file, header)
            for array, part in zip(arrays, parts, strict=True):
                for start in range(0, len(part.rows), RUN):
                    rows = np.asarray(array[part.rows[start : start + RUN]], dtype=arrays[0].dtype)
                    file.write(rows.tobytes())
            file.flush()
            os.fsync(file.fileno())
        written[name] = ArrayIn(str(arrays[0].dtype), shape)
    return written


def _table(problem: Problem, names: Sequence[str], parts: Sequence[Part]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*names, SECTION])
    for part in parts:
        levels = levels_at(problem, part.examples.positions[part.rows])
        writer.writerows([*row, section] for row, section in zip(levels, part.sections, strict=True))
    return text.getvalue().encode()


def levels_at(problem: Problem, positions: Float[np.ndarray, "items all"]) -> Iterator[list[Any]]:
    """The levels of every row in order of the factors; None for a factor that is absent, or beyond the border."""
    if problem.task.continuous:
        return _latents(problem, positions)
    factors = problem.grid.factors
    written = [_written(factor) for factor in factors]
    absent = problem.task.absent(positions)
    first = [float(factor.levels[0]) if factor.numeric else 0.0 for factor in factors]
    cells = problem.task.cells(np.where(absent, first, positions))
    return (
        [None if out else levels[level] for levels, level, out in zip(written, row, gone, strict=True)]
        for row, gone in zip(cells, absent, strict=True)
    )


def _latents(problem: Problem, positions: Float[np.ndarray, "items all"]) -> Iterator[list[Any]]:
    """Unit latents as they are, and shapes by their names."""
    scenes = positions.reshape(len(positions), problem.task.slots, len(LATENTS))
    which = LATENTS.index("shape")
    numbers = physical(scenes, (0.0, 1.0))[..., which].astype(int)  # sizes do not bear on shapes
    for scene, shapes in zip(scenes, numbers, strict=True):
        sprites = zip(scene.tolist(), shapes, strict=True)
        yield [SHAPES[shape] if place == which else value for row, shape in sprites for place, value in enumerate(row)]


def _described(path: Path, array: ArrayIn | None) -> DataFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return DataFile(path.name, SAYS[path.name], TYPES[path.suffix], path.stat().st_size, digest, array)
