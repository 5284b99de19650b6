"""Durations of states: sub-states built for the user, against an enumeration of all paths."""

from __future__ import annotations

from itertools import groupby, pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadFile, BadQuestion, BadTable

STATES = ["a", "b", "c"]
START = [0.5, 0.3, 0.2]
EMITTED = np.array([[0.6, 0.3, 0.1], [0.1, 0.2, 0.7], [0.3, 0.4, 0.3]])
ROLLS = [0, 0, 2, None, 1, 2, 0]

CASES: dict[str, tuple[Any, Any]] = {
    "at least two": (2, [[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.5, 0.3, 0.2]]),
    "from two to four": ((2, 4), [[0, 0.6, 0.4], [0.3, 0, 0.7], [0.5, 0.5, 0]]),
    "shares": ([0.2, 0.0, 0.5, 0.3], [[0, 0.6, 0.4], [0.3, 0, 0.7], [0.5, 0.5, 0]]),
    "mixed": ({"a": 3, "b": (1, 2)}, [[0.4, 0.3, 0.3], [0.3, 0, 0.7], [0.2, 0.2, 0.6]]),
}


def model(case: str) -> bayou.HMM:
    duration, moves = CASES[case]
    made = bayou.HMM(STATES, {"x": [0, 1, 2]}, duration=duration)
    return made.set_start(START).set_transition(moves).set_emission("x", EMITTED)


def lengths(case: str, state: int, longest: int) -> np.ndarray:
    """P(length = 1, 2, …), from the definition of each case."""
    duration, moves = CASES[case]
    rule = duration.get(STATES[state]) if isinstance(duration, dict) else duration
    if isinstance(rule, list):
        found = rule
    elif isinstance(rule, tuple):
        found = [0.0] * (rule[0] - 1) + [1 / (rule[1] - rule[0] + 1)] * (rule[1] - rule[0] + 1)
    else:
        least, stay = rule or 1, moves[state][state]
        found = [0.0] * (least - 1) + [(1 - stay) * stay**k for k in range(longest)]
    return np.array(found + [0.0] * longest)[:longest]


def joint(case: str, path: tuple[int, ...], rolls: list[int | None]) -> float:
    """P(path, observations) of a semi-Markov chain; the last stay is not over."""
    moves = np.array(CASES[case][1], dtype=float) * (1 - np.eye(3))
    jumps = moves / moves.sum(axis=1, keepdims=True)
    stays = [(state, len(list(group))) for state, group in groupby(path)]
    share = START[stays[0][0]]
    for (state, steps), (following, _) in pairwise(stays):
        share *= lengths(case, state, 30)[steps - 1] * jumps[state, following]
    state, steps = stays[-1]
    share *= 1 - lengths(case, state, 30)[: steps - 1].sum()
    return share * float(np.prod([EMITTED[s, x] for s, x in zip(path, rolls, strict=True) if x is not None]))


def every_path(case: str, rolls: list[int | None]) -> dict[tuple[int, ...], float]:
    return {path: joint(case, path, rolls) for path in product(range(3), repeat=len(rolls))}


def marginals(shares: dict[tuple[int, ...], float], step: int) -> np.ndarray:
    found = np.zeros(3)
    for path, share in shares.items():
        found[path[step]] += share
    return found / found.sum()


@pytest.mark.parametrize("case", CASES)
def test_all_answers_are_those_of_the_enumeration(case: str) -> None:
    hmm, shares = model(case), every_path(case, ROLLS)
    total = sum(shares.values())
    assert hmm.log_likelihood(ROLLS) == pytest.approx(np.log(total), rel=1e-12)
    smooth, filtered = hmm.smooth(ROLLS), hmm.filter(ROLLS)
    for step in range(len(ROLLS)):
        assert np.allclose(smooth.probabilities[step], marginals(shares, step), atol=1e-12)
        so_far = every_path(case, ROLLS[: step + 1])
        assert np.allclose(filtered.probabilities[step], marginals(so_far, step), atol=1e-12)
    best = sorted(shares, key=shares.__getitem__, reverse=True)[:3]
    found = hmm.decode(ROLLS, k=3)
    assert [one.log_probability for one in found] == pytest.approx([np.log(shares[path]) for path in best])
    assert list(hmm.decode(ROLLS)) == [STATES[s] for s in best[0]]
    posterior = hmm.decode(ROLLS, method="posterior")
    code = tuple(STATES.index(state) for state in posterior)
    assert code == tuple(marginals(shares, step).argmax() for step in range(len(ROLLS)))
    if shares[code] > 0:
        assert posterior.log_probability == pytest.approx(np.log(shares[code]))
    ahead = every_path(case, [*ROLLS[:5], None, None])
    forecast = hmm.forecast(ROLLS[:5], steps=2)
    for step in range(2):
        states = marginals(ahead, 5 + step)
        assert np.allclose(forecast.states[step], states, atol=1e-12)
        assert np.allclose(forecast.symbols["x"][step], states @ EMITTED, atol=1e-12)
    watch = hmm.online()
    for step, x in enumerate(ROLLS):
        assert list(watch.observe(x).values()) == pytest.approx(filtered.probabilities[step].tolist())


@pytest.mark.parametrize("case", CASES)
def test_lengths_of_stays_are_as_stated(case: str) -> None:
    hmm = model(case)
    for k, state in enumerate(STATES):
        assert np.allclose(hmm.stay_lengths(state, 12), lengths(case, k, 12), atol=1e-12)
        own = lengths(case, k, 400)
        assert hmm.expected_stay[k] == pytest.approx(own @ np.arange(1, 401), rel=1e-9)
    assert np.allclose(hmm.transition, CASES[case][1])
    assert np.allclose(hmm.start, START)
    assert np.allclose(hmm.emission("x").values, EMITTED, rtol=1e-15)
    drawn = hmm.sample(30_000, seed=1)["state"]
    stays = [(state, len(list(group))) for state, group in groupby(drawn)][:-1]
    for k, state in enumerate(STATES):
        own = [steps for name, steps in stays if name == state]
        shares = np.bincount(own, minlength=13)[1:13] / len(own)
        assert np.allclose(shares, lengths(case, k, 12), atol=5 * np.sqrt(0.25 / len(own)))
        assert drawn.count(state) / 30_000 == pytest.approx(hmm.stationary[k], abs=0.03)


def moments_of(case: str, data: list[list[int | None]]) -> tuple[Any, Any, Any, Any]:
    """Expected first states, ends and ages of stays, jumps, and emissions, by enumeration."""
    first, jumps, emitted = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
    ended, lasted = np.zeros((3, 30)), np.zeros((3, 30))
    for rolls in data:
        shares = every_path(case, rolls)
        total = sum(shares.values())
        for path, share in shares.items():
            weight, age = share / total, 1
            first[path[0]] += weight
            for step, (state, x) in enumerate(zip(path, rolls, strict=True)):
                age = age + 1 if step and path[step - 1] == state else 1
                if x is not None:
                    emitted[state, x] += weight
                if step + 1 < len(path):
                    going = path[step + 1] == state
                    (lasted if going else ended)[state, age - 1] += weight
                    if not going:
                        jumps[state, path[step + 1]] += weight
    return first, (ended, lasted), jumps, emitted


@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore:Learning stopped")
def test_a_step_of_learning_is_that_of_the_enumeration(case: str) -> None:
    data = [ROLLS, [2, 2, 1, 0], [1, 0, 0, 0, 2, 2]]
    hmm = model(case).fit(data, start="present", method="baum-welch", max_iterations=1)
    first, (ended, lasted), jumps, emitted = moments_of(case, data)
    assert np.allclose(hmm.start, first / first.sum(), atol=1e-10)
    assert np.allclose(hmm.emission("x").values, emitted / emitted.sum(axis=1, keepdims=True), atol=1e-10)
    off = hmm.transition * (1 - np.eye(3))
    assert np.allclose(
        off / off.sum(axis=1, keepdims=True), jumps / jumps.sum(axis=1, keepdims=True), atol=1e-10
    )
    stays = hmm.chain.stays
    assert stays is not None
    for k, state in enumerate(STATES):
        ages = len(stays.lengths[k])
        end, last = ended[k].copy(), lasted[k].copy()
        if stays.open_ended[k]:
            end[ages - 1], last[ages - 1] = end[ages - 1 :].sum(), last[ages - 1 :].sum()
        hazards = np.array([e / (e + g) if e + g > 0 else np.nan for e, g in zip(end, last, strict=True)])[
            :ages
        ]
        alive = 1.0
        for age, share in enumerate(hmm.stay_lengths(state, ages)):
            hazard = share / alive if alive > 1e-12 else np.nan
            bounded_end = age == ages - 1 and not stays.open_ended[k]
            if not np.isnan(hazards[age]) and alive > 1e-12 and not bounded_end:
                assert hazard == pytest.approx(hazards[age], abs=1e-9)
            alive -= share


def test_learning_finds_lengths_and_the_likelihood_never_falls() -> None:
    truth = bayou.HMM(["calm", "storm"], {"x": [0, 1, 2]}, duration={"calm": (3, 6), "storm": [0, 0.5, 0.5]})
    truth = truth.set_start([0.5, 0.5]).set_transition([[0, 1], [1, 0]])
    truth = truth.set_emission("x", [[0.8, 0.1, 0.1], [0.1, 0.1, 0.8]])
    data = [one["x"] for one in truth.sample(120, sequences=12, seed=3)]
    found = bayou.HMM(2, {"x": [0, 1, 2]}, duration=(1, 8)).fit(data, restarts=2, seed=1)
    assert (np.diff(found.learning.objectives) >= -1e-9 * abs(found.learning.objectives[-1])).all()
    assert found.expected_stay[0] == pytest.approx(4.5, abs=0.7)
    assert found.expected_stay[1] == pytest.approx(2.5, abs=0.6)
    plain = bayou.HMM(2, {"x": [0, 1, 2]}).fit(data, restarts=2, seed=1)
    assert found.bic(data) < plain.bic(data)
    assert found.free_parameters == 1 + 0 + 2 * 7 + 2 * 2
    other = bayou.HMM(2, {"x": [0, 1, 2]}, duration=(1, 8)).fit(data, seed=5, restarts=2)
    assert np.allclose(found.emission("x").values, other.emission("x").values, atol=0.02)


def test_known_states_are_used_and_files_hold_everything(tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(np.tile(np.repeat([0, 3], [4, 3]), 12))
    states = np.tile(np.repeat(["low", "high"], [4, 3]), 12).tolist()
    some = [state if k % 4 else None for k, state in enumerate(states)]
    hmm = bayou.HMM(["low", "high"], duration={"low": 2, "high": (2, 5)})
    hmm = hmm.fit({"x": x, "state": some})
    assert hmm.means.ravel() == pytest.approx([0, 3], abs=0.4)
    assert (np.array(list(hmm.decode(x))) == states).mean() > 0.9
    known = hmm.decode({"x": x, "state": some}, states=True)
    assert all(got == given for got, given in zip(known, some, strict=True) if given is not None)
    hmm.save(tmp_path / "m.bayou")
    again = bayou.load(tmp_path / "m.bayou")
    assert again.same_as(hmm)
    assert again.states == ("low", "high")
    assert again.smooth(x).probabilities.shape == (84, 2)
    assert "low" in str(again)
    assert " · " not in str(again)
    assert again.partial_fit(x[:30]).learning.method == "stepwise"
    rows = again.decode_rows({"x": x})
    assert set(rows.states) <= {"low", "high"}
    drawn = again.sample(5, given=x, seed=1)
    assert set(drawn["state"]) <= {"low", "high"}
    state = hmm.state()
    with pytest.raises(BadFile):
        bayou.HMM.from_state({**state, "duration": {**state["duration"], "open_ended": [True]}})
    with pytest.raises(BadFile):
        bayou.HMM.from_state({**state, "duration": {**state["duration"], "lengths": [np.ones(1)] * 2}})


@pytest.mark.parametrize(
    ("duration", "said"),
    [
        ({"d": 2}, "there is no state 'd'"),
        (0, "has no length"),
        ((4, 2), "has no length"),
        ([0.5, 0.2], "sum to 1"),
        ("long", "give the least length"),
    ],
)
def test_durations_that_mean_nothing_are_refused(duration: Any, said: str) -> None:
    with pytest.raises(BadQuestion, match=said):
        bayou.HMM(STATES, {"x": [0, 1, 2]}, duration=duration)


def test_what_durations_do_not_go_with() -> None:
    with pytest.raises(BadQuestion, match="at least two states"):
        bayou.HMM(["a"], {"x": [0, 1]}, duration=2)
    with pytest.raises(BadTable, match="must be 0"):
        model("shares").set_transition([[0.5, 0.25, 0.25], [0.5, 0, 0.5], [0.5, 0.5, 0]])
    with pytest.raises(BadQuestion, match="duration"):
        model("at least two").to_hmmlearn()
