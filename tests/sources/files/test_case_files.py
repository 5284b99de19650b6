"""Netica's case files as tables: their own weights, comments, separators and gaps."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import bayou
from bayou.errors import BadFile
from bayou.sources import read_columns

TEXT = """// ~->[CASE-1]->~
// written by hand

IDnum\tNumCases\tsmoke\tlung\tage
1\t3\tyes\tno\t40   // the first
2\t2\tno\tyes\t50
3\t*\tno\t*\t?
4\t5\tyes\tyes\t60
"""
ROWS = [("yes", "no", 40)] * 3 + [("no", "yes", 50)] * 2 + [("no", None, None)] + [("yes", "yes", 60)] * 5
TABLE = {name: [row[place] for row in ROWS] for place, name in enumerate(("smoke", "lung", "age"))}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "patients.cas"
    found.write_text(TEXT)
    return found


def test_fit_counts_each_row_as_often_as_the_file_says(path: Path) -> None:
    net, expected = (bayou.Network("smoke -> lung; smoke -> age").fit(data) for data in (path, TABLE))
    assert net.same_as(expected)
    assert net.statistics["smoke"].values.tolist() == [3, 8]


def test_other_learners_use_the_weights_too(path: Path) -> None:
    row = [{"lung": "yes", "age": 50}]
    models = [bayou.NaiveBayes().fit(data, "smoke") for data in (path, TABLE)]
    assert models[0].predict_proba(row).tolist() == models[1].predict_proba(row).tolist()
    found = bayou.evaluate("nb", path, "smoke", folds=2)["nb"]
    assert found.confusion.counts.sum() == 11
    kept = {name: values for name, values in TABLE.items() if name != "age"}
    assert bayou.learn_structure(path, ignore=["age"]).same_as(bayou.learn_structure(kept))


def test_weights_that_are_given_take_the_place_of_those_in_the_file(path: Path) -> None:
    net = bayou.Network("smoke").fit(path, weights=[1, 1, 1, 1])
    assert net.statistics["smoke"].values.tolist() == [2, 2]


def test_numbers_are_numbers_and_stars_are_gaps(path: Path) -> None:
    table = read_columns(path)
    assert table.names == ("smoke", "lung", "age")
    assert table["lung"].values() == ["no", "yes", None, "yes"]  # type: ignore[union-attr]
    assert table.coded("age").values() == [40, 50, None, 60]


@pytest.mark.parametrize("separator", [" ", ",", "\t"])
def test_any_separator_any_name_and_gzip(tmp_path: Path, separator: str) -> None:
    text = TEXT.replace("\t", separator)
    packed, renamed = tmp_path / "a.cas.gz", tmp_path / "a.txt"
    packed.write_bytes(gzip.compress(text.encode()))
    renamed.write_text(text, encoding="utf-8")
    for file in (packed, renamed):
        assert read_columns(file).coded("age").values() == [40, 50, None, 60]


def test_windows_text_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.cas"
    path.write_bytes("IDnum Größe\n1 groß\n".encode("cp1252"))
    assert read_columns(path)["Größe"].values() == ["groß"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("IDnum x\n1 {a, b}\n", "line 2: x is {a, b}, several states"),
        ("IDnum NumCases\n1 2\n", "no columns besides the numbers"),
        ("x y\n1\n", "line 2 has 1 values; expected 2"),
    ],
)
def test_bad_files_are_refused_with_their_line(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "a.cas"
    path.write_text(text)
    with pytest.raises(BadFile, match=told.replace("{", r"\{")):
        read_columns(path)
