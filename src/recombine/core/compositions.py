"""How components become one observation: C in f(z) = C(phi_1(z_1), ..., phi_K(z_K)) (Wiedemer et al. 2023, Def. 1).

A composition works on the last axis, channel by channel, so that every pixel is composed alike and on its own. It is
written once and serves NumPy arrays (data), torch tensors (models) and their derivatives alike.
"""

import sys
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from pydantic import Field

from recombine.core.errors import InputError
from recombine.core.spec import Kinds, Spec

Array: TypeAlias = Any  # a NumPy array or a torch tensor

COLOURS = 3  # channels of a picture that a composition makes


class Composition(Spec):
    """Joins the pictures of components, front first, into one picture of three channels."""

    channels: ClassVar[int] = 3  # of a component
    learned: ClassVar[bool] = False  # whether a model must learn it, so that there is no formula

    def join(self, parts: Sequence[Array]) -> Array:
        """The composed picture (..., 3) of the components (..., channels), the first in front."""
        if not parts:
            raise InputError(f"composition {self.kind!r} needs at least one component, got none.")
        return reduce(lambda behind, front: self.over(front, behind), list(parts)[-2::-1], parts[-1])

    @abstractmethod
    def over(self, front: Array, behind: Array) -> Array:
        """One component in front of another, or of what is composed already."""

    def visible(self, part: Array) -> Array:
        """A component without what no picture of it alone shows, such as the colour of what is not there."""
        return part

    def agrees(self, other: "Composition") -> bool:
        """Whether both are the same function of components, however those are written."""
        return self == other

    def component(self, colour: Array, cover: Array) -> Array:
        """A sprite as this composition takes it: colour (..., 3) where ``cover`` (..., 1), from 0 to 1, is above 0."""
        return colour * cover


class Compositions(Kinds[Composition]):
    """The compositions by name; what is none is told how to become one."""

    def parse(self, value: object) -> Composition:
        if isinstance(value, (str, Mapping, *self.values())):
            return super().parse(value)
        raise InputError(
            f"{value!r} is no composition; give one of {', '.join(self)}, or write your own as a class with the "
            'decorator @compositions.register("name") of recombine.core.compositions and give its name: see '
            "docs/guide/scenes.md."
        )


#: Every composition by name.
compositions = Compositions("composition")


def composed(composition: Composition, parts: Sequence[Array], finite: bool = True) -> Array:
    """What a composition makes of components (..., channels), refused unless it is a picture (..., 3) of their size.

    With ``finite`` its numbers are looked at too, which derivatives and stacks of networks do not allow.
    """
    name, given = f"composition {composition.kind!r}", f"{len(parts)} components of shape {tuple(parts[0].shape)}"
    try:
        made = composition.join(parts)
    except (InputError, MemoryError):
        raise
    except Exception as error:
        said = " ".join(str(error).split()).rstrip(".")
        raise InputError(
            f"{name} raised {type(error).__name__}{f' ({said})' if said else ''} for {given}; it must compose whatever "
            "it is given, so mend it."
        ) from error
    wanted = (*parts[0].shape[:-1], COLOURS)
    if library_of(made) != library_of(parts[0]) or tuple(made.shape) != wanted:
        got = type(made).__name__ + (f" of shape {tuple(made.shape)}" if hasattr(made, "shape") else "")
        raise InputError(
            f"{name} returned {got} for {given}, not {type(parts[0]).__name__} of shape {wanted}; a picture must be as "
            "large as its components, whatever they show, so mend it."
        )
    if finite:
        bad = np.argwhere(~np.asarray(namespace(made).isfinite(made)))
        if len(bad):
            *pixel, channel = bad[0].tolist()
            values = [f"({', '.join(f'{each:.4g}' for each in part[tuple(pixel)].tolist())})" for part in parts]
            raise InputError(
                f"{name} is {float(made[(*pixel, channel)])} where the components are {' and '.join(values)}, front "
                "first; it must be a finite number for all colours, negative ones too, so mend it."
            )
    return made


def library_of(array: Array) -> str:
    """The name of the library an array belongs to."""
    return type(array).__module__.partition(".")[0]


def namespace(array: Array) -> Any:
    """The library an array belongs to: NumPy or torch, as a module."""
    return sys.modules[library_of(array)]


def sigmoid(values: Array) -> Array:
    """1 / (1 + exp(-v)), by a formula that never overflows."""
    return 0.5 + 0.5 * namespace(values).tanh(0.5 * values)


@compositions.register("addition")
class Addition(Composition):
    """The sum of the components: C = sum_k phi_k."""

    def over(self, front: Array, behind: Array) -> Array:
        return front + behind


@compositions.register("hard")
class HardOcclusion(Composition):
    """The front component wherever it is bright, else the one behind: a where s > threshold, else b; s sums channels.

    The released code has a threshold of 0. On pictures whose pixels are empty (s = 0) or fully coloured (s >= 1) every
    threshold below 1 gives the same, and one above 0 has a derivative at empty pixels.
    """

    threshold: float = Field(default=0.5, ge=0)

    def over(self, front: Array, behind: Array) -> Array:
        library = namespace(front)
        return library.where(front.sum(-1)[..., None] > self.threshold, front, behind)


@compositions.register("soft")
class SoftOcclusion(Composition):
    """Both components, weighed by how bright the front is: a sig(t s) + b sig(-t s); s sums the channels of a.

    With t = 1, as released, an empty front pixel halves what is behind it; a model can write "nothing here" as a very
    negative colour. Of more than two components the front is weighed against all that is composed behind it.
    """

    temperature: float = Field(default=1.0, gt=0)

    def over(self, front: Array, behind: Array) -> Array:
        weight = sigmoid(self.temperature * front.sum(-1)[..., None])
        return front * weight + behind * (1 - weight)


@compositions.register("over")
class AlphaOver(Composition):
    """Alpha compositing over black: components have a colour and an opacity, alpha_a a + (1 - alpha_a) alpha_b b.

    ``opacity`` says how the fourth channel becomes alpha: cut to [0, 1] (``clamp``, as released), or by a sigmoid,
    whose gradient never vanishes.
    """

    channels: ClassVar[int] = 4

    opacity: Literal["clamp", "sigmoid"] = "clamp"

    def join(self, parts: Sequence[Array]) -> Array:
        if not parts:
            raise InputError(f"composition {self.kind!r} needs at least one component, got none.")
        *front, last = parts
        return reduce(lambda behind, part: self.over(part, behind), front[::-1], last[..., :3] * self.alpha(last))

    def over(self, front: Array, behind: Array) -> Array:
        alpha = self.alpha(front)
        return front[..., :3] * alpha + behind * (1 - alpha)

    def visible(self, part: Array) -> Array:
        alpha = self.alpha(part)
        return namespace(part).concatenate([part[..., :3] * alpha, alpha], -1)

    def agrees(self, other: Composition) -> bool:
        return isinstance(other, AlphaOver)

    def alpha(self, part: Array) -> Array:
        """The opacity (..., 1) of a component."""
        raw = part[..., 3:]
        return sigmoid(raw) if self.opacity == "sigmoid" else raw.clip(0, 1)

    def component(self, colour: Array, cover: Array) -> Array:
        library = namespace(colour)
        alpha = cover
        if self.opacity == "sigmoid":
            inside = cover.clip(1e-4, 1 - 1e-4)
            alpha = library.log(inside / (1 - inside))
        there = colour * (cover > 0)
        return library.concatenate([there, alpha], -1)


@compositions.register("learned")
class LearnedComposition(Composition):
    """A small network from the channels of all components of a pixel to its colour, the same for every pixel.

    Only a model can have it: it is what stands for a composition that is not known.
    """

    learned: ClassVar[bool] = True

    hidden: int = Field(default=32, ge=1)

    def join(self, parts: Sequence[Array]) -> Array:
        raise InputError("the composition 'learned' has no formula; only a model can have it, so draw data by another.")

    def over(self, front: Array, behind: Array) -> Array:
        return self.join((front, behind))
