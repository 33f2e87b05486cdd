"""Exhibits of scenes: some pictures, the error over two latents, and some components; small arrays for figures."""

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float, Int
from recombine.measures.exhibit import Arrays, exhibits, half, spread_out
from recombine.measures.scene_error import scene_errors
from recombine.measures.scene_evidence import SceneEvidence

SCENES = 6  # whose pictures are shown
TAKEN_APART = 3  # scenes whose components are shown
CELLS = 10  # along each latent of a map
COLOURS = 3  # channels of a component that are shown; a fourth would be its opacity
REACH = 2.0  # components are cut at this value, and at minus it: "nothing here" may be a colour far below 0

# The maps by name: slot and latent of the columns, then of the rows.
MAPS = {"x1_x2": ((0, 0), (1, 0)), "x1_y1": ((0, 0), (0, 1))}


@exhibits.register("scenes")
def scene_exhibit(evidence: SceneEvidence) -> Arrays:
    """Latents, true pictures and answers of a few scenes of the whole space, with overlapping sprites if there are."""
    chosen = overlapping_first(evidence, SCENES)
    return {
        "scene_latents": half(evidence.latents[chosen]),
        "scene_targets": half(evidence.targets[chosen]),
        "scene_outputs": half(evidence.outputs[chosen]),
    }


@exhibits.register("latent_map")
def latent_map_exhibit(evidence: SceneEvidence) -> Arrays:
    """Mean squared error on the whole space by two latents, with the number of scenes: columns x1, rows x2 or y1.

    x1 and y1 are of the front sprite, x2 is of the one behind it. NaN where a cell has no scene.
    """
    if evidence.slots < 2 or evidence.latents.shape[2] < 2:
        raise InputError(
            f"a map over x1, x2 and y1 needs two sprites with two latents each, got {evidence.slots} with "
            f"{evidence.latents.shape[2]}; use scenes of two sprites or more, or leave the map out."
        )
    members = evidence.section("all")
    errors = scene_errors(evidence)[members].mean(axis=(1, 2))
    found: Arrays = {}
    for name, (across, down) in MAPS.items():
        columns, rows = (evidence.latents[members][:, slot, latent] for slot, latent in (across, down))
        means, counts = mean_by_cell(errors, rows, columns)
        found |= {f"latent_map_{name}": means.astype(np.float32), f"latent_counts_{name}": counts.astype(np.int32)}
    return found


@exhibits.register("component_pictures")
def component_exhibit(evidence: SceneEvidence) -> Arrays:
    """True and learned components of a few scenes of the whole space: (scenes, sprites, rows, columns, colours)."""
    truths, components = evidence.need_components()
    chosen = overlapping_first(evidence, TAKEN_APART)

    def shown(parts: Float[np.ndarray, "slots items rows columns parts"]) -> Float[np.ndarray, "..."]:
        return half(parts[:, chosen, :, :, :COLOURS].swapaxes(0, 1).clip(-REACH, REACH))

    return {"component_truths": shown(truths), "component_answers": shown(components)}


def overlapping_first(evidence: SceneEvidence, most: int) -> Int[np.ndarray, " chosen"]:
    """Up to ``most`` items of "all" in order, evenly spaced; others only where too few have sprites that overlap."""
    members = evidence.section("all")
    overlapping: Bool[np.ndarray, " items"] = members & evidence.overlap.any(axis=(1, 2))
    chosen = _evenly_of(overlapping, most)
    others = _evenly_of(members & ~overlapping, most - len(chosen))
    return np.sort(np.concatenate([chosen, others]))


def mean_by_cell(
    values: Float[np.ndarray, " items"], rows: Float[np.ndarray, " items"], columns: Float[np.ndarray, " items"]
) -> tuple[Float[np.ndarray, "cells cells"], Int[np.ndarray, "cells cells"]]:
    """The mean of values in equal cells of the unit square, NaN where there are none, and how many each cell has.

    Cell k of `CELLS` is from k / CELLS on and below (k + 1) / CELLS; the last has its upper end too.
    """
    row, column = (np.minimum((CELLS * place.astype(np.float64)).astype(int), CELLS - 1) for place in (rows, columns))
    cell = CELLS * row + column
    counts = np.bincount(cell, minlength=CELLS**2)
    sums = np.bincount(cell, weights=values, minlength=CELLS**2)
    means = np.divide(sums, counts, out=np.full(CELLS**2, np.nan), where=counts > 0)
    return means.reshape(CELLS, CELLS), counts.reshape(CELLS, CELLS)


def _evenly_of(members: Bool[np.ndarray, " items"], most: int) -> Int[np.ndarray, " chosen"]:
    # `spread_out` needs a member at least, and room for one.
    return spread_out(members, most) if most > 0 and members.any() else np.zeros(0, dtype=np.int64)
