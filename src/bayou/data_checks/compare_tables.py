"""Two tables compared: columns, types, values that the first does not have, gaps, and drift."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bayou.data_checks.column_checks import FEWEST, looks_like_an_id, words_a_value
from bayou.data_checks.column_facts import SHOWN, ColumnFacts, counted
from bayou.data_checks.counted_numbers import largest_distance, median
from bayou.data_checks.report import Finding
from bayou.errors import listed
from bayou.schema import Variable, label, state_key
from bayou.special_functions import chdtrc, kolmogorov
from bayou.typing import IntArray

SURE = 1e-3
"""A difference is reported if chance makes one as large in fewer tables than this share, over all columns,"""
LARGE = 0.1
"""and if the distributions differ by this much: the largest difference of probabilities of any event."""
_DIFFERENT_GAPS = 0.05
_LEAST_EXPECTED = 5.0
_WORDS_OF_PROSE = 3.0


def differences(
    first: Sequence[ColumnFacts], second: Sequence[ColumnFacts], target: ColumnFacts | None
) -> Iterator[Finding]:
    """Find what a model of the first table would stumble over in the second, column by column."""
    found = {state_key(facts.name): facts for facts in second}
    known = {state_key(facts.name) for facts in first}
    extra = [facts.name for facts in second if state_key(facts.name) not in known]
    if extra:
        what = f"The second table has {counted(len(extra), 'column')} more: {listed(extra)}"
        yield Finding("note", "extra columns", None, what)
    for facts in first:
        new = found.get(state_key(facts.name))
        if new is None:
            if facts is not target:  # rows to be predicted have no class yet
                yield Finding("warning", "missing column", facts.name, "is not in the second table")
        elif facts.observed and new.observed:
            yield from _compared(facts, new, len(first))


def _compared(facts: ColumnFacts, new: ColumnFacts, tests: int) -> Iterator[Finding]:
    yield from _types(facts, new)
    yield from _gaps(facts, new, tests)
    if _is_unique(facts) or _is_unique(new):
        return
    if facts.is_numeric and new.is_numeric:
        yield from _moved(facts, new, tests)
    if not facts.is_numeric or facts.integral:
        yield from _unseen(facts, new)
    if not facts.is_numeric and not new.is_numeric:
        yield from _shifted(facts, new, tests)


def _is_unique(facts: ColumnFacts) -> bool:
    """Whether a column identifies rows, or has texts or dates: then other rows have other values."""
    if looks_like_an_id(facts) or "date" in facts.kinds or "datetime" in facts.kinds:
        return True
    many = facts.observed >= FEWEST and facts.distinct > facts.observed / 2
    return facts.is_text and (many or words_a_value(facts) > _WORDS_OF_PROSE)


def _types(facts: ColumnFacts, new: ColumnFacts) -> Iterator[Finding]:
    if facts.kinds == new.kinds:
        return
    variable = Variable(facts.name, facts.values) if not facts.is_numeric else None
    alike = variable is not None and all(variable.find(new.plain(k)) is not None for k in range(new.distinct))
    words = [_kinds(each) for each in (facts, new)]
    what = f"holds {words[0]} here and {words[1]} in the second table"
    examples = (facts.plain(0), new.plain(0))
    if alike:
        what += "; each value stands for the state that differs only by its type"
    yield Finding("note" if alike else "warning", "other type", facts.name, what, examples)


def _kinds(facts: ColumnFacts) -> str:
    names = {"truth": "truth values", "number": "numbers", "date": "dates", "datetime": "times"}
    return " and ".join(sorted(names.get(kind, kind) for kind in facts.kinds))


def _gaps(facts: ColumnFacts, new: ColumnFacts, tests: int) -> Iterator[Finding]:
    shares = facts.missing / facts.rows, new.missing / new.rows
    if abs(shares[0] - shares[1]) < _DIFFERENT_GAPS:
        return
    counts = np.array([[each.missing, each.observed] for each in (facts, new)])
    if chance_of_same(counts) * tests <= SURE:
        what = f"has gaps in {100 * shares[0]:.3g} % of the rows here and {100 * shares[1]:.3g} % there"
        yield Finding("warning", "other gaps", facts.name, what)


def _unseen(facts: ColumnFacts, new: ColumnFacts) -> Iterator[Finding]:
    """Values of the second table that the first does not have; of numbers only if they are few."""
    if facts.is_numeric and facts.distinct > FEWEST:
        return
    known = Variable(facts.name, [facts.plain(k) for k in range(facts.distinct)])
    places = [k for k in range(new.distinct) if known.find(new.plain(k)) is None]
    if places:
        rows = int(new.counts[places].sum())
        what = f"has {counted(len(places), 'new value')} in {counted(rows, 'row')} of the second table"
        examples = tuple(new.plain(k) for k in places[:SHOWN])
        yield Finding("warning", "unseen values", facts.name, what, examples, new.rows_of(places))


def _moved(facts: ColumnFacts, new: ColumnFacts, tests: int) -> Iterator[Finding]:
    """Numbers with another distribution, by the two-sample test of Kolmogorov and Smirnov."""
    (one, ones), (two, twos) = (
        (each.values[fine := np.isfinite(each.values)], each.counts[fine]) for each in (facts, new)
    )
    if not len(one) or not len(two):
        return
    outside = int(twos[(two < one[0]) | (two > one[-1])].sum())
    distance = largest_distance(one, ones, two, twos)
    if distance >= LARGE and chance_of_distance(distance, ones.sum(), twos.sum()) * tests <= SURE:
        beyond = f"; {counted(outside, 'row')} beyond {one[0]:g} … {one[-1]:g}" if outside else ""
        what = (
            f"has drifted: median {median(one, ones):g} here, {median(two, twos):g} in the second table (the "
            f"distributions differ by up to {100 * distance:.0f} %{beyond})"
        )
        yield Finding("warning", "drift", facts.name, what)


def _shifted(facts: ColumnFacts, new: ColumnFacts, tests: int) -> Iterator[Finding]:
    """States with other shares of the rows, by Pearson's chi-squared test; unseen values are left out."""
    known = Variable(facts.name, facts.values)
    counts = np.zeros((2, facts.distinct), dtype=np.int64)
    counts[0] = facts.counts
    for value, count in zip(new.values, new.counts.tolist(), strict=True):
        code = known.find(value)
        if code is not None:
            counts[1, code] += count
    if not counts[1].any() or facts.distinct < 2:
        return
    shares = counts / counts.sum(axis=1, keepdims=True)
    moved = shares[1] - shares[0]
    distance = float(np.abs(moved).sum()) / 2
    if distance < LARGE or chance_of_same(counts) * tests > SURE:
        return
    most = int(np.abs(moved).argmax())
    what = (
        f"has drifted: {label(facts.values[most])!r} in {100 * shares[0, most]:.3g} % of the rows here, "
        f"{100 * shares[1, most]:.3g} % in the second table (the shares differ by {100 * distance:.0f} %)"
    )
    yield Finding("warning", "drift", facts.name, what)


def chance_of_distance(distance: float, one: int, two: int) -> float:
    """The probability of a distance as large between samples of one distribution (Stephens 1970).

    >>> round(chance_of_distance(0.2, 200, 200), 4)
    0.0005
    """
    root = (one * two / (one + two)) ** 0.5
    return float(kolmogorov((root + 0.12 + 0.11 / root) * distance))


def chance_of_same(counts: IntArray) -> float:
    """The p-value of Pearson's chi-squared test that both rows of counts have the same distribution.

    States that are too rare for the test are counted together.

    >>> round(chance_of_same(np.array([[30, 20], [20, 30]])), 4)
    0.0455
    """
    expected = counts.sum(axis=0) * (counts.sum(axis=1).min() / counts.sum())
    rare = expected < _LEAST_EXPECTED
    pooled = np.column_stack([counts[:, ~rare], counts[:, rare].sum(axis=1)]) if rare.any() else counts
    pooled = pooled[:, pooled.sum(axis=0) > 0]
    if pooled.shape[1] < 2:
        return 1.0
    fair = np.outer(pooled.sum(axis=1), pooled.sum(axis=0)) / pooled.sum()
    return float(chdtrc(pooled.shape[1] - 1, ((pooled - fair) ** 2 / fair).sum()))
