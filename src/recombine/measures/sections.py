"""Sections of combinations, as every kind of evidence has them: named masks; "id" and "ood" are always there."""

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool

Sections: TypeAlias = Mapping[str, Bool[np.ndarray, " combinations"]]


def check_sections(sections: Sections, combinations: int) -> None:
    """Refuse sections that lack "id" or "ood", are no masks over the combinations, or have one in both of these."""
    for name in ("id", "ood"):
        if name not in sections:
            raise InputError(
                f"evidence needs a section {name!r}, got {', '.join(sections) or 'none'}; "
                "give a mask over the combinations, empty where there are none."
            )
    for name, mask in sections.items():
        if mask.shape != (combinations,) or mask.dtype != np.bool_:
            raise InputError(
                f"evidence section {name!r} is {mask.dtype} of shape {mask.shape}; "
                f"it must be a boolean mask of shape ({combinations},), one entry per combination."
            )
    both = int((sections["id"] & sections["ood"]).sum())
    if both:
        raise InputError(
            f"evidence has {both} combinations in both 'id' and 'ood'; a combination is trained on or held out, "
            "so take them out of one of the two sections."
        )


def pick_section(sections: Sections, name: str) -> Bool[np.ndarray, " combinations"]:
    """The mask of a section that has at least one combination, or an `InputError`."""
    if name not in sections:
        raise InputError(
            f"this evidence has no section {name!r}, only {', '.join(sections)}; "
            "name that section in the split, or leave out the measures that read it."
        )
    if not sections[name].any():
        raise InputError(
            f"section {name!r} of this evidence is empty; "
            "use a split that puts combinations into it, or leave out the measures that read it."
        )
    return sections[name]
