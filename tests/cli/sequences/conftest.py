"""Models and tables of the commands for sequences."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayou
from bayou.loading import load
from tests.cli.conftest import Run

KEYS = ("--sequence", "sequence", "--time", "time")
OF_CITIES = ("--sequence", "city", "--time", "day")
HOW: dict[str, Any] = {"sequence": "city", "time": "day"}
RAIN = "Rain -> Rain'; Rain -> Umbrella"
MACHINE = "mode -> mode'; mode -> heat; heat -> heat'; heat -> meter"
OF_MACHINES = ("--sequence", "machine", "--time", "minute")


def parsed(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def casino(folder: Path, run: Run) -> Any:
    """casino.bayou, a table of sequences in shuffled order with states (seqs.csv) and without (rolls.csv)."""
    bayou.examples.casino().save("casino.bayou")
    drawn = run("sample", "casino.bayou", "--length", "60", "--sequences", "4", "--seed", "1").stdout
    header, *rows = drawn.splitlines()
    shuffled = np.random.default_rng(0).permutation(rows).tolist()
    (folder / "seqs.csv").write_text("\n".join([header, *shuffled]) + "\n", encoding="utf-8")
    hidden = [line.rsplit(",", 1)[0] for line in (header, *shuffled)]
    (folder / "rolls.csv").write_text("\n".join(hidden) + "\n", encoding="utf-8")
    return load("casino.bayou")


@pytest.fixture
def days(folder: Path) -> dict[str, list[Any]]:
    """Days of six cities in no order, with a hole; seen.csv has no rain."""
    columns: dict[str, list[Any]] = {"city": [], "day": [], "Rain": [], "Umbrella": []}
    for k, one in enumerate(bayou.examples.umbrella_world().sample(12, sequences=6, seed=3)):
        columns["city"] += [f"c{k}"] * 12
        columns["day"] += range(12)
        columns["Rain"] += one["Rain"]
        columns["Umbrella"] += one["Umbrella"]
    order = np.random.default_rng(1).permutation(72).tolist()
    columns = {name: [cells[k] for k in order] for name, cells in columns.items()}
    pl.DataFrame(columns).write_csv("days.csv")
    columns["Umbrella"][5] = None
    pl.DataFrame(columns).drop("Rain").write_csv("seen.csv")
    return columns


@pytest.fixture
def meters(folder: Path) -> None:
    """meters.csv: what the thermometers of four machines show, of which some are stuck for a while."""
    random = np.random.default_rng(0)
    columns: dict[str, list[Any]] = {"machine": [], "minute": [], "meter": []}
    for name in "abcd":
        heat = 20.0
        for minute in range(12):
            heat = (heat + 2 if 4 <= minute < 9 else 4 + 0.8 * heat) + 0.3 * random.normal()
            columns["machine"].append(name)
            columns["minute"].append(minute)
            columns["meter"].append(round(heat + random.normal(), 2))
    pl.DataFrame(columns).write_csv("meters.csv")
