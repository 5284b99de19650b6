"""Netica's text files (``.dne``): writing."""

from __future__ import annotations

import math
from collections.abc import Iterator

from bayou.formats.appearances.placing import moved, shift_notes, shift_on_screen
from bayou.formats.appearances.rest_note import rest_notes
from bayou.formats.draft import NetworkDraft
from bayou.formats.families import TEXTS_NOTE, each_number
from bayou.formats.file_content import FilePath, write_bytes
from bayou.formats.format_labels import ORDERED_NOTE, STATES_NOTE
from bayou.formats.netica.dne_appearance import (
    DNE,
    native_parts,
    state_lines,
    text_lines,
    visual_lines,
)
from bayou.formats.netica.dne_states import dne_name
from bayou.formats.spelling import SpeltDraft, spelt
from bayou.networks.appearance import Appearance
from bayou.schema import Cuts, Variable
from bayou.typing import FloatArray

FIRST_LINE = "// ~->[DNET-1]->~"


def write_dne(draft: NetworkDraft, path: FilePath) -> None:
    """Write a draft to a DNE file, completely or not at all; a name ending in ``.gz`` is gzipped."""
    write_bytes(path, dne_text(draft).encode("utf-8"))


def dne_text(draft: NetworkDraft) -> str:
    """Return a draft as DNE text, parents before their children; exact numbers.

    >>> from bayou.formats.netica.dne_reader import parse_dne
    >>> text = dne_text(parse_dne("bnet n { node X { states = (a, b); probs = (0.9, 0.1); }; };"))
    >>> [line.strip() for line in text.splitlines() if "=" in line]
    ['autoupdate = TRUE;', 'kind = NATURE;', 'discrete = TRUE;', 'chance = CHANCE;', 'states = (a, b);',
    'parents = ();', 'probs = (0.9, 0.1);']
    """
    texts = spelt(draft, DNE, parents_first=True)
    name = dne_name(draft.name)
    shift = shift_on_screen(draft.appearance)
    shown = moved(draft.appearance, shift)
    native = native_parts(shown, texts.variables)
    notes = [*texts.network_notes(name), *rest_notes(draft.appearance, native), *shift_notes(shift)]
    lines = [FIRST_LINE, "// File created by bayou", f"bnet {name} {{", "autoupdate = TRUE;"]
    lines += [*text_lines(shown, ""), *_user_lines(notes, "")]
    for variable in texts.variables:
        lines += _node_lines(texts, variable, shown)
    if "submodels" in native.network:
        for group in shown.submodels:
            nodes = ", ".join(texts.names[node] for node in group.nodes)
            lines.append(f"NodeSet {group.name} {{Nodes = ({nodes});}};")
    return "\n".join([*lines, "};", ""])


def _user_lines(notes: list[tuple[str, str]], tabs: str) -> list[str]:
    if not notes:
        return []
    return [f"{tabs}user U1 {{", *(f'{tabs}\t{key} = "{note}";' for key, note in notes), f"{tabs}\t}};"]


def _node_lines(texts: SpeltDraft, variable: Variable, whole: Appearance) -> Iterator[str]:
    shown = whole.node(variable.name)
    notes = texts.notes(variable)
    yield f"node {texts.names[variable.name]} {{"
    yield "\tkind = NATURE;"
    yield f"\tdiscrete = {'TRUE' if variable.cuts is None else 'FALSE'};"
    yield "\tchance = CHANCE;"
    named = variable.cuts is None or all(shown.of_state(state).identifier for state in variable.states)
    if named:
        yield f"\tstates = ({', '.join(texts.states[variable.name])});"
    if variable.cuts is not None:
        yield f"\tlevels = ({_levels(variable.cuts)});"
        # The levels say what the states are, and that they are in order.
        needless = (STATES_NOTE, ORDERED_NOTE, TEXTS_NOTE if named else "")
        notes = [(key, note) for key, note in notes if key not in needless]
    yield from state_lines(shown, variable)
    yield f"\tparents = ({', '.join(texts.parents_of(variable))});"
    table = texts.draft.tables[variable.name]
    yield f"\tprobs = {_nested(table)};"
    yield from text_lines(shown, "\t")
    yield from _user_lines(notes, "\t")
    yield from visual_lines(shown)
    yield "\t};"


def _levels(cuts: Cuts) -> str:
    return ", ".join(_level(end) for end in (cuts.low, *cuts.points, cuts.high))


def _level(end: float) -> str:
    return ("INFINITY" if end > 0 else "-INFINITY") if math.isinf(end) else repr(end)


def _nested(table: FloatArray) -> str:
    """The numbers in parentheses, nested as deep as the table has axes; a row is a line."""
    pieces = list(each_number(table))
    for depth, size in enumerate(reversed(table.shape)):
        joint = ", " if depth == 0 else ",\n\t\t"
        pieces = [f"({joint.join(pieces[i : i + size])})" for i in range(0, len(pieces), size)]
    return pieces[0]
