"""SQL and Python agree on what a text spells, and a Parquet file on what a column of texts is."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pytest

from bayou.schema.spelled_values import (
    TRUTH,
    date_spelled,
    has_bare_thousands,
    is_marked,
    number_spelled,
    plain_number,
)
from bayou.sources import NumberColumn, column_batches, read_columns
from bayou.sources.files.text import column_spelling
from bayou.sources.files.text.text_kinds import Kinds, kinds_query
from bayou.sources.tables.number_text import is_gap_word

SIGNS = ["+", "-", "--", "$", "€", "EUR", "USD", "%", "k", "K", "M", ",", ".", "e", "E", "x", "'", "é"]
NUMBERS = ["0", "1", "5", "007", "12", "234", "1,234", ".5", "1e400", "inf"]
WORDS = ["nan", "NA", "n/a", "?", "null", "true", "TRUE", "tRuE", "2024-02-29", "T12:30", "Z", "+02:00"]
PARTS = [*SIGNS, *NUMBERS, *WORDS]
SPACES = [" ", "\u00a0", "\u202f", "\t", "\v", "\u2003", "\x1c", ""]
LONG = ["9" * 301, "9" * 300, "-" + "9" * 17, "9007199254740991", "0." + "3" * 400, "$" + "9" * 300]


def texts() -> list[str]:
    draw = random.Random(5)
    found = [*PARTS, *LONG, " ", "\u2003\t", "2024-02-29 12:30", "$1,234.50", "-12k €", "+5 %"]
    days = ["2024-02-29", "2023-02-29", "0000-01-01", "0001-01-01", "9999-12-31", "2024-13-01", "2024-1-1"]
    times = ["", "T12:30", " 24:00", " 12:30:15.25", " 12:60", "T23:59:59.1234567"]
    zones = ["", "Z", "+02:00", "-23:59", "+24:00", " Z"]
    found += [day + time + zone for day in days for time in times for zone in zones]
    for _ in range(6000):
        joint = draw.choice(["", "", *SPACES])
        words = [draw.choice(PARTS) for _ in range(draw.randint(1, 4))]
        found.append(draw.choice(["", *SPACES]) + joint.join(words) + draw.choice(["", *SPACES]))
    return sorted(set(found) - {""})


def kind_in_python(text: str) -> Kinds:
    if is_gap_word(text):
        return Kinds.GAP
    if not text.strip():
        return Kinds.BLANK
    if text in TRUTH:
        return Kinds.TRUE_OR_FALSE
    if (date := date_spelled(text)) is not None:
        if ":" not in text:
            return Kinds.DATE
        return Kinds.ZONED if getattr(date, "tzinfo", None) else Kinds.TIME
    if is_marked(text):
        return Kinds.MARKED
    if has_bare_thousands(text):
        return Kinds.THOUSANDS
    number = number_spelled(text)
    if number is None:
        return Kinds.OTHER
    assert plain_number(text)
    if abs(number) == float("inf"):
        return Kinds.INFINITE
    if abs(number) >= 2**53 and text.strip().lstrip("+-").isdecimal():
        return Kinds.LONG
    fraction = Kinds(0) if number.is_integer() else Kinds.FRACTION
    pointed = Kinds.POINTED if set(text) & set(".eE") else Kinds(0)
    return Kinds.NUMBER | fraction | pointed


def test_sql_and_python_agree_on_every_text() -> None:
    connection = duckdb.connect()
    connection.execute("create table given as select unnest(?) as t", [texts()])
    query = f"select t, {kinds_query('t', 'try_cast(t as double)')} from given group by t"
    found = {text: Kinds(kind) for text, kind in connection.execute(query).fetchall()}
    expected = {text: kind_in_python(text) for text in texts()}
    assert {t: (found[t], expected[t]) for t in expected if found[t] != expected[t]} == {}
    assert {kind for kind in Kinds if any(kind & each for each in expected.values())} == {
        kind for kind in Kinds if kind is not Kinds.EMPTY
    }


COLUMNS: dict[str, list[Any]] = {
    "plain numbers": ["1", "2.5", None],
    "prices": ["$5", "7", "12k", " ", "NA"],
    "sizes": ["2K", "4K", "2K"],
    "a mark at the end": [*["5", "6"] * 2000, "1,234"],
    "text at the end": [*["$5", "$6"] * 2000, "XL"],
    "text": ["x", "$5"],
    "days": ["2024-02-29", None, "2024-03-01"],
    "times": ["2024-02-29", "2024-02-29 12:30"],
    "zones": ["2024-02-29T12:30Z", "2024-02-29T12:30+02:00"],
    "mixed zones": ["2024-02-29T12:30Z", "2024-02-29T12:30"],
    "truth": ["true", "False"],
    "gaps": ["NA", None],
    "nothing": [None, None],
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_streamed_column_is_what_it_is_in_memory(name: str, tmp_path: Path) -> None:
    pandas.DataFrame({"v": pandas.Series(COLUMNS[name], dtype="string")}).to_parquet(tmp_path / "t.parquet")
    whole = read_columns(tmp_path / "t.parquet")["v"]
    for batch in column_batches(tmp_path / "t.parquet", batch_rows=2048):
        column = batch["v"]
        assert type(column) is type(whole)
        if isinstance(whole, NumberColumn):
            continue
        assert {type(label) for label in column.labels} <= {type(label) for label in whole.labels}


def test_plain_text_is_not_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Kinds] = []

    def told(kinds: Kinds) -> bool:
        asked.append(kinds)
        return False

    monkeypatch.setattr(column_spelling, "spelling_of", lambda *_: pytest.fail("the whole file was read"))
    rows = ["x", *["$5"] * 5000]
    pandas.DataFrame({"v": rows}).to_parquet(tmp_path / "t.parquet")
    (batch, *_) = column_batches(tmp_path / "t.parquet", batch_rows=100)
    assert batch.coded("v").labels[0] == "x"
    monkeypatch.setattr(column_spelling, "may_spell", told)
    next(column_batches(tmp_path / "t.parquet", batch_rows=100))
    assert asked == [Kinds.OTHER | Kinds.MARKED]
