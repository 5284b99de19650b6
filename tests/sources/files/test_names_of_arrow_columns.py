"""Arrow files whose names SQL would not tell apart: each column is read under the name that it has."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather

import bayou
from bayou.sources.tables.read_columns import column_batches, read_columns

TABLE = {"a": ["p", "q"] * 8, "A": ["x", "y"] * 8, "a_1": ["u", "v"] * 8, "c0": ["k", "l"] * 8}


def test_any_of_the_columns_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "t.feather"
    feather.write_feather(pa.table(TABLE), path, compression="uncompressed")
    for names in (["A"], ["A", "a_1"], ["a_1"], ["c0", "a"], list(TABLE)):
        table = read_columns(path, names=names)
        assert {name: table[name].values() for name in names} == {name: TABLE[name] for name in names}
        (batch,) = column_batches(path, names=names, batch_rows=100)
        assert batch[names[0]].values() == TABLE[names[0]]
    assert bayou.NaiveBayes().fit(path, "A").predict(path).tolist() == TABLE["A"]


def test_two_files_with_columns_in_another_order(tmp_path: Path) -> None:
    for number, names in enumerate((["a", "A", "a_1"], ["a_1", "A", "a"])):
        table = pa.table({name: TABLE[name][:2] for name in names})
        feather.write_feather(table, tmp_path / f"{number}.feather", compression="uncompressed")
    found = read_columns(str(tmp_path / "*.feather"), names=["A", "a_1"])
    assert found["A"].values() == ["x", "y"] * 2
    assert found["a_1"].values() == ["u", "v"] * 2
