"""Components as real pictures: which images, how large, how far apart, and how many tuples of them."""

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field, field_validator

from recombine.core.errors import InputError
from recombine.core.seeds import stream
from recombine.core.shapes import Float, Int
from recombine.core.spec import Spec
from recombine.data.image_sets import image_sets

if TYPE_CHECKING:
    from recombine.data.image_components import Gallery

Drawn = tuple[Int[np.ndarray, "examples components"], Float[np.ndarray, "examples units"]]


class ComponentPictures(Spec):
    """Images in place of symbols: each level is a category, each example a tuple of images, one channel group each.

    ``distance`` shifts each component that many pixels to the right of the one before it. ``size`` resizes the
    images (by default they stay as they come). ``per_category`` training images are set aside for each category and
    component, and ``total`` tuples of them are spread evenly over the training combinations; ``questions`` tuples
    of each sort are asked of every combination. With ``shuffle_classes`` the categories are drawn from all classes of
    the set, otherwise they are the first ones, shuffled. ``augment`` crops and mirrors each training image once, as
    published for CIFAR-10 (there anew in every epoch). Defaults are the published ones for MNIST.
    """

    set: str = "mnist-5k"
    size: int | None = Field(default=None, ge=4, le=64)
    distance: int = Field(default=0, ge=0, le=64)
    per_category: int = Field(default=200, ge=1)
    total: int = Field(default=20_000, ge=1)
    questions: int = Field(default=100, ge=1)
    shuffle_classes: bool = False
    augment: bool = False

    @field_validator("set")
    @classmethod
    def _known(cls, name: str) -> str:
        image_sets.pick(name)
        return name

    def model_post_init(self, context: object) -> None:
        if self.augment and self.distance:
            raise InputError("augment crops whole pictures, so it needs distance = 0; set one of the two.")

    def shape(self, components: int) -> tuple[int, int, int]:
        """Channels, rows and columns of an input."""
        from recombine.data.image_components import canvas_shape
        from recombine.data.image_sets import load_images

        return canvas_shape(load_images(self.set, self.size), components, self.distance)

    def training(self, levels: tuple[int, ...], combinations: Int[np.ndarray, "items components"], seed: int) -> Drawn:
        """The combination of each training example, and its picture, flat."""
        gallery = self.gallery(levels, seed)
        tuples = gallery.training(combinations, self.total)
        pictures = gallery.render(tuples, self.distance)
        if self.augment:
            from recombine.data.image_components import augmented

            rng = stream(seed, "data", "images", "augmentation")
            pictures = augmented(pictures, rng, len(levels), fill=gallery.black)
        return _by_combination(combinations, pictures)

    def asked(
        self, levels: tuple[int, ...], combinations: Int[np.ndarray, "items components"], which: str, seed: int
    ) -> Drawn:
        """The same for what is asked: new pairings of training images ("train") or images never seen ("held-out")."""
        gallery = self.gallery(levels, seed)
        draw = gallery.new_images if which == "held-out" else gallery.new_pairings
        return _by_combination(combinations, gallery.render(draw(combinations, self.questions), self.distance))

    def gallery(self, levels: tuple[int, ...], seed: int) -> "Gallery":
        """The images of one seed."""
        return _gallery(self.set, self.size, levels, seed, self.per_category, self.shuffle_classes)


def _by_combination(combinations: np.ndarray, pictures: np.ndarray) -> Drawn:
    each = len(pictures) // len(combinations)
    return np.repeat(combinations, each, axis=0), pictures.reshape(len(pictures), -1)


@lru_cache(maxsize=4)
def _gallery(
    name: str, size: int | None, levels: tuple[int, ...], seed: int, per_category: int, shuffle_classes: bool
) -> "Gallery":
    from recombine.data.image_components import Gallery
    from recombine.data.image_sets import load_images

    return Gallery(load_images(name, size), levels, seed, per_category, shuffle_classes)
