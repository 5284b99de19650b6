"""Damaged, changing and vanishing files: an error that says where, and no changed model."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest

import bayou
from bayou.errors import BadFile
from bayou.sources.files import file_source

FRAME = pl.DataFrame({"a": ["x", "y", "y", "x"] * 20_000, "b": ["u", "v", "u", "v"] * 20_000})
KNOWN = {"a": ["x", "y"], "b": ["u", "v"]}


@pytest.fixture(autouse=True)
def streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file_source, "BATCH_ROWS", 2_000)


def refused(data: Any, match: str) -> None:
    """Learning on from these data is refused, and the model is what it was."""
    net = bayou.Network("a -> b").fit(KNOWN)
    before = str(net.statistics["b"]), str(net.query("b"))
    with pytest.raises(BadFile, match=match):
        net.partial_fit(data)
    assert (str(net.statistics["b"]), str(net.query("b"))) == before


def written(path: Path) -> Path:
    writers = {
        ".csv": FRAME.write_csv,
        ".parquet": lambda target: FRAME.write_parquet(target, row_group_size=4_000),
        ".jsonl": FRAME.write_ndjson,
        ".arrow": lambda target: FRAME.write_ipc(target, record_batch_size=4_000),
        ".arrows": FRAME.write_ipc_stream,
    }
    writers[path.suffix](path)
    return path


def test_a_malformed_row_of_the_second_file(tmp_path: Path) -> None:
    (tmp_path / "1.csv").write_text("a,b\nx,u\ny,v\n")
    (tmp_path / "2.csv").write_text("a,b\nx,u\ny,v,w\nx,v\n")
    refused(tmp_path, r"2\.csv, line 3: the line has 3 fields; 2 were expected")
    refused(str(tmp_path / "*.csv"), r"2\.csv, line 3: the line has 3 fields; 2 were expected")


def test_a_malformed_line_of_json(tmp_path: Path) -> None:
    (tmp_path / "1.jsonl").write_text('{"a": "x", "b": "u"}\n')
    (tmp_path / "2.jsonl").write_text('{"a": "x", "b": "u"}\n{"a": "y", "b": \n{"a": "x", "b": "v"}\n')
    refused(tmp_path, r"2\.jsonl, line 2: the line is not a JSON object")


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows", "jsonl"])
def test_a_type_that_changes_between_files(tmp_path: Path, ending: str) -> None:
    first, second = tmp_path / f"1.{ending}", tmp_path / f"2.{ending}"
    for path, table in ((first, {"a": ["x", "y"], "b": ["u", "v"]}), (second, {"a": ["x"], "b": [1.5]})):
        frame = pl.DataFrame(table)
        {
            "parquet": frame.write_parquet,
            "arrow": frame.write_ipc,
            "arrows": frame.write_ipc_stream,
            "jsonl": frame.write_ndjson,
        }[ending](path)
    refused(str(tmp_path / f"*.{ending}"), rf"(?s)2\.{ending}.*'b'.*1\.{ending}")


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl", "arrow", "arrows"])
@pytest.mark.parametrize("fault", ["vanishes", "is cut short", "grows"])
def test_a_file_that_changes_while_it_is_read(tmp_path: Path, ending: str, fault: str) -> None:
    path = written(tmp_path / f"t.{ending}")

    class Meanwhile:
        """A reporter that harms the file after some batches."""

        def advance(self, task: str, done: int) -> None:
            if done != 3 or not task.startswith("Counting") or not path.exists():
                return
            if fault == "vanishes":
                path.unlink()
            elif fault == "is cut short":
                os.truncate(path, path.stat().st_size // 2)
            else:
                path.write_bytes(path.read_bytes() + path.read_bytes()[-20:])

        def finish(self, task: str) -> None:
            pass

    with bayou.show_progress(Meanwhile()):
        refused(path, rf"t\.{ending}")


@pytest.mark.parametrize("ending", ["csv.gz", "parquet", "jsonl.gz", "arrow", "arrows"])
def test_a_file_that_was_cut_short_before(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"t.{ending}"
    plain = written(tmp_path / f"plain.{ending.removesuffix('.gz')}").read_bytes()
    whole = gzip.compress(plain) if ending.endswith(".gz") else plain
    path.write_bytes(whole[: len(whole) * 2 // 3])
    refused(path, rf"t\.{ending.replace('.', '[.]')}")


def test_addresses_need_an_extension_of_duckdb(tmp_path: Path) -> None:
    """Without httpfs the error names it and the command that installs it; with it, the address."""
    with duckdb.connect() as connection:
        try:
            connection.execute("install httpfs; load httpfs")
            told = ""
        except duckdb.Error:
            told = r".*extension httpfs.*install httpfs"
    refused("https://127.0.0.1:9/table.parquet", rf"https://127\.0\.0\.1:9/table\.parquet{told}")
    refused("s3://127.0.0.1:9/table.parquet", rf"s3://127\.0\.0\.1:9/table\.parquet{told}")


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_file_that_is_not_what_its_name_says(ending: str, tmp_path: Path) -> None:
    whole = written(tmp_path / f"whole.{ending}").read_bytes()
    (cut := tmp_path / f"cut.{ending}").write_bytes(whole[: len(whole) // 2])
    refused(cut, rf"cut\.{ending}: this is not an? \w+ file.* or not a whole one")
    (packed := tmp_path / f"rows.{ending}").write_bytes(gzip.compress(whole))
    refused(packed, r"this is a gzip file, not an? \w+ file.*: unpack it, or name it .*rows\.csv")
    os.rename(packed, text := tmp_path / "rows.csv")
    text.write_bytes(gzip.compress(FRAME.write_csv().encode()))
    assert bayou.Network("a -> b").fit(text).states("a") == ("x", "y")
