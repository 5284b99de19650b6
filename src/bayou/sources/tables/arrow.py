"""Columns read through the Arrow C stream interface, batch by batch; no Arrow package is needed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bayou._native._core import ArrowReader
from bayou.errors import BadData
from bayou.sources.ctrl_c import refuse_interrupted
from bayou.sources.tables.column_names import wanted_positions
from bayou.sources.tables.columns import (
    LARGEST_EXACT,
    CodedColumn,
    Column,
    Columns,
    FewNumbers,
    NumberColumn,
)
from bayou.sources.tables.objects import replaced_codes
from bayou.sources.tables.times import arrow_times
from bayou.statistics.coded_numbers import CodedNumbers
from bayou.typing import Name

ALL_ROWS = 2**63 - 1
"""The value of ``batch_rows`` that reads everything as one batch."""

_UNREAD = {
    "ti": "durations",
    "+l": "lists",
    "+L": "lists",
    "+w": "lists",
    "+vl": "lists",
    "+vL": "lists",
    "+s": "structures",
    "+m": "maps",
    "+u": "values of several types",
}
"""Words for types that are not read, by how Arrow's format strings begin."""


def stream_batches(
    source: Any,
    names: Sequence[Name] | None = None,
    *,
    known: Sequence[Name] | None = None,
    batch_rows: int = ALL_ROWS,
    open_labels: Collection[Name] = (),
    label_bytes: int | None = None,
) -> Iterator[Columns]:
    """Yield the stream of any Arrow producer as batches of columns: at least one, which may have no rows.

    Codes keep their meaning from batch to batch: later batches have the labels of the earlier ones
    and perhaps more. With ``label_bytes`` the labels in memory take up to about as many bytes: a batch with
    many ends early, and columns that have more than their share begin anew, with other codes.
    ``names`` are the columns to read (None: all). ``known`` gives the names of all columns where the
    producer's are placeholders. ``open_labels`` are dictionary columns whose categories were not declared by
    the user, so that unused ones are dropped.
    """
    try:
        reader = ArrowReader(source)
    except Exception as problem:
        refuse_interrupted(problem)
        # A producer may raise anything; its own message describes the problem best.
        raise BadData(f"The table could not be read: {problem}") from None
    all_names = [name for name, _ in reader.fields] if known is None else list(known)
    positions = wanted_positions(all_names, names)
    shown = {field: name for (field, _), name in zip(reader.fields, all_names, strict=False)}
    try:
        reader.select(positions, label_bytes=label_bytes)
    except TypeError as problem:
        raise BadData(
            f"{_in_words(str(problem), shown)}, which are neither states nor numbers. Leave the column out "
            "(name the columns that are needed, or ignore it), or convert it."
        ) from None
    chosen = [all_names[position] for position in positions]
    while True:
        try:
            batch = reader.read(batch_rows)
        except (RuntimeError, IndexError) as problem:
            refuse_interrupted(problem)
            raise BadData(f"The table could not be read to its end: {problem}") from None
        except UnicodeDecodeError as problem:
            raise BadData(f"The table has text that is not UTF-8: {problem}") from None
        if batch is None:
            return
        rows, raw = batch
        columns = [arrow_column(*each, name in open_labels) for name, each in zip(chosen, raw, strict=True)]
        _refuse_inexact(chosen, columns, [arrow_format for _, _, _, arrow_format, *_ in raw])
        yield Columns(chosen, columns, rows)


def _in_words(problem: str, shown: Mapping[str, Name]) -> str:
    """The reader's message about a type that it does not read, in words; ``shown`` are the names to tell.

    >>> _in_words("The column 'c0' has the Arrow type '+l'", {"c0": "v"})
    "The column 'v' holds lists"
    """
    before, _, arrow_format = problem.rpartition(" has the Arrow type ")
    arrow_format = arrow_format.strip("'")
    name = before.removeprefix("The column '").removesuffix("'")
    before = f"The column {shown.get(name, name)!r}"
    held = next((word for start, word in _UNREAD.items() if arrow_format.startswith(start)), "")
    return f"{before} holds {held or f'values of the Arrow type {arrow_format!r}'}"


def arrow_column(
    kind: str,
    data: Any,
    labels: list[Any] | None,
    arrow_format: str,
    integral: bool,
    declared: bool,
    ordered: bool,
    open_labels: bool = False,
) -> Column:
    """Return a column as the compiled reader describes it."""
    if labels is None:
        if kind == "int" or _is_decimal_integer(arrow_format):
            return NumberColumn(data, integral, "int")
        return NumberColumn.of_floats(data, integral)
    if kind == "few":
        return FewNumbers(CodedNumbers(data, np.array(labels, dtype=np.float64)))
    if kind == "time":
        labels = arrow_times(labels, arrow_format)
    column = CodedColumn(data, tuple(labels), ordered, declared)
    return seen_only(column) if open_labels else column


def _refuse_inexact(names: Sequence[Name], columns: Sequence[Column], formats: Sequence[str]) -> None:
    """Refuse whole decimals beyond 2⁵³: as floats, two different ones would be one state."""
    for name, column, arrow_format in zip(names, columns, formats, strict=True):
        if not _is_decimal_integer(arrow_format) or not isinstance(column, NumberColumn):
            continue
        seen = column.values[~np.isnan(column.values)]
        if len(seen) and np.abs(seen).max() >= LARGEST_EXACT:
            raise BadData(
                f"The column {name!r} has decimals or wide integers beyond 2^53, such as about "
                f"{seen[np.abs(seen).argmax()]:.17g}, which cannot be told apart as floats. Convert it: to "
                "64-bit integers or text if they name things, to floats if they measure something."
            )


def _is_decimal_integer(arrow_format: str) -> bool:
    """Whether an Arrow type is one of decimals without digits after the point, such as "d:9,0"."""
    return arrow_format.startswith("d:") and int(arrow_format[2:].split(",")[1]) <= 0


def seen_only(column: CodedColumn) -> CodedColumn:
    """Return the column without the labels that no row has; it counts as undeclared."""
    used = set(column.codes.tolist()) if len(column.codes) < 1024 else _used(column)
    kept = [code for code in range(len(column.labels)) if code in used]
    meaning = [-1] * len(column.labels)
    for new, old in enumerate(kept):
        meaning[old] = new
    return CodedColumn(replaced_codes(column.codes, meaning), tuple(column.labels[code] for code in kept))


def _used(column: CodedColumn) -> set[int]:
    return set(np.unique(column.codes).tolist())
