"""Functions of users that do something else than they should, and sizes that do not fit into memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadData, BadQuestion, BadTable, TooWide

SERIES = bayou.LinearSeries(transition=0.9, noise=0.25, observation=1, observation_noise=0.5)


def start(n: int, random: Any) -> Any:
    return random.normal(size=n)


def stay(x: Any, random: Any) -> Any:
    return x


def fits(x: Any, y: Any) -> Any:
    return -((x - y) ** 2)


def test_a_function_that_changes_what_it_weighs_is_named() -> None:
    def spoils(x: Any, y: Any) -> Any:
        x -= y
        return -(x**2)

    with pytest.raises(BadData, match=r"Step 0: weight changes the array .* Work on a copy"):
        bayou.ParticleFilter((start, stay, spoils), 50).filter([0.5])
    model = bayou.ParticleModel(start, stay, fits, move_density=spoils)
    with pytest.raises(BadData, match="Step 1: move_density changes the array"):
        bayou.ParticleFilter(model, 50).smooth([0.5, 0.1], paths=3)


def test_moving_in_place_or_into_one_buffer_gives_the_same_paths() -> None:
    buffer = np.zeros(50)

    def moved(x: Any, random: Any) -> Any:
        return 0.9 * x + random.normal(0, 0.5, len(x))

    def in_place(x: Any, random: Any) -> Any:
        x *= 0.9
        x += random.normal(0, 0.5, len(x))
        return x

    def into_a_buffer(x: Any, random: Any) -> Any:
        buffer[:] = moved(x, random)
        return buffer

    seen = [0.5, None, 0.1, 0.4]
    paths = []
    for move in (moved, in_place, into_a_buffer):
        model = bayou.ParticleModel(
            start, move, fits, move_density=lambda old, new: -2 * (new - 0.9 * old) ** 2
        )
        paths.append(bayou.ParticleFilter(model, 50, resample_below=0).smooth(seen, paths=20).paths)
    assert np.array_equal(paths[0], paths[1])
    assert np.array_equal(paths[0], paths[2])


def test_the_particles_handed_out_are_not_those_of_the_filter() -> None:
    one, other = (bayou.ParticleFilter((start, stay, fits), 50).online() for _ in range(2))
    one.observe(0.5)
    other.observe(0.5)
    one.particles[:] = 99
    one.weights[:] = 0
    assert one.observe(0.3) == other.observe(0.3)


def test_more_particles_than_memory_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadQuestion, match="from 1 to"):
        bayou.ParticleFilter(SERIES, 10**12)
    monkeypatch.setattr("bayou.memory.available_memory", lambda: 2**20)
    for model in (SERIES, (start, stay, fits)):
        with pytest.raises(TooWide, match=r"10,000,000 particles needs .* Use fewer particles"):
            bayou.ParticleFilter(model, 10_000_000)
    with pytest.raises(TooWide, match="1,000,000,000,000 estimates"):
        bayou.ParticleFilter(SERIES).log_likelihoods([1.0], runs=10**12)
    with pytest.raises(TooWide, match="fewer particles or paths"):
        bayou.ParticleFilter(SERIES).smooth([1.0], paths=10**12)


@pytest.mark.parametrize(
    ("functions", "words"),
    [
        ((lambda n: np.zeros(n), stay, fits), "start is called as start(n, random)"),
        ((start, stay, lambda x, y, z: x), "weight is called as weight(particles, observation)"),
        ((start, lambda: 0, fits), "move is called as move(particles, random)"),
    ],
)
def test_functions_with_other_parameters_are_refused_at_once(functions: Any, words: str) -> None:
    with pytest.raises(BadQuestion) as raised:
        bayou.ParticleFilter(functions)
    assert words in str(raised.value)


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda x, y: ["a"] * len(x), "Step 0: weight returned an array of shape (100,) and type <U1"),
        (lambda x, y: x * 1j, "and type complex128; it must return 100 numbers"),
        (lambda x, y: [[1.0], [1.0, 2.0]], "Step 0: weight returned a list of rows of several lengths"),
    ],
)
def test_weights_that_are_no_numbers_are_refused(returned: Any, words: str) -> None:
    with pytest.raises(BadData) as raised:
        bayou.ParticleFilter((start, stay, returned), 100).filter([0.5])
    assert words in str(raised.value)


def test_single_observations_and_pictures_say_what_fits() -> None:
    watch = bayou.ParticleFilter(SERIES, 100).online()
    assert "nothing observed yet" in repr(watch)
    watch.observe(0.3)
    assert repr(watch).startswith("OnlineParticles: 1 step, effective size ")
    for online in (watch, bayou.ParticleFilter(bayou.StochasticVolatility(0, 0.9, 0.5)).online()):
        with pytest.raises(BadData, match="observation: give 1 number, not 2"):
            online.observe([1, 2])
    with pytest.raises(BadQuestion, match=r"shape \(2,\); draw one number .* 3 steps"):
        bayou.ParticleFilter(SERIES, 100).filter([1, 2, 3]).plot([1, 2])
    assert "by 1 path through 1 particle" in str(bayou.ParticleFilter(SERIES, 1).smooth([1.0], paths=1))
    with pytest.raises(BadTable, match="transition='a': give a number"):
        bayou.LinearSeries("a", 1, 1, 1)


def test_steps_that_hang_on_a_few_particles_are_marked_in_print() -> None:
    calm = bayou.ParticleFilter(SERIES, 500).filter([0.1, 0.2])
    assert "trusted" not in str(calm)
    outlier = bayou.ParticleFilter(SERIES, 500).filter([0.1, 1000.0, None])
    assert "Not to be trusted at step 1: fewer than 10 particles" in str(outlier)
    assert "Not to be trusted at 2 steps (the first is 0)" in str(
        bayou.ParticleFilter(SERIES, 5).filter([0.1, 0.2])
    )


def test_nothing_observed_is_said_alike_for_all_models() -> None:
    for model in (SERIES, (start, stay, fits)):
        with pytest.raises(BadData, match="There are no observations"):
            bayou.ParticleFilter(model).filter([])
    with pytest.raises(BadData, match="There are no observations"):
        bayou.ParticleFilter(bayou.examples.casino()).filter({"roll": []})
