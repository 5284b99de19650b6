"""bayou next and bayou conflict: the same numbers as in Python, and remedies that can be followed."""

from __future__ import annotations

import math

import pytest

import bayou
from tests.cli.conftest import Run, RunJson


@pytest.fixture
def asia(folder: object) -> bayou.Network:
    net = bayou.examples.asia()
    net.save("asia.bif")
    return net


def test_next_ranks_as_python_does(run: Run, run_json: RunJson, asia: bayou.Network) -> None:
    found = asia.what_to_ask("lung", {"smoke": "yes"})
    printed = run("next", "asia.bif", "lung", "--given", "smoke=yes").stdout
    assert printed.splitlines()[0] == str(found).splitlines()[0]
    assert found.advice in " ".join(printed.split())
    assert "What lung would become if" in printed
    document = run_json("next", "asia.bif", "lung", "--given", "smoke=yes")
    assert [one["name"] for one in document["ranked"]] == [one.name for one in found]
    assert [one["bits"] for one in document["ranked"]] == pytest.approx([one.bits for one in found])
    assert document["outcomes"]["variable"] == found[0].name


def test_next_with_costs_utilities_and_a_choice(run_json: RunJson, asia: bayou.Network) -> None:
    worth = {"treat": {"yes": 90.0, "no": 40.0}, "wait": {"yes": 0.0, "no": 100.0}, "refer": 60.0}
    found = asia.what_to_ask(
        "lung", {"smoke": "yes"}, among=["xray", "dysp"], costs={"xray": 2.5}, utilities=worth
    )
    document = run_json(
        *("next", "asia.bif", "lung", "--given", "smoke=yes", "--among", "xray, dysp", "--costs", "xray=2.5"),
        *("--utilities", "treat=yes:90,no:40", "--utilities", "wait=yes:0,no:100", "--utilities", "refer=60"),
    )
    assert [(one["name"], one["cost"]) for one in document["ranked"]] == [
        (one.name, one.cost) for one in found
    ]
    assert [one["net"] for one in document["ranked"]] == pytest.approx([one.net for one in found])
    assert document["best_action"] == found.best_action


def test_next_takes_uncertain_findings_sets_and_interventions(run_json: RunJson, asia: bayou.Network) -> None:
    document = run_json(
        *("next", "asia.bif", "lung", "--given", "xray!=no", "--do", "smoke=no"),
        *("--likelihood", "dysp=yes:0.8,no:0.3"),
    )
    found = asia.what_to_ask("lung | xray=yes, do(smoke=no)", likelihood={"dysp": {"yes": 0.8, "no": 0.3}})
    assert document["entropy"] == pytest.approx(found.entropy)
    document = run_json("next", "asia.bif", "lung", "--marginal", "xray=yes:0.7,no:0.3")
    found = asia.what_to_ask("lung", marginal={"xray": {"yes": 0.7, "no": 0.3}})
    assert document["entropy"] == pytest.approx(found.entropy)


def test_next_refuses_what_it_cannot_read(run: Run, asia: bayou.Network) -> None:
    failed = run("next", "asia.bif", "lung", "--costs", "xray=much", exit_code=2).stderr
    assert "has no number; write for example --costs xray=2" in " ".join(failed.split())
    failed = run("next", "asia.bif", "lung", "--costs", "xray=0", exit_code=1).stderr
    assert "above 0" in failed
    failed = run("next", "asia.bif", "lung", "--among", "lung", exit_code=1).stderr
    assert "--among names 'lung', which is the target" in failed
    failed = run("next", "asia.bif", "lnug", exit_code=1).stderr
    assert "Did you mean 'lung'?" in failed
    assert "has no number" in run("next", "asia.bif", "lung", "--utilities", "a=yes:1,no", exit_code=2).stderr
    failed = run("next", "asia.bif", "lung", "--utilities", "a=yes:1", exit_code=1).stderr
    assert "has no number for the state 'no'" in failed


def test_conflict_measures_as_python_does(run: Run, run_json: RunJson, asia: bayou.Network) -> None:
    findings = {"smoke": "no", "xray": "yes", "dysp": "no"}
    found = asia.conflict(findings)
    given = "smoke=no, xray=yes, dysp=no"
    assert found.verdict in " ".join(run("conflict", "asia.bif", "--given", given).stdout.split())
    document = run_json("conflict", "asia.bif", "--given", given)
    assert document["bits"] == pytest.approx(found.bits)
    assert document["nearest"] is None


def test_conflict_says_what_to_release(run: Run, run_json: RunJson, asia: bayou.Network) -> None:
    findings = ("--given", "either=yes", "--given", "lung=no", "--given", "tub=no")
    printed = run("conflict", "asia.bif", *findings).stdout
    assert "cannot occur together" in printed
    assert "Release either=yes, or correct it." in printed
    document = run_json("conflict", "asia.bif", *findings)
    assert document["bits"] is None
    assert [one["findings"][0]["name"] for one in document["nearest"]["releases"]] == [
        "either",
        "lung",
        "tub",
    ]
    failed = run("query", "asia.bif", "xray | either=yes, lung=no, tub=no", exit_code=1).stderr
    assert "bayou conflict NETWORK --given NAME=STATE says which" in failed


def test_conflict_needs_findings_and_takes_all_kinds(
    run: Run, run_json: RunJson, asia: bayou.Network
) -> None:
    assert "Give findings" in run("conflict", "asia.bif", exit_code=2).stderr
    assert "Give findings" in run("conflict", "asia.bif", "--do", "smoke=no", exit_code=2).stderr
    document = run_json(
        *("conflict", "asia.bif", "--given", "xray!=no", "--given", "tub=no", "--do", "smoke=no"),
        *("--likelihood", "dysp=yes:0.8,no:0.2", "--marginal", "bronc=yes:0.9,no:0.1"),
    )
    assert {one["finding"] for one in document["findings"]} == {
        "tub=no",
        "xray≠no",
        "likelihood of dysp",
        "marginal of bronc",
    }
    assert math.isfinite(document["bits"])
    failed = run("conflict", "asia.bif", "--given", "tub=no", "--do", "do(smoke=no)", exit_code=1).stderr
    assert "name one state" in failed
