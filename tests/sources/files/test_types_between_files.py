"""A column whose type changes between the files of one table: an error that names file and column."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import bayou
from bayou.errors import BadFile
from bayou.sources.files import file_source

NUMBERS = pl.DataFrame({"n": [1.5, None, 3.5] * 50, "y": ["a", "b", "a"] * 50})
WORDS = pl.DataFrame({"n": ["2.5"] * 120 + ["cold"] + ["4.5"], "y": ["a", "b"] * 61})


def folder_of(tables: list[pl.DataFrame], folder: Path, ending: str) -> str:
    for number, table in enumerate(tables):
        path = folder / f"{number}.{ending}"
        writers = {"csv": table.write_csv, "parquet": table.write_parquet, "arrow": table.write_ipc}
        writers.get(ending, table.write_ndjson)(path)
    return str(folder / f"*.{ending}")


@pytest.mark.parametrize("streamed", [False, True], ids=["in memory", "streamed"])
@pytest.mark.parametrize("turned", [False, True], ids=["numbers first", "words first"])
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "arrow"])
def test_numbers_in_one_file_and_words_in_another(
    ending: str, turned: bool, streamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if streamed:
        monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    tables = [WORDS, NUMBERS] if turned else [NUMBERS, WORDS]
    path = folder_of(tables, tmp_path, ending)
    with pytest.raises(BadFile, match=rf"\d\.{ending}: column 'n' has .*\d\.{ending}"):
        bayou.Network("y -> n").fit(path)
    with pytest.raises(BadFile, match="column 'n' has "):
        bayou.NaiveBayes().fit(path, "y")


@pytest.mark.parametrize("streamed", [False, True], ids=["in memory", "streamed"])
def test_the_remedies_of_the_message(streamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if streamed:
        monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    path = folder_of([NUMBERS, WORDS], tmp_path, "csv")
    with pytest.raises(BadFile, match=r"1\.csv: .* has 'cold' here, but numbers only in .*0\.csv.*na='cold'"):
        bayou.Network("y -> n").fit(path)
    net = bayou.Network("y -> n").fit(bayou.from_file(path, na="cold"))
    assert net.query("n").mean == pytest.approx(2.5, abs=0.1)
    states = ["1.5", "2.5", "3.5", "4.5", "cold"]
    net = bayou.Network("y -> n", states={"n": states}).fit(path)
    assert net.states("n") == tuple(states)
    assert net.query("n")["cold"] > 0


@pytest.mark.parametrize("streamed", [False, True], ids=["in memory", "streamed"])
def test_declared_texts_help_a_list_of_files(
    streamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are not read before anybody can say what their columns are."""
    if streamed:
        monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    folder_of([NUMBERS, WORDS], tmp_path, "csv")
    rows = bayou.from_file([tmp_path / "0.csv", tmp_path / "1.csv"])
    states = ["1.5", "2.5", "3.5", "4.5", "cold"]
    net = bayou.Network("y -> n", states={"n": states}).fit(rows)
    assert net.states("n") == tuple(states)
    model = bayou.NaiveBayes(states={"n": states}).fit(rows, "y")
    table = pl.concat([NUMBERS.with_columns(pl.col("n").cast(pl.String)), WORDS]).to_dict(as_series=False)
    assert (
        model.predict_proba(rows)
        == bayou.NaiveBayes(states={"n": states}).fit(table, "y").predict_proba(table)
    ).all()
    with pytest.raises(BadFile, match="or declare the column's states as text"):
        bayou.NaiveBayes().fit(rows, "y")


def test_words_in_every_file_are_states(tmp_path: Path) -> None:
    codes = [pl.DataFrame({"code": [first, "7", "8"]}) for first in ("A1", "B2")]
    net = bayou.Network("code").fit(folder_of(codes, tmp_path, "csv"))
    assert net.states("code") == ("7", "8", "A1", "B2")
    texts = [pl.DataFrame({"code": values}) for values in (["", "NA"], ["A1", "B2"])]
    assert "A1" in bayou.Network("code").fit(folder_of(texts, tmp_path, "csv")).states("code")
