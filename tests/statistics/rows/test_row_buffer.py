"""Rows that are kept in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bayou
from bayou.errors import BadData
from bayou.learning.em.training_rows import TrainingRows
from bayou.sources import open_source
from bayou.statistics import Batch, RowBuffer, rows_in_memory
from bayou.statistics.rows.distinct_rows import compress_rows


def batch(codes: list[int], weights: list[float] | None = None) -> Batch:
    given = None if weights is None else np.array(weights)
    return Batch(len(codes), {"a b": np.array(codes, dtype=np.uint8)}, {7: np.array(codes) / 2}, given)


def test_batches_pile_up_to_the_limit_and_then_are_let_go() -> None:
    one = RowBuffer((batch([0, 1, 2]),), most=9 * 6).within()
    two = one + one
    whole = two.whole()
    assert whole is not None
    assert whole.rows == 6
    assert whole.codes["a b"].tolist() == [0, 1, 2, 0, 1, 2]
    assert whole.numbers[7].tolist() == [0, 0.5, 1, 0, 0.5, 1]
    assert (two + one).whole() is None
    assert (two + one + one).batches is None
    assert RowBuffer((batch([0, 1, 2]),), most=26).within().batches is None


def test_what_is_made_beside_the_rows_counts_too() -> None:
    assert RowBuffer((batch([0, 1, 2]),), most=30, beside=1.0).within().whole() is not None
    assert RowBuffer((batch([0, 1, 2]),), most=29, beside=1.0).within().whole() is None


def test_weights_follow_their_rows() -> None:
    whole = (
        RowBuffer((batch([0, 1], [0.5, 2]),), most=1000) + RowBuffer((batch([2], [3]),), most=1000)
    ).whole()
    assert whole is not None
    assert whole.weights is not None
    assert whole.weights.tolist() == [0.5, 2, 3]


def test_piles_shrink_before_they_are_let_go() -> None:
    alike = Batch(30, {"a b": np.zeros(30, dtype=np.uint8)}, {})
    pile = RowBuffer((alike,), 50, shrink=compress_rows) + RowBuffer((alike,), 50, shrink=compress_rows)
    whole = pile.whole()
    assert whole is not None
    assert whole.weights is not None
    assert whole.weights.tolist() == [60]
    apart = Batch(30, {"a b": np.arange(30, dtype=np.uint8)}, {})
    assert (
        RowBuffer((apart,), 50, shrink=compress_rows) + RowBuffer((apart,), 50, shrink=compress_rows)
    ).whole() is None


def test_a_file_in_batches_is_what_the_table_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "drei Zeilen.csv"
    path.write_text("a,b\n" + "".join(f"{k % 3},{k % 2}\n" for k in range(100)), encoding="utf-8")
    monkeypatch.setattr("bayou.sources.files.file_source.BATCH_ROWS", 7)
    source = open_source(path)
    variables = [source.variable(name) for name in "ab"]
    rows = rows_in_memory(source, variables)
    assert rows is not None
    assert rows.codes["a"].tolist() == [k % 3 for k in range(100)]
    assert rows_in_memory(source, variables, 100) is None
    held = TrainingRows(source, variables).census.kept
    assert held is not None
    assert held.rows == 6


def test_structural_em_says_where_the_rows_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bayou.fitting.structural_em_search.rows_in_memory", lambda *_: None)
    with pytest.raises(BadData, match=r"more than 1\.1 GB.*missing=\"available\""):
        bayou.learn_structure({"a": [0, 1, None, 1], "b": [0, 1, 0, 1]})
