"""bayou sensitivity."""

from __future__ import annotations

import pytest

import bayou
from bayou.cli.sensitivity import SHOWN
from bayou.models.answers.sensitivity import tornado
from tests.cli.conftest import Run, RunJson, rain


def test_it_prints_the_tornado_of_the_library(run: Run) -> None:
    printed = run("sensitivity", "rain.bif", "Rain=yes", "--given", "Wet=yes").stdout
    assert printed.rstrip() == str(rain().tornado("Rain", "yes", {"Wet": "yes"}))
    assert "The decision turns from yes to no when " in printed


def test_findings_may_stand_after_a_bar_or_in_options(run_json: RunJson) -> None:
    after = run_json("sensitivity", "rain.bif", "Rain=yes | Wet=yes")
    assert after == run_json("sensitivity", "rain.bif", "Rain=yes", "--given", "Wet=yes")
    assert after["probability"] == pytest.approx(rain().query("Rain", {"Wet": "yes"})["yes"])
    assert len(after["entries"]) == 6


def test_tables_change_and_most(run: Run, run_json: RunJson) -> None:
    found = run_json("sensitivity", "rain.bif", "Rain=yes | Wet=yes", "--table", "Wet", "--change", "0.5")
    assert {entry["table"] for entry in found["entries"]} == {"Wet"}
    assert found["entries"][0]["high"] == pytest.approx(min(found["entries"][0]["value"] * 1.5, 1))
    few = run_json("sensitivity", "rain.bif", "Rain=yes | Wet=yes", "--most", "2")
    assert len(few["entries"]) == 2
    printed = run("sensitivity", "rain.bif", "Rain=yes | Wet=yes", "--most", "2").stdout
    assert "… and 4 more entries" in printed


def test_uncertain_findings_sets_do_and_costs(run_json: RunJson) -> None:
    weighed = run_json("sensitivity", "rain.bif", "Rain=yes", "--likelihood", "Wet=no:1,yes:3")
    expected = rain().query("Rain", likelihood={"Wet": {"no": 1, "yes": 3}})["yes"]
    assert weighed["probability"] == pytest.approx(expected)
    excluded = run_json("sensitivity", "rain.bif", "Rain=yes | Wet!=no")
    assert excluded["probability"] == pytest.approx(rain().query("Rain", {"Wet": "yes"})["yes"])
    done = run_json("sensitivity", "rain.bif", "Wet=yes", "--do", "Rain=yes")
    assert done["probability"] == pytest.approx(0.8)
    assert done["without_effect"] == ["Rain"]
    costs = ["--costs", "umbrella=1", "--costs", "none=yes:10,no:0"]
    dear = run_json("sensitivity", "rain.bif", "Rain=yes", *costs)
    assert dear["decision"] == "umbrella"
    assert dear["turning_point"]["threshold"] == pytest.approx(0.1)


def test_findings_are_told_as_they_were_given(run: Run) -> None:
    from_python = rain().tornado("Rain", "yes", {"Wet": bayou.Not("no")})
    printed = run("sensitivity", "rain.bif", "Rain=yes", "--given", "Wet!=no").stdout
    assert printed.rstrip() == str(from_python)
    assert printed.startswith("P(Rain=yes | Wet≠no) = ")
    weighed = run("sensitivity", "rain.bif", "Rain=yes", "--likelihood", "Wet=no:1,yes:3").stdout
    assert weighed.startswith("P(Rain=yes | likelihood of Wet=…) = ")


def test_errors_are_sentences(run: Run) -> None:
    failed = run("sensitivity", "rain.bif", "Rain", exit_code=1).stderr
    assert "Rain" in failed
    assert "such as lung=yes" in run("sensitivity", "rain.bif", "Rain=yes, Wet=no", exit_code=1).stderr
    assert "such as lung=yes" in run("sensitivity", "rain.bif", "Rain!=yes", exit_code=1).stderr
    assert "Did you mean" in run("sensitivity", "rain.bif", "Rain=yess", exit_code=1).stderr
    assert "--change" in run("sensitivity", "rain.bif", "Rain=yes", "--change", "7", exit_code=1).stderr


def test_the_number_of_entries_shown_is_that_of_the_library() -> None:
    assert SHOWN == tornado.SHOWN
    assert bayou.results.Tornado is tornado.Tornado
