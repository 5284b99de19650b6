"""Models whose sequences end by chance: what is said of a sequence that goes on, and of one that ended."""

from __future__ import annotations

from itertools import groupby, pairwise, product

import numpy as np
import pytest

import bayou
from bayou.errors import ImpossibleEvidence

START, MOVES, EMITTED, END = (
    np.array([0.5, 0.5]),
    np.array([[0.6, 0.4], [0.3, 0.7]]),
    np.array([[0.7, 0.3], [0.4, 0.6]]),
    np.array([0.05, 0.6]),
)


def ending(end: np.ndarray = END) -> bayou.HMM:
    hmm = bayou.HMM(["a", "b"], {"x": [0, 1]}, ends=True)
    return hmm.set_start(START).set_transition(MOVES).set_emission("x", EMITTED).set_end(end)


def running_paths(seen: list[int], steps: int) -> dict[tuple[int, ...], float]:
    """P(path, observations, the sequence goes on to its last step) of each path of so many steps more."""
    found = {}
    for path in product((0, 1), repeat=len(seen) + steps):
        share = START[path[0]]
        for before, after in pairwise(path):
            share *= (1 - END[before]) * MOVES[before, after]
        for state, symbol in zip(path, seen, strict=False):
            share *= EMITTED[state, symbol]
        found[path] = share
    return found


def test_a_forecast_is_about_a_sequence_that_goes_on() -> None:
    hmm = ending()
    ahead = hmm.forecast([0, 1], 3)
    known = sum(running_paths([0, 1], 0).values())
    for step in range(3):
        paths = running_paths([0, 1], step + 1)
        total = sum(paths.values())
        second = sum(share for path, share in paths.items() if path[-1] == 1) / total
        assert ahead.states[step, 1] == pytest.approx(second, abs=1e-12)
        assert ahead.running is not None
        assert ahead.running[step] == pytest.approx(total / known, abs=1e-12)
        assert ahead.symbols["x"][step] == pytest.approx([1 - second, second] @ EMITTED, abs=1e-12)
    assert ahead.states[0, 1] == pytest.approx(0.525, abs=5e-4)
    assert "still running" in str(ahead)
    assert ahead.to_columns()["P(running)"] == ahead.running.tolist()
    watch = hmm.online()
    for symbol in (0, 1):
        watch.observe(symbol)
    assert watch.forecast(3).states == pytest.approx(ahead.states, abs=1e-12)
    assert hmm.forecast([[0, 1], [0]], 3)[0].states == pytest.approx(ahead.states, abs=1e-12)


def test_a_forecast_agrees_with_drawn_continuations() -> None:
    hmm = ending()
    ahead = hmm.forecast([0, 1], 3)
    drawn = hmm.sample(3, given=[0, 1], sequences=20_000, seed=3)
    for step in range(3):
        states = [one["state"][2 + step] for one in drawn if len(one["state"]) > 2 + step]
        assert states.count("b") / len(states) == pytest.approx(ahead.states[step, 1], abs=0.02)
        assert ahead.running is not None
        share = len(states) / len(drawn)  # the draws go on for a step at least
        assert share == pytest.approx(ahead.running[step] / ahead.running[0], abs=0.02)


def test_a_sequence_that_may_not_end_here_can_still_go_on() -> None:
    hmm = ending(np.array([0.0, 0.0]))
    assert hmm.forecast([0, 1], 2).running == pytest.approx([1, 1])
    assert hmm.forecast([[0, 1], [1]], 2)[1].running == pytest.approx([1, 1])
    assert len(hmm.sample(2, given=[0, 1])["x"]) == 4
    with pytest.raises(ImpossibleEvidence, match="at its end"):
        hmm.sample(0, given=[0, 1])


def test_what_follows_a_sequence_that_surely_ended_is_refused() -> None:
    hmm = ending(np.array([1.0, 1.0]))
    for ask in (lambda: hmm.forecast([0]), lambda: hmm.sample(1, given=[0])):
        with pytest.raises(ImpossibleEvidence, match="no next steps"):
            ask()
    later = ending(np.array([0.0, 1.0])).set_transition([[0.0, 1.0], [0.0, 1.0]]).set_start([1.0, 0.0])
    assert later.forecast([0]).states == pytest.approx(np.array([[0.0, 1.0]]))
    with pytest.raises(ImpossibleEvidence, match="at most 1 step"):
        later.forecast([0], 2)
    assert bayou.examples.casino().forecast([6]).running is None


@pytest.mark.parametrize("duration", [None, 2])
def test_the_network_is_that_of_a_sequence_that_ended(duration: int | None) -> None:
    hmm = bayou.HMM(["a", "b"], {"x": [0, 1]}, ends=True, duration=duration)
    hmm = hmm.set_start(START).set_transition(MOVES).set_emission("x", EMITTED).set_end(END)
    for seen in ([0, 1], [1, 0, 0, 1], [1]):
        net = hmm.network(len(seen))
        given = {f"x{step}": value for step, value in enumerate(seen)}
        for step, row in enumerate(hmm.smooth(seen).probabilities.tolist()):
            assert net.query(f"state{step}", given=given)["b"] == pytest.approx(row[1], abs=1e-12)
        length = hmm.log_likelihood({"x": [None] * len(seen)})  # log P(a sequence has this length)
        assert net.log_probability(given) == pytest.approx(hmm.log_likelihood(seen) - length, abs=1e-12)
    if duration is None:
        assert hmm.network(2).query("state1", given={"x0": 0, "x1": 1})["b"] == pytest.approx(0.953, abs=1e-4)


def test_a_network_of_a_length_that_no_sequence_has_is_refused() -> None:
    with pytest.raises(ImpossibleEvidence, match="ends after 2 steps"):
        ending(np.array([1.0, 1.0])).network(2)
    later = ending(np.array([0.0, 1.0]))  # ends in b, and only there
    assert later.network(3).query("state1")["b"] == pytest.approx(0.0)
    assert later.network(3).query("state2")["b"] == pytest.approx(1.0)


def test_ends_are_printed_and_cut_stays_short() -> None:
    hmm = ending()
    assert hmm.expected_stay == pytest.approx(1 / (1 - (1 - END) * np.diagonal(MOVES)))
    head, first = str(hmm).splitlines()[1:3]
    assert head.split()[-3:] == ["ends", "mean", "stay"]
    assert first.split()[-2:] == ["0.0500", "2.326"]
    assert "ends" not in str(bayou.examples.casino())


def test_the_mean_stay_with_durations_is_that_of_drawn_sequences() -> None:
    hmm = bayou.HMM(["a", "b"], {"x": [0, 1]}, ends=True, duration={"a": 2, "b": (1, 3)})
    hmm = hmm.set_start(START).set_transition([[0.6, 0.4], [1.0, 0.0]]).set_emission("x", EMITTED)
    hmm = hmm.set_end([0.1, 0.3])
    lengths: dict[str, list[int]] = {"a": [], "b": []}
    for one in hmm.sample(200, sequences=20_000, seed=1):
        for state, stretch in groupby(one["state"]):
            lengths[state].append(len(list(stretch)))
    means = [np.mean(lengths[state]) for state in ("a", "b")]
    assert hmm.expected_stay == pytest.approx(means, rel=0.02)
