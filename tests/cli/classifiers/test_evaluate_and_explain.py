"""bayou evaluate, explain and show of classifiers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import Run, RunJson

import bayou


def test_evaluate_prints_what_the_library_finds(golf: Path, run: Run, run_json: RunJson) -> None:
    options = ("--target", "play?", "--models", "nb, chow-liu", "--folds", "3", "--seed", "2")
    expected = bayou.evaluate(["nb", "chow-liu"], "golf.csv", "play?", folds=3, seed=2)
    found = run_json("evaluate", "golf.csv", *options)
    assert found["left_out"] == 1
    for one, other in zip(found["models"], expected.models, strict=True):
        assert one["log_loss"] == pytest.approx(other.log_loss)
        assert one["confusion"]["counts"] == other.confusion.counts.tolist()
    printed = run("evaluate", "golf.csv", *options).stdout
    assert f"{expected['nb'].accuracy:.4f}" in printed
    assert str(expected.best_confusion()) in printed
    assert str(expected.best_by_class()) in printed


def test_evaluate_weighs_rows_and_draws_curves(golf: Path, run: Run, run_json: RunJson) -> None:
    pytest.importorskip("matplotlib")
    table = pd.read_csv(golf / "golf.csv")
    table.assign(times=[row % 3 for row in range(len(table))]).to_csv(golf / "heavy.csv", index=False)
    options = ("--target", "play?", "--models", "nb", "--folds", "3", "--weights", "times")
    expected = bayou.evaluate("nb", "heavy.csv", "play?", folds=3, weights="times")
    found = run_json("evaluate", "heavy.csv", *options, "--curves", "curves.png", "--of", "yes")
    assert found["models"][0]["auc"] == pytest.approx(expected.best.auc)
    assert found["picture"] == "curves.png"
    assert (golf / "curves.png").read_bytes().startswith(b"\x89PNG")
    wrong = run("evaluate", "heavy.csv", *options, "--curves", "c.png", "--of", "perhaps", exit_code=1)
    assert "perhaps" in wrong.stderr
    assert "name a file for them" in run("evaluate", "heavy.csv", *options, "--of", "yes", exit_code=2).stderr


def test_show_tells_what_a_classifier_has_learned(golf: Path, run: Run, run_json: RunJson) -> None:
    run("fit", "golf.csv", "--target", "play?", "-o", "play.bayou")
    summary = bayou.load("play.bayou").summary()
    printed = run("show", "play.bayou").stdout
    assert summary.heading in printed
    for table in summary.tables():
        assert str(table) in printed
    assert run_json("show", "play.bayou")["rows"] == summary.rows
    assert "not a network" in run("show", "play.bayou", "--arcs", exit_code=1).stderr


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["--target", "plai?"], "Did you mean 'play?'?", 1),
        (["--target", "play?", "--models", "nb,bn"], "There is no classifier 'bn'", 1),
        (["--target", "play?", "--models", ","], "There is no classifier to evaluate", 1),
        (["--target", "play?", "--ignore", "cod"], "Did you mean 'code'?", 1),
        (["--target", "play?", "--folds", "1"], "1 is not in the range", 2),
        ([], "Missing option '--target'", 2),
    ],
)
def test_what_cannot_be_evaluated_is_reported(
    golf: Path, run: Run, arguments: list[str], message: str, code: int
) -> None:
    assert message in run("evaluate", "golf.csv", *arguments, exit_code=code).stderr


def test_explain_shows_the_ledger_and_the_working_of_a_row(
    model: bayou.NaiveBayes, run: Run, run_json: RunJson
) -> None:
    row: dict[str, Any] = {"größe": None, "wind speed": "strong", "code": "1"}
    Path("new.csv").write_text("größe,wind speed,code\n1,strong,2\n,strong,1\n", encoding="utf-8")
    printed = run("explain", "golf.bayou", "new.csv", "--row", "1").stdout
    assert str(model.explain(row)) in printed
    assert all(line in printed for line in str(model.working(row)).splitlines())
    reported = run_json("explain", "golf.bayou", "new.csv", "--row", "1")
    assert reported["row"] == row
    given = run_json("explain", "golf.bayou", "--given", "wind speed=strong", "--given", "code=1")
    assert given["ledger"] == reported["ledger"]
    assert json.dumps(reported["working"])


def test_explain_accounts_for_the_class_that_is_asked_for(model: bayou.NaiveBayes, run_json: RunJson) -> None:
    options = ("--given", "größe=0.25", "--of", "no", "--against", "yes")
    printed = run_json("explain", "golf.bayou", *options)["ledger"]
    expected = model.explain({"größe": 0.25}, of="no", against="yes").to_dict()
    assert printed == json.loads(json.dumps(expected))


def test_explain_omits_the_working_if_the_model_is_not_a_product(golf: Path, run_json: RunJson) -> None:
    run_json("fit", "golf.csv", "--target", "play?", "--model", "tan", "-o", "tree.bayou")
    printed = run_json("explain", "tree.bayou", "--given", "code=1")
    assert printed["working"] is None
    expected = bayou.load("tree.bayou").explain({"code": "1"}).to_dict()
    assert printed["ledger"] == json.loads(json.dumps(expected))


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["golf.bayou"], "Name a row", 2),
        (["golf.bayou", "golf.csv"], "Name a row", 2),
        (["golf.bayou", "golf.csv", "--row", "80"], "golf.csv has 80 rows", 1),
        (["golf.bayou", "--given", "wint speed=strong"], "Did you mean 'wind speed'?", 1),
        (["golf.bayou", "--given", "code=1", "--given", "code=2"], "'code' is given twice", 1),
        (["golf.bayou", "--given", "code"], "write NAME=VALUE", 2),
        (["golf.bayou", "--given", "code=1", "--of", "ja"], "'ja' is not a state of 'play?'", 1),
        (["rain.bif", "--given", "Wet=yes"], "is a network: name the variable to explain", 1),
        (["rain.bif", "Rain", "--row", "1"], "--row and --against are for classifiers", 2),
        (["golf.bayou", "rain.csv", "--row", "0"], "no column for any of", 1),
    ],
)
def test_what_cannot_be_explained_is_reported(
    model: bayou.NaiveBayes, run: Run, arguments: list[str], message: str, code: int
) -> None:
    assert message in run("explain", *arguments, exit_code=code).stderr


def test_costs_are_those_of_the_library(golf: Path, run: Run, run_json: RunJson) -> None:
    options = ["--target", "play?", "--models", "nb,tan", "--folds", "3"]
    typed = ["--costs", "go=yes:0,no:5", "--costs", "stay=yes:1,no:0", "--costs", "ask=0.5"]
    costs = {"go": {"yes": 0, "no": 5}, "stay": {"yes": 1, "no": 0}, "ask": 0.5}
    expected = bayou.evaluate(["nb", "tan"], "golf.csv", "play?", folds=3, costs=costs)
    found = run_json("evaluate", "golf.csv", *options, *typed)
    assert [one["cost"] for one in found["models"]] == [one.cost for one in expected.models]
    assert found["baseline"]["cost"] == expected.baseline.cost
    by_hand = []
    proba, truth = expected["nb"].probabilities, expected.judged.truth
    for row, own in zip(proba, truth, strict=True):
        table = np.array([[5.0, 0.0], [0.0, 1.0], [0.5, 0.5]])  # actions × (no, yes)
        by_hand.append(table[(table @ row).argmin(), own])
    assert expected["nb"].cost == pytest.approx(np.mean(by_hand))
    assert "cost" in run("evaluate", "golf.csv", *options, *typed).stdout
    assert "cost" not in run_json("evaluate", "golf.csv", *options)["models"][0]


def test_costs_of_classes_that_are_numbers(folder: Path, run_json: RunJson) -> None:
    (folder / "numbers.csv").write_text("x,y\n" + "a,0\nb,1\na,0\nb,0\n" * 10)
    typed = ["--costs", "yes=0:1,1:0", "--costs", "no=0:0,1:2"]
    costs = {"yes": {0: 1, 1: 0}, "no": {0: 0, 1: 2}}
    found = run_json("evaluate", "numbers.csv", "--target", "y", "--models", "nb", "--folds", "2", *typed)
    expected = bayou.evaluate("nb", "numbers.csv", "y", folds=2, costs=costs)
    assert found["models"][0]["cost"] == expected["nb"].cost


@pytest.mark.parametrize(
    ("costs", "message", "code"),
    [
        (["go"], "write for example --costs", 2),
        (["go=yes:dear"], "expected CLASS:COST, such as ill:5", 2),
        (["go=yes:1"], "has no number for the state 'no'", 1),
        (["go=yes:1,no:2,maybe:3"], "has a number for 'maybe'", 1),
    ],
)
def test_costs_that_cannot_be_read(golf: Path, run: Run, costs: list[str], message: str, code: int) -> None:
    options = [word for cost in costs for word in ("--costs", cost)]
    assert message in run("evaluate", "golf.csv", "--target", "play?", *options, exit_code=code).stderr
