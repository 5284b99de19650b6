"""What columns of floats and of text are over all rows of a Spark DataFrame, so that partitions agree.

Only columns whose first rows have whole numbers, or texts that spell something, are looked through.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bayou.sources.spark.frames import chosen
from bayou.sources.tables.columns import CodedColumn, Columns, NumberColumn
from bayou.sources.tables.number_text import Spelling
from bayou.sources.tables.spelled_columns import spelled_column, spelling_of_texts
from bayou.typing import Name

_FLOATS = ("float", "double", "decimal")
FRACTIONS = Spelling(numbers=True, whole=False, exact=False, plain=True)
"""A column of floats that are not all whole."""


def spellings_of(frame: Any, places: Mapping[Name, int], head: Columns) -> dict[Name, Spelling]:
    """What some columns of a numbered frame are; ``places`` has their places, ``head`` the first rows."""
    found: dict[Name, Spelling] = {}
    doubtful: dict[Name, int] = {}
    fields = frame.schema.fields
    for name, place in places.items():
        column, kind = head[name], fields[place].dataType
        if isinstance(column, NumberColumn) and _has_fractions(kind):
            if column.integral or not len(column):
                doubtful[name] = place
            else:
                found[name] = FRACTIONS
        elif isinstance(column, CodedColumn) and spelled_column(column, name) is not column:
            found[name] = _spelling_of_texts(frame, place, name)
    return found | (_whole_numbers(frame, doubtful) if doubtful else {})


def _has_fractions(kind: Any) -> bool:
    """Whether a Spark type is one of floats, or of decimals with digits after the point."""
    return kind.typeName() in _FLOATS and getattr(kind, "scale", 1) > 0


def _whole_numbers(frame: Any, places: dict[Name, int]) -> dict[Name, Spelling]:
    """Which columns of floats have whole numbers only, and whether they have gaps; one query for all."""
    from pyspark.sql import functions

    asked = []
    for place in places.values():
        value = functions.col(f"c{place}").cast("double")
        gap = value.isNull() | functions.isnan(value)
        fraction = ~gap & ((value != functions.floor(value)) | (functions.abs(value) == float("inf")))
        asked += [functions.max((~gap).cast("int")), functions.max(gap.cast("int"))]
        asked += [functions.max(fraction.cast("int"))]
    answers = list(frame.agg(*asked).collect()[0])
    found = {}
    for k, name in enumerate(places):
        values, gaps, fractions = (bool(answer) for answer in answers[3 * k : 3 * k + 3])
        whole = values and not fractions
        found[name] = Spelling(True, whole and gaps, False, True, integral=whole)
    return found


def _spelling_of_texts(frame: Any, place: int, name: Name) -> Spelling:
    """What all distinct texts of a column spell."""
    texts = chosen(frame, [place]).distinct().toArrow().column(0).drop_null().to_pylist()
    return spelling_of_texts(sorted(texts), name)
