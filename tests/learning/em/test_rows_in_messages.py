"""Messages about a row give its number in the user's data: after repeated, empty and earlier rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bayou
from bayou.errors import BadData, ImpossibleEvidence
from bayou.learning.em import training_rows as held_rows
from bayou.sources.files import file_source as file
from bayou.statistics import Batch
from bayou.statistics.rows.distinct_rows import compress_rows

TABLES = {"A": {"x": 1.0, "y": 0.0}, "B": {"x": {0: 0.5, 1: 0.5}, "y": {0: 0.5, 1: 0.5}}}
ROWS = {"A": ["x", "x", None, "x", None, "x", "y"], "B": [0, 0, None, 0, 1, None, 0]}


def streamed(path: Path, data: dict[str, list[Any]], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that is read two rows at a time."""
    lines = [
        ",".join("" if cell is None else str(cell) for cell in row)
        for row in zip(*data.values(), strict=True)
    ]
    path.write_text("\n".join([",".join(data), *lines]) + "\n", encoding="utf-8")
    monkeypatch.setattr(file, "BATCH_ROWS", 2)
    return path


def test_a_row_that_can_not_occur_has_the_number_of_the_table() -> None:
    net = bayou.Network("A -> B", tables=TABLES)
    with pytest.raises(ImpossibleEvidence, match=r"Row 6 \(counting from 0\).*A=y, B=0"):
        net.fit(ROWS, start="present")


@pytest.mark.parametrize("most", [2**30, 1])
def test_a_row_that_can_not_occur_has_the_number_of_the_file(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = streamed(tmp_path / "many rows.csv", ROWS, monkeypatch)
    monkeypatch.setattr(held_rows.TrainingRows.__init__, "__defaults__", (most,))
    with pytest.raises(ImpossibleEvidence, match=r"Row 6 \(counting from 0\).*A=y, B=0"):
        bayou.Network("A -> B", tables=TABLES).fit(path, start="present")


def test_numbers_beside_states() -> None:
    net = bayou.Network("A -> z", continuous=["z"], states={"A": ["x", "y"]})
    net.set_cpt("A", [1.0, 0.0]).set_gaussian("z", {"x": (0, 1), "y": (0, 1)})
    data = {"A": ["x", None, "x", "y"], "z": [1.0, None, None, 2.0]}
    with pytest.raises(ImpossibleEvidence, match=r"Row 3 \(counting from 0\)"):
        net.fit(data, start="present")


def test_infinite_numbers_have_the_number_of_the_data() -> None:
    batch = Batch(2, {}, {"z": np.array([1.0, np.inf])}, first=40)
    with pytest.raises(BadData, match=r"'z' is infinite in row 41 \(counting from 0\)"):
        held_rows.RowReader()(batch)


def test_infinite_numbers_have_the_number_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = pa.table({"A": ["x", "y", "x", "y", None], "z": [1.0, 2.5, 0.5, 1.5, float("inf")]})
    pq.write_table(table, tmp_path / "n.parquet")
    monkeypatch.setattr(file, "BATCH_ROWS", 2)
    with pytest.raises(BadData, match=r"'z' is infinite in row 4 \(counting from 0\)"):
        bayou.Network("A -> z", continuous=["z"]).fit(tmp_path / "n.parquet")


def test_batches_keep_the_numbers_of_their_rows() -> None:
    one = Batch(3, {"A": np.array([0, 1, 0], dtype=np.uint8)}, {})
    two = Batch(2, {"A": np.array([1, 2], dtype=np.uint8)}, {}, first=3)
    assert (one + two).places is None
    both = compress_rows(compress_rows(one) + compress_rows(two))
    assert both.standing.tolist() == [0, 1, 4]
    assert both.number(2) == 4
    assert both.weights is not None
    assert both.weights.tolist() == [2.0, 2.0, 1.0]
