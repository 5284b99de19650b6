"""Positions for programs whose drawings begin at 0: the whole drawing is moved if a part of it is beyond."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from bayou.errors import BadFile
from bayou.networks.appearance import Appearance, NodeAppearance, Point, Submodel, TextBox

SHIFT_NOTE = "bayou_shift"
Shift = tuple[int, int]
_SHIFT = re.compile(r"int:(-?[0-9]{1,15}) int:(-?[0-9]{1,15})")
_MARGIN = 40
_HALF = (50.0, 30.0)
"""Half the width and height of a box without a size."""


def shift_on_screen(shown: Appearance) -> Shift:
    """How far right and down a drawing must move so that no box has a negative place; (0, 0) if none has.

    >>> shift_on_screen(Appearance(nodes={"A": NodeAppearance(position=(100, -50))}))
    (0, 120)
    """
    corners = list(_corners(shown))
    return _shift(corner[0] for corner in corners), _shift(corner[1] for corner in corners)


def moved(shown: Appearance, shift: Shift) -> Appearance:
    """The same drawing in another place.

    >>> moved(Appearance(nodes={"A": NodeAppearance(position=(1, 2))}), (10, 20)).node("A").position
    (11.0, 22.0)
    """
    if shift == (0, 0):
        return shown
    nodes = {name: _moved(one, shift) for name, one in shown.nodes.items()}
    groups = tuple(_moved_group(one, shift) for one in shown.submodels)
    texts = tuple(
        one if one.position is None else replace(one, position=_sum(one.position, shift))
        for one in shown.texts
    )
    return replace(shown, nodes=nodes, submodels=groups, texts=texts)


def shift_notes(shift: Shift) -> list[tuple[str, str]]:
    """The note that lets bayou move the drawing back; none if it was not moved."""
    return [] if shift == (0, 0) else [(SHIFT_NOTE, f"int:{shift[0]} int:{shift[1]}")]


def moved_back(shown: Appearance, notes: Mapping[str, str], source: object) -> Appearance:
    """The drawing where it was before it was moved for the file."""
    if SHIFT_NOTE not in notes:
        return shown
    found = _SHIFT.fullmatch(notes[SHIFT_NOTE])
    if found is None:
        raise BadFile.at(source, f"the property {SHIFT_NOTE} cannot be read: {notes[SHIFT_NOTE]!r}.")
    return moved(shown, (-int(found[1]), -int(found[2])))


def _shift(ends: Iterable[float]) -> int:
    lowest = min(ends, default=0.0)
    return _MARGIN - math.floor(lowest) if lowest < 0 else 0


def _corners(shown: Appearance) -> Iterator[Point]:
    groups = (one.shown for top in shown.submodels for one in top.everything())
    boxes: list[NodeAppearance | TextBox] = [*shown.nodes.values(), *groups, *shown.texts]
    for one in boxes:
        if one.position is not None:
            half = _HALF if one.size is None else (one.size[0] / 2, one.size[1] / 2)
            yield one.position[0] - half[0], one.position[1] - half[1]


def _sum(place: Point, shift: Shift) -> Point:
    return place[0] + shift[0], place[1] + shift[1]


def _moved(one: NodeAppearance, shift: Shift) -> NodeAppearance:
    return one if one.position is None else replace(one, position=_sum(one.position, shift))


def _moved_group(group: Submodel, shift: Shift) -> Submodel:
    inner = tuple(_moved_group(one, shift) for one in group.submodels)
    return replace(group, shown=_moved(group.shown, shift), submodels=inner)
