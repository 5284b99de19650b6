"""Checks of types: numbers or dates as text, mixed types, whole numbers as floats, infinite values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np

from bayou.data_checks.column_facts import SHOWN, ColumnFacts, counted
from bayou.data_checks.fixes import PandasFixes
from bayou.data_checks.report import Finding
from bayou.schema.spelled_values import TRUTH, has_bare_thousands, is_marked, number_spelled, units_spelled
from bayou.sources.tables.decimal_commas import COMMA_AMOUNT, COMMA_NUMBER
from bayou.sources.tables.number_text import is_gap_word, spells_numbers

MOSTLY = 0.9
"""The smallest share of rows that must be numbers or dates for a column of text to be reported."""
_FEW_NUMBERS = 20
_DATES = (
    (re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"), "%Y-%m-%d"),
    (re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}"), "%Y-%m-%d %H:%M:%S"),
    (re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}"), "%Y-%m-%dT%H:%M:%S"),
    (re.compile(r"[0-9]{4}/[0-9]{1,2}/[0-9]{1,2}"), "%Y/%m/%d"),
    (re.compile(r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}"), "%d.%m.%Y"),
    (re.compile(r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{4}"), "%d/%m/%Y"),
)
_DAY_OR_MONTH = "%d/%m/%Y"


def wrong_kinds(facts: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    """Find values of the wrong type in a column."""
    yield from _infinite(facts, fixes)
    if facts.texts:
        yield _spelled(facts, fixes)
    elif facts.stored_as_float and facts.integral and 0 < facts.distinct <= _FEW_NUMBERS:
        yield Finding(
            "note",
            "whole numbers as float",
            facts.name,
            f"holds only {counted(facts.distinct, 'whole number')}, stored as float: a network takes it for "
            "a measurement",
            tuple(facts.plain(k) for k in range(min(SHOWN, facts.distinct))),
            fix=fixes.whole(facts.name),
        )
    if len(facts.kinds) > 1:
        yield _mixture(facts, fixes)
    elif facts.is_text:
        yield from _text(facts, fixes)


def is_quantity(facts: ColumnFacts) -> bool:
    """Whether most texts of a column spell measured numbers (with a point, a comma or marks) or dates."""
    if not facts.is_text:
        return False
    fits = np.array([_is_measured(str(value)) for value in facts.values])
    return bool(facts.counts[fits].sum() >= MOSTLY * facts.observed)


def _is_measured(text: str) -> bool:
    if number_spelled(text) is not None:
        return not text.strip().lstrip("+-").isdecimal()
    bare = text.strip()
    return bool(COMMA_AMOUNT.fullmatch(bare)) or any(pattern.fullmatch(bare) for pattern, _ in _DATES)


def _spelled(facts: ColumnFacts, fixes: PandasFixes) -> Finding:
    """The note on a column of text that is read as numbers or as dates."""
    if not facts.is_numeric:
        what = (
            "holds dates, stored as text: they are read as dates (a classifier counts days; in a network "
            "every day is a state of its own)"
        )
        dated = all(len(text.strip()) == len("2024-02-29") for text in facts.texts)
        fix = fixes.date(facts.name, "%Y-%m-%d" if dated else "ISO8601")
        return Finding("note", "dates as text", facts.name, what, facts.texts[:SHOWN], fix=fix)
    what = "holds numbers with marks, stored as text: they are read as numbers"
    marks = {sign for text in facts.texts for sign in text}
    fix = "" if marks & set("kKM") else fixes.amount(facts.name, percent="%" in marks)
    return Finding("note", "marked numbers", facts.name, what, facts.texts[:SHOWN], fix=fix)


def _infinite(facts: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    places = np.flatnonzero(np.isinf(facts.values)) if facts.is_numeric else ()
    if len(places):
        yield Finding(
            "error",
            "infinite values",
            facts.name,
            f"has {counted(int(facts.counts[places].sum()), 'infinite value')}: its mean and variance are "
            "not finite",
            tuple(float(facts.values[k]) for k in places),
            facts.rows_of(places),
            fixes.finite(facts.name),
        )


def _mixture(facts: ColumnFacts, fixes: PandasFixes) -> Finding:
    """The finding for mixed types: an error if one value occurs in two types (1 and "1"), else a warning."""
    groups: dict[object, list[int]] = {}
    for place, value in enumerate(facts.values):
        groups.setdefault(_meaning(value), []).append(place)
    same = [places for places in groups.values() if len(places) > 1]
    numeric = all(isinstance(meaning, float) for meaning in groups)
    fix = fixes.number(facts.name) if numeric else fixes.text(facts.name)
    kinds = " and ".join(
        sorted({"truth": "truth values", "number": "numbers"}.get(k, k) for k in facts.kinds)
    )
    if same:
        return Finding(
            "error",
            "mixed types",
            facts.name,
            f"mixes {kinds}, so that what looks like one value is several states",
            tuple(facts.values[k] for k in same[0]),
            facts.rows_of(same[0]),
            fix,
        )
    first_of_kind = {type(value): value for value in reversed(list(facts.values))}
    return Finding(
        "warning", "mixed types", facts.name, f"mixes {kinds}", tuple(first_of_kind.values())[:SHOWN], fix=fix
    )


def _meaning(value: object) -> object:
    """The value as a person reads it: the number that it spells, else its text."""
    if isinstance(value, bool):
        return float(value)
    text = str(value).strip()
    if text in TRUTH:
        return float(TRUTH[text])
    return float(text) if spells_numbers([text]) else text


def _text(facts: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    texts = [str(value) for value in facts.values]
    some_marked = any(map(is_marked, texts))
    spelled = np.array(
        [number_spelled(text) is not None and (some_marked or not has_bare_thousands(text)) for text in texts]
    )
    odd = np.array([not (is_gap_word(text) or not text.strip()) for text in texts]) & ~spelled
    rows = int(facts.counts[odd].sum())
    some = bool(spelled.any())
    if some and rows <= (1 - MOSTLY) * facts.observed:
        units = units_spelled(texts)
        yield _mixed_units(facts, units) if len(units) > 1 else _numbers_as_text(facts, fixes, odd, rows)
        return
    if len(texts) > _FEW_NUMBERS and all(map(has_bare_thousands, texts)):
        yield Finding(
            "warning",
            "numbers as text",
            facts.name,
            "holds numbers with k or M and no currency, stored as text: every one is a state of its own",
            tuple(texts[:SHOWN]),
            fix=fixes.thousands(facts.name),
        )
        return
    commas = np.array([bool(COMMA_AMOUNT.fullmatch(text.strip())) for text in texts])
    if commas.any() and not (odd & ~commas).any():
        simple = all(COMMA_NUMBER.fullmatch(texts[k]) for k in np.flatnonzero(commas))
        yield Finding(
            "warning",
            "numbers as text",
            facts.name,
            "holds numbers with a decimal comma, stored as text",
            tuple(texts[k] for k in np.flatnonzero(commas)[:SHOWN]),
            fix=fixes.number(facts.name, comma=True) if simple else fixes.amount(facts.name, comma=True),
        )
        return
    yield from _dates(facts, fixes, texts)


def _mixed_units(facts: ColumnFacts, units: Sequence[str]) -> Finding:
    """The finding for amounts in several currencies, which are no numbers that can be compared."""
    by_unit = {units_spelled([text]): text for text in reversed([str(value) for value in facts.values])}
    return Finding(
        "warning",
        "mixed currencies",
        facts.name,
        f"mixes amounts in {', '.join(units)}: they stay text, every one a state of its own; convert them to "
        "one currency",
        tuple(text for unit, text in by_unit.items() if unit)[:SHOWN],
    )


def _numbers_as_text(facts: ColumnFacts, fixes: PandasFixes, odd: np.ndarray, rows: int) -> Finding:
    marked = [str(value) for value in facts.values if is_marked(str(value))]
    if not rows:
        lossy = any(not spells_numbers([str(value)]) for value in facts.values)
        return Finding(
            "warning",
            "numbers as text",
            facts.name,
            "holds numbers, stored as text",
            tuple(str(value) for value in facts.values[:SHOWN]),
            fix=fixes.number(facts.name, lossy=lossy),
        )
    places = np.flatnonzero(odd)
    return Finding(
        "warning",
        "numbers as text",
        facts.name,
        f"would be a column of numbers but for {counted(rows, 'row')}",
        tuple(str(facts.values[k]) for k in places[:SHOWN]),
        facts.rows_of(places),
        fixes.amount(facts.name, "%" in marked[0]) if marked else fixes.number(facts.name, lossy=True),
    )


def _dates(facts: ColumnFacts, fixes: PandasFixes, texts: list[str]) -> Iterator[Finding]:
    for pattern, layout in _DATES:
        fits = np.array([bool(pattern.fullmatch(text.strip())) for text in texts])
        if facts.counts[fits].sum() < MOSTLY * facts.observed:
            continue
        matching = [text for text, fit in zip(texts, fits, strict=True) if fit]
        if layout == _DAY_OR_MONTH and any(int(text.strip().split("/")[1]) > 12 for text in matching):
            layout = "%m/%d/%Y"
        wrong = [text for text in texts if not _is_date(text, layout)]
        if not any(text in wrong for text in matching):
            yield Finding(
                "warning",
                "dates as text",
                facts.name,
                "holds dates, stored as text: every day is a state of its own",
                tuple(matching[:SHOWN]),
                fix=fixes.date(facts.name, layout, lossy=bool(wrong)),
            )
            return
        yield Finding(
            "warning",
            "dates as text",
            facts.name,
            f"would be a column of dates but for {counted(len(wrong), 'value')} that no calendar has: "
            f"correct {'it, or let it' if len(wrong) == 1 else 'them, or let them'} be missing",
            tuple(wrong[:SHOWN]),
            fix=fixes.date(facts.name, layout, lossy=True),
        )
        return


def _is_date(text: str, layout: str) -> bool:
    try:
        datetime.strptime(text.strip(), layout)
    except ValueError:
        return False
    return True
