"""Spark DataFrames: their columns by place, and whether they give the same rows each time."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Sequence
from typing import Any

from bayou.errors import BadData, MissingPackage

_CHANGING = re.compile(
    r"\b(rand|randn|random|randstr|uniform|uuid|shuffle|monotonically_increasing_id)\("
    r"|\b(current_\w+|now|localtimestamp)\(|\bSample\b|GlobalLimit"
    r"|EvalPython|MapInPandas|MapInArrow|FlatMapGroups|FlatMapCoGroups|PythonUDTF|Scan Python"
)
"""What in a plan may give other rows when it runs again: chance, clocks, Python code, some rows of many."""


def require_arrow() -> None:
    """Raise MissingPackage if pyarrow is absent: without it rows do not travel between Spark and Python."""
    try:
        import pyarrow  # noqa: F401  # only whether it is there
    except ImportError:
        raise MissingPackage.needed("pyarrow", "A Spark DataFrame") from None


def quoted(name: str) -> str:
    """The name of a column in Spark's quotes, so that dots and backticks in it mean themselves.

    >>> quoted("a.b"), quoted("a`b")
    ('`a.b`', '`a``b`')
    """
    return "`" + name.replace("`", "``") + "`"


def numbered(frame: Any) -> Any:
    """The frame with its columns called c0, c1, …: Spark's own names ignore case, and dots mean fields."""
    return frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))


def chosen(frame: Any, places: Sequence[int]) -> Any:
    """Some columns of a numbered frame; the first one if there are none, which tells the rows."""
    return frame.select(*(f"c{place}" for place in places or [0]))


def may_change(frame: Any) -> bool:
    """Whether the plan of a frame has something that may give other rows when it is computed again."""
    if is_cached(frame):
        return False
    with contextlib.redirect_stdout(io.StringIO()) as text:
        frame.explain(extended=True)
    optimised = text.getvalue().partition("== Optimized Logical Plan ==")[2] or text.getvalue()
    # What a cached part was made from is listed below it, but is not computed again.
    return bool(_CHANGING.search(optimised.partition("InMemoryRelation")[0]))


def is_cached(frame: Any) -> bool:
    """Whether Spark keeps the rows once they are computed."""
    level = frame.storageLevel
    return bool(level.useMemory or level.useDisk)


def require_same_rows(frame: Any) -> None:
    """Compute all rows twice and compare; raise BadData, with the remedy, if they differ."""
    if _summary(frame) != _summary(frame):
        raise changing_rows("other values")


def _summary(frame: Any) -> tuple[Any, ...]:
    """The number of rows, and sums of their hashes in which the order does not matter."""
    from pyspark.sql import functions

    hashes = frame.select(functions.xxhash64(*frame.columns).alias("h"))
    parts = functions.bit_xor("h"), functions.sum(functions.pmod("h", functions.lit(2**31)))
    return tuple(hashes.agg(functions.count("*"), *parts).collect()[0])


def changing_rows(what: str) -> BadData:
    """The error about a frame that gives other rows when it is computed again."""
    return BadData(
        f"This Spark DataFrame gives {what} when it is computed again, but learning reads it several times. "
        "Keep its rows first: df = df.cache(); df.count(), or write them to a table and read that."
    )
