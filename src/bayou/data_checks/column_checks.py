"""Checks for constant columns, ids and near-duplicate columns, and for duplicate rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from bayou.data_checks.column_facts import SHOWN, ColumnFacts, counted, first_rows
from bayou.data_checks.fixes import PandasFixes
from bayou.data_checks.kind_checks import is_quantity
from bayou.data_checks.report import Finding
from bayou.schema import label
from bayou.schema.identifiers import numbers_rows
from bayou.typing import BoolArray, FloatArray, IntArray, Name

NEARLY_ALL = 0.95
"""The smallest share of distinct values at which a column looks like an id."""
MOSTLY_GAPS = 0.5
ALIKE = 0.98
"""The smallest agreement beyond chance at which two columns are near duplicates."""
FEWEST = 20
"""With fewer rows than this, similar or distinct values are not evidence of anything."""
_COMPARED_ROWS = 10_000
_MOST_PAIRS = 300
_WORDS_OF_PROSE = 3.0


def empty_or_constant(facts: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    """Find a column without values, with only one value, or with mostly missing values."""
    if not facts.rows:
        return
    if not facts.observed:
        what = "has no value at all, so nothing can be learned of it"
        yield Finding("error", "empty column", facts.name, what, fix=fixes.drop(facts.name))
        return
    if facts.distinct == 1 and facts.rows > 1:
        rest = f" and {counted(facts.missing, 'gap')}" if facts.missing else ""
        what = f"is constant: one value{rest}"
        yield Finding(
            "warning", "constant column", facts.name, what, (facts.plain(0),), fix=fixes.drop(facts.name)
        )
    if facts.missing >= MOSTLY_GAPS * facts.rows:
        what = f"is mostly gaps: {100 * facts.missing / facts.rows:.3g} % of the rows"
        yield Finding("warning", "mostly missing", facts.name, what, fix=fixes.drop(facts.name))


def looks_like_an_id(facts: ColumnFacts) -> bool:
    """Whether nearly every row has a different value, and the values are not measurements or sentences."""
    if facts.observed < FEWEST or facts.distinct < NEARLY_ALL * facts.observed:
        return False
    if not facts.is_numeric:
        # Numbers that are states are integers too long for a float.
        if facts.kinds == {"number"}:
            return True
        return facts.is_text and words_a_value(facts) <= _WORDS_OF_PROSE and not is_quantity(facts)
    if not facts.integral or facts.texts:
        return False
    return numbers_rows(facts.name, facts.values, facts.observed, facts.distinct)


def words_a_value(facts: ColumnFacts) -> float:
    """The mean number of words per text (of the first thousand texts)."""
    texts = facts.values[:1000]
    return sum(len(str(text).split()) for text in texts) / max(len(texts), 1)


def ids(facts: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    """Find a column that identifies rows instead of describing them, or one of sentences."""
    examples = tuple(facts.plain(k) for k in range(min(SHOWN, facts.distinct)))
    if looks_like_an_id(facts):
        what = f"looks like an id: {facts.distinct:,} different values in {facts.observed:,} rows"
        yield Finding("warning", "id-like column", facts.name, what, examples, fix=fixes.drop(facts.name))
    elif (
        facts.is_text
        and not is_quantity(facts)
        and facts.observed >= FEWEST
        and facts.distinct >= NEARLY_ALL * facts.observed
    ):
        what = "is free text: as a category each row would be a state of its own"
        short = tuple(f"{str(text)[:40]}…" if len(str(text)) > 40 else text for text in examples[:1])
        yield Finding("note", "free text", facts.name, what, short, fix=fixes.drop(facts.name))


def untidy_name(name: Name, fixes: PandasFixes) -> Iterator[Finding]:
    """Find a column name with blanks around it, which is easily mistyped."""
    if isinstance(name, str) and (name != name.strip() or not name.strip()):
        better = name.strip() or "unnamed"
        what = "has a name with blanks around it" if name.strip() else "has an empty name"
        yield Finding("note", "column name", name, what, fix=fixes.rename(name, better))


def duplicate_rows(
    columns: Sequence[ColumnFacts],
    fixes: PandasFixes,
    found_copies: Callable[[], tuple[int, tuple[int, ...]]],
) -> Iterator[Finding]:
    """Find repeated rows, unless repetition is expected because few combinations are possible.

    ``found_copies`` gives the number of rows that equal an earlier one, and the first of them.
    """
    rows = columns[0].rows if columns else 0
    # Without measurements or ids, equal rows may well be different records.
    telling = any(facts.distinct > rows / 2 for facts in columns)
    possible = sum(math.log(max(facts.distinct, 1)) for facts in columns)
    if rows < 2 or (not telling and possible < math.log(100 * rows)):
        return
    copies, first = found_copies()
    if not copies:
        return
    verb = "is a copy of an earlier one" if copies == 1 else "are copies of earlier ones"
    doubt = "" if telling else ", by chance or because a record was entered twice"
    yield Finding(
        "warning" if telling else "note",
        "duplicate rows",
        None,
        f"{counted(copies, 'row')} {verb}{doubt}",
        rows=first,
        fix=fixes.distinct(),
    )


def copies_in(columns: Sequence[ColumnFacts]) -> tuple[int, tuple[int, ...]]:
    """The number of rows in memory that equal an earlier one, and the first of them."""
    again = seen_before([facts.codes for facts in columns], columns[0].rows)
    return int(again.sum()), first_rows(again)


def seen_before(columns: Sequence[IntArray], rows: int) -> BoolArray:
    """A mask of the rows that equal an earlier row; groups of equal rows are refined column by column."""
    groups = np.zeros(rows, dtype=np.int64)
    for codes in columns:
        pairs = groups * (int(codes.max(initial=0)) + 2) + codes + 1
        groups = np.unique(pairs, return_inverse=True)[1].ravel()
        if int(groups.max()) == rows - 1:
            return np.zeros(rows, dtype=bool)
    again = np.ones(rows, dtype=bool)
    again[np.unique(groups, return_index=True)[1]] = False
    return again


def near_duplicates(columns: Sequence[ColumnFacts], fixes: PandasFixes) -> Iterator[Finding]:
    """Find pairs of columns with the same information, perhaps in other words or another unit."""
    usable = [facts for facts in columns if facts.distinct > 1 and _varied(facts)]
    if not usable or usable[0].rows < FEWEST:
        return
    heads = [facts.head(_COMPARED_ROWS) for facts in usable]
    recoded = [_by_first_row(codes) for codes, _ in heads]
    scaled = [_scaled(facts, numbers) for facts, (_, numbers) in zip(usable, heads, strict=True)]
    seen: set[int] = set()
    for left, right in _candidates(recoded, scaled):
        how = "" if left in seen or right in seen else _alike(usable, recoded, scaled, left, right)
        if how:
            seen.add(right)
            what = f"{how} {label(usable[left].name)!r}, so that the same evidence would count twice"
            name = usable[right].name
            yield Finding("warning", "near-duplicate columns", name, what, fix=fixes.drop(name))


def _candidates(
    recoded: Sequence[IntArray], scaled: Sequence[FloatArray | None]
) -> Iterator[tuple[int, int]]:
    """The pairs of columns to compare: all, or with very many columns only those that agree exactly."""
    if len(recoded) <= _MOST_PAIRS:
        yield from combinations(range(len(recoded)), 2)
        return
    first: dict[bytes, int] = {}
    for place, (codes, numbers) in enumerate(zip(recoded, scaled, strict=True)):
        key = codes.tobytes()
        if numbers is not None:
            # Equal up to sign, to six decimals.
            key = np.round(numbers * np.sign(numbers[np.abs(numbers).argmax()]), 6).tobytes()
        if first.setdefault(key, place) != place:
            yield first[key], place


def _varied(facts: ColumnFacts) -> bool:
    """Whether enough rows differ from the most common value for similarity to be meaningful."""
    return facts.observed - int(facts.counts.max(initial=0)) >= 5


def _alike(
    facts: Sequence[ColumnFacts],
    recoded: Sequence[IntArray],
    scaled: Sequence[FloatArray | None],
    left: int,
    right: int,
) -> str:
    one, two = scaled[left], scaled[right]
    if one is not None and two is not None:
        correlation = float(one @ two)
        return (
            "moves exactly with"
            if abs(correlation) > 1 - 1e-9
            else ("moves almost exactly with" if abs(correlation) > 0.9999 else "")
        )
    rows = len(recoded[left])
    if max(facts[left].distinct, facts[right].distinct) > rows / 2:
        return ""
    agreement = float((recoded[left] == recoded[right]).mean())
    if agreement == 1:
        return "says the same as"
    chance = (
        float(
            (np.bincount(recoded[left], minlength=rows) * np.bincount(recoded[right], minlength=rows)).sum()
        )
        / rows**2
    )
    return "says almost the same as" if agreement - chance >= ALIKE * (1 - chance) else ""


def _by_first_row(codes: IntArray) -> IntArray:
    """Codes numbered in the order of first occurrence: equal for columns that group the rows alike."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse.ravel()]


def _scaled(facts: ColumnFacts, first: FloatArray | None) -> FloatArray | None:
    """Measurements centred and scaled to length 1, so that the dot product of two is their correlation."""
    if first is None or facts.distinct <= 10:
        return None
    numbers = first.copy()
    fine = np.isfinite(numbers)
    if not fine.any():
        return None
    numbers[~fine] = numbers[fine].mean()
    numbers -= numbers.mean()
    length = float(np.sqrt(numbers @ numbers))
    return numbers / length if length > 0 else None
