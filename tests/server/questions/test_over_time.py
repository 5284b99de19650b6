"""Beliefs over time: equal to the library's answers, and to those of the network of all steps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from tests.server.questions.test_questions import ask
from tests.server.running_server import running

import bayou
from bayou.server.models.over_time.answering import over_time, quick
from bayou.server.models.over_time.forms import OverTimeAnswer, OverTimeRequest, StepFinding

CLOSE = {"rtol": 0, "atol": 1e-12}


def gaussian_hmm() -> Any:
    """Two columns that depend on each other given the state, and a column of symbols."""
    chance = np.random.default_rng(3)
    state = np.repeat([0, 1, 0, 1], 60)
    x = np.where(state == 1, 4.0, 0.0) + chance.normal(0, 1, 240)
    data = {"x": x, "y": x + chance.normal(0, 1, 240), "sign": np.where(chance.random(240) < 0.2, "b", "a")}
    return bayou.HMM(2).fit(data)


def asked(model: Any, cells: dict[Any, dict[int, Any]], **how: Any) -> OverTimeAnswer:
    findings = []
    for name, own in cells.items():
        for step, value in own.items():
            known = value if isinstance(value, dict) else {"state": value}
            findings.append(StepFinding(name, step=step, **known))
    return over_time(model, OverTimeRequest(findings=findings, **how))


def track(answer: OverTimeAnswer, name: Any) -> Any:
    return next(one for one in answer.tracks if one.variable == name)


@pytest.mark.parametrize("what", ["smooth", "filter"])
def test_states_and_symbols_of_a_hidden_markov_model(what: str) -> None:
    model, rolls = bayou.examples.casino(), [6, None, 6, 6, None, 1]
    cells = {step: value for step, value in enumerate(rolls) if value}
    found = asked(model, {"roll": cells}, steps=6, what=what, forecast=3, path=True)
    beliefs = getattr(model, what)({"roll": rolls})
    ahead = model.forecast({"roll": rolls}, 3)
    shares = track(found, "state").probabilities
    np.testing.assert_allclose(shares, [*beliefs.probabilities, *ahead.states], **CLOSE)
    symbols = track(found, "roll").probabilities
    assert symbols[0] == [0, 0, 0, 0, 0, 1]
    np.testing.assert_allclose(symbols[6:], ahead.symbols["roll"], **CLOSE)
    seen = {f"roll{step}": value for step, value in cells.items() if what == "smooth" or step <= 4}
    missing = model.network(6).query("roll4", seen)
    np.testing.assert_allclose(symbols[4], missing.to_array(), **CLOSE)
    assert found.log_probability == pytest.approx(model.log_likelihood({"roll": rolls}), abs=1e-12)
    assert found.path is not None
    assert found.path[0].states == model.decode({"roll": rolls}).codes.tolist()


def test_sets_weights_and_the_hidden_state_against_the_network_of_all_steps() -> None:
    model = bayou.examples.casino()
    cells = {
        "roll": {0: 6, 1: {"excluded": [6, 1]}, 2: {"among": [5, 6]}, 4: {"weights": [1, 0, 0, 2, 0, 3.0]}},
        "state": {3: "fair"},
    }
    found = asked(model, cells, steps=5, path=True)
    net = model.network(5)
    known = {"roll0": 6, "roll1": bayou.Not(6, 1), "roll2": {5, 6}, "state3": "fair"}
    likelihood = {"roll4": [1, 0, 0, 2, 0, 3.0]}
    for name in ("state", "roll"):
        for step, shares in enumerate(track(found, name).probabilities):
            if f"{name}{step}" in ("roll0", "state3"):
                assert max(shares) == 1
                continue
            expected = net.query(f"{name}{step}", known, likelihood=likelihood)
            np.testing.assert_allclose(shares, expected.to_array(), **CLOSE)
    assert found.path is not None
    assert found.path[0].states is not None
    assert found.path[0].states[3] == 0


def test_columns_that_depend_on_each_other_are_not_told_wrongly() -> None:
    model = gaussian_hmm()
    found = asked(model, {"x": {0: {"value": 4.0}}, "sign": {2: "b"}}, steps=3, forecast=1)
    data = {"x": [4.0, None, None], "y": [None] * 3, "sign": [None, None, "b"]}
    np.testing.assert_allclose(
        track(found, "state").probabilities[:3], model.smooth(data).probabilities, **CLOSE
    )
    assert (track(found, "x").means[0], track(found, "x").deviations[0]) == (4.0, 0.0)
    assert track(found, "y").means[0] is None  # x at this step tells more of y than the state does
    expected = model.network(3).query("y2", {"x0": 4.0, "sign2": "b"})
    assert track(found, "y").means[2] == pytest.approx(expected.mean, abs=1e-9)
    assert track(found, "y").deviations[2] == pytest.approx(expected.std, abs=1e-9)
    assert track(found, "y").means[3] == model.forecast(data, 1).means["y"][0]


@pytest.mark.parametrize("what", ["smooth", "filter"])
def test_dynamic_networks(what: str) -> None:
    world = bayou.examples.umbrella_world()
    cells = {"Umbrella": {0: "yes", 1: {"excluded": ["yes"]}, 3: "no"}, "Rain": {2: "yes"}}
    found = asked(world, cells, steps=4, what=what, forecast=2, path=True)
    data = {"Umbrella": ["yes", "no", None, "no"], "Rain": [None, None, "yes", None]}
    expected, ahead = getattr(world, what)(data, world.names), world.forecast(data, 2)
    for name in world.names:
        every = [*expected[name].probabilities, *ahead[name].probabilities]
        np.testing.assert_allclose(track(found, name).probabilities, every, **CLOSE)
    assert found.log_probability == pytest.approx(world.log_likelihood(data), abs=1e-12)
    best = world.most_probable(data)
    assert found.path is not None
    assert {one.variable: one.states for one in found.path}["Rain"] == best["Rain"].codes.tolist()


def test_variables_outside_time_and_numbers() -> None:
    net = bayou.DynamicNetwork(
        "kind -> x; x -> x'; kind -> x'",
        states={"kind": ["a", "b"]},
        continuous=["x"],
        constant=["kind"],
        tables={
            "kind": [0.5, 0.5],
            "x": {"a": {"mean": 0, "variance": 1}, "b": {"mean": 3, "variance": 1}},
            "x'": {
                "a": {"mean": 0, "coefficients": {"x": 1}, "variance": 1},
                "b": {"mean": 1, "coefficients": {"x": 1}, "variance": 1},
            },
        },
    )
    found = asked(net, {"x": {0: {"value": 1.0}, 1: {"value": 2.5}}}, steps=2, forecast=1)
    expected = net.smooth({"x": [1.0, 2.5], "kind": [None, None]}, net.names)
    np.testing.assert_allclose(
        track(found, "kind").probabilities[:2], expected["kind"].probabilities, **CLOSE
    )
    assert track(found, "x").means[:2] == [1.0, 2.5]
    assert track(found, "x").deviations[:2] == [0, 0]


@pytest.mark.parametrize("what", ["smooth", "filter"])
def test_linear_gaussian_series(what: str) -> None:
    model = bayou.KalmanModel.local_level(0.5)
    found = asked(model, {"y": {0: {"value": 1.0}, 2: {"value": 2.0}}}, steps=3, what=what, forecast=2)
    data = {"y": [1.0, None, 2.0]}
    expected, ahead = getattr(model, what)(data), model.forecast(data, 2)
    level, seen = track(found, "level"), track(found, "y")
    np.testing.assert_allclose(level.means, [*expected.means[:, 0], *ahead.state_means[:, 0]], **CLOSE)
    np.testing.assert_allclose(level.deviations[:3], expected.deviations[:, 0], **CLOSE)
    np.testing.assert_allclose(seen.deviations[3:], ahead.deviations[:, 0], **CLOSE)
    known = {"y_0": 1.0, "y_2": 2.0} if what == "smooth" else {"y_0": 1.0}
    missing = model.network(3).query("y_1", known)
    assert (seen.means[1], seen.deviations[1]) == pytest.approx((missing.mean, missing.std), abs=1e-9)


def test_what_cannot_be_said_is_refused_by_name() -> None:
    casino, level = bayou.examples.casino(), bayou.KalmanModel.local_level(0.5)
    wrong: list[tuple[Any, dict[Any, dict[int, Any]], str]] = [
        (casino, {"rol": {0: 6}}, "roll"),
        (casino, {"roll": {4: 6}}, "step 4"),
        (casino, {"roll": {0: 7}}, "7"),
        (casino, {"roll": {0: {"value": 2.0}}}, "states"),
        (casino, {"roll": {0: {"do": 6}}}, "do"),
        (casino, {"roll": {1: {"excluded": [1, 2, 3, 4, 5, 6]}}}, "No state is left for 'roll' at step 1"),
        (casino, {"roll": {1: {"weights": [1.0]}}}, "weights of 'roll' at step 1"),
        (level, {"level": {0: {"value": 1.0}}}, "level"),
        (level, {"y": {0: "yes"}}, "number"),
    ]
    for model, cells, text in wrong:
        with pytest.raises(bayou.errors.BayouError, match=text):
            asked(model, cells, steps=3)
        assert quick(model, OverTimeRequest(steps=3, findings=[StepFinding("?", step=0, state=1)])) is None


@pytest.fixture(scope="module")
def asker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder: Path = tmp_path_factory.mktemp("sequences")
    bayou.examples.casino().save(folder / "casino.bayou")
    bayou.examples.asia().save(folder / "asia.bif")
    files = sorted(str(path) for path in folder.iterdir())
    with running("serve", *files, "--port", "0", "--allow", "edits") as server, server.client() as client:
        yield client


def test_over_http(asker: httpx.Client) -> None:
    model = bayou.examples.casino()
    findings = [{"variable": "roll", "step": step, "state": 6} for step in range(3)]
    expected = model.smooth([6, 6, 6]).probabilities
    small = ask(asker, "casino", "over-time", steps=3, findings=findings)
    np.testing.assert_allclose(small["tracks"][0]["probabilities"], expected, **CLOSE)
    # So many steps are answered by a worker process.
    large = ask(asker, "casino", "over-time", steps=10_000, findings=findings[:2], what="filter", path=True)
    assert len(large["path"][0]["states"]) == 10_000
    filtered = model.filter([6, 6]).probabilities
    np.testing.assert_allclose(large["tracks"][0]["probabilities"][:2], filtered, **CLOSE)


def test_the_description_has_the_rows_and_arcs_of_the_strip(asker: httpx.Client) -> None:
    strip = asker.get("/v1/models/casino").json()["strip"]
    assert [(row["label"], row["hidden"], len(row["states"])) for row in strip["rows"]] == [
        ("state", True, 2),
        ("roll", False, 6),
    ]
    assert strip["arcs"][1] == {"parent": "state", "child": "roll", "lag": 0}


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ({"steps": 0}, "steps"),
        ({"steps": 10_001}, "steps"),
        ({"steps": 2, "findings": [{"variable": "roll", "step": -1, "state": 6}]}, "step"),
        ({"steps": 2, "findings": [{"variable": "roll", "step": 5, "state": 6}]}, "step 5"),
        ({"steps": 2, "findings": [{"variable": "roll", "state": 6}]}, "step"),
        ({"steps": 2, "what": "guess"}, "what"),
    ],
)
def test_bad_requests_are_refused_in_words(asker: httpx.Client, body: dict[str, Any], part: str) -> None:
    answer = asker.post("/v1/models/casino/over-time", json=body)
    assert answer.status_code in (400, 422)
    assert part in answer.json()["detail"]


def test_networks_are_not_asked_over_time(asker: httpx.Client) -> None:
    answer = asker.post("/v1/models/asia/over-time", json={"steps": 2})
    assert (answer.status_code, answer.json()["type"]) == (422, "wrong-kind")


def test_the_gallery_has_models_of_sequences(asker: httpx.Client) -> None:
    shown = {one["name"]: one["kind"] for one in asker.get("/v1/models").json()["gallery"]}
    assert shown["casino"] == "hidden Markov model"
    opened = asker.post("/v1/gallery/umbrella_world", json={}).json()
    assert opened["kind"] == "dynamic network"
    found = ask(asker, opened["revision"], "over-time", steps=2)
    np.testing.assert_allclose(found["tracks"][0]["probabilities"], [[0.5, 0.5], [0.5, 0.5]], **CLOSE)
