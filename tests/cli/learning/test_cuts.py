"""Discretised variables on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run, RunJson


@pytest.fixture
def ages(folder: Path, run: Run) -> Path:
    """A network learned from a column of numbers with cuts."""
    (folder / "ages.csv").write_text("age,ill\n29.5,no\n30,no\n31.25,yes\n,yes\n70,yes\n", encoding="utf-8")
    run("fit", "ages.csv", "--network", "age -> ill", "--cuts", "age=30, 50", "-o", "ages.bayou")
    return folder


def test_a_finding_is_a_number_or_the_text_of_an_interval(ages: Path, run: Run, run_json: RunJson) -> None:
    answers = [
        run_json("query", "ages.bayou", "ill", "--given", f"age={value}") for value in ("42", "30 to 50")
    ]
    assert answers[0] == answers[1]
    assert answers[0]["given"] == {"age": "30 to 50"}
    assert "P(ill | age=30 to 50)" in run("query", "ages.bayou", "ill | age=42").stdout
    printed = run_json("query", "ages.bayou", "ill", "--likelihood", "age=20:1,42:0,over 50:0")
    found = run_json("query", "ages.bayou", "ill", "--given", "age=20")
    chances = [[cell["p"] for cell in doc["posteriors"][0]["probabilities"]] for doc in (printed, found)]
    assert chances[0] == pytest.approx(chances[1])


def test_drawn_tables_name_the_intervals_and_are_learned_from(
    ages: Path, run: Run, run_json: RunJson
) -> None:
    run("sample", "ages.bayou", "-n", "200", "--seed", "1", "-o", "drawn.csv")
    assert "up to 30" in (ages / "drawn.csv").read_text(encoding="utf-8")
    fitted = run_json("fit", "drawn.csv", "--network", "age -> ill", "--cuts", "age=30,50")
    assert fitted["network"]["variables"][0]["states"] == ["up to 30", "30 to 50", "over 50"]


@pytest.mark.parametrize("cuts", ["age=50,30", "age=old", "age=", "age"])
def test_cuts_that_cannot_be_read_are_refused(ages: Path, run: Run, cuts: str) -> None:
    refused = run("fit", "ages.csv", "--network", "age -> ill", "--cuts", cuts, exit_code=2)
    assert "--cuts" in refused.stderr
