"""Learning templates with numbers: regressions, EM against a plain numpy E-step, adding and forgetting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.models.dynamic.with_numbers.joint_gaussian import JointGaussian, random_numbers

import bayou
from bayou.temporal.templates.template import Node
from bayou.typing import FloatArray

ARCS = "level -> level'; level -> reading"


def _lines(net: Any) -> dict[Any, list[float]]:
    return {
        table: [
            net.gaussian(table).mean(),
            *net.gaussian(table).coefficients().values(),
            net.gaussian(table).variance(),
        ]
        for table in net.tables
    }


def _least_squares(child: FloatArray, *parents: FloatArray) -> list[float]:
    design = np.column_stack([np.ones(len(child)), *parents])
    found = np.linalg.lstsq(design, child, rcond=None)[0]
    return [*found.tolist(), float(np.mean((child - design @ found) ** 2))]


def test_complete_sequences_are_regressions_shared_over_time() -> None:
    random = np.random.default_rng(0)
    sequences = [
        {"level": random.normal(size=n).cumsum(), "reading": random.normal(5, 2, size=n)}
        for n in (4, 7, 3, 9)
    ]
    found = _lines(bayou.DynamicNetwork(ARCS).fit(sequences))
    old = np.concatenate([one["level"][:-1] for one in sequences])
    new = np.concatenate([one["level"][1:] for one in sequences])
    levels, readings = (np.concatenate([one[name] for one in sequences]) for name in ("level", "reading"))
    assert found["level"] == pytest.approx(_least_squares(np.array([one["level"][0] for one in sequences])))
    assert found["level'"] == pytest.approx(_least_squares(new, old))
    assert found["reading"] == pytest.approx(_least_squares(readings, levels))


def test_of_one_sequence_the_first_slice_is_learned_from_all() -> None:
    random = np.random.default_rng(1)
    level = random.normal(size=50).cumsum()
    net = bayou.DynamicNetwork(ARCS).fit({"level": level, "reading": level + random.normal(size=50)})
    assert _lines(net)["level"] == pytest.approx([level.mean(), level.var()])


def test_numbers_switched_by_states_are_counted_and_regressed_by_group() -> None:
    random = np.random.default_rng(2)
    net = random_numbers(random, states=True)
    sequences = net.sample(40, sequences=60, seed=1)
    fitted = bayou.DynamicNetwork(
        [(parent, child + "'" * lag) for parent, child, lag in net.arcs],
        **{word: getattr(net.template, word) for word in ("constant", "first", "last")},
    ).fit(sequences, prior=0)
    moves = np.zeros((2, 2))
    for one in sequences:
        for old, new in zip(one["S"][:-1], one["S"][1:], strict=True):
            moves["xy".index(old), "xy".index(new)] += 1
    assert np.allclose(fitted.cpt("S'").to_array(), moves / moves.sum(axis=1, keepdims=True))
    for table in net.tables:
        if net.variables[net.template.behind[table].name].is_continuous and net.template.behind[table].step:
            ours, truth = fitted.gaussian(table).distribution, net.gaussian(table).distribution
            assert np.allclose(ours.coefficients, truth.coefficients, atol=0.25)


def _plain_em_step(net: Any, sequences: list[dict[str, list[Any]]]) -> tuple[float, dict[Any, list[float]]]:
    """The log-likelihood, and the lines after one step of EM, from the joint Gaussian of every sequence."""
    total, sums = 0.0, {}
    for one in sequences:
        length = len(next(iter(one.values())))
        joint = JointGaussian(net, length, {}, {})
        known = {Node(n, k): v for n, own in one.items() for k, v in enumerate(own) if v is not None}
        log, mean, covariance = joint.given(known)
        total += log
        second = covariance + np.outer(mean, mean)
        for node in joint.nodes:
            family = [joint.place[p] for p in (*net.template.parents(node), node)]
            z = np.concatenate([[1.0], mean[family]])
            block = np.outer(z, z)
            block[1:, 1:] = second[np.ix_(family, family)]
            table = net.template.block(node)
            sums[table] = sums.get(table, 0) + block
    found = {}
    for table, block in sums.items():
        slopes = np.linalg.solve(block[:-1, :-1], block[:-1, -1])
        left = block[-1, -1] - slopes @ block[:-1, -1]
        found[table] = [*slopes.tolist(), float(left / block[0, 0])]
    return total, found


def test_em_equals_a_plain_one_step_by_step() -> None:
    truth = bayou.DynamicNetwork(
        ARCS,
        continuous=["level", "reading"],
        tables={
            "level": (3, 2),
            "level'": {"mean": 0.5, "coefficients": {"level": 0.8}, "variance": 0.5},
            "reading": {"mean": -1, "coefficients": {"level": 2}, "variance": 1},
        },
    )
    random = np.random.default_rng(4)
    sequences: list[dict[str, list[Any]]] = []
    for one in truth.sample(8, sequences=12, seed=3):
        sequences.append(
            {name: [v if random.random() < 0.7 else None for v in own] for name, own in one.items()}
        )
    net = truth
    for _ in range(5):
        expected = _plain_em_step(net, sequences)
        after = bayou.DynamicNetwork(ARCS, continuous=["level", "reading"])
        for table in net.tables:
            after.set_cpt(table, _spelled(net, table))
        with pytest.warns(bayou.errors.BayouWarning):
            after.fit(sequences, start="present", max_iterations=1, method="em", tolerance=0)
        assert after.learning.log_likelihoods[0] == pytest.approx(expected[0], rel=1e-9)
        for table, line in _lines(after).items():
            assert line == pytest.approx(expected[1][table], rel=1e-7, abs=1e-9)
        net = after


def _spelled(net: Any, table: Any) -> dict[str, Any]:
    line = net.gaussian(table)
    return {"mean": line.mean(), "variance": line.variance(), "coefficients": line.coefficients()}


def test_the_likelihood_never_falls_and_hidden_numbers_are_found() -> None:
    truth = bayou.DynamicNetwork(
        ARCS,
        continuous=["level", "reading"],
        tables={
            "level": (0, 1),
            "level'": {"mean": 0, "coefficients": {"level": 0.95}, "variance": 0.3},
            "reading": {"mean": 10, "coefficients": {"level": 1}, "variance": 1},
        },
    )
    drawn = truth.sample(1000, seed=5)
    data = {"reading": drawn["reading"]}
    net = bayou.DynamicNetwork(ARCS, continuous=["level"]).fit(data, tolerance=1e-2)
    assert np.all(np.diff(net.learning.objectives) >= -1e-6)
    assert net.score(data) > truth.score(data) - 1
    level = net.smooth(data)["level"].means
    assert abs(np.corrcoef(level, drawn["level"])[0, 1]) > 0.8


def test_lines_without_noise_and_inputs_stay_as_they_are() -> None:
    net = bayou.DynamicNetwork(
        "place, speed -> place'; speed, push -> speed'; place -> seen",
        continuous=["place", "speed", "push", "seen"],
        tables={
            "place": (0, 4),
            "place'": {"mean": 0, "coefficients": {"place": 1, "speed": 1}, "variance": 0},
            "speed": (0, 1),
            "speed'": {"mean": 0, "coefficients": {"speed": 0.9, "push": 2}, "variance": 0.1},
            "seen": {"mean": 0, "coefficients": {"place": 1}, "variance": 1},
            "push": (0, 1),
        },
    )
    drawn = net.sample(300, seed=1)
    data = {"seen": drawn["seen"], "push": drawn["push"]}
    before = net.score(data, do=["push"])
    net.fit(data, do=["push"], start="present", tolerance=1e-3)
    assert net.score(data, do=["push"]) > before
    assert _lines(net)["place'"] == [0, 1, 1, 0]
    assert _lines(net)["push"] == pytest.approx([np.mean(drawn["push"]), np.var(drawn["push"])])


def test_sequences_are_added_and_forgotten() -> None:
    net = random_numbers(np.random.default_rng(8), lags=2, states=True)
    sequences = net.sample(15, sequences=90, seed=4)

    def blank() -> Any:
        outside = {word: getattr(net.template, word) for word in ("constant", "first", "last")}
        return bayou.DynamicNetwork(net.template.arcs and _arrows(net), **outside)

    whole = blank().fit(sequences)
    parts = blank().fit(sequences[:60]).partial_fit(sequences[60:])
    back = blank().fit(sequences).partial_fit(sequences[:5]).forget(sequences[:5])
    for other in (parts, back):
        assert whole.score(sequences) == pytest.approx(other.score(sequences), rel=1e-9)


def _arrows(net: Any) -> list[tuple[Any, Any]]:
    return [(parent, child + "'" * lag) for parent, child, lag in net.arcs]


def test_refusals_say_what_to_do() -> None:
    with pytest.raises(bayou.errors.BadQuestion, match=r"particles= and paths= are for numbers"):
        bayou.DynamicNetwork("S -> S'").fit({"S": ["a", "b"]}, particles=10)
    with pytest.raises(bayou.errors.BadQuestion, match='method="count"'):
        bayou.DynamicNetwork("x -> x'").fit({"x": [1.0, None, 3.0]}, method="count")
    with pytest.raises(bayou.errors.BayouError, match="discrete"):
        bayou.DynamicNetwork("x -> S", continuous=["x"], states={"S": ["a", "b"]})
    with pytest.raises(bayou.errors.BadVariable, match="states= and in continuous="):
        bayou.DynamicNetwork("x -> x'", continuous=["x"], states={"x": ["a", "b"]})


def test_files_keep_lines(tmp_path: Any) -> None:
    net = random_numbers(np.random.default_rng(9), lags=2, states=True)
    net.fit(net.sample(20, sequences=40, seed=0))
    net.save(tmp_path / "net.bayou")
    again = bayou.load(tmp_path / "net.bayou")
    assert again.same_as(net)
    assert repr(again) == repr(net)
    more = net.sample(10, sequences=3, seed=1)
    assert again.partial_fit(more).same_as(net.partial_fit(more))
