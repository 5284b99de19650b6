"""Every kind of file, alone and several as one table, with wrong names, options and faults."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import bayou
from bayou.errors import BadData, BadFile, BadQuestion
from bayou.sources import FileSource, NumberColumn, column_batches, open_source, read_columns
from bayou.sources.files import file_source
from bayou.sources.files.data_file import DataFile
from bayou.sources.files.file_kinds import KINDS, open_file
from bayou.statistics import CountTable

ROWS: dict[str, list[Any]] = {
    "city": ["Ulm", None, "Köln", "Ulm", "Bonn"],
    "age": [41, 7, None, 12, 41],
    "size": [1.5, 2.25, -0.5, None, 3.0],
    "ill": [True, False, None, True, True],
}


def rows_of(data: Any, **options: Any) -> dict[Any, list[Any]]:
    table = read_columns(data, **options)
    return {name: table.coded(name).values() for name in table.names}


def streamed_rows(data: Any) -> dict[Any, list[Any]]:
    parts = list(column_batches(data, batch_rows=2))
    return {n: [v for part in parts for v in part.coded(n).values()] for n in parts[0].names}


def json_lines(rows: dict[str, list[Any]] = ROWS) -> str:
    records = [dict(zip(rows, record, strict=True)) for record in zip(*rows.values(), strict=True)]
    absent = [{name: cell for name, cell in record.items() if cell is not None} for record in records]
    return "".join(json.dumps(record) + "\n" for record in absent)


def written(folder: Path, name: str) -> Path:
    path = folder / name
    table = pa.table(ROWS)
    if ".parquet" in name:
        pq.write_table(table, path)
    elif ".arrows" in name:
        with pa.ipc.new_stream(path, table.schema) as stream:
            stream.write_table(table, max_chunksize=2)
    elif ".feather" in name or ".arrow" in name:
        pa.feather.write_feather(table, path, compression="uncompressed", chunksize=2)
    elif ".jsonl" in name or ".ndjson" in name:
        text = json_lines()
    else:
        text = pl.DataFrame(ROWS).write_csv(separator="\t" if ".tsv" in name else ",")
    if name.endswith(".zst"):
        plain = folder / "plain"
        plain.write_text(text)
        with duckdb.connect() as connection:
            connection.execute(
                f"copy (select * from read_csv('{plain}', header=false, delim=chr(1), quote='', escape='', "
                f"auto_detect=false, columns={{'l': 'VARCHAR'}})) to '{path}' "
                "(header false, quote '', escape '', delimiter '\x01', compression zstd, format csv)"
            )
    elif name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    elif not path.exists():
        path.write_text(text)
    return path


NAMES = (
    "t.csv",
    "t.tsv",
    "t.csv.gz",
    "t.csv.zst",
    "t.jsonl",
    "t.ndjson",
    "t.jsonl.gz",
    "t.jsonl.zst",
    "t.parquet",
    "t.arrow",
    "t.feather",
    "t.arrows",
)


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_is_read_whole_and_in_batches(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, name)
    assert rows_of(path) == ROWS
    assert streamed_rows(path) == ROWS
    assert isinstance(read_columns(path)["size"], NumberColumn)
    assert read_columns(path)["age"].kind == "int"
    assert rows_of(bayou.from_file(path)) == ROWS


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("t.csv.gz", "wrong.csv"),
        ("t.arrows", "wrong.arrow"),
        ("t.arrows", "wrong.csv"),
        ("t.csv", "wrong.csv.gz"),
        ("t.jsonl.gz", "wrong.jsonl"),
        ("t.jsonl", "wrong.jsonl.zst"),
        ("t.csv.zst", "wrong.csv"),
        ("t.parquet", "wrong.csv"),
        ("t.parquet", "no ending"),
        ("t.feather", "wrong.parquet"),
    ],
)
def test_a_file_under_a_wrong_name_is_recognised(tmp_path: Path, name: str, wrong: str) -> None:
    written(tmp_path, name).rename(tmp_path / wrong)
    assert rows_of(tmp_path / wrong) == ROWS


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("t.csv.zst", "t.jsonl.zst")])
def test_a_folder_a_pattern_and_a_list_are_one_table(tmp_path: Path, name: str) -> None:
    stem, _, ending = name.partition(".")
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "_SUCCESS").touch()
    first, second = written(folder, f"1.{ending}"), written(folder, f"2.{ending}")
    twice = {column: values * 2 for column, values in ROWS.items()}
    for data in (folder, str(folder / f"*.{ending}"), bayou.from_file([first, str(second)])):
        assert rows_of(data) == twice
        assert streamed_rows(data) == twice
    assert stem == "t"


def test_columns_of_several_files_may_be_in_any_order(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,b\nx,1\ny,2\n")
    (tmp_path / "2.csv").write_text("\nb,a\n3,z\n")
    (tmp_path / "3.csv").write_text("a,b\nw,4\n")
    expected = {"a": ["x", "y", "z", "w"], "b": [1, 2, 3, 4]}
    assert rows_of(tmp_path) == expected
    assert streamed_rows(tmp_path) == expected
    other = tmp_path / "parquet"
    other.mkdir()
    pq.write_table(pa.table({"a": ["x", "y"], "b": [1, 2]}), other / "1.parquet")
    pq.write_table(pa.table({"b": pa.array([3, 4], pa.int8()), "a": ["z", "w"]}), other / "2.parquet")
    assert rows_of(other) == expected
    lines = tmp_path / "json"
    lines.mkdir()
    (lines / "1.jsonl").write_text('{"a": "x", "b": 1}\n{"a": "y", "b": 2}\n')
    (lines / "2.jsonl").write_text('{"b": 3, "a": "z"}\n{"b": 4, "a": "w"}\n')
    assert rows_of(lines) == expected


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_folders_with_equal_signs_are_columns_of_a_folder_but_not_of_a_file(
    tmp_path: Path, ending: str
) -> None:
    for year, kind in ((2024, "a"), (2025, "b")):
        folder = tmp_path / f"year={year}" / f"kind={kind}"
        folder.mkdir(parents=True)
        written(folder, f"t.{ending}")
    expected = {
        **{name: values * 2 for name, values in ROWS.items()},
        "year": [2024] * 5 + [2025] * 5,
        "kind": ["a"] * 5 + ["b"] * 5,
    }
    for data in (tmp_path, str(tmp_path / "year=*" / "kind=*" / f"*.{ending}")):
        assert rows_of(data) == expected
        assert streamed_rows(data) == expected
    assert rows_of(tmp_path / "year=2024" / "kind=a" / f"t.{ending}") == ROWS
    request = CountTable(("year",))
    assert open_source(tmp_path).collect([request])[request].values.tolist() == [5, 5]


FAULTS: list[tuple[str, dict[str, str], str]] = [
    ("csv", {"1": "a,b\n1,2\n", "2": "a\n1\n"}, r"2\.csv: the column 'b' of .*1\.csv is missing here"),
    ("csv", {"1": "a,b,c\n1,2,3\n", "2": "a\n1\n"}, r"the columns 'b', 'c' of .*1\.csv are missing here"),
    ("csv", {"1": "a\n1\n", "2": "a,b,c\n1,2,3\n"}, r"the columns 'b', 'c' are not in .*1\.csv; every"),
    ("csv", {"1": "a\n1\n", "2": "a,b\n1,2\n"}, r"2\.csv: the column 'b' is not in .*1\.csv"),
    ("csv", {"1": "a,b\n1,2\n", "2": "a,b\n1,2\n3\n"}, r"2\.csv, line 3: the line has 1 fields; 2 were"),
    ("csv", {"1": "a,b\n1,2\n", "2": ""}, r"2\.csv: the file is empty"),
    ("jsonl", {"1": '{"a": 1}\n', "2": '{"a": 2}\n{"a": \n'}, r"2\.jsonl, line 2: the line is not a JSON"),
    ("jsonl", {"1": '{"a": 1}\n', "2": '{"a": "x"}\n'}, r"column 'a' has values of several types: 1 .*row 1"),
    ("jsonl", {"1": "1\n", "2": "2\n"}, "one JSON object per line was expected"),
]


@pytest.mark.parametrize(("ending", "texts", "message"), FAULTS)
def test_a_fault_in_several_files_names_file_line_and_column(
    tmp_path: Path, ending: str, texts: dict[str, str], message: str
) -> None:
    for name, text in texts.items():
        (tmp_path / f"{name}.{ending}").write_text(text)
    with pytest.raises(BadFile, match=message):
        read_columns(tmp_path)


def test_parquet_files_of_other_columns_or_types_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1, 2], "b": ["x", "y"]}), tmp_path / "1.parquet")
    second = tmp_path / "2.parquet"
    for table, message in (
        ({"a": [1]}, r"2\.parquet: the column 'b' of .*1\.parquet is missing here"),
        ({"a": [1], "b": ["x"], "c": [1]}, r"2\.parquet: the column 'c' is not in .*1\.parquet"),
        ({"a": ["1"], "b": ["x"]}, r"2\.parquet: column 'a' has text here, but numbers in .*1\.parquet"),
        ({"a": [1], "b": [True]}, r"column 'b' has truth values here, but text in"),
    ):
        pq.write_table(pa.table(table), second)
        with pytest.raises(BadFile, match=message):
            read_columns(tmp_path)
    pq.write_table(pa.table({"a": [1.5, None], "b": pa.nulls(2)}), second)
    assert rows_of(tmp_path) == {"a": [1.0, 2.0, 1.5, None], "b": ["x", "y", None, None]}


def test_arrow_files_of_other_types_are_refused(tmp_path: Path) -> None:
    pa.feather.write_feather(pa.table({"a": [1, 2]}), tmp_path / "1.arrow")
    pa.feather.write_feather(pa.table({"a": ["x"]}), tmp_path / "2.arrow")
    with pytest.raises(BadFile, match=r"2\.arrow: column 'a' has the type string here, but int64 in"):
        read_columns(tmp_path)
    (tmp_path / "1.arrow").write_bytes(b"ARROW1 and nothing else")
    with pytest.raises(BadFile, match="not an Arrow file with random access"):
        read_columns(tmp_path / "1.arrow")


def test_files_of_several_kinds_are_not_one_table(tmp_path: Path) -> None:
    written(tmp_path, "1.csv")
    written(tmp_path, "2.parquet")
    with pytest.raises(BadFile, match=r"2\.parquet: this is a Parquet file, but .*1\.csv is a text file"):
        read_columns(tmp_path)
    with pytest.raises(BadFile, match="no file matches this pattern"):
        read_columns(str(tmp_path / "*.jsonl"))


def test_the_options_of_text_files(tmp_path: Path) -> None:
    path = tmp_path / "wages.txt"
    path.write_text("who^wage^n\nJürg^1.234,5^1\nBéa^-^2\nZoë^0,25^-99\nIda^1e3^3\n", encoding="cp1252")
    source = bayou.from_file(path, sep="^", encoding="cp1252", decimal=",", na=["-", -99])
    expected = {"who": ["Jürg", "Béa", "Zoë", "Ida"], "n": [1, 2, None, 3]}
    for read in (rows_of, streamed_rows):
        found = read(source)
        assert {name: found[name] for name in expected} == expected
    assert read_columns(source).numbers("wage").tolist()[::2] == [1234.5, 0.25]
    with pytest.raises(BadFile, match="unknown kind of file"):
        read_columns(path)
    plain = tmp_path / "plain.csv"
    plain.write_text("a;b\n1,5;x\n2,5;y\n")
    assert rows_of(bayou.from_file(plain, decimal=",")) == {"a": [1.5, 2.5], "b": ["x", "y"]}
    wide = tmp_path / "wide.csv"
    wide.write_text("a,b\nü,1\n", encoding="utf-16")
    assert rows_of(bayou.from_file(wide, encoding="utf-16")) == {"a": ["ü"], "b": [1]}
    with pytest.raises(BadFile, match=r"give encoding='utf-16'"):
        read_columns(wide)
    headless = tmp_path / "headless.csv"
    headless.write_text("1,x\n2,y\n")
    assert rows_of(bayou.from_file(headless, columns=["n", "t"])) == {"n": [1, 2], "t": ["x", "y"]}


def test_a_fault_in_a_converted_file_names_the_original(tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("a,b\né,1\n2\n", encoding="latin-1")
    with pytest.raises(BadFile, match=r"odd\.csv, line 3: the line has 1 fields"):
        read_columns(bayou.from_file(path, encoding="latin-1"))
    path.write_bytes(b"a,b\n\xff,1\n")
    with pytest.raises(BadFile, match=r"odd\.csv: the file is not ascii|not cp1252|line 2"):
        read_columns(bayou.from_file(path, encoding="utf-8"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sep": "ab"}, "sep='ab': give the one character"),
        ({"decimal": ";"}, "decimal=';': give the decimal mark"),
        ({"sep": ",", "decimal": ","}, "one character cannot be both"),
        ({"encoding": "klingon"}, "encoding='klingon' is unknown"),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadQuestion, match=message):
        bayou.from_file(written(tmp_path, "t.csv"), **options)


def test_options_of_text_are_refused_for_typed_files(tmp_path: Path) -> None:
    with pytest.raises(BadData, match=r"na= is for text files .*; this is a Parquet file"):
        bayou.from_file(written(tmp_path, "t.parquet"), na="-")
    with pytest.raises(BadData, match="columns= is for data without names"):
        bayou.from_file(written(tmp_path, "t.jsonl"), columns=["a"])


def test_addresses_go_to_duckdb_whose_extension_may_be_missing() -> None:
    with pytest.raises(BadFile, match=r"s3://nowhere/x\.parquet: duckdb reads such addresses with its ext"):
        bayou.from_file("s3://nowhere/x.parquet")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.jsonl"])
def test_a_file_that_changes_between_passes_is_refused(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    path = written(tmp_path, name)
    source = FileSource(path)
    source.collect([CountTable(("city",))])
    os.utime(path, ns=(1, 1))
    with pytest.raises(BadFile, match="has changed while it was in use"):
        source.collect([CountTable(("city",))])
    fresh = FileSource(path)
    rows = fresh.tables()
    next(rows)
    os.utime(path, ns=(2, 2))
    with pytest.raises(BadFile, match="has changed while it was in use"):
        list(rows)


def test_a_described_file_is_as_good_as_its_path(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("a,b,w\n1,x,1\n2,y,2\n1,x,3\n")
    states = {"a": ["1", "2"]}  # declared as text, so the column is read as text
    nets = [
        bayou.Network("a -> b", states=states).fit(data, weights="w")
        for data in (path, bayou.from_file(path))
    ]
    assert nets[0].same_as(nets[1])
    models = [bayou.NaiveBayes().fit(data, "b") for data in (path, bayou.from_file(path))]
    assert models[0].predict(bayou.from_file(path)).tolist() == models[1].predict(path).tolist()
    out = tmp_path / "out.csv"
    nets[0].impute(bayou.from_file(path), out=out)
    assert rows_of(out)["b"] == ["x", "y", "x"]


class LetterFile(DataFile):
    """A kind of file that tests add: each byte is a row."""

    endings = (".letters",)
    kind = "a file of letters"

    def __init__(self, files: Any, options: Any, columns: Any) -> None:
        super().__init__(files, options, columns)
        self.names = ("letter",)

    def batches(self, names: Any, as_text: Any, batch_rows: int) -> Any:
        letters = [letter for path in self.files.paths for letter in Path(path).read_text()]
        yield read_columns({"letter": letters})

    def bytes_per_row(self, names: Any) -> float:
        return 1


def test_a_kind_of_file_is_one_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bayou.sources.files.file_kinds.KINDS", (*KINDS, LetterFile))
    (tmp_path / "t.letters").write_text("abba")
    assert open_file(tmp_path).names == ("letter",)
    request = CountTable(("letter",))
    assert open_source(tmp_path).collect([request])[request].values.tolist() == [2, 2]
