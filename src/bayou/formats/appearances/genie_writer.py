"""The lines of the section <genie> of an XDSL file: boxes, colours, submodels and free texts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bayou.formats.appearances.genie_reader import (
    DEFAULT_COLOURS,
    DEFAULT_FONT,
    DEFAULT_SIZE,
    grid_place,
)
from bayou.formats.appearances.placing import Shift, moved
from bayou.formats.appearances.rest_note import NativeParts
from bayou.formats.spelling import SpeltDraft, identifier, printable
from bayou.formats.xml_tree import escape, quoteattr
from bayou.networks.appearance import Appearance, NodeAppearance, Point, Submodel, TextBox
from bayou.schema import label
from bayou.typing import Name

_NODE = ("title", "description", "position", "size", "colour", "outline", "text_colour", "font")
_USUAL = {*(f"#{colour}" for colour in DEFAULT_COLOURS.values()), DEFAULT_FONT}
"""What the reader takes for the choice of GeNIe, not of the user."""
_FITTING = re.compile("[\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
_FONT = re.compile(r"(bold )?(italic )?(\S+) (\S.*)")


def fits_xml(text: str) -> bool:
    """Whether an element of XML keeps a text as it is: no control characters, no blanks at its ends.

    >>> fits_xml("a\\nb < c"), fits_xml(" a"), fits_xml("\\x00")
    (True, False, False)
    """
    return _FITTING.fullmatch(text) is not None and text == text.strip()


def default_title(name: Name) -> str:
    """The name that GeNIe shows for a node without a title."""
    return printable(label(name))


def native_parts(shown: Appearance) -> NativeParts:
    """What the section can say; submodels and texts if it can say all of them."""
    groups = [one for top in shown.submodels for one in top.everything()]
    names = [one.name for one in groups]
    whole = len(set(names)) == len(names) and all(map(_is_native_group, groups))
    parts = (("submodels",) if whole else ()) + (("texts",) if all(map(_is_native_text, shown.texts)) else ())
    return NativeParts(("description", *parts), _NODE, (), lambda text: fits_xml(text) and text not in _USUAL)


def _is_native_group(group: Submodel) -> bool:
    shown = group.shown
    texts = (shown.title, shown.table_note, *shown.states)
    return bool(group.name) and fits_xml(group.name) and fits_xml(shown.description) and not any(texts)


def _is_native_text(one: TextBox) -> bool:
    return fits_xml(one.text) and one.position is not None and one.size is not None


def genie_lines(texts: SpeltDraft, shift: Shift) -> Iterator[str]:
    """The boxes of all nodes: those outside of submodels, then the submodels, then the free texts."""
    shown = moved(texts.draft.appearance, shift)
    numbers = {name: number for number, name in enumerate(texts.names)}
    inside = {name for top in shown.submodels for one in top.everything() for name in one.nodes}

    def node_lines(name: Name, tabs: str) -> Iterator[str]:
        own = shown.node(name)
        yield f'{tabs}<node id="{texts.names[name]}">'
        title = _written(own.title) or default_title(name)
        yield from _box_lines(own, title, own.position or grid_place(numbers[name]), tabs)
        yield f"{tabs}</node>"

    def group_lines(group: Submodel, tabs: str) -> Iterator[str]:
        yield f'{tabs}<submodel id="{identifiers[id(group)]}">'
        place = group.shown.position or grid_place(0)
        yield from _box_lines(group.shown, _written(group.name) or "_", place, tabs)
        for name in group.nodes:
            yield from node_lines(name, tabs + "\t")
        for one in group.submodels:
            yield from group_lines(one, tabs + "\t")
        yield f"{tabs}</submodel>"

    identifiers = _identifiers(shown, texts)
    if shown.description:
        yield f"\t\t\t<comment>{escape(_written(shown.description))}</comment>"
    for name in texts.names:
        if name not in inside:
            yield from node_lines(name, "\t\t\t")
    for group in shown.submodels:
        yield from group_lines(group, "\t\t\t")
    for one in shown.texts:
        yield from _text_lines(one)


def _identifiers(shown: Appearance, texts: SpeltDraft) -> dict[int, str]:
    """An identifier for each submodel, which no node and no other submodel has."""
    taken = set(texts.names.values())
    chosen: dict[int, str] = {}
    for group in (one for top in shown.submodels for one in top.everything()):
        base = text = identifier(group.name)
        number = 2
        while text in taken:
            text, number = f"{base}_{number}", number + 1
        taken.add(text)
        chosen[id(group)] = text
    return chosen


def _box_lines(shown: NodeAppearance, title: str, place: Point, tabs: str) -> Iterator[str]:
    colours = {"interior": shown.colour, "outline": shown.outline, "font": shown.text_colour}
    hexadecimal = {tag: colour[1:] or DEFAULT_COLOURS[tag] for tag, colour in colours.items()}
    yield f"{tabs}\t<name>{escape(title)}</name>"
    yield f'{tabs}\t<interior color="{hexadecimal["interior"]}" />'
    yield f'{tabs}\t<outline color="{hexadecimal["outline"]}" />'
    yield f'{tabs}\t<font color="{hexadecimal["font"]}" {_font(shown.font)} />'
    yield f"{tabs}\t<position>{_corners(place, shown.size or DEFAULT_SIZE)}</position>"
    if shown.description:
        yield f"{tabs}\t<comment>{escape(_written(shown.description))}</comment>"


def _text_lines(one: TextBox) -> Iterator[str]:
    yield "\t\t\t<textbox>"
    yield f"\t\t\t\t<caption>{escape(_written(one.text))}</caption>"
    yield '\t\t\t\t<font color="000000" name="Arial" size="8" />'
    yield f"\t\t\t\t<position>{_corners(one.position or grid_place(0), one.size or DEFAULT_SIZE)}</position>"
    yield "\t\t\t</textbox>"


def _corners(centre: Point, size: Point) -> str:
    (x, y), (width, height) = centre, size
    ends = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    return " ".join(str(round(end)) for end in ends)


def _font(font: str) -> str:
    found = _FONT.fullmatch(font) or _FONT.fullmatch(DEFAULT_FONT)
    if found is None:
        return ""
    marks = "".join(f' {mark.strip()}="true"' for mark in (found[1], found[2]) if mark)
    return f"name={quoteattr(_written(found[4]))} size={quoteattr(_written(found[3]))}{marks}"


def _written(text: str) -> str:
    """The text itself if XML can hold it, else the nearest text that it can (a note has the whole one)."""
    return text if fits_xml(text) else "".join(c if _FITTING.fullmatch(c) else " " for c in text).strip()
