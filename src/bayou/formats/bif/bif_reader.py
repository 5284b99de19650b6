"""BIF text to a draft of a network; the compiled core parses, this module restores the types of names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from bayou._native import _core
from bayou.errors import BadFile, UnknownState, UnknownVariable
from bayou.formats.draft import NetworkDraft
from bayou.formats.file_content import FilePath, read_bytes
from bayou.formats.format_labels import NOTES, check_names, noted_variable
from bayou.schema import Variable
from bayou.typing import FloatArray, Name


def read_bif(path: FilePath) -> NetworkDraft:
    """Read a BIF file, gzipped or not. See :func:`parse_bif` for what is accepted."""
    return parse_bif(read_bytes(path), source=path)


def parse_bif(text: str | bytes, source: object = "<text>") -> NetworkDraft:
    """Read BIF text (bytes are UTF-8); ``source`` names it in errors.

    A row whose sum differs from 1 by at most 0.001 was rounded for printing and is divided by its sum; a
    larger error is refused. In the numbers of a ``table`` the states of the variable change slowest, those of
    its last parent fastest; a ``default`` row stands for every row that is not given. A file without
    variables is an empty network.

    >>> draft = parse_bif("network n {} variable X { type discrete [ 2 ] { a, b }; }"
    ...                   " probability ( X ) { table 0.9, 0.1; }")
    >>> draft.variables, draft.tables["X"].tolist()
    ((Variable('X', ['a', 'b']),), [0.9, 0.1])
    """
    try:
        data = text.encode("utf-8") if isinstance(text, str) else bytes(text)
    except UnicodeEncodeError as error:
        raise BadFile.at(source, f"the text cannot be written as UTF-8: {error.reason}.") from None
    try:
        name, properties, entries = _core.parse_bif(data)
    except _core.BifError as error:
        _refuse(error, source)
    typed = [_typed_variable(entry[0], entry[1], entry[2], source) for entry in entries]
    check_names([entry[0] for entry in entries], [variable.name for variable, _ in typed], source)
    names = [variable.name for variable, _ in typed]
    parents = {
        child: tuple(names[parent] for parent in entry[3])
        for child, entry in zip(names, entries, strict=True)
    }
    tables: dict[Name, FloatArray] = {child: entry[4] for child, entry in zip(names, entries, strict=True)}
    notes: dict[Name | None, tuple[str, ...]] = {variable.name: kept for variable, kept in typed if kept}
    if properties:
        notes[None] = properties
    draft = NetworkDraft(name, tuple(variable for variable, _ in typed), parents, tables, notes)
    if not notes:
        return draft
    from bayou.formats.appearances.position_property import with_positions

    return with_positions(draft)


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
    """Return the variable with the types recorded in its notes, and the properties that are not notes."""
    if not properties:
        return Variable(name, states), ()
    notes, kept = sorted_properties(properties)
    return noted_variable(name, states, notes, source), kept


def sorted_properties(properties: Iterable[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Split properties into bayou's own notes (written ``key = value``, as a dict) and all others."""
    notes: dict[str, str] = {}
    kept: list[str] = []
    for text in properties:
        key, equals, value = text.partition(" = ")
        if equals and key in NOTES:
            notes[key] = value
        else:
            kept.append(text)
    return notes, tuple(kept)
