"""Filtered and smoothed states beside exact answers; online use, gaps, errors and printing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.models.particles.exact_answers import (
    MARKET,
    RETURNS,
    SEEN,
    SEEN_VECTORS,
    SERIES,
    VECTORS,
    ar_functions,
    joint_normal,
    kalman,
    volatility_on_a_grid,
)

import bayou
from bayou.errors import BadData, BadQuestion, BadTable, ImpossibleEvidence, NotAvailable, TooWide

METHODS = ("bootstrap", "guided", "auxiliary")
ROLLS = [1, 6, 6, None, 6, 2, 6]
MANY = 40_000


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("model", [SERIES, ar_functions(SERIES)], ids=["core", "functions"])
def test_filtered_numbers_are_those_of_the_kalman_filter(model: Any, method: str) -> None:
    means, covariances, exact = kalman(SERIES, SEEN)
    found = bayou.ParticleFilter(model, MANY, method=method).filter(SEEN, quantiles=(0.05, 0.5))
    spreads = np.sqrt(covariances[:, 0, 0])
    assert np.abs(found.mean - means[:, 0]).max() < 0.03
    assert np.abs(found.spread - spreads).max() < 0.03
    assert np.abs(found.quantiles[:, 0] - (means[:, 0] - 1.6449 * spreads)).max() < 0.06
    assert np.abs(found.quantiles[:, 1] - means[:, 0]).max() < 0.04
    assert abs(found.log_likelihood - exact) < 0.03
    assert found.log_steps[1] == pytest.approx(0, abs=1e-12)  # a gap


@pytest.mark.parametrize("method", METHODS)
def test_filtered_vectors_are_those_of_the_kalman_filter(method: str) -> None:
    means, covariances, exact = kalman(VECTORS, SEEN_VECTORS)
    found = bayou.ParticleFilter(VECTORS, MANY, method=method).filter(SEEN_VECTORS, quantiles=(0.5,))
    assert found.mean.shape == (5, 2)
    assert np.abs(found.mean - means).max() < 0.03
    assert np.abs(found.spread - np.sqrt(np.diagonal(covariances, axis1=1, axis2=2))).max() < 0.03
    assert found.quantiles.shape == (5, 1, 2)
    assert abs(found.log_likelihood - exact) < 0.03


@pytest.mark.parametrize("method", METHODS)
def test_filtered_states_and_volatility_are_the_exact_ones(method: str) -> None:
    casino = bayou.examples.casino()
    found = bayou.ParticleFilter(casino, MANY, method=method).filter(ROLLS)
    assert np.abs(found.probabilities - casino.filter(ROLLS)).max() < 0.02
    means, exact = volatility_on_a_grid(MARKET, RETURNS)
    market = bayou.ParticleFilter(MARKET, MANY, method=method).filter(RETURNS)
    assert np.abs(market.mean - means).max() < 0.03
    assert abs(market.log_likelihood - exact) < 0.03


@pytest.mark.parametrize("model", [SERIES, ar_functions(SERIES)], ids=["core", "functions"])
def test_smoothed_paths_are_those_of_the_joint_normal(model: Any) -> None:
    mean, spread = joint_normal(SERIES, SEEN)
    found = bayou.ParticleFilter(model, 1000).smooth(SEEN, paths=2000)
    assert found.paths.shape == (2000, 6)
    assert np.abs(found.mean - mean).max() < 0.08
    assert np.abs(found.spread - spread).max() < 0.08
    assert np.abs(found.quantiles([0.5])[:, 0] - mean).max() < 0.1
    # Paths, not only the states of each step: neighbours are correlated as they should be.
    together, exact = (np.corrcoef(paths[:, 0], paths[:, 1])[0, 1] for paths in (found.paths, exact_paths()))
    assert together == pytest.approx(exact, abs=0.1)


def exact_paths() -> np.ndarray:
    """Paths given all observations: drawn paths of the model, chosen by the probability of what was seen."""
    random = np.random.default_rng(0)
    x = np.empty((200_000, len(SEEN)))
    x[:, 0] = random.normal(SERIES.start_mean, np.sqrt(SERIES.start_covariance), len(x))
    for t in range(1, len(SEEN)):
        x[:, t] = (
            SERIES.transition * x[:, t - 1] + SERIES.shift + random.normal(0, np.sqrt(SERIES.noise), len(x))
        )
    logs = sum(
        -((y - x[:, t]) ** 2) / (2 * SERIES.observation_noise) for t, y in enumerate(SEEN) if y is not None
    )
    weights = np.exp(logs - np.max(logs))
    return x[random.choice(len(x), 20_000, p=weights / weights.sum())]


def test_smoothed_states_vectors_and_volatility() -> None:
    casino = bayou.examples.casino()
    found = bayou.ParticleFilter(casino, 1000).smooth(ROLLS, paths=1500)
    assert np.abs(found.probabilities - casino.smooth(ROLLS)).max() < 0.06
    with pytest.raises(NotAvailable, match=r"\.probabilities"):
        found.mean  # noqa: B018
    vectors = bayou.ParticleFilter(VECTORS, 500).smooth(SEEN_VECTORS, paths=20)
    assert vectors.paths.shape == (20, 5, 2)
    last = kalman(VECTORS, SEEN_VECTORS)[0][-1]  # at the last step all observations are those so far
    many = bayou.ParticleFilter(VECTORS, 500).smooth(SEEN_VECTORS, paths=1000)
    assert np.abs(many.mean[-1] - last).max() < 0.1
    assert bayou.ParticleFilter(MARKET, 200).smooth(RETURNS, paths=5).paths.shape == (5, 5)


@pytest.mark.parametrize("model", [SERIES, VECTORS, MARKET, ar_functions(SERIES)])
@pytest.mark.parametrize("method", METHODS)
def test_the_seed_alone_decides_whatever_the_threads(model: Any, method: str) -> None:
    seen = SEEN_VECTORS if model is VECTORS else SEEN
    for_one, for_two = [], []
    for threads, kept in ((1, for_one), (2, for_two)):
        with bayou.threads(threads):
            found = bayou.ParticleFilter(model, 9000, method=method, seed=5).filter(seen, quantiles=(0.3,))
            kept += [found.mean, found.spread, found.quantiles, found.log_steps]
    assert all(np.array_equal(a, b) for a, b in zip(for_one, for_two, strict=True))
    other = bayou.ParticleFilter(model, 9000, method=method, seed=6).filter(seen)
    assert not np.array_equal(other.mean, for_one[0])


@pytest.mark.parametrize("model", [SERIES, ar_functions(SERIES), bayou.examples.casino()])
@pytest.mark.parametrize("method", METHODS)
def test_one_observation_at_a_time_is_the_same(model: Any, method: str) -> None:
    if method != "bootstrap" and isinstance(model, bayou.HMM):
        return
    seen = ROLLS if isinstance(model, bayou.HMM) else SEEN
    pf = bayou.ParticleFilter(model, 300, method=method)
    found, watch = pf.filter(seen), pf.online()
    with pytest.raises(BadQuestion, match="Nothing"):
        watch.particles  # noqa: B018
    for step, y in enumerate(seen):
        state = watch.observe(y)
        mean = found.trace.means[step]
        assert np.allclose(list(state.values()) if isinstance(state, dict) else state, mean, atol=1e-12)
        assert watch.effective_size == pytest.approx(found.effective_size[step])
    assert watch.log_likelihood == pytest.approx(found.log_likelihood)
    assert watch.weights.sum() == pytest.approx(1)
    assert len(watch.particles) == 300


def test_particles_may_have_any_shape_and_functions_may_ask_for_the_step() -> None:
    steps: list[int] = []

    def move(x: Any, random: Any, step: int) -> Any:
        steps.append(step)
        return x + random.standard_normal(x.shape)

    model = (lambda n, random: np.zeros((n, 2, 3)), move, lambda x, y: -((x - y) ** 2).sum(axis=(1, 2)))
    found = bayou.ParticleFilter(model, 200).filter([np.ones((2, 3)), None, np.full((2, 3), np.nan)])
    assert found.mean.shape == found.spread.shape == (3, 2, 3)
    assert steps == [1, 2]
    assert list(found.to_frame().columns[:2]) == ["mean 0,0", "mean 0,1"]


def test_codes_of_functions_have_probabilities() -> None:
    """A coin that is turned over now and then, as functions and as a hidden Markov model."""
    chain = bayou.HMM(["heads", "tails"], {"seen": ["h", "t"]}).set_start([0.5, 0.5])
    chain = chain.set_transition([[0.8, 0.2], [0.3, 0.7]]).set_emission("seen", [[0.9, 0.1], [0.2, 0.8]])
    emit = np.log([[0.9, 0.1], [0.2, 0.8]])
    model = bayou.ParticleModel(
        start=lambda n, random: random.integers(0, 2, n),
        move=lambda x, random: (random.random(len(x)) < np.array([0.2, 0.7])[x]).astype(int),
        weight=lambda x, y: emit[x, "ht".index(y)],
        states=["heads", "tails"],
    )
    found = bayou.ParticleFilter(model, MANY).filter(["h", "t", None, "t"])
    assert np.abs(found.probabilities - chain.filter(["h", "t", None, "t"])).max() < 0.02
    assert list(found.to_frame().columns[:2]) == ["heads", "tails"]
    with pytest.raises(NotAvailable):
        found.mean  # noqa: B018
    with pytest.raises(BadQuestion, match="quantiles"):
        bayou.ParticleFilter(model).filter(["h"], quantiles=(0.5,))
    wrong = bayou.ParticleModel(
        lambda n, random: np.full(n, 2), lambda x, random: x, lambda x, y: x * 0.0, states="ab"
    )
    with pytest.raises(BadData, match="from 0 to 1"):
        bayou.ParticleFilter(wrong).filter([1])


def start(n: int, random: Any) -> Any:
    return random.normal(size=n)


def stay(x: Any, random: Any) -> Any:
    return x


def fits(x: Any, y: Any) -> Any:
    return -((x - y) ** 2)


@pytest.mark.parametrize(
    ("functions", "words"),
    [
        ((lambda n, random: np.zeros(n - 1), stay, fits), "Step 0: start returned an array of shape (99,)"),
        ((start, lambda x, random: x[:, None], fits), "Step 1: move returned an array of shape (100, 1)"),
        ((start, lambda x, random: None, fits), "Step 1: move returned nothing (None)"),
        ((start, lambda x, random: x * np.nan, fits), "Step 1: move returned NaN or infinity for 100 of 100"),
        ((start, stay, lambda x, y: 0.0), "Step 0: weight returned an array of shape ()"),
        ((start, stay, lambda x, y: np.where(x > 0, np.nan, x)), "Step 0: weight returned nan for"),
        ((start, stay, lambda x, y: x + np.inf), "Step 0: weight returned inf for 100 of 100"),
    ],
)
def test_functions_that_return_something_else_are_named_with_the_step(functions: Any, words: str) -> None:
    with pytest.raises(BadData) as raised:
        bayou.ParticleFilter(functions, 100).filter([0.5, 0.2, 0.1])
    assert words in str(raised.value)


def test_no_weight_at_all_names_the_step_and_what_to_do() -> None:
    model = (start, stay, lambda x, y: np.full(len(x), -np.inf if y > 3 else 0.0))
    with pytest.raises(ImpossibleEvidence, match=r"Step 2: no particle can explain .* more particles"):
        bayou.ParticleFilter(model).filter([1, 2, 4])
    chain = bayou.HMM(["a", "b"], {"x": [0, 1]}).set_start([1, 0]).set_transition(np.eye(2))
    chain = chain.set_emission("x", [[1, 0], [0, 1]])
    with pytest.raises(ImpossibleEvidence, match="Step 1"):
        bayou.ParticleFilter(chain).filter([0, 1])


def test_an_outlier_far_away_leaves_numbers_everywhere() -> None:
    for method in METHODS:
        found = bayou.ParticleFilter(SERIES, 100, method=method).filter([0.1, 1e6, 0.1])
        assert np.isfinite(found.mean).all()
        assert np.isfinite(found.log_likelihood)
        market = bayou.ParticleFilter(MARKET, 100, method=method).filter([0.1, 1e6, 0.0])
        assert np.isfinite(market.mean).all()
        assert np.isfinite(market.log_likelihood)


def test_arguments_are_checked() -> None:
    for wrong in ({"method": "guide"}, {"resampling": "x"}, {"resample_below": 2}, {"seed": -1}):
        with pytest.raises(BadQuestion, match=next(iter(wrong))):
            bayou.ParticleFilter(SERIES, **wrong)  # type: ignore[arg-type]
    with pytest.raises(BadQuestion, match="particles=0"):
        bayou.ParticleFilter(SERIES, 0)
    with pytest.raises(BadQuestion, match="a float"):
        bayou.ParticleFilter(3.0)
    functions = (start, stay, fits)
    with pytest.raises(BadQuestion, match="propose="):
        bayou.ParticleFilter(functions, method="guided")
    with pytest.raises(BadQuestion, match="look_ahead="):
        bayou.ParticleFilter(functions, method="auxiliary")
    with pytest.raises(BadQuestion, match="move_density="):
        bayou.ParticleFilter(functions).smooth([0.1, 0.2])
    with pytest.raises(BadQuestion, match="weight=3"):
        bayou.ParticleModel(start, stay, 3)  # type: ignore[arg-type]
    with pytest.raises(BadData, match="no observations"):
        bayou.ParticleFilter(SERIES).filter([])
    with pytest.raises(BadData, match="shape"):
        bayou.ParticleFilter(SERIES).filter([[1, 2]])
    with pytest.raises(BadData, match="step 1: infinity"):
        bayou.ParticleFilter(SERIES).filter([1, np.inf])
    with pytest.raises(BadData, match="2 sequences"):
        bayou.ParticleFilter(bayou.examples.casino()).filter([[1, 2], [3, 4]])
    with bayou.limits(memory=1000), pytest.raises(TooWide, match="GiB"):
        bayou.ParticleFilter(SERIES).smooth(SEEN)


def test_series_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadQuestion, match="start_mean"):
        bayou.LinearSeries(1.0, 0.5, 1, 0.5)
    with pytest.raises(BadTable, match="observation_noise"):
        bayou.LinearSeries(0.5, 0.5, 1, 0.0)
    with pytest.raises(BadTable, match="noise"):
        bayou.LinearSeries([[0.5, 0], [0, 0.5]], [[1, 2], [2, 1]], [[1, 0]], 0.1)
    with pytest.raises(BadTable, match="observation has the shape"):
        bayou.LinearSeries([[0.5, 0], [0, 0.5]], np.eye(2), [[1, 0, 0]], 0.1)
    with pytest.raises(BadQuestion, match="persistence"):
        bayou.StochasticVolatility(0, 1.0, 0.5)
    with pytest.raises(BadQuestion, match="spread"):
        bayou.StochasticVolatility(0, 0.5, 0.0)
    ends = bayou.HMM(2, {"x": [0, 1]}, ends=True).set_start([0.5, 0.5]).set_transition(np.full((2, 2), 0.5))
    ends = ends.set_emission("x", np.full((2, 2), 0.5)).set_end([0.1, 0.2])
    with pytest.raises(BadQuestion, match="ends=True"):
        bayou.ParticleFilter(ends)


def test_a_position_and_a_speed_without_noise_of_its_own() -> None:
    """A singular covariance of moves: filtered as by the Kalman filter, but with no density to smooth by."""
    track = bayou.LinearSeries(
        [[1, 1], [0, 1]],
        [[0, 0], [0, 0.2]],
        [[1, 0]],
        0.5,
        start_mean=[0, 1],
        start_covariance=np.eye(2),
    )
    seen = [0.2, 1.4, None, 3.1]
    means = kalman(track, seen)[0]
    found = bayou.ParticleFilter(track, MANY, method="guided").filter(seen)
    assert np.abs(found.mean - means).max() < 0.03
    with pytest.raises(BadQuestion, match="density"):
        bayou.ParticleFilter(track).smooth(seen)


def test_results_print_and_become_frames() -> None:
    pandas = pytest.importorskip("pandas")
    pf = bayou.ParticleFilter(SERIES, 500)
    found = pf.filter(pandas.Series([0.1] * 20), quantiles=(0.1, 0.9))
    lines = str(found).splitlines()
    assert lines[0] == "State given the observations so far, by 500 particles (bootstrap)"
    assert lines[1].split() == ["step", "mean", "spread", "effective", "size", "resampled"]
    assert lines[-2] == "… and 8 more steps"
    assert lines[-1].startswith("log-likelihood about -")
    assert list(found.to_frame().columns)[:4] == ["mean", "spread", "0.1", "0.9"]
    assert "<table>" in found._repr_html_()
    paths = pf.smooth([0.1] * 20, paths=5)
    assert str(paths).splitlines()[0] == "State given all observations, by 5 paths through 500 particles"
    assert list(paths.to_frame().columns) == ["mean", "spread"]
    words = "500 particles, bootstrap, systematic resampling below 50% effective particles, seed 0"
    assert repr(pf) == f"ParticleFilter: {words}"
    with pytest.raises(NotAvailable, match="quantiles="):
        pf.filter([0.1]).quantiles  # noqa: B018


def test_pictures_show_particles_beside_the_exact_answer() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    means, covariances, _ = kalman(SERIES, SEEN)
    exact = (means, np.sqrt(covariances[:, 0, 0]))
    pf = bayou.ParticleFilter(SERIES, 200)
    axes = pf.filter(SEEN, quantiles=(0.05, 0.95)).plot(SEEN, exact=exact)
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels == [
        "particles: 0.05 to 0.95 quantile",
        "particles: mean",
        "exact: mean ± 2 spreads",
        "observed",
    ]
    axes.figure.canvas.draw()
    pf.smooth(SEEN, paths=10).plot(SEEN, exact=exact).figure.canvas.draw()
    bayou.ParticleFilter(bayou.examples.casino()).filter(ROLLS).plot().figure.canvas.draw()
    with pytest.raises(BadQuestion, match="component=1"):
        pf.filter(SEEN).plot(component=1)
    bayou.plots.grid_beliefs(np.eye(3), "exact", place=(1, 1), seen=(2, 2)).figure.canvas.draw()
    pyplot.close("all")
