"""Tests of independence between columns of a table."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bayou.arguments import real_number, weights_named
from bayou.errors import BadQuestion, counted, listed
from bayou.graphs import Independence
from bayou.learning.independence.counts_tests import CountsTest, counts_test
from bayou.sources import open_source
from bayou.statistics import CountTable
from bayou.typing import Name

_TESTS = {"g": "G", "chi2": "χ²"}


@dataclass(frozen=True)
class DataIndependence:
    """The result of a test of independence: true if independence is not rejected at ``level``.

    Printing it shows the statistic, the degrees of freedom and the p-value.
    """

    statement: Independence
    found: CountsTest
    level: float

    def __bool__(self) -> bool:
        return self.p_value > self.level

    @property
    def p_value(self) -> float:
        """The probability of a statistic at least as large if the columns are independent."""
        return self.found.p_value

    @property
    def statistic(self) -> float:
        """The value of G or χ²."""
        return self.found.statistic

    @property
    def degrees(self) -> int:
        """The degrees of freedom; states that do not occur do not count."""
        return self.found.degrees

    @property
    def information(self) -> float:
        """The mutual information in nats."""
        return self.found.information

    @property
    def reliable(self) -> bool:
        """Whether there are enough rows (five per degree of freedom) for the p-value to be accurate."""
        return self.found.reliable

    def __str__(self) -> str:
        verdict = "is not refuted" if self else "is refuted"
        p = f"p = {self.p_value:.4f}" if self.p_value >= 0.0001 else "p < 0.0001"
        few = "" if self.reliable else " There are few rows for this many cells: the result is not reliable."
        return (
            f"{self.statement} {verdict} at level {self.level:g}: {_TESTS[self.found.method]} = "
            f"{self.statistic:.4g}, degrees of freedom {self.degrees}, {p}; mutual information "
            f"{self.information:.4g} nats in {counted(self.found.rows, 'row')}.{few}"
        )


@weights_named("weights")
def independence_test(
    data: Any,
    left: Name | Iterable[Name],
    right: Name | Iterable[Name],
    given: Name | Iterable[Name] = (),
    *,
    method: str = "g",
    level: float = 0.05,
    weights: Any = None,
    columns: list[Name] | None = None,
) -> DataIndependence:
    """Test on a table whether ``left`` and ``right`` are independent given ``given``.

    Each of these is one name or several. ``method`` is ``"g"`` (likelihood ratio) or ``"chi2"`` (Pearson).
    Rows with a missing value in these columns are left out. Real numbers must be cut into ranges first
    (:class:`bayou.MDLDiscretizer`).

    Raises ``UnknownVariable`` for a name that is no column.

    >>> seen = independence_test({"rain": [0, 1] * 20, "wet": [0, 1] * 20}, "rain", "wet")
    >>> bool(seen), seen.degrees
    (False, 1)
    >>> print(independence_test({"a": [0, 0, 1, 1] * 9, "b": [0, 1, 0, 1] * 9}, "a", "b", method="chi2"))
    a ⟂ b is not refuted at level 0.05: χ² = 0, degrees of freedom 1, p = 1.0000; ...
    """
    expected = "the level of a test is between 0 and 1"
    real_number("level", level, 0, 1, above=True, below=True, expected=expected)
    lefts, rights, givens = groups = [_names(left), _names(right), _names(given)]
    names = _checked_names(groups)
    source = open_source(data, names=names, columns=columns, weights=weights)
    for name in names:
        if source.variable(name).is_continuous:
            raise BadQuestion(
                f"{name!r} is a column of real numbers, which cannot be counted. Cut it into ranges first, "
                "for instance with bayou.MDLDiscretizer."
            )
    request = CountTable((*givens, *lefts, *rights))
    counts = source.collect([request])[request].values
    sizes = dict(zip(request.variables, counts.shape, strict=True))
    shape = [math.prod(sizes[name] for name in group) for group in (givens, lefts, rights)]
    found = counts_test(counts.reshape(shape), method)
    return DataIndependence(Independence(*map(tuple, groups)), found, level)


def _checked_names(groups: list[list[Name]]) -> list[Name]:
    if not groups[0] or not groups[1]:
        raise BadQuestion("A test of independence needs two sets of names; one of them is empty.")
    names = [name for group in groups for name in group]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise BadQuestion(f"{listed(twice)} is in two of left, right and given; name it in one only.")
    return names


def _names(given: Any) -> list[Name]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        return [given]
    return list(given)
