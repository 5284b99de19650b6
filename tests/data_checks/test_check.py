"""The doctor: each ailment is found, its line of code cures it, and the healthy are left alone."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pandas
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.data_checks.tables import GOOD, RANDOM, SIDES, N, cured, found, healthy, with_column
from tests.shared_data import SHARED, needs_shared_data

import bayou
from bayou.cli.terminal.reporting import json_text
from bayou.data_checks import check
from bayou.data_checks.column_checks import seen_before
from bayou.errors import BadFile, BadQuestion, UnknownVariable
from bayou.sources import read_columns


def test_a_healthy_table_has_no_findings() -> None:
    report = check(healthy(), "klasse")
    assert report.findings == ()
    assert report.ok
    assert "nothing to complain of" in str(report)
    assert "fix" not in report._repr_html_()


AILMENTS: dict[str, tuple[Callable[[], list[Any]], str]] = {
    "constant column": (lambda: ["x"] * N, "warning"),
    "empty column": (lambda: [None] * N, "error"),
    "mostly missing": (lambda: [1.5 * k if k % 3 == 0 else None for k in range(N)], "warning"),
    "id-like column": (lambda: [f"A{k:05}" for k in range(N)], "warning"),
    "free text": (lambda: [f"this is the remark number {k} of them" for k in range(N)], "note"),
    "numbers as text": (lambda: [f"{k * 37 % 91}.5" for k in range(N)], "warning"),
    "dates as text": (lambda: [f"{k % 28 + 1:02}.{k % 12 + 1:02}.2021" for k in range(N)], "warning"),
    "spellings": (lambda: [["Rom", "rom ", "PARIS"][k % 3] for k in range(N)], "warning"),
    "placeholders": (lambda: ["n/a" if k % 9 == 0 else "ab"[k % 2] for k in range(N)], "warning"),
    "rare categories": (lambda: ["xyz"[k % 3] if k > 4 else f"rare{k}" for k in range(N)], "note"),
    "infinite values": (lambda: [float("inf") if k == 7 else GOOD[k] for k in range(N)], "error"),
    "whole numbers as float": (lambda: [float(k % 4) for k in range(N)], "note"),
    "skew": (lambda: numpy.exp(3 * RANDOM.normal(size=N)).tolist(), "note"),
    "outliers": (lambda: [-4e4 if k == 5 else GOOD[k] for k in range(N)], "note"),
}


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
@pytest.mark.parametrize("ailment", AILMENTS)
def test_each_ailment_is_found_and_its_fix_cures_it(ailment: str, frame: Any) -> None:
    make, severity = AILMENTS[ailment]
    data = frame(with_column(make()))
    report = check(data, "klasse")
    (finding,) = found(report, ailment)
    assert (finding.severity, finding.column) == (severity, "die Spalte")
    assert report.ok == (severity != "error")
    mended = cured(data, finding)
    assert not found(check(mended, "klasse"), ailment)
    assert report.dialect == ("pandas" if frame is pandas.DataFrame else "polars")


def test_one_value_in_several_types_is_an_error() -> None:
    data = pandas.DataFrame(with_column([[1, "1", True, 0][k % 4] for k in range(N)]))
    (finding,) = check(data).errors
    assert finding.check == "mixed types"
    assert [type(example) for example in finding.examples] == [int, str, bool]
    assert check(cured(data, finding)).ok
    other = pandas.DataFrame(with_column([[1, "one", 2][k % 3] for k in range(N)]))
    (finding,) = found(check(other), "mixed types")
    assert finding.severity == "warning"
    assert not found(check(cured(other, finding)), "mixed types")


def test_a_few_words_among_numbers_are_named_with_their_rows() -> None:
    values = ["zwölf" if k in (4, 60) else str(k * 7 % 30) for k in range(N)]
    data = pandas.DataFrame(with_column(values))
    (finding,) = found(check(data), "numbers as text")
    assert finding.examples == ("zwölf",)
    assert finding.rows == (4, 60)
    assert cured(data, finding)["die Spalte"].isna().sum() == 2


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_decimal_commas_become_numbers(frame: Any) -> None:
    data = frame(with_column([f"{k % 9},{k % 7}" for k in range(N)]))
    (finding,) = found(check(data), "numbers as text")
    assert "decimal comma" in finding.what
    assert cured(data, finding)["die Spalte"].max() == 8.6


def test_decimal_commas_of_a_file_are_an_option_of_reading_it(tmp_path: Path) -> None:
    path = str(tmp_path / "rows.csv")
    for rows in ("x;y\n39,1;a\n36,6;b\n", "x;y\n1.234,50 €;a\n36,6 €;b\n"):
        Path(path).write_text(rows, encoding="utf-8")
        for data in (path, bayou.from_file(path, na="?", ignore=["y"])):
            (finding,) = found(check(data), "numbers as text")
            assert finding.fix.startswith("data = bayou.from_file(")
            assert not found(check(cured(data, finding)), "numbers as text")
    Path(path).write_text("x;y\n39,1;1.25\n36,6;2.125\n", encoding="utf-8")
    (finding,) = found(check(path), "numbers as text")
    assert finding.fix.startswith("data['x'] = "), "decimal=',' would read 2.125 as 2125"


def test_american_dates_are_told_from_european_ones() -> None:
    assert (
        "%m/%d/%Y"
        in found(check(with_column(["12/31/2020"] * 50 + ["01/02/2020"] * 150)), "dates as text")[0].fix
    )
    assert (
        "%d/%m/%Y"
        in found(check(with_column(["31/12/2020"] * 50 + ["01/02/2020"] * 150)), "dates as text")[0].fix
    )


@pytest.mark.parametrize("gap", [-999, 9999])
def test_numbers_that_stand_for_a_gap(gap: int) -> None:
    values = [gap if k % 20 == 0 else 40 + k % 31 for k in range(N)]
    (finding,) = found(check(with_column(values)), "placeholders")
    assert finding.examples == (gap,)
    assert finding.rows == (0, 20, 40, 60)
    assert not found(check(with_column([k % 31 - 999 for k in range(N)])), "placeholders")


def test_impossible_zeros_are_a_suspicion_and_counts_are_not() -> None:
    pressure = [0 if k % 40 == 0 else 60 + k % 50 for k in range(N)]
    (finding,) = found(check(with_column(pressure)), "placeholders")
    assert finding.severity == "note"
    assert "5 zeros" in finding.what
    assert not found(check(with_column([k % 45 for k in range(N)])), "placeholders")


def test_words_that_mean_something_are_no_gaps() -> None:
    assert not found(check(with_column(["+-"[k % 2] for k in range(N)])), "placeholders")
    assert not found(
        check(with_column([["none", "mild", "strong"][k % 3] for k in range(N)])), "placeholders"
    )
    few = check(with_column(["unknown" if k % 30 == 0 else "ab"[k % 2] for k in range(N)]))
    assert found(few, "placeholders")[0].severity == "note"


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_columns_that_say_the_same(frame: Any) -> None:
    renamed = ["L" if side == "left" else "R" for side in SIDES]
    inches = [float(value) * 39.37 + 2 for value in GOOD]
    data = frame({**healthy(), "Seite": renamed, "in Zoll": inches})
    pair = {finding.column: finding for finding in found(check(data), "near-duplicate columns")}
    assert set(pair) == {"Seite", "in Zoll"}
    assert "says the same as 'side'" in pair["Seite"].what
    assert "Seite" not in cured(data, pair["Seite"]).columns
    nearly = ["L" if (side == "left") != (k == 150) else "R" for k, side in enumerate(SIDES)]
    (finding,) = found(check({**healthy(), "Seite": nearly}), "near-duplicate columns")
    assert "almost" in finding.what
    rare = {"a": [k == 3 for k in range(N)], "b": [k == 9 for k in range(N)]}
    assert not found(check({**healthy(), **rare}), "near-duplicate columns")


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_copies_of_rows(frame: Any) -> None:
    data = frame({name: [*column, *column[:3]] for name, column in healthy().items()})
    (finding,) = found(check(data), "duplicate rows")
    assert finding.rows == (200, 201, 202)
    assert finding.severity == "warning"
    assert len(cured(data, finding)) == N
    few = check({"a": [0, 1] * 50, "b": [0, 0, 1, 1] * 25})
    assert not found(few, "duplicate rows")
    votes = {f"vote {k}": [*RANDOM.choice(list("yn"), 99), "n"] for k in range(20)}
    again = check({name: [*column, column[0]] for name, column in votes.items()})
    assert found(again, "duplicate rows")[0].severity == "note"


@given(st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 1)), min_size=2, max_size=30))
def test_copies_are_marked_as_by_brute_force(rows: list[tuple[int, int]]) -> None:
    columns = [numpy.array(column) for column in zip(*rows, strict=True)]
    expected = [row in rows[:k] for k, row in enumerate(rows)]
    assert seen_before(columns, len(rows)).tolist() == expected


def test_files_are_read_up_to_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "größe.csv"
    pandas.DataFrame(healthy()).to_csv(path, index=False)
    assert check(path, "klasse").rows == N
    part = check(path, rows=50)
    assert (part.rows, part.more) == (50, True)
    assert "the first 50 rows" in str(part)
    assert not check(path, rows=N).more
    assert check(healthy(), rows=50).heading == part.heading
    assert check(path, rows=None).rows == N
    with pytest.raises(BadQuestion, match="rows=0"):
        check(path, rows=0)
    with pytest.raises(BadFile, match="no such file"):
        check(tmp_path / "nothing.csv")


ANYTHING = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.dates()
    | st.sampled_from(
        ["?", "1", "1,5", "2020-01-01", "31/12/2020", -999, 0, 1e308, -1e308, "A ", "a", "x\ny"]
    )
)
KINDS = [
    ANYTHING,
    st.floats(),
    st.integers(-3, 60),
    st.sampled_from(["ja", "nein", None]),
    st.text(max_size=3),
]


@given(st.data())
@settings(deadline=None)
def test_no_table_makes_the_doctor_ill(data: st.DataObject) -> None:
    rows = data.draw(st.integers(0, 40))
    columns = {
        name: data.draw(st.lists(data.draw(st.sampled_from(KINDS)), min_size=rows, max_size=rows))
        for name in ("a", 1, "ü ö")
    }
    report = check(columns, data.draw(st.sampled_from([None, "a", 1])))
    assert len(str(report).splitlines()) <= 3 + 2 * len(report)
    assert report.to_frame().shape == (len(report), 7)
    assert report._repr_html_()
    assert json_text(report.to_dict())


def test_very_many_columns_are_compared_by_what_they_hold() -> None:
    columns: dict[Any, Any] = {k: RANDOM.normal(size=30) for k in range(400)}
    columns["mirror"] = 5 - 2 * columns[7]
    columns["side"], columns["Seite"] = SIDES[:30].tolist(), [len(side) for side in SIDES[:30]]
    pairs = found(check(columns, numpy.int64(3)), "near-duplicate columns")
    assert [finding.column for finding in pairs] == ["mirror", "Seite"]


def test_ids_that_are_too_long_for_a_float_and_long_examples() -> None:
    assert found(check({"id": [2**60 + 7 * k for k in range(30)]}), "id-like column")
    report = check(
        {
            "x": ["n/a" if k < 3 else f"{'sehr ' * 50}lang {k % 2}" for k in range(30)],
            "y": ["A" * 99, "a" * 99] * 15,
        }
    )
    assert max(map(len, str(report).splitlines())) < 400


def test_an_unknown_target_and_a_table_without_rows() -> None:
    with pytest.raises(UnknownVariable, match="Did you mean 'klasse'"):
        check(healthy(), "Klasse")
    (finding,) = check({"a": []}).errors
    assert finding.check == "no rows"
    assert check(numpy.eye(3), columns=["a", "b", "c"]).columns == 3


def test_the_report_prints_escapes_and_converts() -> None:
    report = check({"<i>\n": ["1", "2", "3"], "dates": [datetime.date(2020, 1, k) for k in (1, 2, 3)]})
    assert "&lt;i&gt;" in report._repr_html_()
    assert "<i>" not in report._repr_html_()
    assert str(report).count("\n") == len(str(report).splitlines()) - 1
    assert "\\n" in str(report)
    frame = report.to_frame()
    assert frame["check"].tolist() == [finding.check for finding in report]
    assert report.to_dict()["findings"][0]["severity"] == "warning"
    gaps = check({"a": [1, None, 3, 4]})
    assert gaps.missing == {"a": 1}
    assert "Gaps in 1 of 1 columns: a 25 %" in str(gaps)


@needs_shared_data
def test_what_is_known_of_public_tables_is_found() -> None:
    adult = check(SHARED / "tables" / "adult.csv.gz", "income", rows=None)
    assert [f.column for f in found(adult, "near-duplicate columns")] == ["education_num"]
    assert [f.examples for f in found(adult, "placeholders")] == [(99999,)]
    pima = check(SHARED / "tables" / "pima.csv.gz", "diabetes")
    suspects = {f.column for f in found(pima, "placeholders")}
    assert suspects == {"glucose", "blood_pressure", "skin_thickness", "bmi"}
    for name in ("car", "wine", "play_tennis"):
        assert check(SHARED / "tables" / f"{name}.csv.gz").findings == ()


def test_several_words_for_a_gap_are_gaps_however_frequent() -> None:
    table = {"b": ["NA", "no", "?", "n/a", "NaN"] * 20}
    assert found(check(table), "placeholders")


PRICES = {
    "dollars": lambda k: f"${k % 90 + 1},{100 + k * 37 % 900}.66",
    "short": lambda k: f"{k + 1}k",
    "euros": lambda k: f"{k}.00 €",
    "percent": lambda k: f"{k} %",
    "thousands": lambda k: f"{k + 1},{100 + k * 7 % 900}",
    "German": lambda k: f"{k},50 €",
    "dates": lambda k: f"20{k // 12:02}-{k % 12 + 1:02}-05",
    "times": lambda k: f"20{k // 12:02}-{k % 12 + 1:02}-05 12:30:00",
}


@pytest.mark.parametrize("kind", PRICES)
@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_prices_and_dates_are_no_ids_and_are_recognised(kind: str, frame: Any, tmp_path: Path) -> None:
    data = frame(with_column([PRICES[kind](k) for k in range(N)]))
    pandas.DataFrame(with_column([PRICES[kind](k) for k in range(N)])).to_csv(tmp_path / "rows.csv")
    names = {"dates": "dates as text", "times": "dates as text", "German": "numbers as text"}
    names["short"] = "numbers as text"
    for table in (data, tmp_path / "rows.csv"):
        report = check(table, "klasse")
        assert not [f for f in found(report, "id-like column") if f.column == "die Spalte"]
        (finding,) = found(report, names.get(kind, "marked numbers"))
        assert finding.column == "die Spalte"
        assert finding.severity == ("warning" if kind in ("German", "short") else "note")
    (finding,) = found(check(data, "klasse"), names.get(kind, "marked numbers"))
    assert not found(check(cured(data, finding)), finding.check)


def test_sizes_are_no_numbers_and_thousands_are_cured_to_the_numbers_they_mean() -> None:
    sizes = check(pandas.DataFrame(with_column([("2K", "4K", "S", "M")[k % 4] for k in range(N)])))
    assert not found(sizes, "numbers as text")
    assert not found(check(with_column([("2K", "4K")[k % 2] for k in range(N)])), "numbers as text")
    data = pandas.DataFrame(with_column([f"{k + 1}.5{'kKM'[k % 3]}" for k in range(N)]))
    (finding,) = found(check(data), "numbers as text")
    meant = [(k + 1.5) * (1e3, 1e3, 1e6)[k % 3] for k in range(N)]
    numpy.testing.assert_allclose(cured(data, finding)["die Spalte"], meant)


def test_the_fix_of_an_amount_gives_the_number_that_is_read() -> None:
    for kind in ("dollars", "euros", "percent", "thousands"):
        data = pandas.DataFrame(with_column([PRICES[kind](k) for k in range(N)]))
        (finding,) = found(check(data), "marked numbers")
        numbers = read_columns(data).numbers("die Spalte")
        numpy.testing.assert_allclose(cured(data, finding)["die Spalte"], numbers)
