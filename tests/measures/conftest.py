"""Builders of small evidence whose answers are known. Sizes differ, so that no axis can be swapped unseen."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from recombine.core.seeds import stream
from recombine.measures import Evidence

SHAPE = (9, 11)
HOLE = ((2, 7), (3, 9))  # half-open ranges of y and of x: 30 of 99 combinations


def draw_bumps(shape: tuple[int, int] = SHAPE, sigma: float = 1.0) -> np.ndarray:
    """Ink of one bump per combination on a canvas with a pixel per level, in grid order."""
    rows, columns = (np.exp(-np.square(np.subtract.outer(np.arange(n), np.arange(n))) / (2 * sigma**2)) for n in shape)
    return np.einsum("yr,xc->yxrc", rows, columns).reshape(-1, *shape)


def hole_sections(
    shape: tuple[int, int] = SHAPE, hole: tuple[tuple[int, int], tuple[int, int]] = HOLE
) -> dict[str, np.ndarray]:
    """Masks of a rectangular hole, its outermost cells (rim) and the rest of it (interior)."""
    y, x = np.indices(shape).reshape(2, -1)
    (bottom, top), (left, right) = hole
    inside, deep = ((bottom + by <= y) & (y < top - by) & (left + by <= x) & (x < right - by) for by in (0, 1))
    return {"id": ~inside, "ood": inside, "rim": inside & ~deep, "interior": deep}


def one_hot(shape: tuple[int, int] = SHAPE) -> np.ndarray:
    y, x = np.indices(shape).reshape(2, -1)
    return np.concatenate([np.eye(shape[0])[y], np.eye(shape[1])[x]], axis=1)


def stripes(shape: tuple[int, int] = SHAPE) -> dict[str, np.ndarray]:
    """One stripe per level: x stands at a column and runs along the rows, y lies at a row."""
    return {
        "x": np.repeat(np.eye(shape[1])[:, None, :], shape[0], axis=1),
        "y": np.repeat(np.eye(shape[0])[:, :, None], shape[1], axis=2),
    }


def evidence_from_ink(
    output: np.ndarray,
    target: np.ndarray | None = None,
    *,
    shape: tuple[int, int] = SHAPE,
    hole: tuple[tuple[int, int], tuple[int, int]] = HOLE,
    dark: bool = True,
    hidden: dict[str, np.ndarray] | None = None,
    **settings: Any,
) -> Evidence:
    """Evidence whose pictures are given as ink; the targets are bumps unless said."""
    target = draw_bumps(shape) if target is None else target
    layers = {"input": one_hot(shape), **(hidden or {}), "output": output.reshape(len(output), -1)}
    defaults = {"sections": hole_sections(shape, hole), "layers": layers}
    pictures = [1.0 - ink if dark else ink for ink in (target, output)]
    return Evidence(shape, *pictures, dark=dark, **{**defaults, **settings})


def generic_evidence(dark: bool = True, **settings: Any) -> Evidence:
    """Evidence with nothing special about it: noisy pictures, three random hidden layers, noisy stripes."""
    rng = stream(3, "measures", "generic")
    hidden, rows = {}, one_hot()
    for depth, width in enumerate((7, 120, 13)):
        rows = np.tanh(rows @ rng.normal(size=(rows.shape[1], width)) / 2)
        hidden[f"hidden{depth}"] = rows
    output = draw_bumps() * rng.uniform(0.2, 1.0, size=(99, 1, 1)) + 0.1 * rng.normal(size=(99, *SHAPE))
    drawn = {name: pictures + 0.1 * rng.normal(size=pictures.shape) for name, pictures in stripes().items()}
    return evidence_from_ink(output, dark=dark, hidden=hidden, **{"embeddings": drawn, **settings})


@pytest.fixture(scope="session")
def bumps() -> Callable[..., np.ndarray]:
    return draw_bumps


@pytest.fixture(scope="session")
def from_ink() -> Callable[..., Evidence]:
    return evidence_from_ink


@pytest.fixture(scope="session")
def generic() -> Callable[..., Evidence]:
    return generic_evidence


@pytest.fixture(scope="session")
def full_stripes() -> Callable[..., dict[str, np.ndarray]]:
    return stripes


@pytest.fixture(scope="session")
def sections_of() -> Callable[..., dict[str, np.ndarray]]:
    return hole_sections


@pytest.fixture(scope="session")
def one_hot_code() -> Callable[..., np.ndarray]:
    return one_hot
