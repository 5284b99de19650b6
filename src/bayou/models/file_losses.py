"""What a network has and a file format cannot hold, in words; asked before a file is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bayou.errors import BadFile, counted, listed
from bayou.formats.file_content import FilePath, path_text
from bayou.formats.format_registry import (
    BIF,
    DNE,
    ENDINGS,
    NET,
    OWN_ENDINGS,
    UAI,
    XDSL,
    XMLBIF,
    Format,
    format_by_name,
)
from bayou.networks.appearance import Appearance, NodeAppearance, StateAppearance

if TYPE_CHECKING:
    from bayou.models.verbs.files import Parts
    from bayou.networks import FrozenNetwork

WHOLE = (XDSL, NET, DNE)
"""The formats that keep all that a network shows: in their own way, or in notes for bayou."""
_PLACED = (BIF, XMLBIF)
_ROUNDED = (XDSL, NET)
_NODE_PARTS = {
    "title": "titles",
    "description": "descriptions",
    "position": "positions",
    "size": "sizes",
    "colour": "colours",
    "outline": "colours of outlines",
    "text_colour": "colours of texts",
    "font": "fonts",
    "table_note": "notes on the tables",
}


def losses_of(parts: Parts, target: FilePath) -> list[str]:
    """List what would be lost by saving to a path, or in the format of an ending; nothing in bayou's own."""
    name = path_text(target).lower()
    if name.endswith(OWN_ENDINGS):
        return []
    known = format_by_name(name)
    if known is None:
        endings = ", ".join((*OWN_ENDINGS, *ENDINGS))
        raise BadFile.at(target, f"the ending of the name chooses the format; use one of {endings}.")
    frozen, learned, _, remarks = parts
    found = ["the counts it was learned from"] if learned is not None else []
    found += ["which variables share parameters"] if frozen.sharing else []
    found += _variable_losses(frozen, known)
    if known is not BIF and any(remarks.properties.values()):
        count = sum(map(len, remarks.properties.values()))
        found.append("1 property" if count == 1 else f"{count} properties")
    return [*found, *_appearance_losses(remarks.appearance, known)]


def _variable_losses(frozen: FrozenNetwork, known: Format) -> Iterator[str]:
    tables = [name for name in frozen.dag.nodes if name in frozen.kinds]
    if tables:
        yield f"the kinds of {listed(tables)}, which become plain tables"
    continuous = [v.name for v in frozen.schema if v.is_continuous]
    if continuous:
        yield f"the variables {listed(continuous)}, which are not discrete: saving is refused"
    if known is UAI:
        yield "names of variables and states for other programs (bayou reads them from comments)"
        return
    kinds = {type(state) for v in frozen.schema for state in (v.name, *v.states)} - {str}
    if known is DNE:
        cut = [v.name for v in frozen.schema if v.cuts is not None]
        kinds = {type(s) for v in frozen.schema if v.cuts is None for s in (v.name, *v.states)} - {str}
        if cut:
            yield f"to which interval of {listed(cut)} a number on a cut belongs (in Netica to the upper one)"
    if kinds:
        words = ", ".join(sorted(kind.__name__ for kind in kinds))
        yield f"types of names and states ({words}) for other programs, which read texts"


def _appearance_losses(shown: Appearance, known: Format) -> Iterator[str]:
    if known in WHOLE:
        if known in _ROUNDED and not all(map(_is_whole, shown.nodes.values())):
            yield "the fractions of positions and sizes"
        return
    for key, words in _NODE_PARTS.items():
        count = sum(getattr(one, key) not in (None, "") for one in shown.nodes.values())
        if count and not (key == "position" and known in _PLACED):
            yield f"the {words} of {counted(count, 'node')}"
    count = sum(1 for one in shown.nodes.values() for state in one.states if _is_told(state))
    if count:
        yield f"the titles, descriptions or numbers of {counted(count, 'state')}"
    if shown.title or shown.description:
        yield "the title or description of the network"
    others = {"arc note": len(shown.arcs), "text box": len(shown.texts)}
    others["submodel"] = sum(1 for top in shown.submodels for _ in top.everything())
    yield from (counted(count, noun) for noun, count in others.items() if count)


def _is_told(state: StateAppearance) -> bool:
    return bool(state.title or state.description) or state.value is not None


def _is_whole(node: NodeAppearance) -> bool:
    """Whether the size of a box and its corners (its centre, if it has no size) are whole numbers."""
    if node.position is None:
        return node.size is None or all(part.is_integer() for part in node.size)
    size = (0.0, 0.0) if node.size is None else node.size
    return all(
        part.is_integer() and (place - part / 2).is_integer()
        for place, part in zip(node.position, size, strict=True)
    )
