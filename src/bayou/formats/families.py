"""From parsed nodes to a draft: names are resolved, sizes checked, and rows made to sum to 1."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bayou.errors import BadFile, UnknownVariable
from bayou.formats.draft import NetworkDraft
from bayou.formats.format_labels import (
    NAME_NOTE,
    Spelling,
    as_it_is,
    distinct_texts,
    noted_variable,
    values_from_note,
)
from bayou.formats.proper_rows import proper_rows, title_of
from bayou.networks.appearance import PLAIN_NODE, NodeAppearance
from bayou.schema import Variable, label
from bayou.typing import FloatArray, Name, State

POSITION_NOTE = "bayou_position"
PROPERTIES_NOTE = "bayou_properties"
TEXTS_NOTE = "bayou_texts"
"""The texts of a node's name and states when its notes were written, where they are not the usual ones."""
_NUMBERS = re.compile(r"[0-9eE+.\-\s]*")
Place = tuple[int, int]


@dataclass(frozen=True)
class FoundFamilies:
    """A variable as parsed from a file: names as text, the table flat with the variable's states fastest."""

    name: str
    states: Sequence[str]
    parents: Sequence[str]
    values: FloatArray
    place: Place
    notes: Mapping[str, str] = field(default_factory=dict)
    properties: tuple[str, ...] = ()
    shown: str = ""
    """The name that the program shows, if it differs from the identifier ``name``."""
    appearance: NodeAppearance = PLAIN_NODE
    """What the program shows for the node; its states are those texts in ``states``."""


@dataclass(frozen=True)
class Conventions:
    """The conventions of a format: how it spells names and states, and how it reads rows."""

    name: str
    name_spelling: Spelling = as_it_is
    state_spelling: Spelling = as_it_is
    weights: bool = False
    """Whether rows may have any positive sum, by which they are divided."""
    numbered: bool = False
    """Whether states have no names but only numbers."""
    default_title: Callable[[Name], str] | None = None
    """The title that is written for a node without one; None for formats that have no titles."""

    def state_texts(self, states: Sequence[State]) -> list[str]:
        """The texts that are written for the states."""
        if self.numbered:
            return [str(code) for code in range(len(states))]
        return distinct_texts(states, self.state_spelling)


def numbers_in(text: str) -> FloatArray | None:
    """Return the numbers of a text, separated by blanks; None if it contains anything else.

    >>> numbers_in("0.25 7.5e-1"), numbers_in("inf")
    (array([0.25, 0.75]), None)
    """
    if not _NUMBERS.fullmatch(text):
        return None
    try:
        # Adding 0 turns -0.0 into 0.0.
        return np.array([float(word) for word in text.split()], dtype=np.float64) + 0.0
    except ValueError:
        return None


def draft_from_families(
    name: str,
    found: Sequence[FoundFamilies],
    conventions: Conventions,
    source: object,
    properties: tuple[str, ...] = (),
) -> NetworkDraft:
    """Return the draft of the parsed variables; a BadFile gives the place of the first one that is wrong."""
    by_text: dict[str, FoundFamilies] = {}
    for node in found:
        if node.name in by_text:
            raise BadFile.at(source, f"the variable {node.name!r} is declared twice.", *node.place)
        by_text[node.name] = node
    for node in found:
        _check_family(node, by_text, source)
    variables = _variables(found, conventions, source)
    tables: dict[Name, FloatArray] = {}
    parents: dict[Name, tuple[Name, ...]] = {}
    notes: dict[Name | None, tuple[str, ...]] = {None: properties} if properties else {}
    for node in found:
        own = variables[node.name].name
        shape = (*(len(by_text[parent].states) for parent in node.parents), len(node.states))
        tables[own] = proper_rows(node, by_text, shape, conventions, source)
        parents[own] = tuple(variables[parent].name for parent in node.parents)
        kept = (*node.properties, *_noted_properties(node.notes, source))
        if kept:
            notes[own] = kept
    order = sorted(found, key=_positions(found, source))
    return NetworkDraft(name, tuple(variables[node.name] for node in order), parents, tables, notes)


def _check_family(node: FoundFamilies, by_text: Mapping[str, FoundFamilies], source: object) -> None:
    if not node.states:
        raise BadFile.at(source, f"{node.name!r} has no states.", *node.place)
    seen: set[str] = set()
    for state in node.states:
        if state in seen:
            raise BadFile.at(source, f"{node.name!r} has the state {state!r} twice.", *node.place)
        seen.add(state)
    met = {node.name}
    for parent in node.parents:
        if parent not in by_text:
            problem = str(UnknownVariable.named(parent, list(by_text)))
            raise BadFile.at(source, problem, *node.place)
        if parent in met:
            how = "is its own parent" if parent == node.name else f"has the parent {parent!r} twice"
            raise BadFile.at(source, f"{node.name!r} {how}.", *node.place)
        met.add(parent)
    expected = math.prod(len(by_text[parent].states) for parent in node.parents) * len(node.states)
    if node.values.size != expected:
        raise BadFile.at(
            source,
            f"the table of {title_of(node)} has {node.values.size} numbers; expected {expected}.",
            *node.place,
        )


def _variables(
    found: Sequence[FoundFamilies], conventions: Conventions, source: object
) -> dict[str, Variable]:
    variables: dict[str, Variable] = {}
    for node in found:
        texts = _noted_texts(node, source)
        variable = noted_variable(
            node.name,
            node.states,
            node.notes,
            FilePlace(source, node.place),
            conventions.state_texts if texts is None else _returning(texts[1:]),
        )
        if texts is None or texts[:1] != [node.name]:
            _check_noted_name(node, variable.name, conventions, source)
        variables[node.name] = variable
    shown = {
        node.name: Variable(node.shown, variables[node.name].states, ordered=variables[node.name].ordered)
        if node.shown and NAME_NOTE not in node.notes
        else variables[node.name]
        for node in found
    }
    if len({variable.name for variable in shown.values()}) == len(found):
        return shown
    if len({variable.name for variable in variables.values()}) != len(found):
        raise BadFile.at(
            source, "two variables have the same name, or names that Python holds equal (1 and True)."
        )
    return variables


def _noted_texts(node: FoundFamilies, source: object) -> list[str] | None:
    if TEXTS_NOTE not in node.notes:
        return None
    return list(_noted_strings(node.notes[TEXTS_NOTE], TEXTS_NOTE, source))


def _returning(texts: list[str]) -> Callable[[Sequence[State]], list[str]]:
    return lambda states: texts


@dataclass(frozen=True)
class FilePlace:
    """A source with a line and a column, printed as in error messages."""

    source: object
    place: Place

    def __str__(self) -> str:
        return f"{self.source}, line {self.place[0]}, column {self.place[1]}"


def _check_noted_name(node: FoundFamilies, name: Name, conventions: Conventions, source: object) -> None:
    if name == node.name or conventions.numbered:
        return
    base = conventions.name_spelling(label(name))
    tail = node.name.removeprefix(base)
    if not node.name.startswith(base) or not re.fullmatch(r"(_[0-9]+)?", tail):
        raise BadFile.at(
            source,
            f"the property bayou_name of {node.name!r} does not fit it: it says {name!r}.",
            *node.place,
        )


def _noted_properties(notes: Mapping[str, str], source: object) -> tuple[str, ...]:
    if PROPERTIES_NOTE not in notes:
        return ()
    return _noted_strings(notes[PROPERTIES_NOTE], PROPERTIES_NOTE, source)


def _noted_strings(note: str, key: str, source: object) -> tuple[str, ...]:
    try:
        values = values_from_note(note)
    except ValueError as error:
        raise BadFile.at(source, f"the property {key} cannot be read: {error}.") from None
    return tuple(label(value) for value in values)


def _positions(found: Sequence[FoundFamilies], source: object) -> Callable[[FoundFamilies], int]:
    """Return the key that sorts variables into their noted order (the file may have parents first)."""
    if not all(POSITION_NOTE in node.notes for node in found):
        return lambda node: 0
    texts = [node.notes[POSITION_NOTE] for node in found]
    if sorted(texts) != sorted(map(str, range(len(found)))):
        raise BadFile.at(source, f"the properties {POSITION_NOTE} are not the numbers 0 to {len(found) - 1}.")
    return lambda node: int(node.notes[POSITION_NOTE])


def decoded(text: str | bytes, source: object) -> str:
    """Return the text of a UTF-8 file without its byte order mark."""
    if isinstance(text, str):
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise BadFile.at(source, f"the text cannot be written as UTF-8: {error.reason}.") from None
        return text.removeprefix("\ufeff")
    try:
        return bytes(text).decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        column = error.start - text.rfind(b"\n", 0, error.start)
        problem = f"the byte 0x{text[error.start]:02x} is not UTF-8; save the file in that encoding."
        raise BadFile.at(source, problem, line, column) from None


def noted_network(notes: Mapping[str, str], name: str, source: object) -> tuple[str, tuple[str, ...]]:
    """Return the network's name and properties from its notes; without a note, the name in the file."""
    if "bayou_name" in notes:
        try:
            (value,) = values_from_note(notes["bayou_name"])
        except ValueError as error:
            raise BadFile.at(source, f"the bayou_name of the network cannot be read: {error}.") from None
        name = label(value)
    return name, _noted_properties(notes, source)


def each_number(table: FloatArray) -> Iterable[str]:
    """Return the numbers of a table, row by row, each as the shortest text that gives the same float."""
    return map(repr, np.ascontiguousarray(table, dtype=np.float64).reshape(-1).tolist())
