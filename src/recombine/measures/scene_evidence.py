"""What a trained model showed on scenes of components: its pictures, and the components it made them of."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from recombine.core.errors import InputError
from recombine.core.shapes import Bool, Float
from recombine.measures.evidence import check_finite
from recombine.measures.sections import pick_section

PARTED = ("seen", "unseen")  # sections that part "all"
INSIDE = ("ood", *PARTED)  # sections that are parts of "all"


@dataclass(frozen=True, eq=False)
class SceneEvidence:
    """What a model showed on scenes of K sprites, where C composes a picture of one component for each sprite.

    An item is a scene the model was asked about; slot 0 is in front. A section is a mask over the items: "id" (drawn
    like the training set) and "all" (drawn from the whole space of latents) are always there, disjoint, and have items.
    "ood" is what of "all" lies outside the support. "seen" and "unseen" part "all": an item is unseen where training
    never shows some component at its value.
    """

    targets: Float[np.ndarray, "items rows columns channels"]
    outputs: Float[np.ndarray, "items rows columns channels"]
    latents: Float[np.ndarray, "items slots latents"]  # from 0 to 1, x and y of the sprite first
    sections: Mapping[str, Bool[np.ndarray, " items"]]  # "id", "all"; "ood", "seen", "unseen" where they have items
    overlap: Bool[np.ndarray, "items rows columns"]  # the pixels that two sprites or more cover
    # The true components as the model's composition takes them. None or without an entry where the model has none.
    truths: Float[np.ndarray, "slots items rows columns parts"] | None = None
    components: Float[np.ndarray, "slots items rows columns parts"] | None = None  # the model's; None: it has none
    # C(the model's component k, the true others) for each k, and C(all true components), by the model's composition.
    swapped: Float[np.ndarray, "slots items rows columns channels"] | None = None
    composed: Float[np.ndarray, "items rows columns channels"] | None = None

    def __post_init__(self) -> None:
        self._check_pictures()
        self._check_latents()
        self._check_sections()
        self._check_components()
        self._check_swaps()

    def _check_pictures(self) -> None:
        if self.targets.ndim != 4 or self.targets.size == 0:
            raise InputError(
                f"evidence targets have shape {self.targets.shape}; they must be (items, rows, columns, channels), "
                "a picture per item."
            )
        _check_shape("outputs", self.outputs, self.targets.shape, "give one output per target")
        _check_shape(
            "overlap", self.overlap, self.targets.shape[:3], "say of every pixel whether sprites overlap there"
        )
        if self.overlap.dtype != np.bool_:
            raise InputError(f"evidence overlap is {self.overlap.dtype}; it must be a boolean mask over the pixels.")
        check_finite("targets", self.targets)
        check_finite("outputs", self.outputs)

    def _check_latents(self) -> None:
        if self.latents.ndim != 3 or len(self.latents) != len(self.targets) or self.latents.size == 0:
            raise InputError(
                f"evidence latents have shape {self.latents.shape}; they must be "
                f"({len(self.targets)}, slots, latents), some numbers for each sprite of an item."
            )
        # Not the opposite comparison: this one is false of NaN too.
        outside = self.latents[~((self.latents >= 0) & (self.latents <= 1))]
        if outside.size:
            raise InputError(
                f"evidence latents have {outside.size} values outside [0, 1], the first is {outside[0]:g}; "
                "give them as places between their ends."
            )

    def _check_sections(self) -> None:
        items = len(self.targets)
        for name in ("id", "all"):
            if name not in self.sections:
                raise InputError(
                    f"evidence of scenes needs a section {name!r}, got {', '.join(self.sections) or 'none'}; "
                    "give a mask over the items."
                )
        for name, mask in self.sections.items():
            if mask.shape != (items,) or mask.dtype != np.bool_:
                raise InputError(
                    f"evidence section {name!r} is {mask.dtype} of shape {mask.shape}; "
                    f"it must be a boolean mask of shape ({items},), one entry per item."
                )
        for name in ("id", "all"):
            self.section(name)
        self._keep_apart("id", "all")
        if all(name in self.sections for name in PARTED):
            self._keep_apart(*PARTED)
        for name in INSIDE:
            beyond = int((self.sections[name] & ~self.sections["all"]).sum()) if name in self.sections else 0
            if beyond:
                raise InputError(
                    f"evidence section {name!r} has {beyond} items that are not in 'all'; "
                    "it is a part of 'all', so take them out."
                )

    def _keep_apart(self, first: str, second: str) -> None:
        both = int((self.sections[first] & self.sections[second]).sum())
        if both:
            raise InputError(
                f"evidence has {both} items in both {first!r} and {second!r}; "
                "these sections are disjoint, so take them out of one of the two."
            )

    def _check_components(self) -> None:
        if self.has_truths:
            assert self.truths is not None
            parts = self.truths.shape[-1]
            _check_shape("truths", self.truths, (*self._by_slot, parts), "give the true component of every sprite")
            check_finite("truths", self.truths)
        if self.components is None:
            return
        if not self.has_truths:
            raise InputError(
                "evidence has components of a model and no true ones to compare them with; "
                "give truths as the model's composition takes them, or leave out the components."
            )
        assert self.truths is not None
        _check_shape("components", self.components, self.truths.shape, "give one component per true one")
        check_finite("components", self.components)

    def _check_swaps(self) -> None:
        if (self.swapped is None) != (self.composed is None):
            given, lacking = ("composed", "swapped") if self.swapped is None else ("swapped", "composed")
            raise InputError(
                f"evidence has {given} pictures and no {lacking} ones; they are compared, so give both or neither."
            )
        if self.swapped is None or self.composed is None:
            return
        channels = self.targets.shape[-1]
        _check_shape("swapped", self.swapped, (*self._by_slot, channels), "give a picture for every swapped component")
        _check_shape("composed", self.composed, self.targets.shape, "give one composed picture per target")
        check_finite("swapped", self.swapped)
        check_finite("composed", self.composed)

    @property
    def slots(self) -> int:
        """K, the number of sprites."""
        return self.latents.shape[1]

    @property
    def has_truths(self) -> bool:
        """Whether the true components are there."""
        return self.truths is not None and self.truths.size > 0

    @property
    def _by_slot(self) -> tuple[int, ...]:
        """The shape of what there is for every slot, but for the last axis."""
        return (self.slots, *self.targets.shape[:3])

    def section(self, name: str) -> Bool[np.ndarray, " items"]:
        """The mask of a section that has at least one item, or an `InputError`."""
        return pick_section(self.sections, name)

    def need_components(
        self,
    ) -> tuple[
        Float[np.ndarray, "slots items rows columns parts"], Float[np.ndarray, "slots items rows columns parts"]
    ]:
        """The true components and the model's, or an `InputError` when the model has none."""
        if self.truths is None or self.components is None:
            raise InputError(
                "this evidence has no components; use a model that draws each sprite on its own, "
                "or leave out what compares components."
            )
        return self.truths, self.components

    def need_swaps(
        self,
    ) -> tuple[
        Float[np.ndarray, "slots items rows columns channels"], Float[np.ndarray, "items rows columns channels"]
    ]:
        """The pictures with one component of the model, and those of true ones, or an `InputError` without them."""
        if self.swapped is None or self.composed is None:
            raise InputError(
                "this evidence has no swapped components; use a model that draws each sprite on its own "
                "and composes them by a formula, or leave out the measures of swaps."
            )
        return self.swapped, self.composed


def _check_shape(what: str, array: np.ndarray, expected: tuple[int, ...], remedy: str) -> None:
    if array.shape != expected:
        raise InputError(f"evidence {what} of shape {array.shape} must be of shape {expected}; {remedy}.")
