"""Estimates and rows given findings on the command line."""

from __future__ import annotations

import csv
import io

import pytest

from bayou.loading import load
from tests.cli.conftest import Run, RunJson


def test_rows_given_findings_agree_with_them(run: Run) -> None:
    text = run("sample", "rain.bif", "-n", "2000", "--given", "Wet=yes", "--seed", "7").stdout
    header, *rows = list(csv.reader(io.StringIO(text)))
    assert header == ["Rain", "Wet"]
    assert {row[1] for row in rows} == {"yes"}
    assert sum(row[0] == "yes" for row in rows) / 2000 == pytest.approx(2 / 3, abs=0.04)
    drawn = load("rain.bif").sample(2000, given={"Wet": "yes"}, seed=7)
    assert [row[0] for row in rows] == drawn["Rain"].tolist()


def test_rows_under_an_intervention_do_not_change_its_causes(run: Run) -> None:
    text = run("sample", "rain.bif", "-n", "2000", "--do", "Wet=yes", "--seed", "7").stdout
    rows = list(csv.reader(io.StringIO(text)))[1:]
    assert {row[1] for row in rows} == {"yes"}
    assert sum(row[0] == "yes" for row in rows) / 2000 == pytest.approx(0.2, abs=0.04)
    failed = run("sample", "rain.bif", "--do", "Wet!=yes", exit_code=1).stderr
    assert "--do Wet!=yes: name one state" in failed


def test_a_wrong_state_of_a_finding_is_named(run: Run) -> None:
    assert (
        "'maybe' is not a state of 'Wet'"
        in run("sample", "rain.bif", "--given", "Wet=maybe", exit_code=1).stderr
    )


@pytest.mark.parametrize("engine", ["weighting", "gibbs", "rejection"])
def test_an_estimate_is_printed_with_its_error(run: Run, run_json: RunJson, engine: str) -> None:
    asked = ["query", "rain.bif", "Rain | Wet=yes", "--engine", engine, "--seed", "7", "--samples", "6400"]
    text = run(*asked).stdout
    assert "±" in text
    assert f"Estimated by {engine}: 6,400 draws" in text
    (posterior,) = run_json(*asked)["posteriors"]
    assert posterior["estimate"]["trusted"] is True
    assert posterior["estimate"]["draws"] == 6400
    yes = posterior["probabilities"][1]
    assert yes["interval_99"][0] <= 2 / 3 <= yes["interval_99"][1]


def test_bounds_are_printed_with_both_ends(run: Run, run_json: RunJson) -> None:
    asked = ["query", "rain.bif", "Rain | Wet=yes", "--engine", "bounds", "--time", "5"]
    text = run(*asked).stdout
    assert "at least" in text
    assert "Exact: the bounds differ by at most" in text
    (posterior,) = run_json(*asked)["posteriors"]
    assert posterior["bounds"] == {"explored": 1, "exact": True, "trusted": True, "reasons": []}
    yes = posterior["probabilities"][1]
    assert yes["bounds"][0] <= 2 / 3 <= yes["bounds"][1]
    every = run("query", "rain.bif", "--all", "--engine", "bounds", "--samples", "10").stdout
    assert "at most" in every


def test_auto_is_exact_where_that_fits(run: Run) -> None:
    text = run("query", "rain.bif", "Rain | Wet=yes", "--engine", "auto", "--time", "5").stdout
    assert "0.6667" in text
    assert "Estimated" not in text


def test_limits_of_an_estimate_need_an_engine_that_estimates(run: Run) -> None:
    failed = run("query", "rain.bif", "Rain", "--samples", "100", exit_code=1).stderr
    assert "--engine" in failed
    assert "makes no random draws" in failed


@pytest.mark.parametrize("engine", ["weighting", "auto"])
def test_all_posteriors_come_from_the_same_draws(run: Run, run_json: RunJson, engine: str) -> None:
    asked = ["query", "rain.bif", "--all", "--engine", engine, "--seed", "7", "--samples", "6400"]
    found = run_json(*asked, "--given", "Wet!=no")
    assert [posterior["targets"] for posterior in found["posteriors"]] == [["Rain"], ["Wet"]]
    rain, wet = (posterior["probabilities"] for posterior in found["posteriors"])
    assert rain[1]["p"] == pytest.approx(2 / 3, abs=0.03)
    assert [cell["p"] for cell in wet] == [0, 1]
    assert "yes" in run(*asked).stdout


def test_engines_that_estimate_are_those_of_the_library() -> None:
    from bayou.cli.query import ESTIMATING
    from bayou.inference.engines import ENGINES

    assert tuple(name for name in ENGINES if ENGINES.find(name).draws) == ESTIMATING
