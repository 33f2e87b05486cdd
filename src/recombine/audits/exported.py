"""A folder that `recombine export` wrote: the names of its files, and its table read back."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from recombine.audits.factor_table import NONE
from recombine.core.errors import InputError
from recombine.core.shapes import Bool

DESCRIPTION = "croissant.json"  # its presence marks such a folder
TABLE, INPUTS, TARGETS, POSITIONS, PROBLEM = "factors.csv", "inputs.npy", "targets.npy", "positions.npy", "problem.yaml"
SECTION = "section"  # the column of the table that says where a row belongs
TRAINED = "trained"  # the section of the rows that are trained on
WORDS = "sc:Text"  # the type of a column of words


def is_exported(folder: Path) -> bool:
    """Whether a folder has the layout of an export."""
    return (folder / DESCRIPTION).is_file()


def exported_table(folder: Path) -> tuple[Any, Bool[np.ndarray, " rows"]]:
    """The factors of an exported folder as a data frame, and which of its rows are trained on.

    A factor that is absent from some rows has words for levels, and `NONE` there.
    """
    import pandas as pd

    try:
        described = json.loads((folder / DESCRIPTION).read_text(encoding="utf-8"))
        fields = [field for records in described["recordSet"] for field in records["field"] if "source" in field]
        words = {str(field["name"]): str for field in fields if field["dataType"] == WORDS}
        # Levels may be words that pandas would take for missing ones: NA, null.
        frame = pd.read_csv(
            folder / TABLE, dtype=words, keep_default_na=False, na_values={name: [""] for name in _numbers(fields)}
        )
        trained = (frame[SECTION] == TRAINED).to_numpy()
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{folder} has a {DESCRIPTION} but is no folder that `recombine export` wrote ({type(error).__name__}: "
            f"{' '.join(str(error).split())}); export it anew, or give a file of data and a table."
        ) from None
    factors = frame.drop(columns=SECTION)
    for name in factors.columns[factors.isna().any()]:
        factors[name] = [NONE if value != value else f"{value:g}" for value in factors[name]]
    return factors, trained


def _numbers(fields: list[dict[str, Any]]) -> list[str]:
    """The columns of numbers, in which an empty place is an absent factor."""
    return [str(field["name"]) for field in fields if field["dataType"] != WORDS]
