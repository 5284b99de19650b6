"""Standard errors of parameters against those that theory gives for simple cases."""

from __future__ import annotations

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion


def test_errors_of_counted_moves_are_binomial() -> None:
    chain = (
        bayou.HMM(["a", "b"], {"x": [0, 1]}).set_start([0.5, 0.5]).set_transition([[0.8, 0.2], [0.3, 0.7]])
    )
    chain.set_emission("x", np.eye(2))
    data = chain.sample(1000, seed=3)
    fitted = bayou.HMM(["a", "b"]).fit(data, prior=0)
    states = np.array([{"a": 0, "b": 1}[state] for state in data["state"][:-1]])
    errors = fitted.bootstrap(data, n=300).standard_errors["transition"]
    p = fitted.transition
    expected = np.sqrt(p * (1 - p) / np.bincount(states)[:, None])
    np.testing.assert_allclose(errors, expected, rtol=0.15)


@pytest.mark.parametrize("kind", ["parametric", "sequences"])
def test_the_error_of_a_mean_is_that_of_the_text_book(kind: str) -> None:
    x = np.random.default_rng(0).normal(5, 3, 500)
    one = bayou.HMM(1, {"x": "gaussian"}).fit([[value] for value in x])
    found = one.bootstrap([[value] for value in x], n=400, kind=kind, level=0.9)
    expected = x.std() / np.sqrt(500)
    assert found.standard_errors["means"][0, 0] == pytest.approx(expected, rel=0.12)
    low, high = found.intervals["means"]
    assert low[0, 0] == pytest.approx(x.mean() - 1.645 * expected, abs=0.3 * expected)
    assert high[0, 0] == pytest.approx(x.mean() + 1.645 * expected, abs=0.3 * expected)
    assert found.standard_errors["covariances"][0, 0, 0] == pytest.approx(
        x.var() * np.sqrt(2 / 500), rel=0.15
    )


def test_gaps_and_lengths_of_the_data_are_kept() -> None:
    x = np.random.default_rng(0).normal(5, 3, (400, 1))
    x[::2] = np.nan
    lengths = [1, 280, 0, 119]
    one = bayou.HMM(1, {"x": "gaussian"}).fit(x, lengths=lengths)
    found = one.bootstrap(x, n=300, lengths=lengths)
    assert found.standard_errors["means"][0, 0] == pytest.approx(np.nanstd(x) / np.sqrt(200), rel=0.12)


def test_states_keep_their_names_and_a_kept_part_has_no_error() -> None:
    casino = bayou.examples.casino()
    rolls = [one["roll"] for one in casino.sample(200, sequences=20, seed=1)]
    fitted = bayou.examples.casino().fit(rolls, start="present", keep="transition")
    found = fitted.bootstrap(rolls, n=20)
    assert found.standard_errors["transition"].max() < 1e-12
    sixes = found.draws["roll"][:, :, 5]
    assert (sixes[:, 1] > sixes[:, 0]).all()
    again = fitted.bootstrap(rolls, n=20)
    np.testing.assert_array_equal(found.draws["roll"], again.draws["roll"])
    assert (found.draws["roll"] != fitted.bootstrap(rolls, n=20, seed=1).draws["roll"]).any()
    np.testing.assert_array_equal(fitted.emission("roll").values, found.estimates["roll"])
    lines = str(found).splitlines()
    assert lines[0] == "95% intervals from 20 sets of drawn sequences (parametric)"
    assert any(line.startswith("roll = 6 | loaded") for line in lines)


@pytest.mark.usefixtures("few_starts")
def test_every_kind_of_number_has_a_name() -> None:
    chance = np.random.default_rng(0)
    states = np.repeat([0, 1, 0, 1], 50)
    data = {
        "a": chance.normal(5.0 * states, 1),
        "b": chance.normal(-5.0 * states, 1),
        "calls": chance.poisson(1 + 5 * states),
    }
    hmm = bayou.HMM(["low", "high"], {"a": "gaussian", "b": "gaussian", "calls": "poisson"}, components=2)
    text = str(hmm.fit(data).bootstrap(data, n=2))
    for name in (
        "start low",
        "low → high",
        "component 1 | high",
        "mean of b | low, component 0",
        "variance of a | high, component 1",
        "covariance of a and b | low, component 0",
        "rate of calls | high, component 1",
    ):
        assert name in text, name


def test_what_is_refused_is_said() -> None:
    casino = bayou.examples.casino()
    with pytest.raises(BadQuestion, match='Use kind="parametric"'):
        casino.bootstrap([1, 2, 6], kind="sequences")
    with pytest.raises(BadQuestion, match="kind='jackknife'"):
        casino.bootstrap([1, 2, 6], kind="jackknife")
    ending = bayou.HMM(1, {"x": [0, 1]}, ends=True).set_start([1]).set_transition([[1]])
    ending.set_end([0.5]).set_emission("x", [[0.5, 0.5]])
    with pytest.raises(BadQuestion, match='Use kind="sequences"'):
        ending.bootstrap([[0, 1], [1]])
    found = ending.bootstrap([[0, 1], [1]], n=5, kind="sequences")
    assert found.draws["end"].shape == (5, 1)
