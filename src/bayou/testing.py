"""Checks for people who write a source of their own: it must answer as a table in memory does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bayou.arguments import whole_number
from bayou.models.network import Network
from bayou.sources import open_source
from bayou.statistics import (
    CountTable,
    DistinctRows,
    GroupMoments,
    MissingCounts,
    Moments,
    NumberSummary,
    PairCounts,
    Request,
    RowSample,
    SampledRows,
    ValueHistogram,
    WordCounts,
)

__all__ = ["REQUESTS", "check_source", "example_table", "require_same"]

CITY, RAIN, AGE, HEIGHT = "Größe der Stadt", "rain, or not", "age", "height"
REQUESTS: tuple[Request, ...] = (
    CountTable((CITY,)),
    CountTable((RAIN, CITY)),
    CountTable((AGE, RAIN, CITY)),
    CountTable(()),
    PairCounts((AGE, RAIN, CITY)),
    PairCounts((AGE, CITY), (RAIN,)),
    Moments((HEIGHT,)),
    Moments((HEIGHT,), (RAIN, AGE)),
    DistinctRows((AGE, CITY, RAIN)),
    RowSample((CITY, HEIGHT), size=100),
    RowSample((HEIGHT, AGE, RAIN)),
    ValueHistogram(HEIGHT, (RAIN,)),
    ValueHistogram(AGE),
    WordCounts(CITY, (RAIN,)),
    MissingCounts((HEIGHT, CITY, AGE)),
    NumberSummary(AGE),
    NumberSummary(HEIGHT),
)
"""The requests of models, about the columns of :func:`example_table`; bayou's own sources are tested so."""


def example_table(rows: int = 500, seed: int = 7) -> dict[str, list[Any]]:
    """Return a table with names that need quotes, texts, whole numbers, real numbers and gaps (None).

    Raises ``BadQuestion`` for a negative number of rows.

    >>> table = example_table(3)
    >>> list(table), len(table["age"])
    (['Größe der Stadt', 'rain, or not', 'age', 'height'], 3)
    """
    whole_number("rows", rows)
    random = np.random.default_rng(seed)

    def with_gaps(share: float, values: Callable[[], Any]) -> list[Any]:
        gaps = random.random(rows) < share
        return [None if gap else value for gap, value in zip(gaps, values().tolist(), strict=True)]

    return {
        CITY: with_gaps(0.1, lambda: random.choice(["klein", "groß", "a b"], rows)),
        RAIN: with_gaps(0.05, lambda: random.choice(["yes", "no"], rows)),
        AGE: random.integers(0, 5, rows).tolist(),
        HEIGHT: with_gaps(0.1, lambda: random.normal(170.5, 9, rows)),
    }


def check_source(
    make_source: Callable[[Mapping[str, list[Any]]], Any],
    *,
    requests: Sequence[Request] = REQUESTS,
    exact: bool = False,
    table: Mapping[str, list[Any]] | None = None,
) -> None:
    """Check that a source answers every request of models as a table in memory does.

    ``make_source`` is given a table (a dict of columns, None where a value is missing) and returns your
    source of the same rows. Each request is asked alone, all are asked together, twice, and a network is
    learned. Counts must be the same to the last bit; means and scatters too if ``exact``, else to 1e-12
    (batches are added in another order). Leave out of ``requests`` what your source refuses.

    Raises ``AssertionError`` for a difference; it names the request.

    >>> import bayou
    >>> from bayou.testing import check_source
    >>> check_source(lambda table: bayou.from_batches(lambda: [table]))
    >>> check_source(lambda table: {**table, "age": [0] * len(table["age"])})
    Traceback (most recent call last):
    ...
    AssertionError: CountTable(variables=('age', 'rain, or not', 'Größe der Stadt')): ...
    """
    columns = example_table() if table is None else table
    reference = open_source(dict(columns))
    source = open_source(make_source(columns))
    if set(source.names) != set(columns):
        raise AssertionError(f"names: the source has {source.names}, but the table {tuple(columns)}.")
    expected = reference.collect(list(requests))
    for request in requests:
        require_same(source.collect([request])[request], expected[request], request, exact)
    for _ in range(2):  # a source may be read any number of times
        together = source.collect(list(requests))
        if together.rows != expected.rows:
            raise AssertionError(f"rows: the source has {together.rows}, but the table {expected.rows}.")
        for request in requests:
            require_same(together[request], expected[request], request, exact)
    arrows = f"{AGE} -> '{RAIN}'; '{CITY}' -> '{RAIN}'"
    if table is None and not Network(arrows).fit(source, method="count").same_as(
        Network(arrows).fit(dict(columns), method="count")
    ):
        raise AssertionError(f"The network {arrows} learned from the source is not that of the table.")


def require_same(found: Any, expected: Any, request: Request, exact: bool) -> None:
    """Raise an error unless two answers to a request are the same.

    ``found`` is compared with ``expected``, the results of one ``request``, bit by bit if ``exact``.

    Raises ``AssertionError`` if they differ; it shows both.

    >>> counts = open_source({"A": ["y", "n"]}).collect([CountTable(("A",))])[CountTable(("A",))]
    >>> require_same(counts, counts, CountTable(("A",)), exact=True)
    """
    if isinstance(expected, GroupMoments):
        same = _same_moments(found.aligned(expected.groups), expected, exact)
    elif isinstance(expected, SampledRows):
        same = (
            np.array_equal(found.hashes, expected.hashes)
            and np.array_equal(found.weights, expected.weights)
            and found.values == expected.values
        )
    else:
        same = bool(found == expected)
    if not same:
        raise AssertionError(f"{request}: the source answers\n{found}\nbut the table\n{expected}")


def _same_moments(found: GroupMoments, expected: GroupMoments, exact: bool) -> bool:
    pairs = ((found.mean, expected.mean), (found.scatter, expected.scatter))
    close = all(
        np.array_equal(ours, theirs) if exact else np.allclose(ours, theirs, rtol=1e-12, atol=0)
        for ours, theirs in pairs
    )
    return bool(close and np.array_equal(found.n, expected.n))
