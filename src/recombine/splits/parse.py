"""Regions in one line, as the command line takes them: ``block:x=6..22,y=6..22``."""

import re
from typing import cast

from recombine.core.errors import InputError, shown
from recombine.core.plain_documents import check_size, read_document, split_outside
from recombine.splits.anchored import Anchors
from recombine.splits.boxes import Band, Block, Cross
from recombine.splits.region import Region, Union, regions
from recombine.splits.unseen import Extrapolation

EXAMPLE = "block:x=6..22,y=6..22"
DIGITS = 18  # of a level; what has more is no 64-bit number
LONGEST = 1_000_000  # levels of a range that stands for all of them; no factor has so many
PREFIX = f"{Extrapolation.kind}/"


def parse_region(text: str) -> Region:
    """The region that ``text`` describes: a kind, then its settings.

    block:x=6..22,y=6..22         6..22 INCLUDES both ends, so this is block(x=(6, 23), y=(6, 23))
    band:x=5..8                   5, 6, 7 and 8 of x: band(factor="x", low=5, high=9), where high is NOT included
    random:fraction=0.3,seed=1    numbers and words stand for themselves
    anchors:first=0|8,second=2..4 several levels, listed or from the first to the last
    block:x=0..2,y=0..2+corner:x=8,y=8    a union
    extrapolation/cross:x=3..5,y=2..4     unseen levels are meant; the prefix covers all that follows

    cells:rows=[[0, 4], [2, 1]]           lists and mappings as YAML writes them; inside, high ends are NOT included
    union:of=[{kind: corner, x: 8}, {kind: band, factor: y, low: 2, high: 4}]
    """
    whole = text.strip()
    body = whole.removeprefix(PREFIX)
    if PREFIX in body:
        raise InputError(
            f"region {shown(text)} has {PREFIX!r} inside; the prefix goes first, once, and covers all that follows, "
            f"e.g. {PREFIX}{EXAMPLE}."
        )
    parts = [_parse_one(part.strip(), text) for part in split_outside(body, "+")]
    region = parts[0] if len(parts) == 1 else Union(of=tuple(parts))
    return region if body == whole else Extrapolation(of=region)


def _parse_one(part: str, text: str) -> Region:
    kind, colon, rest = part.partition(":")
    if not kind.strip():
        raise _malformed(text, "a region begins with its kind")
    cls = regions.pick(kind.strip())
    if colon and not rest.strip():
        raise _malformed(text, "settings follow the colon")
    settings: dict[str, object] = {}
    for setting in split_outside(rest, ",") if colon else []:
        name, equals, value = (piece.strip() for piece in setting.partition("="))
        if not (name and equals and value):
            raise _malformed(text, f"{setting.strip()!r} is not name=value")
        if name in settings:
            raise _malformed(text, f"{name!r} is given twice")
        if cls in (Band, Block, Cross) and "|" in value:
            raise _malformed(text, f"{value!r} lists levels where a range is meant")
        settings[name] = _value(value, text, listed=cls is Anchors)
    if cls is Band and any(isinstance(value, tuple) for value in settings.values()):
        settings = _one_range(settings, text)
    return cls.read(settings)


def _one_range(settings: dict[str, object], text: str) -> dict[str, object]:
    """The settings of a band that is written like a block, ``x=5..8``: its factor and the half-open range."""
    if len(settings) > 1:
        raise _malformed(text, "a band is one factor with its range (band:x=5..8) or factor=, low= and high=")
    ((factor, span),) = settings.items()
    low, high = cast("tuple[int, int]", span)
    return {"factor": factor, "low": low, "high": high}


def _value(value: str, text: str, listed: bool) -> object:
    """A list or mapping, a range with both ends, several levels, a number, or a word.

    ``listed``: a range stands for all its levels.
    """
    if value[0] in "[{":
        return read_document(value, f"the value {shown(value)} of region {shown(text)}")
    ends = re.fullmatch(r"(\d+)\.\.(\d+)", value)
    if ends:
        first, last = (_whole(end, text) for end in ends.groups())
        if last + 1 == first:
            raise _malformed(text, f"the range {value} ends just before it begins; both ends are included")
        if listed and last < first:
            raise _malformed(text, f"the range {value} runs backwards")
        if listed and last - first >= LONGEST:
            raise _malformed(text, f"the range {value} has more than {LONGEST} levels")
        return tuple(range(first, last + 1)) if listed else (first, last + 1)
    if re.fullmatch(r"\d+(\|\d+)+", value):
        return tuple(_whole(level, text) for level in value.split("|"))
    if ".." in value:
        raise _malformed(text, f"{value!r} is no range of level indices")
    for number in (int, float):
        try:
            found = number(value)
        except ValueError:
            continue
        return check_size(found, f"region {shown(text)}") if isinstance(found, int) else found
    return value


def _whole(digits: str, text: str) -> int:
    if len(digits) > DIGITS:
        raise _malformed(text, f"a level of {len(digits)} digits is beyond all grids")
    return int(digits)


def _malformed(text: str, rule: str) -> InputError:
    return InputError(f"region {shown(text)} cannot be read: {rule}; write e.g. {EXAMPLE}.")
