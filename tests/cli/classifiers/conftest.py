"""A table of golf days, and its classifier."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import Run

import bayou


@pytest.fixture
def golf(folder: Path) -> Path:
    """A table with awkward names, a gap, codes that look like numbers, and a row without a label."""
    random = np.random.default_rng(5)
    lines = ["größe,wind speed,code,play?"]
    for row in range(80):
        play = row % 2
        wind = "strong" if random.random() < (0.2 if play else 0.8) else "weak, really"
        size = "" if row == 3 else f"{play + random.normal():.2f}"
        label = "" if row == 79 else ("yes" if play else "no")
        lines.append(f'{size},"{wind}",{"a" if row == 5 else row % 3},{label}')
    (folder / "golf.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def model(golf: Path, run: Run) -> bayou.NaiveBayes:
    """The classifier of golf.csv in golf.bayou, and as the library has it."""
    run("fit", "golf.csv", "--target", "play?", "-o", "golf.bayou")
    loaded = bayou.load("golf.bayou")
    assert isinstance(loaded, bayou.NaiveBayes)
    return loaded


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def labelled_rows() -> pd.DataFrame:
    return pd.read_csv("golf.csv", dtype={"code": str}).iloc[:79]
