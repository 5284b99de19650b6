"""Checks of types: numbers or dates as text, mixed types, whole numbers as floats, infinite values."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from bayou.data_checks.column_facts import SHOWN, ColumnFacts, counted
from bayou.data_checks.fixes import PandasFixes
from bayou.data_checks.report import Finding
from bayou.sources.tables.number_text import is_gap_word, spells_numbers

MOSTLY = 0.9
"""The smallest share of rows that must be numbers or dates for a column of text to be reported."""
_COMMA = re.compile(r"\s*[+-]?[0-9]+,[0-9]+\s*")
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
    if facts.stored_as_float and facts.integral and facts.missing and facts.distinct:
        yield Finding(
            "note",
            "whole numbers as float",
            facts.name,
            f"holds whole numbers only, stored as float because of {counted(facts.missing, 'gap')}",
            tuple(facts.plain(k) for k in range(min(SHOWN, facts.distinct))),
            fix=fixes.whole(facts.name),
        )
    if len(facts.kinds) > 1:
        yield _mixture(facts, fixes)
    elif facts.is_text:
        yield from _text(facts, fixes)


def _infinite(facts: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    if facts.numbers is None:
        return
    infinite = np.isinf(facts.numbers)
    if infinite.any():
        places = np.flatnonzero(np.isinf(facts.values))
        yield Finding(
            "error",
            "infinite values",
            facts.name,
            f"has {counted(int(infinite.sum()), 'infinite value')}: its mean and variance are not finite",
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
    if text.casefold() in ("true", "false"):
        return float(text.casefold() == "true")
    return float(text) if spells_numbers([text]) else text


def _text(facts: ColumnFacts, fixes: PandasFixes) -> Iterator[Finding]:
    texts = [str(value) for value in facts.values]
    odd = np.array([not (spells_numbers([text]) or is_gap_word(text) or not text.strip()) for text in texts])
    rows = int(facts.counts[odd].sum())
    some = any(spells_numbers([text]) for text in texts)
    if some and rows <= (1 - MOSTLY) * facts.observed:
        yield _numbers_as_text(facts, fixes, odd, rows)
        return
    commas = np.array([bool(_COMMA.fullmatch(text)) for text in texts])
    if commas.any() and not (odd & ~commas).any():
        yield Finding(
            "warning",
            "numbers as text",
            facts.name,
            "holds numbers with a decimal comma, stored as text",
            tuple(texts[k] for k in np.flatnonzero(commas)[:SHOWN]),
            fix=fixes.number(facts.name, comma=True),
        )
        return
    yield from _dates(facts, fixes, texts)


def _numbers_as_text(facts: ColumnFacts, fixes: PandasFixes, odd: np.ndarray, rows: int) -> Finding:
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
        fixes.number(facts.name, lossy=True),
    )


def _dates(facts: ColumnFacts, fixes: PandasFixes, texts: list[str]) -> Iterator[Finding]:
    for pattern, layout in _DATES:
        fits = np.array([bool(pattern.fullmatch(text.strip())) for text in texts])
        if facts.counts[fits].sum() < MOSTLY * facts.observed:
            continue
        matching = [text for text, fit in zip(texts, fits, strict=True) if fit]
        if layout == _DAY_OR_MONTH and any(int(text.strip().split("/")[1]) > 12 for text in matching):
            layout = "%m/%d/%Y"
        yield Finding(
            "warning",
            "dates as text",
            facts.name,
            "holds dates, stored as text: every day is a state of its own",
            tuple(matching[:SHOWN]),
            fix=fixes.date(facts.name, layout),
        )
        return
