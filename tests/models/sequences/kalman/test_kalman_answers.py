"""Filtered, smoothed and forecast states against the joint normal distribution of the whole series."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.sequences.kalman.random_models import conditioned, joint_normal, random_model, random_values

import bayou

STEPS = 5


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_answers_are_those_of_the_joint_normal_distribution(seed: int, inputs: bool, flat: bool) -> None:
    model = random_model(seed, inputs, flat)
    values = random_values(model, STEPS, seed)
    controls = np.random.default_rng(seed).normal(size=(STEPS + 2, len(model.inputs)))
    how = {"controls": controls[:STEPS]} if inputs else {}
    n, m = len(model.states), len(model.columns)
    mean, covariance = joint_normal(model, controls)
    hidden = n * (STEPS + 2)
    cells = np.full(len(mean), np.nan)
    logs = [0.0]
    filtered = model.filter(values, **how)
    for step in range(STEPS):
        cells[hidden + m * step : hidden + m * (step + 1)] = values[step]
        found, spread, log = conditioned(mean, covariance, cells)
        logs.append(log)
        own = slice(n * step, n * (step + 1))
        np.testing.assert_allclose(filtered.means[step], found[own], atol=1e-9)
        np.testing.assert_allclose(filtered.covariances[step], spread[own, own], atol=1e-9)
    np.testing.assert_allclose(filtered.steps, np.diff(logs), atol=1e-9)
    assert model.score(values, **how) == pytest.approx(logs[-1], abs=1e-9)
    smooth = model.smooth(values, **how)
    ahead = model.forecast(values, 2, future=controls[STEPS:] if inputs else None, **how)
    for step in range(STEPS):
        own = slice(n * step, n * (step + 1))
        np.testing.assert_allclose(smooth.means[step], found[own], atol=1e-9)
        np.testing.assert_allclose(smooth.covariances[step], spread[own, own], atol=1e-9)
    for step in range(2):
        own = slice(hidden + m * (STEPS + step), hidden + m * (STEPS + step + 1))
        np.testing.assert_allclose(ahead.means[step], found[own], atol=1e-9)
        np.testing.assert_allclose(ahead.covariances[step], spread[own, own], atol=1e-9)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_the_unrolled_network_gives_the_same_answers(seed: int, inputs: bool, flat: bool) -> None:
    model = random_model(seed, inputs, flat)
    values = random_values(model, 3, seed)
    controls = np.random.default_rng(seed).normal(size=(3, 2)) if inputs else None
    how = {"controls": controls} if inputs else {}
    net = model.network(3, controls=controls)
    findings = {
        f"{name}_{step}": float(values[step, k])
        for step in range(3)
        for k, name in enumerate(model.columns)
        if not np.isnan(values[step, k])
    }
    smooth = model.smooth(values, **how)
    spread = smooth.deviations
    for step in range(3):
        for k, name in enumerate(model.states):
            answer = net.query(f"{name}_{step}", given=findings)
            assert answer.mean == pytest.approx(smooth.means[step, k], abs=1e-9)
            assert answer.std == pytest.approx(spread[step, k], abs=1e-9)
    assert np.isclose(
        net.log_likelihood({name: [value] for name, value in findings.items()}) if findings else 0.0,
        model.log_likelihood(values, **how),
        atol=1e-9,
    )


def test_online_is_the_filter_and_forgets_nothing_else() -> None:
    model = random_model(4, inputs=True)
    values = random_values(model, 30, 4)
    controls = np.random.default_rng(4).normal(size=(30, 2))
    filtered = model.filter(values, controls=controls)
    watch = model.online()
    assert watch.forecast(1, future=controls[:1]).state_means[0] == pytest.approx(model.start_mean)
    for step in range(30):
        watch.observe(values[step], controls[step])
        np.testing.assert_allclose(watch.mean, filtered.means[step], atol=1e-9)
        np.testing.assert_allclose(watch.covariance, filtered.covariances[step], atol=1e-9)
        assert -watch.surprise == pytest.approx(filtered.steps[step], abs=1e-9)
    assert watch.log_likelihood == pytest.approx(filtered.log_likelihood)
    ahead = model.forecast(values, 3, controls=controls, future=controls[:3])
    np.testing.assert_allclose(watch.forecast(3, future=controls[:3]).means, ahead.means, atol=1e-9)


def test_online_takes_mappings_lists_and_gaps() -> None:
    thing = bayou.KalmanModel.constant_velocity()
    one, other = thing.online(), thing.online()
    one.observe({"x": 1.0})
    other.observe([1.0, None])
    assert one.states == other.states
    one.observe(None)
    with pytest.raises(bayou.BayouError, match="there is no 'z'"):
        one.observe({"z": 1.0})
    with pytest.raises(bayou.BayouError, match="needs 2 numbers"):
        one.observe([1.0])
    with pytest.raises(bayou.BayouError, match="finite"):
        one.observe([np.inf, 1.0])
    still = bayou.KalmanModel([[1]], [[1]], transition_noise=0, observation_noise=0).online()
    still.observe(1.0)
    with pytest.raises(bayou.BayouError, match="Observation 1"):
        still.observe(2.0)
    assert still.steps == 1


def test_intervals_hold_what_comes_as_often_as_they_say() -> None:
    model = bayou.KalmanModel.local_trend(0.3, 0.05, 1.0, start_variance=1.0)
    drawn = model.sample(25, sequences=2000, seed=3)
    past = [series["y"][:20] for series in drawn]
    ahead = model.forecast(past, steps=5)
    future = np.array([series["y"][20:] for series in drawn])
    low, high = (np.array([one.interval(0.9)[k][:, 0] for one in ahead]) for k in (0, 1))
    held = ((low < future) & (future < high)).mean(axis=0)
    assert np.abs(held - 0.9).max() < 0.03  # over four standard errors
    smooth = model.smooth(past)
    truth = np.array([[series["level"][:20], series["slope"][:20]] for series in drawn]).swapaxes(1, 2)
    ends = [one.interval(0.9) for one in smooth]
    inside = np.mean(
        [(low < own) & (own < high) for (low, high), own in zip(ends, truth, strict=True)], axis=0
    )
    assert np.abs(inside - 0.9).max() < 0.03


def test_random_series_have_the_moments_of_the_model() -> None:
    model = random_model(7, inputs=True)
    controls = np.random.default_rng(7).normal(size=(4, 2))
    drawn = model.sample(4, sequences=20_000, seed=1, controls=controls)
    cells = np.array(
        [
            [
                series[name][step]
                for names in (model.states, model.columns)
                for step in range(4)
                for name in names
            ]
            for series in drawn
        ]
    )
    mean, covariance = joint_normal(model, controls)
    spread = np.sqrt(np.diagonal(covariance))
    assert np.abs((cells.mean(axis=0) - mean) / spread).max() < 0.035
    assert np.abs((np.cov(cells.T) - covariance) / np.outer(spread, spread)).max() < 0.05
    assert model.sample(4, sequences=3, seed=5, controls=controls) == model.sample(
        4, sequences=3, seed=5, controls=controls
    )
