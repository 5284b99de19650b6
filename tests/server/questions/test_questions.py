"""Answers of the API are those of the library."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

import bayou

ASIA = bayou.examples.asia()
FINDINGS: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "none": ([], {}),
    "states": (
        [{"variable": "xray", "state": "yes"}, {"variable": "smoke", "state": "no"}],
        {"given": {"xray": "yes", "smoke": "no"}},
    ),
    "likelihood": (
        [{"variable": "dysp", "weights": [0.8, 0.3]}],
        {"likelihood": {"dysp": [0.8, 0.3]}},
    ),
    "do": (
        [{"variable": "either", "do": "yes"}, {"variable": "dysp", "state": "yes"}],
        {"do": {"either": "yes"}, "given": {"dysp": "yes"}},
    ),
    "not": ([{"variable": "xray", "not": ["no"]}], {"given": {"xray": "yes"}}),
    "in": ([{"variable": "xray", "in": ["no", "yes"]}], {}),
}


def ask(client: httpx.Client, model: str, operation: str, **body: Any) -> Any:
    answer = client.post(f"/v1/models/{model}/{operation}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("form", FINDINGS)
def test_beliefs(client: httpx.Client, form: str) -> None:
    sent, stated = FINDINGS[form]
    found = ask(client, "asia", "beliefs", findings=sent)
    expected = ASIA.marginals(**stated)
    assert found["log_probability"] == pytest.approx(expected.log_evidence, abs=1e-12)
    beliefs = {each["variable"]: each["probabilities"] for each in found["beliefs"]}
    assert list(beliefs) == list(ASIA.names)
    for name, table in expected.to_arrays().items():
        assert beliefs[name] == pytest.approx(table.tolist(), abs=1e-12)
    for name, state in {**stated.get("given", {}), **stated.get("do", {})}.items():
        assert beliefs[name][ASIA.states(name).index(state)] == 1.0


def test_beliefs_of_numbers(client: httpx.Client) -> None:
    net = bayou.examples.heights_network()
    sex, height = net.names
    found = {each["variable"]: each for each in ask(client, "heights", "beliefs")["beliefs"]}
    assert found[height]["mean"] == pytest.approx(net.query(height).mean, rel=1e-12)
    xs, ys = zip(*found[height]["density"], strict=True)
    area = sum((b - a) * (v + w) / 2 for a, b, v, w in zip(xs, xs[1:], ys, ys[1:], strict=False))
    assert area == pytest.approx(1, abs=0.01)
    given = ask(client, "heights", "beliefs", findings=[{"variable": height, "value": 71.5}])
    after = {each["variable"]: each for each in given["beliefs"]}
    table = net.query(sex, given={height: 71.5})
    assert after[sex]["probabilities"] == pytest.approx([table[s] for s in net.states(sex)], abs=1e-12)
    assert after[height]["mean"] == 71.5


def test_names_and_states_of_any_type(client: httpx.Client) -> None:
    pair = {"type": "tuple", "value": ["a", "b"]}
    found = ask(client, "odd", "beliefs", findings=[{"variable": pair, "state": 2.5}])
    assert [each["variable"] for each in found["beliefs"]] == [1, pair]
    assert found["beliefs"][0]["probabilities"] == pytest.approx([0.075 / 0.15, 0.075 / 0.15])
    table = ask(client, "odd", "table", variable=pair)
    assert table["variable"]["states"] == [1, 2.5, "x"]
    assert table["variable"]["labels"] == ["1", "2.5", "x"]
    assert table["rows"] == [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]


def test_a_query(client: httpx.Client) -> None:
    found = ask(
        client, "asia", "query", targets=["lung", "bronc"], findings=[{"variable": "dysp", "state": "yes"}]
    )
    expected = ASIA.query(["lung", "bronc"], given={"dysp": "yes"})
    assert found["log_probability"] == pytest.approx(expected.log_evidence)
    assert {tuple(cell["states"]): cell["p"] for cell in found["probabilities"]} == pytest.approx(
        dict(expected)
    )
    single = ask(client, "asia", "query", targets=["lung"], findings=[{"variable": "dysp", "state": "yes"}])
    assert [cell["p"] for cell in single["probabilities"]] == pytest.approx(
        [p for _, p in ASIA.query("lung", given={"dysp": "yes"})]
    )


def test_small_questions_are_answered_alike_here_and_in_a_worker() -> None:
    """States of variables with names of all types; a worker gets what is not quick."""
    from bayou.server.operations import beliefs

    pair = bayou.Network([("x", ("a", 1))], states={"x": ["u", "v"], ("a", 1): ["p", "q"]})
    pair.set_cpt("x", [0.3, 0.7]).set_cpt(("a", 1), [[0.1, 0.9], [0.6, 0.4]])
    for net in (pair, ASIA):
        request = beliefs.BeliefsRequest([])
        assert beliefs.quick(net, request) == beliefs.answer(net, request)


def test_a_count_that_nobody_observed_has_no_invented_mean() -> None:
    from bayou.server.operations import beliefs

    net = bayou.Network("k -> n", nodes={"n": bayou.features.PoissonFeature})
    net.fit({"k": ["a", "a", "b", "b"], "n": [1, 2, 8, 9]})
    (count,) = [
        each for each in beliefs.answer(net, beliefs.BeliefsRequest([])).beliefs if each.variable == "n"
    ]
    assert (count.mean, count.deviation, count.probabilities) == (None, None, None)


def test_a_target_is_a_name_never_a_question(client: httpx.Client) -> None:
    """The library reads a text as a whole question; the API takes names only."""
    answer = client.post("/v1/models/asia/query", json={"targets": ["P(lung | smoke=yes)"]})
    assert answer.status_code == 422
    assert answer.json()["detail"].startswith("There is no variable 'P(lung | smoke=yes)'.")


def test_the_most_probable_states(client: httpx.Client) -> None:
    found = ask(client, "asia", "most-probable", findings=[{"variable": "dysp", "state": "yes"}], k=3)
    expected = ASIA.most_probable(given={"dysp": "yes"}, k=3)
    for got, best in zip(found["explanations"], expected, strict=True):
        assert {each["variable"]: each["state"] for each in got["states"]} == dict(best.states)
        assert got["probability"] == pytest.approx(best.probability)


def test_working_and_separation(client: httpx.Client) -> None:
    text = ask(client, "asia", "working", targets=["lung"], findings=[{"variable": "smoke", "state": "yes"}])
    assert text["text"] == ASIA.working(["lung"], given={"smoke": "yes"})
    found = ask(client, "asia", "separation", one="asia", other="smoke", given=["dysp"])
    assert found["separated"] is False
    assert found["trail"][0] == "asia"
    assert found["trail"][-1] == "smoke"
    assert ask(client, "asia", "separation", one="asia", other="smoke")["separated"] is True


def test_counts_behind_a_table(tmp_path_factory: pytest.TempPathFactory) -> None:
    from tests.server.running_server import running

    file = tmp_path_factory.mktemp("counted") / "net.bayou"
    bayou.Network("G -> R").fit({"G": ["d", "d", "d", "c", "c"], "R": [4, 4, 5, 1, 5]}).save(file)
    with running("serve", str(file), "--port", "0") as server, server.client() as client:
        table = ask(client, "net", "table", variable="R")
        assert table["counts"] == [[1, 0, 1], [0, 2, 1]]
        assert ask(client, "net", "table", variable="G")["parents"] == []


@pytest.mark.parametrize("operation", ["query", "working", "most-probable", "rows"])
def test_a_target_is_asked_for_once(client: httpx.Client, operation: str) -> None:
    body = {
        "targets": ["lung", "lung"],
        **({"columns": ["smoke"], "rows": [["yes"]]} if operation == "rows" else {}),
    }
    answer = client.post(f"/v1/models/asia/{operation}", json=body)
    assert answer.status_code == 422
    assert answer.json()["detail"] == "'lung' is asked for twice: name each variable once."


REWORDED: list[tuple[str, dict[str, Any], str]] = [
    ("query", {"findings": [{"variable": "smoke", "in": []}]}, "The finding for 'smoke' names no state: "),
    (
        "query",
        {"findings": [{"variable": "smoke", "not": ["yes", "no"]}]},
        "The finding for 'smoke' excludes",
    ),
    (
        "query",
        {"findings": [{"variable": "smoke", "weights": [-1, 1]}]},
        "The weights for 'smoke' must be finite",
    ),
    (
        "query",
        {"findings": [{"variable": "smoke", "weights": [1]}]},
        "The finding for 'smoke' needs a weight for",
    ),
    ("query", {"findings": [{"variable": "smoke", "state": True}]}, "true is not a state of 'smoke'."),
    ("query", {"findings": [{"variable": True, "state": "yes"}]}, "There is no variable true."),
    ("what-to-ask", {"costs": [{"variable": "xray", "cost": 0.0}]}, "The cost of 'xray' is 0.0: give what"),
    ("what-to-ask", {"among": ["lung"]}, "`among` names 'lung', which is the target"),
]


@pytest.mark.parametrize(("operation", "body", "told"), REWORDED)
def test_errors_speak_of_json(client: httpx.Client, operation: str, body: dict[str, Any], told: str) -> None:
    target: dict[str, Any] = {"targets": ["lung"]} if operation == "query" else {"target": "lung"}
    answer = client.post(f"/v1/models/asia/{operation}", json={**target, **body})
    assert answer.status_code == 422
    detail = answer.json()["detail"]
    assert detail.startswith(told)
    assert not any(word in detail for word in ("={", "frozenset", "Not(", "True", "]=", "= "))
