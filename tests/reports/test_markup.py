"""Whatever goes into a page comes out as the text it was, never as markup."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recombine.reports.markup import Markup, command, join, prose, raw, tag

# Surrogates cannot be written to a file; carriage returns are among the control characters that are replaced.
words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30)


@settings(deadline=None, max_examples=80)
@given(text=words, name=words)
def test_any_text_survives_as_text_and_as_attribute(parsed, text, name):
    (node,) = parsed(tag("p", text, title=name)).children
    assert node.text == text
    assert node.attributes == {"title": name}


@settings(deadline=None, max_examples=40)
@given(pieces=st.lists(words, max_size=4))
def test_joining_is_escaping_each_piece(parsed, pieces):
    assert join(pieces) == "".join(join(piece) for piece in pieces)
    assert parsed(tag("p", pieces)).text == "".join(pieces)


def test_markup_goes_in_once_and_as_it_is():
    inner = tag("b", "a < b & c")
    assert inner == "<b>a &lt; b &amp; c</b>"
    assert tag("p", inner) == f"<p>{inner}</p>"
    assert tag("p", str(inner).upper()) == "<p>&lt;B&gt;A &amp;LT; B &amp;AMP; C&lt;/B&gt;</p>"


def test_what_is_computed_from_markup_is_text_again():
    """Slices and sums of markup are plain strings, so a piece of a tag cannot slip through."""
    piece = tag("i", "x")[:2]
    assert not isinstance(piece, Markup)
    assert join(piece) == "&lt;i"
    assert join(tag("i", "x") + "<script>").startswith("&lt;i&gt;")


def test_attributes_are_named_like_html():
    assert tag("td", class_="a b", colspan=3, data_label="x") == '<td class="a b" colspan="3" data-label="x"></td>'
    assert tag("details", "x", open=True, hidden=False, id=None) == "<details open>x</details>"


def test_void_elements_are_not_closed():
    assert tag("img", alt='"quoted"') == '<img alt="&quot;quoted&quot;">'
    assert tag("p", None, "a", None) == "<p>a</p>"


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\x7f", "\r"])
def test_control_characters_show_as_replaced(character):
    assert join(f"a{character}b") == "a\ufffdb"
    assert join("a\tb\nc") == "a\tb\nc"


def test_backticks_make_code():
    assert prose("`a<b` is `c`") == "<code>a&lt;b</code> is <code>c</code>"
    assert prose("no pair ` <here>") == "no pair ` &lt;here&gt;"


def test_raw_is_the_only_way_around():
    assert join(raw("<hr>")) == "<hr>"
    assert command("check <x>") == '<code class="command">recombine check &lt;x&gt;</code>'
