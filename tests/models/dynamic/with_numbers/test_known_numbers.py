"""Numbers that are known, states that are not: exact answers against sums over all paths and against HMMs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.models.dynamic.with_numbers.joint_gaussian import random_numbers
from tests.models.dynamic.with_numbers.plain_step import PlainStep
from tests.models.dynamic.with_numbers.test_learning_with_unknown_states import machine, one_step, parameters
from tests.models.dynamic.with_numbers.test_switching import Paths

import bayou
from bayou.errors import BadQuestion, BayouWarning, NotAvailable
from bayou.models.dynamic.row_answers import row_answers
from bayou.temporal.gaussian_templates import state_template, weighted_paths
from bayou.temporal.templates.template import Node

START = [0.5, 0.3, 0.2]
MOVES = np.array([[0.9, 0.05, 0.05], [0.1, 0.8, 0.1], [0.05, 0.15, 0.8]])
MEANS, VARIANCES = np.array([-1.0, 0.0, 1.5]), np.array([1.0, 0.5, 1.0])


def plain(**given: Any) -> Any:
    return bayou.DynamicNetwork("s -> s'; s -> y", states={"s": list("abc")}, continuous=["y"], **given)


def stated() -> Any:
    lines = {state: (MEANS[k], VARIANCES[k]) for k, state in enumerate("abc")}
    return plain(tables={"s": START, "s'": MOVES, "y": lines})


def as_hmm() -> Any:
    made = bayou.HMM(list("abc"), {"y": "gaussian"}).set_start(START).set_transition(MOVES)
    return made.set_gaussian(MEANS[:, None], VARIANCES[:, None, None])


def case(seed: int, length: int) -> tuple[Any, dict[Any, list[Any]]]:
    """A random network, and a sequence of which all numbers and some states are seen."""
    random = np.random.default_rng(seed)
    net = random_numbers(random, lags=2, states=True)
    data: dict[Any, list[Any]] = dict(net.sample(length, seed=seed))
    del data["S"]
    data["T"] = [v if random.random() < 0.4 else None for v in data["T"]]
    return net, data


def test_a_gaussian_hmm_has_the_same_answers_as_a_template() -> None:
    net, hmm = stated(), as_hmm()
    values = np.array(net.sample(400, seed=1)["y"])
    found = net.smooth({"y": values})
    assert found.engine == "exact"
    assert found["s"].probabilities == pytest.approx(hmm.smooth(values).probabilities, abs=1e-9)
    assert net.filter({"y": values})["s"].probabilities == pytest.approx(
        hmm.filter(values).probabilities, abs=1e-9
    )
    assert net.score({"y": values}) == pytest.approx(hmm.score(values), rel=1e-12)
    assert net.score_steps({"y": values}).sum() == pytest.approx(hmm.score(values), rel=1e-12)
    best = net.most_probable({"y": values})
    assert best.exact
    assert list(best["s"]) == list(hmm.decode(values))
    assert net.answers_exactly({"y": values})


def test_the_likelihood_never_falls_while_learning() -> None:
    values = stated().sample(400, seed=1)["y"]
    for prior in (0, 1):
        trace = plain().fit([{"y": values}], seed=2, prior=prior).learning
        assert trace.particles == 0
        assert trace.converged
        assert np.diff(trace.objectives).min() > -1e-9


@pytest.mark.parametrize("seed", range(6))
def test_answers_are_those_of_all_paths(seed: int) -> None:
    net, data = case(seed, 4)
    every = Paths(net, 4, data)
    found = net.smooth(data, engine="exact")
    assert found.log_likelihood == pytest.approx(every.log_likelihood, rel=1e-9)
    assert net.score(data) == pytest.approx(every.log_likelihood, rel=1e-9)
    so_far = net.filter(data)
    last = Paths(net, 3, {n: own[:3] for n, own in data.items()}) if not net.template.last else None
    for name in ("S", "T"):
        for code in range(net.variables[name].cardinality):
            for step in range(4):
                right = every.share(Node(name, step), code)
                assert found[name].probabilities[step, code] == pytest.approx(right, abs=1e-9)
            assert so_far[name].probabilities[3, code] == pytest.approx(right, abs=1e-9)
            if last is not None:
                right = last.share(Node(name, 2), code)
                assert so_far[name].probabilities[2, code] == pytest.approx(right, abs=1e-9)
    best, k = net.most_probable(data), int(np.argmax(every.logs))
    assert best.exact
    assert best.log_probability == pytest.approx(every.logs[k], rel=1e-9)
    codes = [net.variables["S"].code(state) for state in best["S"]]
    assert codes == [every.paths[k][Node("S", step)] for step in range(4)]


def test_the_step_of_em_is_that_of_all_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighted_paths, "MOST_PATHS", 0)
    net, chance = machine(), np.random.default_rng(1)
    rows = []
    for one in net.sample(5, sequences=7, seed=4):
        # A reading has no children: where it lacks, nothing else is uncertain.
        readings = [v if chance.random() < 0.8 else None for v in one["reading"]]
        rows.append({"level": one["level"], "reading": readings, "mode": [None] * 5})
    rows[0]["mode"] = ["calm", None, None, "wild", None]
    step, after = PlainStep(net, rows), one_step(net, rows)
    assert after.learning.particles == 0
    assert after.learning.log_likelihoods[0] == pytest.approx(step.log_likelihood, rel=1e-9)
    for table, values in parameters(after).items():
        expected = [step.table(table)] if len(values) == 1 else step.line(table)
        for ours, theirs in zip(values, expected, strict=True):
            assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-8)


def test_numbers_without_children_may_be_unknown() -> None:
    net = stated()
    data = {"y": [0.3, None, 2.0, None]}
    every = Paths(net, 4, data)
    found = net.smooth(data)
    assert not found.approximate
    for step in (1, 3):
        mean, variance = every.number(Node("y", step))
        assert found["y"].means[step] == pytest.approx(mean, abs=1e-9)
        assert found["y"].variances[step] == pytest.approx(variance, abs=1e-9)
        assert found.covariances("y")[step, 0, 0] == pytest.approx(variance, abs=1e-9)
    ahead = net.forecast({"y": data["y"][:3]}, 1)
    assert ahead.engine == "exact"
    assert ahead["y"].means[0] == pytest.approx(every.number(Node("y", 3))[0], abs=1e-9)
    best = net.most_probable(data)
    assert best.exact
    assert best["y"][1] == MEANS[list("abc").index(best["s"][1])]


def test_two_unknown_numbers_of_a_step_have_no_covariances() -> None:
    lines = {"a": (0, 1), "b": (3, 1)}
    net: Any = bayou.DynamicNetwork(
        "s -> s'; s -> y; s -> z",
        states={"s": ["a", "b"]},
        continuous=["y", "z"],
        tables={"s": [0.5, 0.5], "s'": [[0.9, 0.1], [0.1, 0.9]], "y": lines, "z": lines},
    )
    found = net.filter({"y": [0.0, None], "z": [0.0, None]})
    assert not found.approximate
    with pytest.raises(NotAvailable, match="not the covariances"):
        found.covariances("y", "z")


def test_each_sequence_is_answered_as_well_as_it_can_be() -> None:
    net = machine()
    drawn = net.sample(12, sequences=3, seed=3)
    both = {name: drawn[0][name] for name in ("level", "reading")}
    states = {"level": [None] * 12, "reading": drawn[1]["reading"], "mode": drawn[1]["mode"]}
    rest = {"level": [None] * 12, "reading": drawn[2]["reading"]}
    rows = [one | {"mode": one.get("mode", [None] * 12)} for one in (both, states, rest)]
    found = net.smooth(rows, particles=50, paths=10)
    assert [one.engine for one in found] == ["exact", "exact", "particles"]
    assert not net.answers_exactly(rows)
    alone = net.smooth(rows[0])
    assert found[0]["mode"].probabilities == pytest.approx(alone["mode"].probabilities, abs=1e-12)
    logs = net.log_likelihoods(rows, particles=50)
    assert logs[:2] == pytest.approx([one.log_likelihood for one in found[:2]], rel=1e-12)
    assert [len(one) for one in net.score_steps(rows, particles=50)] == [12, 12, 12]
    assert [one.exact for one in net.most_probable(rows, particles=50, paths=10)] == [True, True, False]
    with pytest.raises(BadQuestion, match='engine="particles"'):
        net.filter(rows, engine="exact")
    table = {name: [v for one in rows for v in one[name]] for name in rows[0]}
    table["id"] = [k for k in range(3) for _ in range(12)]
    cells = row_answers(net, table, "filter", ask="mode", sequence="id")
    assert cells["error(P(mode=calm))"][:24] == [0.0] * 24
    assert max(cells["error(P(mode=calm))"][24:]) > 0


def test_likelihoods_and_set_values_count() -> None:
    net = stated()
    data = {"y": [0.3, 1.0, 2.0]}
    seen = {"s": {1: {"a": 0.2, "b": 0.6, "c": 0.1}}}
    parts = [
        np.log(weight) + Paths(net, 3, data | {"s": [None, state, None]}).log_likelihood
        for state, weight in seen["s"][1].items()
    ]
    assert net.score(data, likelihood=seen) == pytest.approx(float(np.logaddexp.reduce(parts)), rel=1e-9)
    gap = net.smooth({"y": [0.3, None, 2.0]})["s"].probabilities
    assert net.smooth(data, do={"y": {1: 1.0}}, ask="s")["s"].probabilities == pytest.approx(gap, abs=1e-12)


def test_too_many_combinations_are_estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_template, "MOST_COMBINATIONS", 2)
    assert stated().smooth({"y": [0.3] * 12}, particles=50, paths=5).approximate
    with pytest.warns(BayouWarning, match="stopped"):
        net = plain().fit([{"y": [0.3, 1.0, 2.0, -1.0] * 5}], particles=10, paths=2, max_iterations=2)
    assert net.learning.particles == 10
