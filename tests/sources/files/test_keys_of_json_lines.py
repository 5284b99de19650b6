"""JSON lines whose keys differ only in case, or are empty: SQL has no such columns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bayou.errors import BadFile
from bayou.sources.tables.columns import Columns
from bayou.sources.tables.read_columns import column_batches, read_columns


def written(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def held(table: Columns) -> dict[Any, list[Any]]:
    return {
        name: table[name].values() if hasattr(table[name], "labels") else table.numbers(name).tolist()
        for name in table.names
    }


ROWS = [
    {"a": "p", "A": "q", "a_1": "r", "n": 1, "N": 2.5, "a/b~": True, "none": None},
    {"A": "s", "n": 3, "N": 4, "": "e", "A_1": -7, "big": 2**63, "none": None},
] * 3
KEYS = ["a", "A", "a_1", "n", "N", "a/b~", "none", "", "A_1", "big"]


def test_keys_that_differ_only_in_case_are_columns_of_their_own(tmp_path: Path) -> None:
    table = read_columns(written(tmp_path / "t.jsonl", *ROWS))
    assert list(table.names) == KEYS
    columns = {key: [row.get(key) for row in ROWS] for key in KEYS}
    for key in ("a", "A", "a_1", "", "a/b~", "none"):
        assert table[key].values() == columns[key]
    expected = read_columns(columns)
    for key in ("n", "N", "A_1"):
        assert str(table.numbers(key)) == str(expected.numbers(key))
    batches = list(column_batches(tmp_path / "t.jsonl", names=["A", "N"], batch_rows=4))
    assert [value for batch in batches for value in batch["A"].values()] == columns["A"]
    assert [value for batch in batches for value in batch.numbers("N")] == columns["N"]


def test_a_key_that_looks_renamed_stays(tmp_path: Path) -> None:
    table = read_columns(written(tmp_path / "t.jsonl", {"a": "p", "a_1": "q"}, {"a_1": "r"}))
    assert held(table) == {"a": ["p", None], "a_1": ["q", "r"]}


def test_keys_in_folders_that_are_columns(tmp_path: Path) -> None:
    for year in ("2023", "2024"):
        (tmp_path / f"year={year}").mkdir()
        written(tmp_path / f"year={year}" / "t.jsonl", {"a": "p", "A": year})
    table = read_columns(str(tmp_path))
    assert held(table)["A"] == ["2023", "2024"]
    assert list(table.names) == ["a", "A", "year"]


def test_faults_are_told_as_in_other_files(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"column 'A' has values of several types: 1 at first, and .*x.* row 1"):
        read_columns(written(tmp_path / "t.jsonl", {"a": "p", "A": 1}, {"a": "q", "A": "x"}))
    with pytest.raises(BadFile, match="one JSON object per line was expected"):
        read_columns(written(tmp_path / "t.jsonl", {"": "p"}, [1]))
    with pytest.raises(BadFile, match="column 'A' holds lists"):
        read_columns(written(tmp_path / "t.jsonl", {"a": "p", "A": [1]}))
