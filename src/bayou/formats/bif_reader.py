"""BIF text to a draft of a network; the compiled core reads, this module gives names their types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NoReturn, TypeVar

from bayou._native import _core
from bayou.errors import BadFile, BadVariable, UnknownState, UnknownVariable
from bayou.formats.bif_labels import (
    NAME_NOTE,
    ORDERED_NOTE,
    STATES_NOTE,
    distinct_texts,
    values_from_note,
)
from bayou.formats.draft import NetworkDraft
from bayou.formats.files import FilePath, read_bytes
from bayou.schema import Variable
from bayou.typing import FloatArray, Name, State

_Typed = TypeVar("_Typed")


def read_bif(path: FilePath) -> NetworkDraft:
    """Read a BIF file, gzipped or not. See :func:`parse_bif` for what is accepted."""
    return parse_bif(read_bytes(path), source=path)


def parse_bif(text: str | bytes, source: object = "<text>") -> NetworkDraft:
    """Read BIF text (bytes are UTF-8); ``source`` names it in errors.

    A row that misses 1 by at most 0.001 was rounded for printing and is divided by its sum; a larger
    error is refused. The numbers of a ``table`` run over the variable slowest and its last parent
    fastest; a ``default`` row stands for every row that is not given. A file without variables is an
    empty network.

    >>> draft = parse_bif("network n {} variable X { type discrete [ 2 ] { a, b }; }"
    ...                   " probability ( X ) { table 0.9, 0.1; }")
    >>> draft.variables, draft.tables["X"].tolist()
    ((Variable('X', ['a', 'b']),), [0.9, 0.1])
    """
    try:
        data = text.encode("utf-8") if isinstance(text, str) else bytes(text)
    except UnicodeEncodeError as error:
        raise BadFile.at(source, f"the text can not be written as UTF-8: {error.reason}.") from None
    try:
        name, properties, entries = _core.parse_bif(data)
    except _core.BifError as error:
        _refuse(error, source)
    typed = [_typed_variable(entry[0], entry[1], entry[2], source) for entry in entries]
    _check_names([entry[0] for entry in entries], [variable.name for variable, _ in typed], source)
    names = [variable.name for variable, _ in typed]
    parents = {
        child: tuple(names[parent] for parent in entry[3])
        for child, entry in zip(names, entries, strict=True)
    }
    tables: dict[Name, FloatArray] = {child: entry[4] for child, entry in zip(names, entries, strict=True)}
    notes: dict[Name | None, tuple[str, ...]] = {variable.name: kept for variable, kept in typed if kept}
    if properties:
        notes[None] = properties
    return NetworkDraft(name, tuple(variable for variable, _ in typed), parents, tables, notes)


def _refuse(error: _core.BifError, source: object) -> NoReturn:
    fault, problem, line, column, wanted, variable, known = error.args
    if fault == "unknown variable":
        problem = str(UnknownVariable.named(wanted, known))
    elif fault == "unknown state":
        problem = str(UnknownState.of(variable, wanted, known))
    else:
        problem = f"{problem}."
    raise BadFile.at(source, problem, line, column) from None


def _typed_variable(
    name: str, states: tuple[str, ...], properties: tuple[str, ...], source: object
) -> tuple[Variable, tuple[str, ...]]:
    """The variable with the types that its notes record, and the properties that are no such notes."""
    if not properties:
        return Variable(name, states), ()
    notes, kept = _sorted_properties(properties)
    typed_name: Name = name
    typed_states: Sequence[State] = states
    if NAME_NOTE in notes:
        typed_name = _from_note(notes[NAME_NOTE], NAME_NOTE, name, source, _only)
    if STATES_NOTE in notes:
        typed_states = _from_note(notes[STATES_NOTE], STATES_NOTE, name, source, list)
        if distinct_texts(typed_states) != list(states):
            raise BadFile.at(
                source, f"the property {STATES_NOTE} of {name!r} does not fit its list of states."
            )
    try:
        return Variable(typed_name, typed_states, ordered=notes.get(ORDERED_NOTE) == "true"), kept
    except BadVariable as error:
        raise BadFile.at(source, str(error)) from None


def _sorted_properties(properties: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    notes: dict[str, str] = {}
    kept: list[str] = []
    for text in properties:
        key, equals, value = text.partition(" = ")
        if equals and key in (NAME_NOTE, STATES_NOTE, ORDERED_NOTE):
            notes[key] = value
        else:
            kept.append(text)
    return notes, tuple(kept)


def _from_note(
    note: str, key: str, name: str, source: object, convert: Callable[[list[State]], _Typed]
) -> _Typed:
    try:
        return convert(values_from_note(note))
    except ValueError as error:
        raise BadFile.at(source, f"the property {key} of {name!r} can not be read: {error}.") from None


def _only(values: list[State]) -> State:
    if len(values) != 1:
        raise ValueError(f"expected one value, found {len(values)}")
    return values[0]


def _check_names(texts: list[str], names: list[Name], source: object) -> None:
    if names == texts:
        return
    if distinct_texts(names) != texts:
        raise BadFile.at(source, f"the properties {NAME_NOTE} do not fit the names of the variables.")
    if len(set(names)) != len(names):
        raise BadFile.at(source, "two variables have names that Python holds equal, such as 1 and True.")
