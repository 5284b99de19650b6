"""Durations with ends, ties, bounds, the bootstrap and networks, against the expanded plain model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadData, BadQuestion, BadTable, BadVariable, TooWide

STATES = ["a", "b", "c"]
START = [0.5, 0.3, 0.2]
EMITTED = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.3, 0.4, 0.3]])
MOVES = [[0.4, 0.3, 0.3], [0.3, 0, 0.7], [0.2, 0.2, 0.6]]
END = [0.2, 0.05, 0.1]
DURATION: Any = {"a": 3, "b": [0.2, 0.0, 0.8]}
DATA = [[0, 0, 2, None, 1, 2, 0, 1], [2, 2, 1, 0, 0, 0], [1, 0, 0, 0, 2, 2, 2, 1, 1]]
OWNER = [0, 0, 0, 1, 1, 1, 2]
FIRST = [0, 3, 6]
"""a: ages 1, 2, 3 (and more); b: ages 1, 2, 3; c: any length."""


def expanded_moves() -> np.ndarray:
    """The table of sub-states, written out by hand."""
    table = np.zeros((7, 7))
    table[0, 1] = table[1, 2] = 1
    table[2, [2, 3, 6]] = [0.4, 0.3, 0.3]
    table[3, 4], table[3, [0, 6]] = 0.8, [0.2 * 0.3, 0.2 * 0.7]
    table[4, 5] = 1
    table[5, [0, 6]] = [0.3, 0.7]
    table[6, [0, 3, 6]] = [0.2, 0.2, 0.6]
    return table


def both(*, ends: bool = False, tie: Any = ()) -> tuple[bayou.HMM, bayou.HMM]:
    """The model with durations, and the plain one with a state for every sub-state."""
    emitted = EMITTED[[0, 1, 0]] if tie else EMITTED
    short = bayou.HMM(STATES, {"x": [0, 1, 2]}, duration=DURATION, ends=ends, tie=tie)
    short = short.set_start(START).set_transition(MOVES).set_emission("x", emitted)
    groups = [[0, 1, 2, 6], [3, 4, 5]] if tie else [[0, 1, 2], [3, 4, 5]]
    long = bayou.HMM(7, {"x": [0, 1, 2]}, ends=ends, tie=groups)
    start = np.zeros(7)
    start[FIRST] = START
    long = long.set_start(start).set_transition(expanded_moves()).set_emission("x", emitted[OWNER])
    if ends:
        short, long = short.set_end(END), long.set_end(np.array(END)[OWNER])
    return short, long


def folded(shares: np.ndarray) -> np.ndarray:
    return np.stack([shares[:, np.equal(OWNER, k)].sum(axis=1) for k in range(3)], axis=1)


@pytest.mark.parametrize("how", [{"ends": True}, {"tie": [("a", "c")]}, {"ends": True, "tie": [("a", "c")]}])
def test_answers_are_those_of_the_expanded_model(how: Any) -> None:
    short, long = both(**how)
    assert np.allclose(short.log_likelihoods(DATA), long.log_likelihoods(DATA), atol=1e-12)
    for one, other in zip(short.smooth(DATA), long.smooth(DATA), strict=True):
        assert np.allclose(one.probabilities, folded(other.probabilities), atol=1e-12)
    for one, other in zip(short.decode(DATA), long.decode(DATA), strict=True):
        assert one.log_probability == pytest.approx(other.log_probability, abs=1e-10)
        assert list(one) == [STATES[OWNER[k]] for k in other]


@pytest.mark.parametrize("tie", [(), [("a", "c")]])
@pytest.mark.filterwarnings("ignore:Learning stopped")
def test_a_step_with_ends_and_ties_pools_the_counts_of_the_expanded_model(tie: Any) -> None:
    short, long = both(ends=True, tie=tie)
    expected = long.model.expected(long.read_rows(DATA))[1]
    from bayou.statistics import CountTable

    ended = expected[CountTable(("state", "state ends"))].values
    symbols = expected[CountTable(("state", "x"))].values
    first = expected[CountTable(("state",))].values
    short = short.fit(DATA, start="present", method="baum-welch", max_iterations=1)
    by_state = np.stack([ended[np.equal(OWNER, k)].sum(axis=0) for k in range(3)])
    assert np.allclose(short.end, by_state[:, 1] / by_state.sum(axis=1), atol=1e-12)
    assert np.allclose(short.start, first[FIRST] / first.sum(), atol=1e-12)
    alike = symbols[FIRST]  # tied states have the sum of their group already
    assert np.allclose(short.emission("x").values, alike / alike.sum(axis=1, keepdims=True), atol=1e-12)
    if tie:
        assert np.array_equal(short.emission("x").values[0], short.emission("x").values[2])


def test_ends_are_learned_with_a_prior_and_the_objective_never_falls() -> None:
    short, _ = both(ends=True)
    data = [one["x"] for one in short.sample(60, sequences=80, seed=2)]
    found = short.copy().fit(data, start="present", prior=1, max_iterations=60, tolerance=1e-3)
    objectives = np.array(found.learning.objectives)
    assert (np.diff(objectives) >= -1e-9 * abs(objectives[-1])).all()
    drawn = short.sample(60, sequences=80, seed=2)
    states = [one["state"] for one in drawn]
    known = short.copy().fit(data, states=states, prior=1, start="present", max_iterations=50)
    for k, state in enumerate(STATES):
        ended = sum(path[-1] == state for path in states)
        visits = sum(path.count(state) for path in states)
        assert known.end[k] == pytest.approx((ended + 1) / (visits + 2), abs=1e-9)
    fresh = bayou.HMM(2, {"x": [0, 1, 2]}, duration=2, ends=True).fit(data, seed=1)
    assert fresh.end.shape == (2,)
    # start, jumps and the hazards of two states, two emissions of three symbols, two ends
    assert fresh.free_parameters == 1 + 0 + 2 + 4 + 2


def test_tied_states_must_be_set_alike_and_files_keep_them(tmp_path: Path) -> None:
    short, _ = both(ends=True, tie=[("a", "c")])
    with pytest.raises(BadTable, match="'a' and 'c' are tied"):
        short.copy().set_emission("x", EMITTED)
    short.save(tmp_path / "m.bayou")
    again = bayou.load(tmp_path / "m.bayou")
    assert again.same_as(short)
    assert np.allclose(again.end, END)
    assert np.allclose(again.log_likelihoods(DATA), short.log_likelihoods(DATA), rtol=0)


@pytest.mark.filterwarnings("ignore:Learning stopped")
def test_bounds_hold_at_every_step_and_the_likelihood_never_falls() -> None:
    short, _ = both()
    data = [one["x"] for one in short.sample(80, sequences=10, seed=4)]
    low = [[0.0, 0.5, 0.1], [0.4, 0.0, 0.0], [0.0, 0.0, 0.7]]
    bounds: Any = {
        "start": ([0.6, 0, 0], None),
        "transition": (low, None),
        "x": (None, [[1, 1, 0.2], [1, 1, 1], [1, 1, 1]]),
    }
    found = short.copy().fit(data, start="present", bounds=bounds, max_iterations=80)
    objectives = np.array(found.learning.objectives)
    assert (np.diff(objectives) >= -1e-9 * abs(objectives[-1])).all()
    assert found.start[0] >= 0.6 - 1e-12
    assert (found.transition >= np.array(low) - 1e-12).all()
    assert found.emission("x").values[0, 2] <= 0.2 + 1e-12
    assert found.emission("x").values.shape == (3, 3)
    # Wide bounds change nothing, and fresh starts obey bounds, too.
    free = short.copy().fit(data, start="present", max_iterations=20)
    wide = short.copy().fit(
        data, start="present", max_iterations=20, bounds={"transition": (0, 1), "start": (0, 1)}
    )
    assert np.allclose(wide.transition, free.transition, atol=1e-10)
    assert np.allclose(wide.start, free.start, atol=1e-10)
    sticky = bayou.HMM(2, {"x": [0, 1, 2]}, duration=2).fit(
        data, bounds={"transition": (np.eye(2) * 0.8, None)}
    )
    assert (np.diagonal(sticky.transition) >= 0.8 - 1e-12).all()
    ended = both(ends=True)[0].fit(data, start="present", bounds={"end": (0.02, 0.03)}, max_iterations=5)
    assert ((ended.end >= 0.02 - 1e-12) & (ended.end <= 0.03 + 1e-12)).all()


@pytest.mark.filterwarnings("ignore:Learning stopped")
def test_a_bounded_step_is_the_best_within_the_bounds() -> None:
    """Against a fine grid over the one free number of a state's moves."""
    hmm = bayou.HMM(2, {"x": [0, 1]}, duration=2).set_start([0.5, 0.5])
    hmm = hmm.set_transition([[0.6, 0.4], [0.5, 0.5]]).set_emission("x", [[0.9, 0.1], [0.2, 0.8]])
    data = [[0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0], [1, 1, 1, 0, 0, 0, 0, 0]]
    from bayou.statistics import CountTable

    moves = hmm.model.expected(hmm.read_rows(data))[1][CountTable(("state", "state'"))].values
    free = hmm.copy().fit(data, start="present", method="baum-welch", max_iterations=1)
    high = float(free.transition[0, 0]) - 0.1
    found = hmm.copy().fit(
        data,
        start="present",
        method="baum-welch",
        max_iterations=1,
        bounds={"transition": (None, [[high, 1], [1, 1]])},
    )
    grid = np.linspace(1e-3, high, 2001)
    best = grid[np.argmax(moves[1, 1] * np.log(grid) + moves[1, 2] * np.log(1 - grid))]
    assert found.transition[0, 0] == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (np.diag([0, 0.1, 0]), None, "'b' → 'b' must be 0"),
        (np.diag([1, 0, 0]), None, "'a' → 'a' must be below 1"),
        (None, [[1, 1, 1], [0.2, 1, 0.3], [1, 1, 1]], "sum to 0.5"),
    ],
)
def test_bounds_that_contradict_durations_are_refused(low: Any, high: Any, said: str) -> None:
    short, _ = both()
    with pytest.raises(BadQuestion, match=said):
        short.fit(DATA, bounds={"transition": (low, high)})


def test_bounds_survive_batches() -> None:
    short, _ = both()
    data = [one["x"] for one in short.sample(50, sequences=6, seed=1)]
    found = short.fit(data, start="present", bounds={"transition": (np.diag([0.5, 0, 0.5]), None)})
    more = found.partial_fit(data[:2])
    assert (np.diagonal(more.transition)[[0, 2]] >= 0.5 - 1e-12).all()


def test_the_bootstrap_is_about_the_users_states() -> None:
    short, _ = both()
    data = [one["x"] for one in short.sample(60, sequences=12, seed=4)]
    fitted = short.fit(data, start="present")
    for kind in ("parametric", "sequences"):
        found = fitted.bootstrap(data, n=4, kind=kind)
        errors = found.standard_errors
        assert errors["transition"].shape == (3, 3)
        assert errors["x"].shape == (3, 3)
        assert errors["stay lengths"].shape == (3, 3)
        assert np.allclose(found.estimates["mean stay"], fitted.expected_stay)
        assert (errors["mean stay"] > 0).all()
        text = str(found)
        assert "mean stay | a" in text
        assert "stay = 3 | b" in text
        assert "stay = 2 | b" not in text
        assert " · " not in text
    states = [one["state"] for one in short.sample(60, sequences=12, seed=4)]
    known = fitted.bootstrap(data, n=2, states=states)
    assert known.draws["start"].shape == (2, 3)


@pytest.mark.parametrize("tie", [(), [("a", "c")]])
def test_the_network_gives_the_same_answers(tie: Any) -> None:
    short, _ = both(tie=tie)
    rolls = DATA[0][:6]
    net = short.network(6)
    given = {f"x{k}": value for k, value in enumerate(rolls) if value is not None}
    smooth = short.smooth(rolls)
    for step in range(6):
        found = net.query(f"state{step}", given=given)
        assert [found[state] for state in STATES] == pytest.approx(
            smooth.probabilities[step].tolist(), abs=1e-12
        )
    assert net.log_probability(given) == pytest.approx(short.log_likelihood(rolls), abs=1e-12)
    joint = net.query("state_stay3", given=given)
    assert joint["a · 1"] + joint["a · 2"] + joint["a · 3"] == pytest.approx(smooth.probabilities[3, 0])


def test_a_network_of_numbers_has_one_density_for_each_state() -> None:
    x = np.random.default_rng(0).normal(np.tile(np.repeat([0, 3], [4, 3]), 12))
    hmm = bayou.HMM(["low", "high"], duration=2).fit(x)
    net = hmm.network(4)
    found = net.query("state2", given={f"x{k}": float(x[k]) for k in range(4)})
    assert found["low"] == pytest.approx(hmm.smooth(x[:4])[2]["low"], abs=1e-9)


def test_names_that_meet_in_a_network_are_refused() -> None:
    hmm = bayou.HMM(2, {"x": [0, 1], "x1": [0, 1], "start": [0, 1]})
    hmm = hmm.set_start([0.5, 0.5]).set_transition(np.full((2, 2), 0.5))
    for name in ("x", "x1", "start"):
        hmm = hmm.set_emission(name, [[0.9, 0.1], [0.3, 0.7]])
    net = hmm.network(3)
    assert net.query("state0", given={"start0": 1})[1] == pytest.approx(0.7 / 0.8)
    with pytest.raises(BadVariable, match="x10"):
        hmm.network(12)


PATHS = [list("aaabbbcaaaac"), list("cccbcaaabbb"), list("bcaaabbb")]
SEEN = [[0, 1, 2, 0, 1, 2, 0, 0, 1, 1, 0, 2], [1, 1, 0, 2, 2, 1, 0, 0, 2, 1, 0], [2, 0, 0, 1, 2, 2, 0, 1]]


def test_known_states_are_counted_to_the_fraction() -> None:
    hmm = bayou.HMM(STATES, {"x": [0, 1, 2]}, duration=DURATION, ends=True)
    hmm = hmm.fit(SEEN, states=PATHS, prior=0)
    assert hmm.learning.method == "count"
    assert hmm.start.tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    # Stays in b that end: 3, 1, 1 steps; the other two are cut off by the end of the sequence.
    assert hmm.stay_lengths("b", 3).tolist() == pytest.approx([2 / 5, 0, 3 / 5])
    # From the third step of a stay in a on: it goes on once and is left four times.
    assert hmm.transition[0].tolist() == pytest.approx([1 / 5, 3 / 5, 1 / 5])
    assert hmm.transition[1].tolist() == pytest.approx([0, 0, 1])
    assert hmm.end.tolist() == pytest.approx([0, 2 / 11, 1 / 7])
    seen = [x for one in SEEN for x in one]
    states = [state for path in PATHS for state in path]
    for k, state in enumerate(STATES):
        own = [x for x, there in zip(seen, states, strict=True) if there == state]
        assert hmm.emission("x").values[k].tolist() == pytest.approx(
            [own.count(x) / len(own) for x in range(3)]
        )


def test_batches_of_known_states_equal_one_fit_and_can_be_forgotten() -> None:
    def fresh() -> bayou.HMM:
        return bayou.HMM(STATES, {"x": [0, 1, 2]}, duration=DURATION)

    whole = fresh().fit(SEEN[:2], states=PATHS[:2])
    parts = fresh().fit(SEEN[:1], states=PATHS[:1]).partial_fit(SEEN[1:2], states=PATHS[1:2])
    assert parts.same_as(whole)
    more = parts.partial_fit(SEEN[2:], states=PATHS[2:]).forget(SEEN[2:], states=PATHS[2:])
    assert more.same_as(whole)


@pytest.mark.parametrize(
    ("path", "said"),
    [("aabbbc", "'a' has 2 steps at row 1 "), ("bbbbc", "'b' has 4 steps at row 3 "), ("bbc", "row 1 ")],
)
def test_known_stays_of_impossible_length_are_refused(path: str, said: str) -> None:
    hmm = bayou.HMM(STATES, {"x": [0, 1, 2]}, duration=DURATION)
    with pytest.raises(BadData, match=said):
        hmm.fit([[0] * len(path)], states=[list(path)])


def test_durations_that_fit_in_no_memory_are_refused_before_they_are_made() -> None:
    for duration in (10**9, (1, 10**9), {"a": (10**8, None)}):
        with pytest.raises(TooWide, match="sub-states"):
            bayou.HMM(STATES, {"x": [0, 1]}, duration=duration)
