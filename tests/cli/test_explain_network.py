"""bayou explain for a network, and sets of states as findings of the command line."""

from __future__ import annotations

import pytest

import bayou
from bayou import Not
from bayou.loading import load
from tests.cli.conftest import Run, RunJson


@pytest.fixture
def asia(run: Run) -> bayou.Network:
    """The network asia, saved in the folder of the command."""
    bayou.examples.asia().save("asia.bif")
    return bayou.examples.asia()


def test_the_sentences_are_those_of_the_library(asia: bayou.Network, run: Run, run_json: RunJson) -> None:
    expected = asia.explain("lung", {"xray": "yes", "smoke": "yes"}, shares=True)
    options = ["--given", "xray=yes", "--given", "smoke=yes"]
    printed = run("explain", "asia.bif", "lung", *options).stdout
    assert all(sentence in " ".join(printed.split()) for sentence in expected.sentences)
    assert str(expected.to_table()) in printed
    assert max(map(len, printed.splitlines())) <= 100
    assert run_json("explain", "asia.bif", "lung", *options) == expected.to_dict()
    assert run_json("explain", "asia.bif", "lung | xray=yes, smoke=yes") == expected.to_dict()


def test_the_state_and_interventions_can_be_named(asia: bayou.Network, run_json: RunJson) -> None:
    found = run_json("explain", "asia.bif", "lung | do(smoke=no)", "--given", "xray=yes", "--of", "no")
    assert found == asia.explain("lung", {"xray": "yes"}, do={"smoke": "no"}, state="no").to_dict()
    assert [one["intervention"] for one in found["findings"]].count(True) == 1


def test_few_findings_have_shares(asia: bayou.Network, run: Run, run_json: RunJson) -> None:
    options = ["--given", "xray=yes, smoke=yes, dysp=no"]
    printed = run("explain", "asia.bif", "lung", *options).stdout
    found = run_json("explain", "asia.bif", "lung", *options)
    expected = asia.finding_strength("lung", {"xray": "yes", "smoke": "yes", "dysp": "no"}, shares=True)
    assert expected.shares is not None
    shares = {one["name"]: one["share"] for one in found["findings"]}
    assert shares == {name: expected.shares[name] for name in expected.shares.names}
    assert found["share_unit"] == "log odds"
    assert sum(shares.values()) == pytest.approx(expected.shares.total)
    assert str(expected.shares) in " ".join(printed.split())
    (header,) = [line.split() for line in printed.splitlines() if line.startswith("finding ")]
    assert header[-4:] == ["weight", "share", "acts", "along"]
    without = run_json("explain", "asia.bif", "lung", *options, "--no-shares")
    assert "share_unit" not in without
    assert "share" not in without["findings"][0]


def test_shares_of_one_or_many_findings_are_there_when_asked_for(run: Run, run_json: RunJson) -> None:
    parents = " ".join(f"y -> x{k};" for k in range(9))
    states = {name: ["no", "yes"] for name in ("y", *(f"x{k}" for k in range(9)))}
    rows = {name: ["no", "yes"] * 4 for name in states}
    rows["x8"] = ["no", "no", "yes", "yes"] * 2
    bayou.Network(parents, states=states).fit(rows).save("many.bif")
    one, many = ["--given", "x0=yes"], ["--given", ", ".join(f"x{k}=yes" for k in range(9))]
    for options in (one, many):
        assert "share_unit" not in run_json("explain", "many.bif", "y", *options)
        asked = run_json("explain", "many.bif", "y", *options, "--shares")
        net = bayou.load("many.bif")
        given = {entry["name"]: "yes" for entry in asked["findings"]}
        expected = net.finding_strength("y", given, shares=True).shares
        assert {entry["name"]: entry["share"] for entry in asked["findings"]} == pytest.approx(
            {name: expected[name] for name in expected.names}
        )
    failed = run("explain", "many.bif", "y | do(x0=yes)", "--shares", exit_code=1).stderr
    assert "give findings: --given NAME=STATE" in " ".join(failed.split())


def test_sets_of_states_are_findings(asia: bayou.Network, run: Run, run_json: RunJson) -> None:
    options = ["--given", "xray!=no", "--given", "dysp in {yes, no}"]
    expected = asia.query("lung", {"xray": Not("no")})
    (answer,) = run_json("query", "asia.bif", "lung", *options)["posteriors"]
    assert [row["p"] for row in answer["probabilities"]] == pytest.approx(expected.to_array().tolist())
    assert str(expected) in run("query", "asia.bif", "lung", *options).stdout
    assert run_json("query", "asia.bif", "lung", *options)["sets"]["xray"] == "xray≠no"
    explained = run_json("explain", "asia.bif", "lung", *options)
    assert [one["text"] for one in explained["findings"]] == ["xray≠no"]
    drawn = run("sample", "asia.bif", "-n", "20", "--seed", "1", *options).stdout.splitlines()
    place = drawn[0].split(",").index("xray")
    assert {line.split(",")[place] for line in drawn[1:]} == {"yes"}
    estimated = run_json("query", "asia.bif", "--all", "--engine", "weighting", "--seed", "1", *options)
    (lung,) = [one for one in estimated["posteriors"] if one["targets"] == ["lung"]]
    assert lung["probabilities"][0]["p"] == pytest.approx(expected["yes"], abs=0.05)


def test_awkward_names_and_numbers_as_states(run_json: RunJson) -> None:
    found = run_json("explain", "weird.bayou", "7 | 'größe, cm' in {'', '小さい, small'}")
    expected = load("weird.bayou").explain(7, {"größe, cm": ["", "小さい, small"]})
    assert found == expected.to_dict()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lung"], "no finding that could explain anything"),
        (["lung", "--given", "xray=maybe"], "'maybe' is not a state of 'xray'"),
        (["lung", "--given", "xray not in {yes, no}"], "excludes every state of 'xray'"),
        (["lung", "--given", "xray=yes", "--of", "perhaps"], "'perhaps' is not a state of 'lung'"),
        (["lnug", "--given", "xray=yes"], "Did you mean 'lung'"),
        (["lung, tub", "--given", "xray=yes"], "about one variable"),
    ],
)
def test_what_cannot_be_explained(asia: bayou.Network, run: Run, arguments: list[str], message: str) -> None:
    failed = run("explain", "asia.bif", *arguments, exit_code=1).stderr
    assert message in " ".join(failed.split())
