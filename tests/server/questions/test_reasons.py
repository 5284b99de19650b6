"""Why, what next, separation and tables: the answers of the API are those of the library."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.server.questions.test_questions import ask
from tests.server.running_server import running

import bayou

ASIA = bayou.examples.asia()
SENT = [{"variable": "xray", "state": "yes"}, {"variable": "smoke", "state": "yes"}]
GIVEN = {"xray": "yes", "smoke": "yes"}
TREAT = [{"action": "treat", "utilities": [8, -3]}, {"action": "wait", "utilities": [-20, 0]}]
UTILITIES = {"treat": {"yes": 8, "no": -3}, "wait": {"yes": -20, "no": 0}}


def test_an_explanation_with_shares(client: httpx.Client) -> None:
    found = ask(client, "asia", "explain", target="lung", findings=SENT)
    expected = ASIA.explain("lung", GIVEN)
    assert found["sentences"] == list(expected.sentences)
    assert found["text"] == expected.text
    assert (found["before"], found["after"]) == pytest.approx((expected.before, expected.after))
    shares = ASIA.finding_strength("lung", GIVEN, state="yes", shares=True).shares
    assert shares is not None
    assert found["share_unit"] == "log odds"
    for got, one in zip(found["findings"], expected.findings, strict=True):
        assert got["variable"] == one.name
        assert (got["alone"], got["without"]) == pytest.approx((one.alone, one.without))
        assert got["share"] == pytest.approx(shares[one.name])
    trails = {each["finding"]: tuple(each["names"]) for each in found["trails"]}
    assert trails == expected.trails


def test_an_explanation_in_percent(client: httpx.Client) -> None:
    found = ask(client, "asia", "explain", target="lung", state="yes", findings=SENT, percent=True)
    assert found["sentences"][0] == "lung=yes became more likely: 5.5% → 64.6%."
    assert not any(re.search(r"\b0\.\d", sentence) for sentence in found["sentences"])
    assert any("xray ← either ← lung" in sentence for sentence in found["sentences"])
    assert found["share_unit"] == "probability"
    chances = {
        names: ASIA.query("lung", {name: GIVEN[name] for name in names})["yes"]
        for names in ((), ("xray",), ("smoke",), ("xray", "smoke"))
    }
    whole = chances["xray", "smoke"]
    shares = {one["variable"]: one["share"] for one in found["findings"]}
    assert shares["xray"] == pytest.approx((chances["xray",] - chances[()] + whole - chances["smoke",]) / 2)
    assert sum(shares.values()) == pytest.approx(whole - chances[()])


def test_one_finding_has_no_share_and_a_state_can_be_named(client: httpx.Client) -> None:
    found = ask(client, "asia", "explain", target="lung", state="no", findings=SENT[:1])
    assert found["state"] == "no"
    assert found["share_unit"] is None
    assert [each["share"] for each in found["findings"]] == [None]


def test_explaining_away(client: httpx.Client) -> None:
    given = {"smoke": "yes", "dysp": "yes", "bronc": "yes"}
    sent = [{"variable": name, "state": state} for name, state in given.items()]
    found = ask(client, "asia", "explain", target="either", state="yes", findings=sent)
    (one,) = ASIA.explain("either", given, state="yes").explained_away
    (got,) = found["explained_away"]
    assert got["effect"] == one.effect
    assert (got["before"], got["after"]) == pytest.approx((one.before, one.after))
    assert one.after < one.before


def test_names_of_any_type_are_explained(client: httpx.Client) -> None:
    pair = {"type": "tuple", "value": ["a", "b"]}
    found = ask(client, "odd", "explain", target=1, findings=[{"variable": pair, "state": "x"}])
    assert found["trails"][0]["names"] == [pair, 1]
    assert found["findings"][0]["variable"] == pair


def test_the_picture_and_the_report_show_the_findings(client: httpx.Client) -> None:
    assert ask(client, "asia", "picture", findings=SENT) == {"svg": ASIA.to_svg(given=GIVEN)}
    do = [{"variable": "smoke", "do": "no"}]
    assert ask(client, "asia", "report", findings=do) == {"html": ASIA.report(do={"smoke": "no"})}


def test_a_network_as_json(client: httpx.Client) -> None:
    found = client.get("/v1/models/asia/file?format=json").json()
    assert [(each["parent"], each["child"]) for each in found["arcs"]] == list(ASIA.arcs)
    for each in found["variables"]:
        assert (each["states"], tuple(each["parents"])) == (["yes", "no"], ASIA.parents(each["name"]))
        assert each["table"] == ASIA.frozen.table(each["name"]).tolist()
    odd = client.get("/v1/models/odd/file?format=json").json()
    assert {"type": "tuple", "value": ["a", "b"]} in [each["name"] for each in odd["variables"]]


def test_what_to_ask_by_information_and_by_utility(client: httpx.Client) -> None:
    found = ask(client, "asia", "what-to-ask", target="lung", findings=SENT)
    expected = ASIA.what_to_ask("lung", GIVEN)
    assert found["sentence"] == expected.advice
    assert [(each["variable"], each["bits"]) for each in found["asks"]] == [
        (one.name, pytest.approx(one.bits)) for one in expected
    ]
    assert "best_action" not in found
    costs = [{"variable": "tub", "cost": 0.5}]
    found = ask(client, "asia", "what-to-ask", target="lung", findings=SENT, utilities=TREAT, costs=costs)
    acted = ASIA.what_to_ask("lung", GIVEN, utilities=UTILITIES, costs={"tub": 0.5})
    assert found["best_action"] == acted.best_action == "treat"
    assert found["expected_utility"] == pytest.approx(acted.expected_utility)
    for got, one in zip(found["asks"], acted, strict=True):
        assert (got["variable"], got["net"]) == (one.name, pytest.approx(one.net))
    actions = acted.outcomes(acted[0].name).actions
    assert actions is not None
    assert [each["action"] for each in found["asks"][0]["outcomes"]] == list(actions)


@pytest.mark.parametrize(
    ("utilities", "told"),
    [
        ([{"action": "treat", "utilities": [1]}], "'treat' needs a utility for each of the 2 states"),
        ([TREAT[0], TREAT[0]], "Two actions have the same name"),
    ],
)
def test_utilities_that_do_not_fit_are_refused(client: httpx.Client, utilities: Any, told: str) -> None:
    for operation, more in (("what-to-ask", {}), ("sensitivity", {"state": "yes"})):
        body = {"target": "lung", "utilities": utilities, **more}
        answer = client.post(f"/v1/models/asia/{operation}", json=body)
        assert answer.status_code == 422
        assert told in answer.json()["detail"]


def test_where_a_decision_turns(client: httpx.Client) -> None:
    found = ask(
        client, "asia", "sensitivity", target="lung", state="yes", findings=SENT, utilities=TREAT, most=3
    )
    expected = ASIA.tornado("lung", "yes", GIVEN, utilities=UTILITIES)
    assert found["sentence"] == expected.sentence
    assert found["decision"] == "treat"
    assert len(found["entries"]) == 3
    for got, one in zip(found["entries"], expected, strict=False):
        assert (got["table"], got["at_low"], got["at_high"]) == (
            one.table,
            pytest.approx(one.at_low),
            pytest.approx(one.at_high),
        )


def test_open_trails_and_what_closes_them(client: httpx.Client) -> None:
    known = [{"variable": "dysp", "state": "yes"}]
    found = ask(client, "asia", "separation", one="asia", other="smoke", findings=known)
    expected = ASIA.d_separated("asia", "smoke", given="dysp")
    assert [tuple(trail) for trail in found["trails"]] == list(expected.open_trails)
    assert found["trail"] == found["trails"][0]
    assert tuple(found["closed_by"]) == expected.closed_by
    assert found["text"] == str(expected)


def test_uncertain_findings_open_and_interventions_cut(client: httpx.Client) -> None:
    """A likelihood opens a common effect and does not close a chain; do() cuts what comes into it."""

    def separated(one: str, other: str, *findings: dict[str, Any]) -> bool:
        answer = ask(client, "asia", "separation", one=one, other=other, findings=list(findings))
        return bool(answer["separated"])

    weighed = {"variable": "dysp", "weights": [0.9, 0.1]}
    assert separated("asia", "smoke")
    assert not separated("asia", "smoke", weighed)
    assert not separated("smoke", "either", {"variable": "lung", "weights": [0.9, 0.1]})
    assert separated("smoke", "either", {"variable": "lung", "state": "yes"})
    assert separated("asia", "smoke", {"variable": "dysp", "do": "yes"})
    assert not separated("smoke", "lung", {"variable": "lung", "state": "yes"})


def test_intervals_of_a_counted_table(tmp_path: Path, client: httpx.Client) -> None:
    file = tmp_path / "net.bayou"
    net = bayou.Network("G -> R").fit({"G": ["d", "d", "d", "c", "c"], "R": [4, 4, 5, 1, 5]})
    net.save(file)
    with running("serve", str(file), "--port", "0") as server, server.client() as other:
        table = ask(other, "net", "table", variable="R")
    ends = net.cpt_intervals("R")
    assert table["lower"] == [pytest.approx(row) for row in ends.lower.tolist()]
    assert table["upper"] == [pytest.approx(row) for row in ends.upper.tolist()]
    stated = ask(client, "asia", "table", variable="lung")
    assert (stated["counts"], stated["lower"], stated["upper"]) == (None, None, None)


def test_a_table_tells_what_it_follows_from(tmp_path: Path, client: httpx.Client) -> None:
    states = {name: ["no", "yes"] for name in ("A", "B", "C", "D", "E", "F")} | {"B": ["low", "high"]}
    net = bayou.Network("A -> C; D -> C; A -> B; A -> E; D -> F", states=states, share={"p": ["A", "D"]})
    net.set_cpt("A", [0.25, 0.75]).set_cpt("B", [[0.5, 0.5], [0.125, 0.875]])
    net.set_cpt("C", bayou.NoisyOr({"A": 0.7, "D": 0.6}, leak=0.1))
    net.set_cpt("E", bayou.NoisyOr({"A": 0.7}, present={"A": "no", "E": "yes"}))
    net.set_cpt("F", bayou.Deterministic(lambda d: d)).save(tmp_path / "net.bayou")
    with running("serve", str(tmp_path / "net.bayou"), "--port", "0") as server, server.client() as other:
        tables = {name: ask(other, "net", "table", variable=name) for name in "ABCEF"}
    assert {name: one["form"] for name, one in tables.items()} == {
        "A": "table",
        "B": "table",
        "C": "noisy-or",
        "E": "noisy-or",
        "F": "function",
    }
    assert tables["A"]["shared_with"] == ["D"]
    assert tables["C"]["noisy_or"] == {"present": 1, "parents": [1, 1], "chances": [0.7, 0.6], "leak": 0.1}
    assert [tables[name]["noisy_or"] for name in "ABE"] == [None, None, None]
    stated = ask(client, "asia", "table", variable="dysp")
    assert stated["noisy_or"] == {"present": 0, "parents": [0, 0], "chances": None, "leak": None}
