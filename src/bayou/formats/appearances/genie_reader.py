"""The drawing in an XDSL file: the section <genie> with boxes, colours, submodels and free texts.

A box is ``<position>left top right bottom</position>``, with y downwards. Colours and fonts that GeNIe gives
to every new node are not kept, and neither is the grid in which bayou places nodes without positions.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from bayou.formats.families import numbers_in
from bayou.formats.xml_tree import Element
from bayou.networks.appearance import Appearance, NodeAppearance, Submodel, TextBox
from bayou.typing import Name

DEFAULT_SIZE = (100.0, 60.0)
DEFAULT_COLOURS = {"interior": "e5f6f7", "outline": "000080", "font": "000000"}
DEFAULT_FONT = "8 Arial"
_BOX = {"name", "comment", "interior", "outline", "font", "position"}
_COLOUR = re.compile(r"[0-9A-Fa-f]{6}")


def grid_place(number: int) -> tuple[float, float]:
    """The centre of the box of a node without a position, by its number."""
    return 90.0 + 140 * (number % 8), 70.0 + 90 * (number // 8)


@dataclass
class GenieDrawing:
    """What the sections <genie> of a file show, under the identifiers of the file."""

    description: str = ""
    nodes: dict[str, NodeAppearance] = field(default_factory=dict)
    submodels: tuple[Submodel, ...] = ()
    texts: tuple[TextBox, ...] = ()
    skipped: Counter[str] = field(default_factory=Counter)

    def rest(self, names: Mapping[str, Name]) -> Appearance:
        """Submodels and free texts, with the names of variables; what is no node is left out."""
        groups = tuple(one.mapped(lambda name: names.get(str(name))) for one in self.submodels)
        return Appearance(description=self.description, submodels=groups, texts=self.texts)

    def unread(self) -> Iterator[str]:
        """What the sections had besides."""
        for tag, count in sorted(self.skipped.items()):
            times = f" ({count} times)" if count > 1 else ""
            yield f"the element <{tag}> of GeNIe's drawing{times}"


def read_genie(root: Element) -> GenieDrawing:
    """Read the sections <genie> of a file."""
    drawing = GenieDrawing()
    for extensions in root.every("extensions"):
        for genie in extensions.every("genie"):
            _, groups, texts = _contents(genie, drawing, {"comment"})
            drawing.description = _text(genie, "comment")
            drawing.submodels += groups
            drawing.texts += texts
    drawing.submodels = _named(drawing.submodels)
    grid = set(map(grid_place, range(len(drawing.nodes))))
    for name, one in drawing.nodes.items():
        if one.size is None and one.position in grid:
            drawing.nodes[name] = replace(one, position=None)
    return drawing


def _contents(
    element: Element, drawing: GenieDrawing, passed: set[str]
) -> tuple[tuple[str, ...], tuple[Submodel, ...], tuple[TextBox, ...]]:
    """The identifiers of the nodes, the submodels and the texts inside an element."""
    nodes: list[str] = []
    submodels: list[Submodel] = []
    texts: list[TextBox] = []
    for child in element.children:
        if child.tag == "node":
            identifier = child.attributes.get("id", "")
            nodes.append(identifier)
            drawing.nodes[identifier] = _box(child)
            drawing.skipped.update(one.tag for one in child.children if one.tag not in _BOX)
        elif child.tag == "submodel":
            inner, groups, inner_texts = _contents(child, drawing, _BOX)
            texts += inner_texts
            once, shown = tuple(dict.fromkeys(inner)), _box(child)
            if shown.position == grid_place(0):
                shown = replace(shown, position=None)
            submodels.append(Submodel(child.attributes.get("id", ""), once, groups, shown))
        elif child.tag == "textbox":
            caption = next(child.every("caption"), None)
            box = _place(child)
            texts.append(TextBox("" if caption is None else caption.text, *(box or (None, None))))
        elif child.tag not in passed:
            drawing.skipped[child.tag] += 1
    return tuple(nodes), tuple(submodels), tuple(texts)


def _named(groups: tuple[Submodel, ...]) -> tuple[Submodel, ...]:
    """The submodels under the names that are shown, where all of these differ; else under identifiers."""
    shown = [one.shown.title for top in groups for one in top.everything()]
    if len(set(shown)) != len(shown) or "" in shown:
        return groups
    return tuple(map(_by_title, groups))


def _by_title(group: Submodel) -> Submodel:
    inner = tuple(map(_by_title, group.submodels))
    return replace(group, name=group.shown.title, submodels=inner, shown=replace(group.shown, title=""))


def _box(element: Element) -> NodeAppearance:
    place = _place(element)
    size = None if place is None or place[1] == DEFAULT_SIZE else place[1]
    font = next(element.every("font"), None)
    return NodeAppearance(
        title=_text(element, "name"),
        description=_text(element, "comment"),
        position=None if place is None else place[0],
        size=size,
        colour=_colour(element, "interior"),
        outline=_colour(element, "outline"),
        text_colour=_colour(element, "font"),
        font="" if font is None else _font(font),
    )


def _text(element: Element, tag: str) -> str:
    return next((child.text for child in element.every(tag)), "")


def _place(element: Element) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """The centre and the size of a box; None if the file does not say them."""
    numbers = numbers_in(_text(element, "position"))
    if numbers is None or len(numbers) != 4:
        return None
    left, top, right, bottom = numbers.tolist()
    centre, size = ((left + right) / 2, (top + bottom) / 2), (right - left, bottom - top)
    return (centre, size) if all(map(math.isfinite, (*centre, *size))) else None


def _colour(element: Element, tag: str) -> str:
    found = next((child.attributes.get("color", "") for child in element.every(tag)), "")
    known = _COLOUR.fullmatch(found) and found.lower() != DEFAULT_COLOURS[tag]
    return f"#{found.lower()}" if known else ""


def _font(font: Element) -> str:
    """The font as text: ``bold italic 8 Arial``; empty for that of a new node."""
    marks = [mark for mark in ("bold", "italic") if font.attributes.get(mark, "").lower() == "true"]
    text = " ".join([*marks, font.attributes.get("size", "8"), font.attributes.get("name", "Arial")])
    return "" if text == DEFAULT_FONT else text
