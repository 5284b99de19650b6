"""The forms in which series are given, what is refused, files, printing and pictures."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from tests.models.sequences.kalman.random_models import random_model, random_values

import bayou


def test_all_forms_of_sequences_give_the_same_answers() -> None:
    model = random_model(1)
    parts = [random_values(model, steps, steps) for steps in (4, 1, 7)]
    listed = model.log_likelihoods(parts)
    joined = np.vstack(parts)
    by_length = model.log_likelihoods(joined, lengths=[4, 1, 7])
    table = pd.DataFrame(joined, columns=list(model.columns))
    table["id"] = np.repeat(["a", "b", "c"], [4, 1, 7])
    table["t"] = np.concatenate([np.arange(4), [0], np.arange(7)])
    shuffled = table.sample(frac=1, random_state=1)
    by_table = model.log_likelihoods(shuffled, sequence="id", time="t")
    alone = [model.log_likelihood(part) for part in parts]
    for found in (by_length, by_table, np.array(alone)):
        np.testing.assert_allclose(found, listed, atol=1e-12)
    nested = [part.tolist() for part in parts]
    np.testing.assert_allclose(model.log_likelihoods(nested), listed, atol=1e-12)


def test_one_column_as_lists_of_numbers() -> None:
    level = bayou.KalmanModel.local_level()
    two = level.smooth([[1.0, None, 3.0], [4.0]])
    assert [len(one) for one in two] == [3, 1]
    assert len(level.smooth([1, 2, 3])) == 3
    assert level.score([[1.0, 2.0], []]) == pytest.approx(level.score([1.0, 2.0]))


def test_rows_as_lists_of_several_numbers_are_one_series() -> None:
    thing = bayou.KalmanModel.constant_velocity()
    rows = [[1.0, 2.0], None, [2.0, None]]
    array = np.array([[1, 2], [np.nan, np.nan], [2, np.nan]])
    np.testing.assert_array_equal(thing.filter(rows).means, thing.filter(array).means)
    with pytest.raises(bayou.BayouError, match="Step 1 has 3 numbers"):
        thing.filter([[1.0, 2.0], [1.0, 2.0, 3.0]])


def test_jumps_in_time_may_be_steps_without_observations() -> None:
    level = bayou.KalmanModel.local_level()
    table = {"y": [1.0, 2.0, 5.0], "day": [1, 2, 5]}
    found = level.smooth(table, time="day", gaps="missing")
    expected = level.smooth([1.0, 2.0, None, None, 5.0])
    np.testing.assert_allclose(found.means, expected.means)


def test_inputs_are_columns_of_a_table_or_arrays_beside_a_list() -> None:
    model = random_model(3, inputs=True)
    parts = [random_values(model, steps, steps) for steps in (3, 5)]
    controls = [np.random.default_rng(steps).normal(size=(steps, 2)) for steps in (3, 5)]
    listed = model.log_likelihoods(parts, controls=controls)
    table = {name: np.vstack(parts)[:, k] for k, name in enumerate(model.columns)}
    table |= {name: np.vstack(controls)[:, k] for k, name in enumerate(model.inputs)}
    table["id"] = np.repeat([0, 1], [3, 5])
    np.testing.assert_allclose(model.log_likelihoods(table, sequence="id"), listed, atol=1e-12)
    with pytest.raises(bayou.BayouError, match="input 'u0' is missing"):
        model.filter(parts[0])
    with pytest.raises(bayou.BayouError, match="same number of steps"):
        model.filter(parts[0], controls=controls[1])
    with pytest.raises(bayou.BayouError, match="give future="):
        model.forecast(parts[0], controls=controls[0])
    with pytest.raises(bayou.BayouError, match="give controls="):
        model.sample(3)
    with pytest.raises(bayou.BayouError, match="controls= needs 2 finite numbers for each of 3 steps"):
        model.network(3, controls=controls[1])
    with pytest.raises(bayou.BayouError, match="no inputs"):
        bayou.KalmanModel.local_level().filter([1.0], controls=[1.0])


def test_matrices_that_do_not_fit_are_refused() -> None:
    with pytest.raises(bayou.BayouError, match="transition: expected a matrix of 2 × 2"):
        bayou.KalmanModel([[1, 0, 1], [0, 1, 1]], [[1, 0]])
    with pytest.raises(bayou.BayouError, match="observation: expected a matrix of any × 2"):
        bayou.KalmanModel(np.eye(2), [[1, 0, 0]])
    with pytest.raises(bayou.BayouError, match="must be symmetric"):
        bayou.KalmanModel(np.eye(2), np.eye(2), transition_noise=[[1, 0.5], [0, 1]])
    with pytest.raises(bayou.BayouError, match="negative eigenvalues"):
        bayou.KalmanModel(np.eye(2), np.eye(2), observation_noise=[[1, 2], [2, 1]])
    with pytest.raises(bayou.BayouError, match="finite"):
        bayou.KalmanModel([[np.nan]], [[1]])
    with pytest.raises(bayou.BayouError, match="two states, columns or inputs"):
        bayou.KalmanModel([[1]], [[1]], states=["a"], columns=["a"])
    with pytest.raises(bayou.BayouError, match="expected 1 names"):
        bayou.KalmanModel([[1]], [[1]], columns=["a", "b"])
    with pytest.raises(bayou.BayouError, match="fixed"):
        bayou.KalmanModel([[1]], [[1]], fixed=["A"])
    with pytest.raises(bayou.BayouError, match="each input"):
        bayou.KalmanModel([[1]], [[1]], control=[[1, 2]], direct=[[1]])
    with pytest.raises(bayou.BayouError, match="infinite in row 1"):
        bayou.KalmanModel.local_level().filter([1.0, np.inf])
    still = bayou.KalmanModel([[1]], [[1]], transition_noise=0, observation_noise=0, start_covariance=0)
    with pytest.raises(bayou.BayouError, match="have no density"):
        still.filter([1.0])


@pytest.mark.parametrize("inputs", [False, True])
def test_a_file_holds_the_whole_model(inputs: bool, tmp_path: Path) -> None:
    model = random_model(5, inputs)
    model.save(tmp_path / "model.bayou")
    again = bayou.load(tmp_path / "model.bayou")
    assert again.same_as(model)
    waves = bayou.KalmanModel.autoregression([0.5, 0.2], mean=3.0)
    waves.save(tmp_path / "waves.bayou")
    again = bayou.load(tmp_path / "waves.bayou")
    drawn = waves.sample(200, seed=2)["y"]
    assert again.fit(drawn).same_as(waves.fit(drawn))  # what is fixed is kept, too
    with pytest.raises(bayou.BayouError, match="bayou's own format"):
        model.save(tmp_path / "model.csv")


def test_printing_shows_the_equations() -> None:
    print_of = repr(bayou.KalmanModel.local_trend(1.0, 0.25, 4.0))
    assert "KalmanModel with 2 states, observing y" in print_of
    assert "next state  level ×  slope ×  noise ±" in print_of
    assert str(random_model(2, inputs=True)).count("u0 ×") == 2
    found = bayou.KalmanModel.local_level().smooth(np.arange(20.0))
    assert "and 8 more steps" in str(found)
    assert list(found.to_frame().columns) == ["level", "deviation(level)"]
    ahead = bayou.KalmanModel.local_level().forecast(np.arange(20.0), 3)
    assert list(ahead.to_frame().columns) == ["step", "mean(y)", "deviation(y)", "low(y)", "high(y)"]


def test_pictures() -> None:
    level = bayou.KalmanModel.local_level()
    axes = level.plot(np.arange(20.0), steps=5)
    assert len(axes.lines[0].get_xdata()) == 20
    assert axes.lines[1].get_xdata()[-1] == 24
    assert level.smooth(np.arange(20.0)).plot("level", observed=np.arange(20.0)).get_xlabel() == "step"
    thing = bayou.KalmanModel.constant_velocity()
    track = thing.smooth(np.arange(20.0).reshape(10, 2))
    axes = track.plot_track("position of x", "position of y", observed=np.arange(20.0).reshape(10, 2))
    assert axes.get_xlabel() == "position of x"
    with pytest.raises(bayou.BayouError, match="speed of z"):
        track.plot("speed of z")
    plt.close("all")


def test_common_models_are_what_their_names_say() -> None:
    waves = bayou.KalmanModel.autoregression([0.5, -0.3], noise=2.0, mean=10.0)
    drawn = np.array(waves.sample(50, seed=1)["y"])
    # The log density of an autoregression, given its first two values.
    gap = drawn - 10.0
    left = gap[2:] - 0.5 * gap[1:-1] + 0.3 * gap[:-2]
    expected = -0.5 * (np.log(2 * np.pi * 2.0) + left**2 / 2.0)
    np.testing.assert_allclose(waves.score_steps(drawn)[2:], expected, atol=1e-9)
    # The first values have the stationary variance: γ(0) = σ² (1 − φ₂) / ((1 + φ₂) ((1 − φ₂)² − φ₁²)).
    variance = 2.0 * 1.3 / (0.7 * (1.3**2 - 0.25))
    first = -0.5 * (np.log(2 * np.pi * variance) + gap[0] ** 2 / variance)
    assert waves.score_steps(drawn)[0] == pytest.approx(first, abs=1e-9)
    straight = bayou.KalmanModel.constant_velocity(1, step=0.5, acceleration=0.0, noise=1e-6)
    track = straight.filter(np.arange(10.0))
    assert track[9]["speed of x"] == pytest.approx(2.0, abs=1e-3)


def test_free_parameters_are_those_that_are_learned() -> None:
    # Two variances, the start and its variance; three variances, two means and a 2 × 2 covariance.
    assert bayou.KalmanModel.local_level().free_parameters == 4
    assert bayou.KalmanModel.local_trend().free_parameters == 3 + 2 + 3
    assert bayou.KalmanModel.autoregression([0.5, 0.2]).free_parameters == 3
    assert bayou.KalmanModel.autoregression([0.5, 0.2], mean=None).free_parameters == 4
    level = bayou.KalmanModel.local_level()
    score = level.score([1.0, 2.0, 4.0])
    assert level.aic([1.0, 2.0, 4.0]) == pytest.approx(-2 * score + 8)
    assert level.bic([1.0, 2.0, 4.0]) == pytest.approx(-2 * score + 4 * np.log(3))


def test_an_autoregression_of_many_lags_starts_with_the_covariance_that_a_step_keeps() -> None:
    for weights in ([0.9999999], [0.5, 0.3, -0.2], [*[0.0] * 149, 0.5]):
        model = bayou.KalmanModel.autoregression(weights, noise=2.0, mean=0.0)
        moved = model.transition @ model.start_covariance @ model.transition.T + model.transition_noise
        np.testing.assert_allclose(moved, model.start_covariance, rtol=1e-12, atol=1e-12)


def test_inputs_that_are_not_given_are_asked_for() -> None:
    tank = bayou.KalmanModel([[0.9]], [[1.0]], control=[[1.0]], inputs=["inflow"])
    with pytest.raises(bayou.errors.BadData, match=r"'inflow' is missing .* given by controls="):
        tank.filter([1.0, 2.0])
