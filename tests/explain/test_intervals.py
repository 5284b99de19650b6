"""Intervals against exact Beta quantiles, against independent draws, and by how often they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

import bayou
from bayou.errors import BadPrior, BadQuestion, NotFitted, TooWide

THREE_ERRORS = 3 * np.sqrt(0.025 * 0.975 / 2000)
"""Three standard errors of the place of a sampled 2.5 % quantile: 2,000 draws put it within 0.0105."""


def learned(rows: int = 20, seed: int = 1, **options: object) -> bayou.Network:
    random = np.random.default_rng(seed)
    cause = random.random(rows) < 0.3
    effect = random.random(rows) < np.where(cause, 0.9, 0.2)
    data = {"öl im keller": cause.tolist(), 2: effect.tolist()}
    states = {"öl im keller": [False, True], 2: [False, True]}
    return bayou.Network({2: ["öl im keller"]}, states=states).fit(data, **options)


@pytest.mark.parametrize(("yes", "no", "prior"), [(7, 13, 1), (0, 30, 1), (3, 1, 0.05), (400, 600, 2)])
def test_the_ends_of_one_table_are_beta_quantiles(yes: int, no: int, prior: float) -> None:
    data = {"Größe": ["yes"] * yes + ["no"] * no}
    net = bayou.Network("Größe", states={"Größe": ["no", "yes"]}).fit(data, prior=prior)
    interval = net.query("Größe", interval=0.95).interval
    exact = beta(yes + prior, no + prior)
    assert exact.cdf(interval.lower[1]) == pytest.approx(0.025, abs=THREE_ERRORS)
    assert exact.cdf(interval.upper[1]) == pytest.approx(0.975, abs=THREE_ERRORS)
    assert interval.lower[0] == pytest.approx(1 - interval.upper[1], abs=1e-12)
    assert interval.rows == {"Größe": yes + no}


def test_a_posterior_through_bayes_rule_agrees_with_draws_made_here() -> None:
    net = learned(40)
    counts = {request.variables[-1]: net.statistics[request].values for request in net.statistics}
    random = np.random.default_rng(99)
    prior = random.dirichlet(counts["öl im keller"] + 1, 200_000)
    rows = [random.dirichlet(row + 1, 200_000)[:, 1] for row in counts[2]]
    posterior = prior[:, 1] * rows[1] / (prior[:, 0] * rows[0] + prior[:, 1] * rows[1])
    interval = net.query("öl im keller", {2: True}, interval=0.9).interval
    assert np.mean(posterior < interval.lower[1]) == pytest.approx(0.05, abs=0.015)
    assert np.mean(posterior < interval.upper[1]) == pytest.approx(0.95, abs=0.015)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    random = np.random.default_rng(5)
    held = 0
    for _ in range(150):
        p, low, high = random.random(3)
        cause = random.random(25) < p
        effect = random.random(25) < np.where(cause, high, low)
        net = bayou.Network("a -> b", states={"a": [False, True], "b": [False, True]})
        net.fit({"a": cause.tolist(), "b": effect.tolist()})
        interval = net.query("a", {"b": True}, interval=0.9).interval
        truth = p * high / (p * high + (1 - p) * low)
        held += interval.lower[1] <= truth <= interval.upper[1]
    # 150 trials of probability 0.9: 135 expected, standard deviation 3.7.
    assert 124 <= held <= 146


def test_more_rows_and_less_mass_make_it_narrower_and_the_seed_is_fixed() -> None:
    def width(net: bayou.Network, mass: float) -> float:
        interval = net.query("öl im keller", {2: True}, interval=mass).interval
        return float(interval.upper[1] - interval.lower[1])

    assert width(learned(2000), 0.95) < width(learned(100), 0.95) / 3
    assert width(learned(100), 0.5) < width(learned(100), 0.95)
    assert width(learned(100), 0.95) == width(learned(100), 0.95)


def test_joint_targets_likelihoods_and_interventions_have_intervals_too() -> None:
    net = learned(60)
    joint = net.query([2, "öl im keller"], interval=0.95)
    assert joint.interval.lower.shape == (2, 2)
    assert np.all(joint.interval.lower < joint.to_array())
    assert np.all(joint.to_array() < joint.interval.upper)
    sure = net.query("öl im keller", likelihood={2: [0, 1]}, interval=0.95).interval
    np.testing.assert_allclose(sure.lower, net.query("öl im keller", {2: True}, interval=0.95).interval.lower)
    done = net.query(2, do={"öl im keller": True}, interval=0.95)
    assert list(done.interval.rows) == [2]


def test_a_shared_table_counts_the_rows_of_all_its_users() -> None:
    net = bayou.Network("R1; R2", states={"R1": [4, 5], "R2": [4, 5]}, share={"p": ["R1", "R2"]})
    net.fit({"R1": [4, 4, 5], "R2": [5, 5, 5]})
    both = net.query(["R1", "R2"], interval=0.95).interval
    assert both.rows == {"R1": 6, "R2": 6}
    # One draw serves both: P(4, 5) and P(5, 4) are the same number in every draw.
    assert both.lower[0, 1] == pytest.approx(both.lower[1, 0], abs=1e-12)
    assert beta(3, 5).cdf(net.query("R1", interval=0.95).interval.lower[0]) == pytest.approx(
        0.025, abs=0.0105
    )


def test_printing_shows_the_ends_and_the_counts_behind_them() -> None:
    lines = str(learned(20).query("öl im keller", {2: True}, interval=0.9)).splitlines()
    assert lines[1].split() == ["öl", "im", "keller", "P", "5", "%", "95", "%"]
    assert lines[-1] == "2 tables learned from 20 rows; 2,000 draws"
    assert "2 tables learned" in learned(20).query(2, interval=0.9)._repr_html_()
    assert learned(20).query(2).interval is None


def test_what_has_no_interval_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    stated = bayou.Network("a", tables={"a": {"no": 0.5, "yes": 0.5}})
    with pytest.raises(NotFitted, match="counts that the network learned from"):
        stated.query("a", interval=0.95)
    edited = learned().set_cpt("öl im keller", [0.5, 0.5])
    with pytest.raises(NotFitted, match="given by hand"):
        edited.query(2, interval=0.95)
    for wrong in (0, 1, 95, -0.5, True, "0.95", float("nan")):
        with pytest.raises(BadQuestion, match="interval="):
            learned().query(2, interval=wrong)
    with pytest.warns(bayou.BayouWarning, match="never occur"):
        empty = bayou.Network("a -> b", states={"a": [0, 1], "b": [0, 1]}).fit({"a": [0], "b": [1]}, prior=0)
    with pytest.raises(BadPrior, match="Neither records nor a prior: 1 row of the table of 'b'"):
        empty.query("b", interval=0.95)
    monkeypatch.setattr("bayou.explain.intervals.credible_intervals.LARGEST_WORK", 10.0)
    with pytest.raises(TooWide, match="2,000 times"):
        learned().query(2, interval=0.95)


def test_all_marginals_have_the_intervals_of_single_queries() -> None:
    net = learned(40)
    found = net.marginals({2: True}, interval=0.9)
    alone = net.query("öl im keller", {2: True}, interval=0.9)
    np.testing.assert_array_equal(found.intervals["öl im keller"].lower, alone.interval.lower)
    np.testing.assert_array_equal(found["öl im keller"].interval.upper, alone.interval.upper)
    assert "5 %" in str(found)
    frame = net.marginals(interval=0.9).to_frame()
    assert (frame["lower"] < frame["probability"]).all()
    assert (frame["probability"] < frame["upper"]).all()
    assert "lower" not in net.marginals().to_frame()


def test_a_marginal_holds_in_every_draw() -> None:
    net = learned(40)
    counts = {request.variables[-1]: net.statistics[request].values for request in net.statistics}
    random = np.random.default_rng(98)
    prior = random.dirichlet(counts["öl im keller"] + 1, 200_000)[:, 1]
    rows = [random.dirichlet(row + 1, 200_000)[:, 1] for row in counts[2]]
    # Jeffrey's rule: P'(cause) = Σ P(cause | effect) · q(effect), in every draw.
    seen = prior * rows[1] / ((1 - prior) * rows[0] + prior * rows[1])
    unseen = prior * (1 - rows[1]) / ((1 - prior) * (1 - rows[0]) + prior * (1 - rows[1]))
    posterior = 0.7 * seen + 0.3 * unseen
    found = net.query("öl im keller", marginal={2: [0.3, 0.7]}, interval=0.9).interval
    assert np.mean(posterior < found.lower[1]) == pytest.approx(0.05, abs=0.015)
    assert np.mean(posterior < found.upper[1]) == pytest.approx(0.95, abs=0.015)
    everything = net.marginals(marginal={2: [0.3, 0.7]}, interval=0.9)
    np.testing.assert_array_equal(everything.intervals["öl im keller"].lower, found.lower)
    # The variable itself has its marginal, whatever the tables are.
    np.testing.assert_allclose(everything.intervals[2].lower, [0.3, 0.7], atol=1e-12)
    np.testing.assert_allclose(everything.intervals[2].upper, [0.3, 0.7], atol=1e-12)


def test_several_marginals_are_fitted_in_every_draw_and_meet_a_likelihood() -> None:
    random = np.random.default_rng(3)
    a, b = random.integers(0, 2, 60), random.integers(0, 3, 60)
    c = (random.random(60) < 0.2 + 0.3 * a + 0.1 * b).astype(int)
    states = {"a": [0, 1], "b": [0, 1, 2], "c": [0, 1]}
    net = bayou.Network("a -> c; b -> c", states=states).fit({"a": a, "b": b, "c": c})
    asked = {
        "marginal": {"a": [0.2, 0.8], "b": [0.5, 0.25, 0.25]},
        "likelihood": {"c": [1, 3]},
    }
    both = net.query(["b", "a"], **asked, interval=0.9)
    sums = both.to_array().sum(axis=0)
    np.testing.assert_allclose(sums, [0.2, 0.8], atol=1e-9)
    assert np.all(both.interval.lower <= both.to_array())
    assert np.all(both.to_array() <= both.interval.upper)
    alone = net.query("a", **asked, interval=0.9).interval
    np.testing.assert_allclose(alone.upper, [0.2, 0.8], atol=1e-8)
    third = net.query("c", **asked, interval=0.9)
    assert third.interval.lower[1] < third[1] < third.interval.upper[1]


def test_marginals_over_draws_agree_with_fitting_each_draw_alone() -> None:
    from bayou.explain.intervals.drawn_marginals import draws_with_marginals
    from bayou.inference.jeffrey import ask_with_marginals

    random = np.random.default_rng(12)
    joints = random.dirichlet(np.ones(12), 5).reshape(5, 2, 3, 2)
    required = {0: np.array([0.4, 0.6]), 1: np.array([0.1, 0.2, 0.7])}
    ours = draws_with_marginals(np.moveaxis(joints, 0, -1), required)
    for k, joint in enumerate(joints):
        names = {"x": [0, 1], "y": [0, 1, 2], "z": [0, 1]}
        net = bayou.Network("x -> y; x -> z; y -> z", states=names)
        xy = joint.sum(axis=2)
        net.set_cpt("x", xy.sum(axis=1))
        net.set_cpt("y", xy / xy.sum(axis=1, keepdims=True))
        net.set_cpt("z", joint / joint.sum(axis=2, keepdims=True))
        question = bayou.inference.Question(("x", "y", "z"))
        one = ask_with_marginals(net.frozen, question, {"x": required[0], "y": required[1]})
        np.testing.assert_allclose(ours[..., k], one.table, atol=1e-8)
