"""Learning curves: how a score changes with the number of training rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import whole_number
from bayou.errors import BadData, BadQuestion, counted
from bayou.frames import pandas_frame
from bayou.progress import tracked
from bayou.schema import plain, state_key
from bayou.text.tables import Cell, PrintedTable, TextTable
from bayou.typing import FloatArray, IntArray

if TYPE_CHECKING:
    import pandas

_STEPS = 8
"""The number of sizes that are tried by default, each half of the next."""


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve(PrintedTable):
    """Scores by the number of training rows: ``scores`` has one row per repeat, one column per size."""

    sizes: IntArray
    scores: FloatArray
    test_rows: int

    @property
    def mean(self) -> FloatArray:
        """The mean score at each size."""
        result: FloatArray = self.scores.mean(axis=0)
        return result

    @property
    def spread(self) -> FloatArray:
        """The standard deviation over the repeats at each size; 0 with one repeat."""
        if len(self.scores) == 1:
            return np.zeros(len(self.sizes))
        result: FloatArray = self.scores.std(axis=0, ddof=1)
        return result

    def to_table(self) -> TextTable:
        """One row per size: the mean score and its standard deviation over the repeats.

        >>> from bayou.decisions import learning_curve
        >>> print(learning_curve(lambda train, test: len(train) / 30, 30, sizes=[10, 20]).to_table())
        5 repeats, 10 rows withheld in each
        rows  mean score  spread
          10  0.3333      0.0000
          20  0.6667      0.0000
        """
        rows: list[list[Cell]] = [
            [int(size), f"{mean:.4f}", f"{spread:.4f}"]
            for size, mean, spread in zip(self.sizes, self.mean, self.spread, strict=True)
        ]
        title = f"{counted(len(self.scores), 'repeat')}, {counted(self.test_rows, 'row')} withheld in each"
        return TextTable(["rows", "mean score", "spread"], rows, title=title)

    def to_frame(self) -> pandas.DataFrame:
        """One row per size (needs pandas).

        >>> from bayou.decisions import learning_curve
        >>> learning_curve(lambda train, test: 1.0, 30, sizes=[10, 20]).to_frame()["rows"].to_list()
        [10, 20]
        """
        return pandas_frame(
            {"rows": self.sizes, "mean": self.mean, "spread": self.spread}, "LearningCurve.to_frame"
        )


def learning_curve(
    fit_and_score: Callable[[IntArray, IntArray], float],
    rows: int,
    *,
    sizes: Iterable[int] | None = None,
    repeats: int = 5,
    withheld: float = 1 / 3,
    labels: Any = None,
    seed: int = 0,
) -> LearningCurve:
    """Score a learner on training sets of growing size; a share of the rows is withheld for testing.

    ``fit_and_score(train, test)`` gets two arrays of row numbers, learns from ``train`` and returns its score
    on ``test``. Each repeat shuffles the rows anew (with ``labels``, so that every part has about the same
    class shares); each size learns from the first rows of that order. By default sizes double up to all rows.

    ``repeats`` is how often, ``withheld`` the share that is withheld. Raises ``BadQuestion`` for sizes that
    the rows do not allow.

    >>> curve = learning_curve(lambda train, test: len(train) / 100, 90, sizes=[10, 60], repeats=2)
    >>> curve.mean.tolist(), curve.test_rows
    ([0.1, 0.6], 30)
    """
    test_rows = _test_rows(rows, withheld)
    steps = _sizes(sizes, rows - test_rows)
    repeats = whole_number("repeats", repeats, 1)
    random = np.random.default_rng(seed)
    orders = [_shuffled(rows, labels, random) for _ in range(repeats)]
    scores = np.empty((repeats, len(steps)))
    work = [(repeat, place) for repeat in range(repeats) for place in range(len(steps))]
    for repeat, place in tracked(work, "Learning curve"):
        test, train = orders[repeat][:test_rows], orders[repeat][test_rows:]
        scores[repeat, place] = _score(fit_and_score(train[: steps[place]], test))
    return LearningCurve(np.array(steps, dtype=np.int64), scores, test_rows)


def _test_rows(rows: int, withheld: float) -> int:
    rows = whole_number("rows", rows, 2)
    if not 0 < withheld < 1:
        raise BadQuestion(
            f"withheld={withheld!r}: give the share of rows to withhold for testing, between 0 and 1."
        )
    return min(max(round(rows * withheld), 1), rows - 1)


def _sizes(sizes: Iterable[int] | None, most: int) -> list[int]:
    if sizes is None:
        return sorted({most >> k for k in range(_STEPS) if most >> k > 0})
    steps = [int(size) for size in sizes]
    wrong = [size for size in steps if not 1 <= size <= most]
    if wrong or not steps:
        raise BadQuestion(
            f"sizes={steps}: give numbers between 1 and {most}, the number of rows that are not withheld."
        )
    return steps


def _shuffled(rows: int, labels: Any, random: np.random.Generator) -> IntArray:
    """Return a random order of rows; with labels, every prefix of it has about the same class shares."""
    if labels is None:
        return random.permutation(rows)
    groups = _groups(labels, rows)
    order = random.permutation(rows)
    place = np.empty(rows)
    for code in range(int(groups.max()) + 1):
        members = order[groups[order] == code]
        # Each class is spread evenly over the whole order, from a random start.
        place[members] = (np.arange(len(members)) + random.random()) / len(members)
    result: IntArray = np.argsort(place, kind="stable")
    return result


def _groups(labels: Any, rows: int) -> IntArray:
    """The labels as codes, numbered by first appearance."""
    values: Sequence[Any] = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    if len(values) != rows:
        raise BadData(f"There are {len(values)} labels for {rows} rows.")
    found: dict[Any, int] = {}
    return np.array([found.setdefault(state_key(plain(value)), len(found)) for value in values])


def _score(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise BadData(f"fit_and_score(train, test) must return a number; it returned {value!r}.") from None
