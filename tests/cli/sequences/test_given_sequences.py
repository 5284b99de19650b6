"""Forgotten keys, draws given sequences, uncertain findings of draws, and workings that no engine makes."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

import bayou
from tests.cli.conftest import Run, RunJson


def parsed(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def weather(folder: Path) -> Path:
    """days.csv: dates, cities and numbers; world.bayou and level.bayou: models of its columns."""
    chance = np.random.default_rng(1)
    lines = ["date,city,Umbrella,y"]
    for k in range(12):
        word = "yes" if chance.random() < 0.5 else "no"
        lines.append(f"2024-01-{k + 1:02},{'Rome' if k < 6 else 'Oslo'},{word},{chance.normal():.3f}")
    (folder / "days.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    bayou.examples.umbrella_world().save(folder / "world.bayou")
    bayou.KalmanModel.local_level(start_variance=1).save(folder / "level.bayou")
    return folder


def test_a_forgotten_date_is_refused_with_the_option(weather: Path, run: Run) -> None:
    told = run("fit", "days.csv", "--states", "2", "-o", "m.bayou", exit_code=1).stderr
    said = " ".join(told.split())
    assert "Column 'date' has dates (2024-01-01, …)" in said
    assert "--time date" in said
    assert "--ignore date" in said
    run("fit", "days.csv", "--states", "2", "--time", "date", "--sequence", "city", "-o", "m.bayou")


def test_draws_given_sequences_of_all_models(weather: Path, run: Run) -> None:
    keys = ("--sequence", "city", "--time", "date")
    for model, hidden in (("world.bayou", "Rain"), ("level.bayou", "level")):
        rows = parsed(
            run("sample", model, "--given", "days.csv", *keys, "--length", "2", "--seed", "3").stdout
        )
        assert len(rows) == 16
        assert [row["step"] for row in rows][:8] == ["-5", "-4", "-3", "-2", "-1", "0", "1", "2"]
        assert {row["city"] for row in rows} == {"Oslo", "Rome"}
        rome = [row["date"] for row in rows if row["city"] == "Rome"]
        assert rome == [f"2024-01-{day:02}" for day in range(1, 9)]
        assert all(row[hidden] for row in rows)


def test_forecasts_continue_the_times(weather: Path, run: Run) -> None:
    rows = parsed(
        run(
            "forecast", "world.bayou", "days.csv", "--sequence", "city", "--time", "date", "--steps", "2"
        ).stdout
    )
    assert [(row["city"], row["step"], row["date"]) for row in rows] == [
        ("Oslo", "1", "2024-01-13"),
        ("Oslo", "2", "2024-01-14"),
        ("Rome", "1", "2024-01-07"),
        ("Rome", "2", "2024-01-08"),
    ]


def test_draws_with_uncertain_findings(run: Run) -> None:
    drawn = parsed(
        run("sample", "rain.bayou", "-n", "4000", "--likelihood", "Wet=yes:0.8,no:0.1", "--seed", "1").stdout
    )
    net = bayou.load("rain.bayou")
    expected = net.query("Rain", likelihood={"Wet": {"yes": 0.8, "no": 0.1}})["yes"]
    share = sum(row["Rain"] == "yes" for row in drawn) / len(drawn)
    assert abs(share - expected) < 4.5 * (expected * (1 - expected) / 4000) ** 0.5


@pytest.mark.parametrize("engine", ["weighting", "gibbs", "auto", "bounds", "rejection", "loopy"])
def test_a_working_is_of_an_exact_calculation(run: Run, engine: str) -> None:
    told = run("query", "rain.bayou", "Rain | Wet=yes", "--working", "--engine", engine, exit_code=2).stderr
    assert f"--engine {engine} makes none" in " ".join(told.split())


def test_a_working_of_exact_engines(run: Run, run_json: RunJson) -> None:
    assert "working" in run_json(
        "query", "rain.bayou", "Rain | Wet=yes", "--working", "--engine", "elimination"
    )
