"""YAML and JSON as plain values: by the safe loader, every name once, and no larger than it looks.

A few lines of YAML can stand for gigabytes (a list of aliases of lists of aliases), for a list that contains itself, or
for a number that takes minutes to print. All of these are refused here, before anything is made of them.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from recombine.core.errors import InputError

if TYPE_CHECKING:
    import yaml

DEEPEST = 64  # lists and mappings inside one another
MOST = 4_000_000  # values, with aliases written out
BITS = 64  # of a whole number
# A whole quotation, which opens where no word has begun; a bracket; what pieces are split at.
MARKS = re.compile(r"""(?<!\w)"(?:\\.|[^"\\])*"|(?<!\w)'[^']*'|[\[\]{},+]""")


def read_document(text: str, what: str) -> object:
    """The one document in a text of YAML (or JSON); ``what`` names it in errors, e.g. "'problem.yaml'"."""
    import yaml

    try:
        loader = _loader()(text)
        try:
            found = loader.get_single_data()
        finally:
            loader.dispose()
        _weigh(found, what, {})
    except InputError:
        raise
    except yaml.YAMLError as error:
        raise InputError(f"{what} is not valid YAML: {' '.join(str(error).split())}.") from None
    except RecursionError:
        raise _too_deep(what) from None
    except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
        # A value that is not what its tag or its look says: !!int x, 2020-99-99, a number of 5,000 digits.
        raise InputError(f"{what} is not valid YAML: it has a value that cannot be read ({error}).") from None
    return found


def split_outside(text: str, at: str) -> list[str]:
    """The pieces of a text split at commas, or at pluses, outside [], {} and quotes: ``a=1,b=[2, 3]`` has two."""
    pieces, start, depth = [], 0, 0
    for mark in MARKS.finditer(text):
        if mark[0] in "[{":
            depth += 1
        elif mark[0] in "]}":
            depth -= 1
        elif mark[0] == at and depth == 0:
            pieces.append(text[start : mark.start()])
            start = mark.end()
    return [*pieces, text[start:]]


def check_size(number: int, what: str) -> int:
    """A whole number as it is, if computers count so far."""
    if number.bit_length() > BITS:
        raise InputError(f"{what} has a whole number of {number.bit_length()} bits; they have at most {BITS}.")
    return number


@cache
def _loader() -> "type[yaml.SafeLoader]":
    """The safe loader of YAML, which takes the last of several values for one name, made to refuse them, and depth."""
    import yaml

    class EachOnce(yaml.SafeLoader):
        depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.depth > DEEPEST:  # at once: what is a hundred thousand deep takes seconds to be read to its end
                raise RecursionError
            self.depth += 1
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

        # Where nodes are new: merged keys (<<) are put beside a mapping's own later.
        def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
            node = super().compose_mapping_node(anchor)
            seen = set()
            for key, _ in node.value:
                if not isinstance(key, yaml.ScalarNode):
                    continue
                if (key.tag, key.value) in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"{key.value!r} is given twice; give it once", key.start_mark
                    )
                seen.add((key.tag, key.value))
            return node

    return EachOnce


def _weigh(value: object, what: str, known: dict[int, tuple[int, int] | None]) -> tuple[int, int]:
    """How many values there are in a document and how deep it is; what recurs by aliases is looked at once."""
    if isinstance(value, int):
        check_size(value, what)
    if not isinstance(value, dict | list | tuple | set):
        return 1, 0
    if id(value) not in known:
        known[id(value)] = None  # until all that is inside is known
        inside = [*value, *value.values()] if isinstance(value, dict) else value
        found = [_weigh(each, what, known) for each in inside]
        known[id(value)] = 1 + sum(count for count, _ in found), 1 + max((depth for _, depth in found), default=0)
    whole = known[id(value)]
    if whole is None:
        raise InputError(f"{what} has a list or mapping that contains itself; write out what is meant.")
    if whole[0] > MOST:
        raise InputError(f"{what} has more than {MOST} values with its aliases written out; make it smaller.")
    if whole[1] > DEEPEST:
        raise _too_deep(what)
    return whole


def _too_deep(what: str) -> InputError:
    return InputError(f"{what} is nested more than {DEEPEST} deep; write it flatter.")
