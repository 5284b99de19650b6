"""Checks of single values in a column: spellings, placeholders, rare categories, outliers."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import numpy as np

from bayou.data_checks.column_facts import SHOWN, ColumnFacts, counted
from bayou.data_checks.counted_numbers import median, moments, quantiles
from bayou.data_checks.fixes import PandasFixes
from bayou.data_checks.report import Finding

RARE = 5
"""A value with fewer rows than this is rare."""
FAR = 10.0
"""An outlier is more than this many interquartile ranges away from the median,"""
WIDE = 6.0
"""and more than this many standard deviations."""
SKEWED = 3.0
_MEASURED = 20  # a column with at least this many distinct numbers holds measurements
_SIGNS = frozenset({"", "?", "-", "--", "---", ".", "*"})
_ABBREVIATIONS = frozenset({"na", "n/a", "n.a.", "#n/a", "nan", "<na>", "null", "nil", "tbd"})
_WORDS = _SIGNS | _ABBREVIATIONS | {"missing", "undefined", "not available", "(blank)"}
_MAYBE_WORDS = frozenset({"none", "unknown", "other/unknown", "not known", "no data"})
_NUMBERS = frozenset({-9, -99, -999, -9999, -99999, 99, 999, 9999, 99999, 999999, -88, -77, -1})


def odd_values(facts: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    """Find suspicious single values of a column."""
    if facts.is_text:
        yield from _spellings(facts, fixes)
        yield from _placeholder_words(facts, fixes)
        yield from _rare(facts, fixes)
    elif facts.is_numeric and facts.distinct > 2:
        placeholder = list(_placeholder_numbers(facts, fixes))
        yield from placeholder or _impossible_zeros(facts, fixes)
        if not placeholder:
            yield from _outliers(facts, fixes)


def _spellings(facts: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    groups: dict[str, list[int]] = {}
    for place, value in enumerate(facts.values):
        groups.setdefault(_one_spelling(str(value)), []).append(place)
    same = [places for places in groups.values() if len(places) > 1]
    if same:
        yield Finding(
            "warning",
            "spellings",
            facts.name,
            f"has {counted(len(same), 'value')} in several spellings that differ only by case or blanks",
            tuple(str(facts.values[k]) for places in same for k in places)[:SHOWN],
            fix=fixes.tidy(facts.name),
        )


def _one_spelling(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split()).casefold()


def _placeholder_words(facts: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    for words, severity, doubt in (
        (_WORDS, "warning", "that stand for a gap"),
        (_MAYBE_WORDS, "note", "that may stand for a gap"),
    ):
        places = [k for k, value in enumerate(facts.values) if _one_spelling(str(value)) in words]
        if places and not _is_a_value(facts, places):
            examples = tuple(str(facts.values[k]) for k in places)
            yield Finding(
                "warning" if severity == "warning" else "note",
                "placeholders",
                facts.name,
                f"has {counted(int(facts.counts[places].sum()), 'row')} with words {doubt}",
                examples[:SHOWN],
                facts.rows_of(places),
                fixes.gaps(facts.name, examples),
            )


def _is_a_value(facts: ColumnFacts, places: list[int]) -> bool:
    """Whether the words are real values here: they are frequent, or the other values have no letters."""
    others = [str(value) for k, value in enumerate(facts.values) if k not in places]
    if not any(sign.isalnum() for text in others for sign in text):
        return True
    # Several such words are several ways to write a missing value.
    frequent = facts.counts[places].sum() > 0.3 * facts.rows and facts.distinct <= 5
    return len(places) == 1 and bool(frequent)


def _rare(facts: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    places = np.flatnonzero(facts.counts < RARE)
    often = facts.distinct - len(places)
    # If most values are rare, the column is text or an id, which is another finding.
    if (
        len(places) < 2
        or facts.rows < 20 * RARE
        or facts.counts[places].sum() > 0.2 * facts.observed
        or not often
    ):
        return
    yield Finding(
        "note",
        "rare categories",
        facts.name,
        f"has {len(places)} of {facts.distinct} values with fewer than {RARE} rows each",
        tuple(str(facts.values[k]) for k in places[:SHOWN]),
        fix=fixes.other(facts.name, RARE),
    )


def _placeholder_numbers(facts: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    """Find a number such as -999 at an end of a column's range, far from all others."""
    values = np.asarray(facts.values, dtype=np.float64)
    found = [k for k in (0, len(values) - 1) if values[k] in _NUMBERS and _stands_apart(facts, values, k)]
    if found:
        examples = tuple(facts.plain(k) for k in found)
        yield Finding(
            "warning",
            "placeholders",
            facts.name,
            f"has {counted(int(facts.counts[found].sum()), 'row')} with a number that may stand for a gap",
            examples,
            facts.rows_of(found),
            fixes.gaps(facts.name, examples),
        )


def _stands_apart(facts: ColumnFacts, values: np.ndarray, place: int) -> bool:
    others = np.delete(values, place)
    others = others[np.isfinite(others)]
    if len(others) < 2 or facts.counts[place] < 2:
        return False
    distance = np.abs(others - values[place]).min()
    if values[place] == -1:
        return bool(others.min() >= 0 and facts.distinct > _MEASURED)
    return bool(distance > others.max() - others.min())


def _impossible_zeros(facts: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    """Find several zeros with no other value near them, such as a blood pressure of 0."""
    values = np.asarray(facts.values, dtype=np.float64)
    if values[0] != 0 or facts.distinct <= _MEASURED or facts.counts[0] < 2:
        return
    above = (values > 0) & np.isfinite(values)
    low, middle = float(values[1]), median(values[above], facts.counts[above])
    steps = np.diff(values[1:])
    if low > 0.2 * middle and low > 5 * np.median(steps):
        yield Finding(
            "note",
            "placeholders",
            facts.name,
            f"has {int(facts.counts[0])} zeros and nothing else below {low:g}: they may stand for gaps",
            (0,),
            facts.rows_of([0]),
            fixes.gaps(facts.name, [0]),
        )


def _outliers(facts: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    finite = np.isfinite(facts.values)
    values, counts = facts.values[finite], facts.counts[finite]
    if facts.distinct <= _MEASURED or counts.sum() < _MEASURED:
        return
    low, middle, high = quantiles(values, counts, np.array([0.25, 0.5, 0.75]))
    spread, skewness = moments(values, counts)
    far = np.abs(facts.values - middle) > max(FAR * (high - low), WIDE * spread)
    far &= finite
    if skewness > SKEWED and values[0] >= 0:
        what = f"is skewed to the right ({skewness:.1f}): no Gaussian fits it"
        largest = tuple(facts.plain(k) for k in range(facts.distinct - 1, facts.distinct - 1 - SHOWN, -1))
        yield Finding("note", "skew", facts.name, what, largest, fix=fixes.log(facts.name))
    elif high > low and far.any():
        places, near = np.flatnonzero(far), facts.values[~far & finite]
        yield Finding(
            "note",
            "outliers",
            facts.name,
            f"has {counted(int(facts.counts[far].sum()), 'value')} far outside the rest "
            f"(half lies in {low:g} … {high:g})",
            tuple(facts.plain(int(k)) for k in places[:SHOWN]),
            facts.rows_of(places),
            fixes.within(facts.name, float(near.min()), float(near.max())),
        )
