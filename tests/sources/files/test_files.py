"""CSV, TSV and Parquet files: well made, oddly made, and broken."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.shared_data import SHARED, needs_shared_data

from bayou.errors import BadFile, UnknownVariable
from bayou.sources import NumberColumn, column_batches, read_columns


def written(folder: Path, text: str | bytes, name: str = "data with [brackets] & 'quotes' é.csv") -> Path:
    raw = text.encode() if isinstance(text, str) else text
    path = folder / name
    path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    return path


def values(path: Path, **options: Any) -> dict[Any, list[Any]]:
    table = read_columns(path, **options)
    return {name: table.coded(name).values() for name in table.names}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b\nx,1\ny,\n", {"a": ["x", "y"], "b": [1, None]}),
        ("a,b\r\nx,1\r\ny,2\r\n", {"a": ["x", "y"], "b": [1, 2]}),
        ("a,b\rx,1\ry,2\r", {"a": ["x", "y"], "b": [1, 2]}),
        ("\ufeffa,b\nx,1", {"a": ["x"], "b": [1]}),
        ("a;b\n1,5;x\n2;y\n", {"a": ["1,5", "2"], "b": ["x", "y"]}),
        ("a|b\nx|y\n", {"a": ["x"], "b": ["y"]}),
        ('a,"b, c"\n"x\ny","say ""hi"""\n', {"a": ["x\ny"], "b, c": ['say "hi"']}),
        ('a,b\n"",""\n"x",\n', {"a": [None, "x"], "b": [None, None]}),
        ("a,b\nNA,NA\n1,x\n", {"a": [None, 1], "b": ["NA", "x"]}),
        ("a,b\n007,0\n8,0.5\n", {"a": ["007", "8"], "b": [0, 0.5]}),
        ("a,b\ntrue,yes\nfalse,no\n", {"a": [True, False], "b": ["yes", "no"]}),
        ("a,b\n1, 2\n-1e3,+4\n", {"a": [1, -1000], "b": [2, 4]}),
        ("a,b\n9007199254740993,1\n9007199254740992,1\n", {"a": [2**53 + 1, 2**53], "b": [1, 1]}),
        ("A,a\n1,2\n", {"A": [1], "a": [2]}),
        ("one\nx\n\ny\n", {"one": ["x", None, "y"]}),
        ("a,b\n1_000,0x10\n1,2\n", {"a": ["1_000", "1"], "b": ["0x10", "2"]}),
        ("a,b\n", {"a": [], "b": []}),
        ("a,b", {"a": [], "b": []}),
        (",b\n1,2\n", {"": [1], "b": [2]}),
        ("日本,é\nżółw,ß\n", {"日本": ["żółw"], "é": ["ß"]}),
    ],
)
@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_a_csv_file_is_read_as_it_is_meant(
    tmp_path: Path, text: str, expected: dict[str, list[Any]], ending: str
) -> None:
    path = written(tmp_path, text, "file with spaces é" + ending)
    assert values(path) == expected
    batches = list(column_batches(path, batch_rows=1))
    for name, column in expected.items():
        assert [value for batch in batches for value in batch.coded(name).values()] == column


def test_the_callers_text_columns_stay_text(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\n1,1\n0,0\n")
    table = read_columns(str(path), as_text=["a"], names=["b", "a"])
    assert table.names == ("b", "a")
    assert table["a"].values() == ["1", "0"]
    assert table["b"].kind == "int"


def test_a_file_without_a_header_takes_names(tmp_path: Path) -> None:
    assert values(written(tmp_path, "1,x\n2,y\n"), columns=[0, 1]) == {0: [1, 2], 1: ["x", "y"]}


def test_a_tab_separated_file(tmp_path: Path) -> None:
    assert values(written(tmp_path, "a\tb\n1,5\t2\n", "t.TSV".lower())) == {"a": ["1,5"], "b": [2]}


@pytest.mark.filterwarnings("ignore:Column 'late' would hold numbers:bayou.BayouWarning")
@pytest.mark.parametrize("last", ["x", "007", "9007199254740993"])
def test_a_late_change_of_type_makes_the_whole_column_text(tmp_path: Path, last: str) -> None:
    rows = "".join(f"{number},{number}.5\n" for number in range(30_000))
    path = written(tmp_path, f"late,fine\n{rows}{last},1\n")
    first, final = ("0", last) if not last.startswith("9") else (0, int(last))
    for table in (read_columns(path), next(column_batches(path, batch_rows=40_000))):
        late = table["late"].values()
        assert [str(late[0]), str(late[-1]), len(late)] == [str(first), str(final), 30_001]
        assert isinstance(table["fine"], NumberColumn)
        assert table.numbers("fine")[:2].tolist() == [0.5, 1.5]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_a_column_of_many_numbers(tmp_path: Path, ending: str) -> None:
    numbers = [number * 1.5e-7 - 3 for number in range(4000)] + [1e300, -0.5, 1e-320]
    spelled = "\n".join(
        [f"{number!r},{row}" for row, number in enumerate(numbers)] + ["NA,", ", 7", '"2.5",nan']
    )
    path = written(tmp_path, "real,whole\n" + spelled, "many" + ending)
    table = read_columns(path)
    assert np.array_equal(table.numbers("real"), [*numbers, np.nan, np.nan, 2.5], equal_nan=True)
    assert np.array_equal(table.numbers("whole")[-4:], [4002, np.nan, 7, np.nan], equal_nan=True)
    assert [(table[name].kind, table[name].integral) for name in table.names] == [
        ("float", False),
        ("int", True),
    ]


def test_batches_of_a_file_agree_with_the_whole(tmp_path: Path) -> None:
    rows = "".join(
        f"{number % 7},{'NA' if number % 5 else number / 4},v{number % 300}\n" for number in range(5000)
    )
    path = written(tmp_path, "whole,gaps,text\n" + rows)
    whole = read_columns(path)
    batches = list(column_batches(path, batch_rows=999))
    assert [batch.rows for batch in batches] == [999] * 5 + [5]
    for name in ("whole", "gaps"):
        joined = np.concatenate([batch.numbers(name) for batch in batches])
        assert np.array_equal(joined, whole.numbers(name), equal_nan=True)
    assert [v for batch in batches for v in batch["text"].values()] == whole["text"].values()


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    path = tmp_path / "a [1].parquet"
    frame = pl.DataFrame({"é ñ": ["1", None], "n": [1, 2], "list": [[1], [2]], "t": [True, None]})
    frame.write_parquet(path)
    table = read_columns(path, names=["t", "n", "é ñ"])
    assert table["é ñ"].values() == ["1", None]
    assert table["t"].values() == [True, None]
    assert table["n"].kind == "int"
    assert [batch.rows for batch in column_batches(path, names=["n"], batch_rows=1)] == [1, 1]
    with pytest.raises(BadFile, match="'list' holds lists"):
        read_columns(path)
    with pytest.raises(UnknownVariable, match="Did you mean 'n'"):
        read_columns(path, names=["N"])


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        ("", "a.csv", "the file is empty"),
        ("  \n \n", "a.csv", "the file is empty"),
        ("a,b\n1,2\n3\n", "a.csv", r"line 3: the line has 1 fields; 2 were expected"),
        ("a,b\n1,2\n3,4,5\n", "a.csv", r"line 3: the line has 3 fields; 2 were expected"),
        ("a,a\n1,2\n", "a.csv", "line 1: Two columns are called 'a'"),
        ("a,b\n1,\xe4\n".encode("latin-1"), "a.csv", "line 2: the file is not UTF-8"),
        ('a,b\n1,"x\n', "a.csv", "line 2: a quoted field is never closed"),
        (b"\x1f\x8b\x08nonsense", "a.csv", "not a complete gzip file"),
        ("PAR1 not really", "a.parquet", "a.parquet"),
        ("", "a.parquet", "a.parquet"),
        ("a,b\n", "a.xlsx", "unknown kind of file"),
    ],
)
def test_a_broken_file_is_refused_with_its_name_and_line(
    tmp_path: Path, text: str | bytes, name: str, message: str
) -> None:
    with pytest.raises(BadFile, match=message) as caught:
        read_columns(written(tmp_path, text, name))
    assert name in str(caught.value)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="there is no such file"):
        read_columns(tmp_path / "absent.csv")
    with pytest.raises(BadFile, match="this is a folder without data files"):
        read_columns(tmp_path)


@needs_shared_data
def test_the_projects_odd_files() -> None:
    missing = values(SHARED / "corrupted" / "database_missingvalue.csv")
    assert missing["a"] == ["1", "1", "toto", "1", None, "0", "1", None, "0"]
    assert missing["d"][:3] == [1, None, 1]
    assert "BEURK" in values(SHARED / "corrupted" / "asia3-faulty.csv")["smoking"]
    with pytest.raises(BadFile, match="line 4: the line has 1 fields; 2 were expected"):
        read_columns(SHARED / "corrupted" / "db_with_newline.csv")


@needs_shared_data
def test_the_projects_tables_have_the_stated_shape() -> None:
    pima = read_columns(SHARED / "tables" / "pima_missing.csv.gz")
    assert (pima.rows, len(pima)) == (768, 9)
    gaps = sum(int(np.isnan(pima.numbers(name)).sum()) for name in pima.names[:-1])
    assert gaps == 652
    votes = read_columns(SHARED / "tables" / "house_votes.csv.gz")
    assert sum(votes.coded(name).values().count(None) for name in votes.names) == 392


def test_a_parquet_file_keeps_its_names(tmp_path: Path) -> None:
    folder = tmp_path / "year=2024"
    folder.mkdir()
    path = folder / "case.parquet"
    nested = [{"x": 1, "y": {"z": [1]}}, {"x": 2, "y": {"z": [2]}}]
    pl.DataFrame({"a": [1, 2], "s": nested, "A": ["x", "y"], 'q"uote': [1, 1], "A_1": [7, 8]}).write_parquet(
        path
    )
    names = ["A_1", "A", "a", 'q"uote']
    assert values(path, names=names) == {"A_1": [7, 8], "A": ["x", "y"], "a": [1, 2], 'q"uote': [1, 1]}
    with pytest.raises(UnknownVariable):
        read_columns(path, names=["year"])
