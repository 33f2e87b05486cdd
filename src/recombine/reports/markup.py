"""HTML as values: whatever is not markup already is escaped on its way into a page."""

import html
import re
from collections.abc import Iterable
from typing import Any, TypeAlias

VOID = frozenset({"br", "img", "meta"})
# Control characters have no place in HTML and could hide what a reader should see.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


class Markup(str):
    """Text that is HTML already. Only `tag`, `join` and `raw` make it."""

    __slots__ = ()


# What can stand inside a tag: text (escaped), markup (as it is), nothing, or several of these.
Content: TypeAlias = str | Iterable[Any] | None


def raw(text: str) -> Markup:
    """Text of our own that is HTML: a style sheet, a declaration. Never for anything that was read."""
    return Markup(text)


def join(*content: Content) -> Markup:
    """Pieces one after the other, escaped unless they are markup."""
    return Markup("".join(_pieces(content)))


def tag(name: str, /, *content: Content, **attributes: str | int | bool | None) -> Markup:
    """One element: ``tag("td", "a < b", class_="wide")`` is ``<td class="wide">a &lt; b</td>``.

    In names of attributes a trailing underscore is dropped and others become hyphens. True: the bare attribute;
    False or None: left out. Markup is taken as it is, there as well.
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{join(*content)}</{name}>")


def prose(text: str) -> Markup:
    """Text in which `names` between backticks, as docstrings have them, are set as code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:  # a backtick without its partner
        return join(text)
    return join([tag("code", piece) if place % 2 else piece for place, piece in enumerate(pieces)])


def command(arguments: str) -> Markup:
    """What to type: a command of recombine."""
    return tag("code", f"recombine {arguments}", class_="command")


def _attribute(key: str, value: str | int | bool | None) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    return f' {name}="{value if isinstance(value, Markup) else _escaped(str(value))}"'


def _pieces(content: Content) -> Iterable[str]:
    if content is None:
        return
    if isinstance(content, str):
        yield content if isinstance(content, Markup) else _escaped(content)
        return
    for item in content:
        yield from _pieces(item)


def _escaped(text: str) -> str:
    return html.escape(CONTROL.sub("\N{REPLACEMENT CHARACTER}", text))
