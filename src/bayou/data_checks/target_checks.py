"""The target: its gaps and small classes, and columns that know it too well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bayou.data_checks.column_checks import FEWEST, looks_like_an_id
from bayou.data_checks.column_facts import SHOWN, ColumnFacts, counted
from bayou.data_checks.fixes import PandasFixes
from bayou.data_checks.report import Finding
from bayou.schema import label
from bayou.typing import IntArray

FEW_ROWS = 5
"""A class with fewer rows than this can not be learned, nor be tested in five folds."""
TOO_WELL = 0.99
"""The accuracy from one column alone that makes it a suspect of leakage."""
_MOST_CLASSES = 100
_BINS = 64
_SURE = 1e-3
_DIFFERENCE = 0.05


def target_itself(target: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    """Gaps, one class only, classes with few rows, numbers where classes are expected."""
    if target.distinct == 1:
        what = "is the target and has one class only: there is nothing to tell apart"
        yield Finding("error", "one class", target.name, what, (target.plain(0),))
    if target.missing and target.observed:
        what = f"is the target and missing in {counted(target.missing, 'row')}: they teach nothing about it"
        rows = tuple((np.flatnonzero(target.gaps)[:SHOWN] + 1).tolist())
        yield Finding("warning", "target missing", target.name, what, (), rows, fixes.complete(target.name))
    if is_measured(target):
        what = (
            f"is the target and has {target.distinct:,} different numbers: classes are needed, such as ranges"
        )
        yield Finding("warning", "target not classes", target.name, what, fix=fixes.ranges(target.name))
        return
    small = np.flatnonzero(target.counts < FEW_ROWS)
    if len(small) and target.distinct > 1:
        few = ", ".join(f"{label(target.plain(int(k)))!r} {int(target.counts[k])}" for k in small[:SHOWN])
        more = f" and {len(small) - SHOWN} more" if len(small) > SHOWN else ""
        what = f"has {counted(len(small), 'class')} with fewer than {FEW_ROWS} rows: {few}{more}"
        yield Finding(
            "warning",
            "small classes",
            target.name,
            what,
            (),
            target.rows_of(small),
            fixes.frequent(target.name, FEW_ROWS),
        )


def is_measured(target: ColumnFacts) -> bool:
    """Whether the target is a number that was measured rather than a class."""
    many = target.distinct > max(_BINS // 3, 0.1 * target.observed)
    return target.numbers is not None and (not target.integral or many) and target.distinct > 20


def leakage(facts: ColumnFacts, target: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    """A column that alone predicts the target (almost) perfectly, where guessing does not."""
    known = ~target.gaps
    rows = int(known.sum())
    if rows < FEWEST or not 2 <= target.distinct <= _MOST_CLASSES or is_measured(target):
        return
    if facts.distinct < 2 or looks_like_an_id(facts):
        return
    values = _few_values(facts)[known]
    counts = _cross_counts(values, target.codes[known], target.distinct)
    accuracy, base = one_rule_accuracy(counts), float(counts.sum(axis=0).max()) / rows
    if accuracy < TOO_WELL or 1 - accuracy > 0.1 * (1 - base):
        return
    certain = accuracy == 1
    what = (
        f"{'determines' if certain else 'predicts'} the target {label(target.name)!r}"
        f"{'' if certain else ' almost perfectly'}: {100 * accuracy:.4g} % right from this column alone, "
        f"{100 * base:.3g} % by guessing (it knows {100 * shared_information(counts):.3g} % of the target). "
        "Is it known before the target is?"
    )
    yield Finding("warning", "leakage suspect", facts.name, what, fix=fixes.drop(facts.name))


def gaps_tell(columns: Sequence[ColumnFacts], target: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    """Columns whose gaps are more frequent in some classes than in others; many of them as one finding."""
    if not 2 <= target.distinct <= _MOST_CLASSES or is_measured(target):
        return
    found = {facts.name: rates for facts in columns if (rates := _telling(facts, target, len(columns)))}
    if len(found) > SHOWN:
        names = ", ".join(repr(label(name)) for name in list(found)[:SHOWN])
        what = (
            f"{len(found)} columns are missing more often in some classes of {label(target.name)!r}: "
            f"{names} and {len(found) - SHOWN} more"
        )
        yield Finding("warning", "telling gaps", None, what, fix=fixes.flag(list(found)))
        return
    for name, rates in found.items():
        what = f"is missing more often in some classes: {rates}"
        yield Finding("warning", "telling gaps", name, what, fix=fixes.flag([name]))


def _telling(facts: ColumnFacts, target: ColumnFacts, tests: int) -> str:
    """The two classes whose shares of gaps differ most, where chance does not explain it; else nothing."""
    known = ~target.gaps
    classes = np.bincount(target.codes[known], minlength=target.distinct)
    gone = np.bincount(target.codes[known & facts.gaps], minlength=target.distinct)
    large = classes >= 10
    if gone.sum() < 5 or gone.sum() == classes.sum() or not large.any():
        return ""
    rates = gone / np.maximum(classes, 1)
    if np.ptp(rates[large]) < _DIFFERENCE or chance_of_difference(gone, classes) * tests > _SURE:
        return ""
    most, least = int(np.where(large, rates, -1.0).argmax()), int(np.where(large, rates, 2.0).argmin())
    return (
        f"{100 * rates[most]:.3g} % where {label(target.name)} is {label(target.plain(most))!r}, "
        f"{100 * rates[least]:.3g} % where it is {label(target.plain(least))!r}"
    )


def one_rule_accuracy(counts: IntArray) -> float:
    """How often the commonest class among the other rows with a row's value is its own (values × classes).

    With the row itself counted, a column of nothing but different values would always be right.

    >>> one_rule_accuracy(np.array([[10, 0], [0, 10]])), one_rule_accuracy(np.eye(2, dtype=int))
    (1.0, 0.5)
    """
    ranked = np.sort(counts, axis=1)
    top, second = ranked[:, -1], ranked[:, -2]
    right = int(top[(top >= 2) & (top - 1 >= second)].sum())
    alone = counts.sum(axis=1) == 1
    right += int(counts[alone, int(counts.sum(axis=0).argmax())].sum())
    return right / int(counts.sum())


def shared_information(counts: IntArray) -> float:
    """The share of the target's entropy that the column knows.

    >>> shared_information(np.array([[10, 0], [0, 10]]))
    1.0
    """
    joint = counts / counts.sum()
    rows, columns = joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)
    filled = joint > 0
    shared = (joint[filled] * np.log(joint[filled] / (rows * columns)[filled])).sum()
    seen = columns[columns > 0]
    entropy = -(seen * np.log(seen)).sum()
    return float(min(shared / entropy, 1.0)) if entropy > 0 else 0.0


def chance_of_difference(gone: IntArray, rows: IntArray) -> float:
    """How probable such different shares of gaps are by chance (Pearson's chi-squared)."""
    from scipy.special import chdtrc

    used = rows > 0
    gone, rows = gone[used], rows[used]
    share = gone.sum() / rows.sum()
    expected = rows * share
    statistic = ((gone - expected) ** 2 / (expected * (1 - share))).sum()
    return float(chdtrc(max(len(rows) - 1, 1), statistic))


def _few_values(facts: ColumnFacts) -> IntArray:
    """The column's values, gaps as one of their own, measurements in ranges of equally many rows."""
    codes = facts.codes
    if facts.numbers is not None and facts.distinct > _BINS:
        bins = int(min(_BINS, max(2, facts.observed // 5)))
        before = np.cumsum(facts.counts) - facts.counts
        codes = np.where(facts.gaps, -1, (before * bins // facts.observed)[codes])
    return np.asarray(codes + 1)


def _cross_counts(values: IntArray, classes: IntArray, count: int) -> IntArray:
    width = int(values.max(initial=0)) + 1
    table = np.bincount(values * count + classes, minlength=width * count).reshape(width, count)
    filled: IntArray = table[table.sum(axis=1) > 0]
    return filled
