"""Checks of the target: missing values, small classes, and columns that leak the target."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from bayou.data_checks.column_checks import FEWEST, looks_like_an_id
from bayou.data_checks.column_facts import BINS, SHOWN, ColumnFacts, counted
from bayou.data_checks.fixes import PandasFixes
from bayou.data_checks.report import Finding
from bayou.schema import label
from bayou.special_functions import chdtrc
from bayou.typing import IntArray

FEW_ROWS = 5
"""A class with fewer rows than this cannot be learned, nor be tested in five folds."""
TOO_WELL = 0.99
"""A column that alone predicts the target with this accuracy is suspected of leakage."""
_MOST_CLASSES = 100
_SURE = 1e-3
_DIFFERENCE = 0.05


def target_itself(target: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    """Find missing values, a single class, classes with few rows, and numbers in place of classes."""
    if target.distinct == 1:
        what = "is the target and has only one class: there is nothing to distinguish"
        yield Finding("error", "one class", target.name, what, (target.plain(0),))
    if target.missing and target.observed:
        what = f"is the target and missing in {counted(target.missing, 'row')}, which cannot be learned from"
        rows = target.rows_of([-1])
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
        fix = fixes.frequent(target.name, FEW_ROWS)
        if target.distinct - len(small) < 2:
            what += "; without them nothing would be left to distinguish, so more rows are needed"
            fix = ""
        yield Finding("warning", "small classes", target.name, what, (), target.rows_of(small), fix)


def with_classes_left(target: ColumnFacts, findings: Iterable[Finding]) -> Iterator[Finding]:
    """The findings about the target, without the fixes that would leave fewer than two classes of it."""
    for found in findings:
        gaps = found.check == "placeholders" and target.distinct - len(found.examples) < 2
        dropped = found.check in ("empty column", "constant column", "mostly missing")
        yield replace(found, fix="") if gaps or dropped else found


def is_measured(target: ColumnFacts) -> bool:
    """Whether the target holds measurements rather than classes."""
    many = target.distinct > max(BINS // 3, 0.1 * target.observed)
    return target.is_numeric and (not target.integral or many) and target.distinct > 20


def leakage(facts: ColumnFacts, target: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    """Find a column that alone predicts the target (almost) perfectly, while guessing does not."""
    rows = target.observed
    if rows < FEWEST or not 2 <= target.distinct <= _MOST_CLASSES or is_measured(target):
        return
    if facts.distinct < 2 or looks_like_an_id(facts):
        return
    counts = facts.counts_by_class(target)
    counts = counts[counts.sum(axis=1) > 0]
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
    """Find columns that are missing more often in some classes; many such columns give one finding."""
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
    """Text on the two classes whose shares of missing values differ most; "" if chance explains it."""
    classes, gone = target.counts, facts.counts_by_class(target)[0]
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
    """The share of rows whose class is the most common one among the other rows with the same value.

    This is the leave-one-out accuracy of one rule per value, from ``counts`` [value, class]; a value with one
    row predicts the most common class of all. If the row itself were counted too, a column of distinct values
    would always be right.

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
    """The mutual information of column and target divided by the entropy of the target.

    >>> shared_information(np.array([[10, 0], [0, 10]]))
    1.0
    """
    joint = counts / counts.sum()
    rows, columns = joint.sum(axis=1, keepdims=True), joint.sum(axis=0, keepdims=True)
    positive = joint > 0
    shared = (joint[positive] * np.log(joint[positive] / (rows * columns)[positive])).sum()
    seen = columns[columns > 0]
    entropy = -(seen * np.log(seen)).sum()
    return float(min(shared / entropy, 1.0)) if entropy > 0 else 0.0


def chance_of_difference(missing: IntArray, rows: IntArray) -> float:
    """The p-value of Pearson's chi-squared test that all classes have the same share of missing values."""
    used = rows > 0
    missing, rows = missing[used], rows[used]
    share = missing.sum() / rows.sum()
    expected = rows * share
    statistic = ((missing - expected) ** 2 / (expected * (1 - share))).sum()
    return float(chdtrc(max(len(rows) - 1, 1), statistic))
