"""Numbers with a decimal comma are text: the user is told how to read them, where that is right."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import bayou
from bayou.sources.files import file_source

FEVER = "Temperatur;Husten;Grippe\n39,1;ja;ja\n36,6;nein;nein\n38,4;ja;ja\n36,9;nein;nein\n"


def _file(folder: Path, text: str) -> Path:
    path = folder / "fever.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize("streamed", [False, True], ids=["in memory", "streamed"])
def test_the_column_and_the_remedy_are_named(
    streamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if streamed:
        monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    path = _file(tmp_path, FEVER)
    with pytest.warns(bayou.BayouWarning) as told:
        bayou.NaiveBayes().fit(path, "Grippe")
    (warning,) = [each for each in told if "decimal comma" in str(each.message)]
    assert str(warning.message).startswith("Column 'Temperatur' seems to hold numbers")
    assert "say so: bayou.from_file(…, decimal=',')" in str(warning.message)
    assert warning.filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = bayou.NaiveBayes().fit(bayou.from_file(path, decimal=","), "Grippe")  # the remedy
    assert model.predict({"Temperatur": [39.0, 36.5], "Husten": ["ja", "nein"]}).tolist() == ["ja", "nein"]


@pytest.mark.parametrize(
    "text",
    [
        'T,y\n"39,1",a\n"36,6",b\n"38,4",a\n',
        "T;u;y\n39,1;1.25;a\n36,6;2.125;b\n38,4;1.5;a\n",
    ],
    ids=["comma between columns", "points elsewhere"],
)
def test_no_remedy_is_named_that_would_read_other_cells_wrongly(text: str, tmp_path: Path) -> None:
    with pytest.warns(bayou.BayouWarning, match="'T' seems to .* write them with a decimal point"):
        bayou.NaiveBayes().fit(_file(tmp_path, text), "y")


@pytest.mark.parametrize(
    "cells",
    [["1,200", "3,400", "1,200"], ["a,b", "c", "a,b"], ["1,5", "hoch", "2,5"], ["1,2", "1,2", "1,2"]],
    ids=["thousands", "words", "numbers and words", "one value"],
)
def test_nothing_is_told_of_other_commas(cells: list[str], tmp_path: Path) -> None:
    rows = "".join(f"{cell};{'ab'[k % 2]}\n" for k, cell in enumerate(cells))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bayou.Network("x, y").fit(_file(tmp_path, "x;y\n" + rows))


def test_nothing_is_told_of_declared_texts(tmp_path: Path) -> None:
    path = _file(tmp_path, FEVER)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        net = bayou.Network("Grippe -> Temperatur", states={"Temperatur": ["36,6", "36,9", "38,4", "39,1"]})
        net.fit(path)
    assert net.query("Temperatur")["39,1"] == pytest.approx(0.25)
