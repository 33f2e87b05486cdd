"""Arrays and numbers as JSON: four decimals, and null where there is no number."""

from typing import Any

import numpy as np

from recombine.core.shapes import Real

DECIMALS = 4


def number(value: Any) -> float | None:
    """A finite number to six significant digits; None for what is no finite number."""
    if value is None or isinstance(value, str) or not np.isfinite(value):
        return None
    return float(f"{value:.6g}")


def rows(values: Real[np.ndarray, "..."]) -> list[Any]:
    """An array as nested lists to four decimals, None where it is not finite."""
    rounded = np.round(np.asarray(values, dtype=np.float64), DECIMALS) + 0.0  # no negative zeros
    if np.isfinite(rounded).all():
        found: list[Any] = rounded.tolist()
        return found
    some = rounded.astype(object)
    some[~np.isfinite(rounded)] = None
    return list(some.tolist())


def picture(values: Real[np.ndarray, "rows columns"], channels: int = 1) -> list[Any] | float | None:
    """A picture as its rows; with several channels rows of pixels; a picture of one number as that number."""
    if channels > 1:
        return rows(values.reshape(len(values), -1, channels))
    return number(values.item()) if values.size == 1 else rows(values)


def tidy(document: Any) -> Any:
    """A document of plain values without numbers that JSON has not: None stands for them."""
    if isinstance(document, dict):
        return {str(name): tidy(value) for name, value in document.items()}
    if isinstance(document, list | tuple):
        return [tidy(value) for value in document]
    if isinstance(document, np.ndarray):
        return rows(document)
    if isinstance(document, np.generic):
        document = document.item()
    if isinstance(document, float) and not np.isfinite(document):
        return None
    return document
