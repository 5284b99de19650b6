"""Where learning starts: steps in one kernel are those of EM elsewhere, and the contest finds the best."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayou
from bayou.distributions import prior_from
from bayou.fitting.sequences.sequence_fit import SequenceFitOptions, chain_problem
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.learning import PriorChoice
from bayou.temporal import chain_starts
from bayou.temporal.chain_model import ChainModel
from bayou.temporal.chain_structure import COVARIANCES
from bayou.temporal.starts.contest import Contest
from bayou.temporal.starts.many_climbs import ManyClimbs, many_climbs
from bayou.temporal.starts.perturbations import perturbed
from bayou.temporal.starts.random_parameters import RandomParameters


def sequences(seed: int, states: int, kind: str, rows: int = 300) -> list[Any]:
    """Sequences of a random chain whose states are not easy to tell apart."""
    chance = np.random.default_rng(seed)
    moves = chance.dirichlet(np.ones(states), states) * 0.3 + 0.7 * np.eye(states)
    symbols = chance.dirichlet(np.full(5, 0.6), states)
    means = chance.normal(0, 2, (states, 2))
    found = []
    for _ in range(3):
        state, one = 0, []
        for _ in range(rows // 3):
            one.append(
                chance.choice(5, p=symbols[state])
                if kind == "symbols"
                else means[state] + chance.normal(size=2)
            )
            state = chance.choice(states, p=moves[state])
        found.append(np.array(one))
    return found


def climbs_of(hmm: Any, data: Any, prior: float = 0.0) -> ManyClimbs:
    rows = hmm._opened(hmm._given(data, None, None, None, None, "ignore", None, None), fresh=True)
    made = many_climbs(
        chain_problem(hmm.chain, rows, PriorChoice(prior_from(prior)), SequenceFitOptions()), rows
    )
    assert made is not None
    return made


CASES = [("symbols", "full"), *(("numbers", covariance) for covariance in COVARIANCES)]


@pytest.mark.parametrize(("kind", "covariance"), CASES)
@pytest.mark.parametrize("prior", [0.0, 1.5])
def test_a_step_of_many_climbs_is_the_ordinary_step(kind: str, covariance: str, prior: float) -> None:
    climbs = climbs_of(bayou.HMM(3, covariance=covariance), sequences(1, 3, kind), prior)
    rows = RandomParameters(climbs, np.random.default_rng(0)).draw(9)
    moved, reached, _ = climbs.climb(rows, 1)
    for row, after, value in zip(rows, moved, reached, strict=True):
        network = climbs.network(row)
        found = Expectation(*ChainModel(climbs.problem.chain, network).expected(climbs.rows))
        assert value == pytest.approx(found.log_likelihood + climbs.problem.log_prior(network), rel=1e-9)
        better = climbs.problem.maximised(network, found)
        assert climbs.problem.distance(better, climbs.network(after), {}) < 1e-9


@pytest.mark.parametrize(("kind", "covariance"), CASES)
def test_random_parameters_and_steps_away_are_proper(kind: str, covariance: str) -> None:
    climbs = climbs_of(bayou.HMM(4, covariance=covariance), sequences(2, 4, kind))
    chance = np.random.default_rng(3)
    drawn = RandomParameters(climbs, chance).draw(30)
    for rows in (drawn, perturbed(climbs, drawn, chance, 40)):
        *tables, means, slopes, variances = climbs.parts(rows)
        for table in tables:
            np.testing.assert_allclose(table.sum(axis=-1), 1)
            assert (table > 0).all()
        assert np.isfinite(means).all()
        assert np.isfinite(slopes).all()
        assert (variances >= climbs.floors).all()
        assert np.isfinite(variances).all()
        assert np.isfinite(climbs.climb(rows, 1)[1]).all()


def test_climbs_in_one_place_count_once_whatever_the_order_of_their_states() -> None:
    climbs = climbs_of(bayou.HMM(3), sequences(1, 3, "numbers"))
    row = RandomParameters(climbs, np.random.default_rng(0)).draw(2)
    start, moves, means, slopes, variances = climbs.parts(row[:1])
    order = [2, 0, 1]
    other = climbs.rows_of(
        [start[:, order], moves[:, order][:, :, order], *(p[:, order] for p in (means, slopes, variances))]
    )
    contest = Contest(climbs, np.random.default_rng(0))
    kept, reached = contest._best(np.concatenate([row, other]), np.array([1.0, 3.0, 2.0]), 3)
    assert reached.tolist() == [3.0, 2.0]
    assert np.array_equal(kept, np.concatenate([row[1:], other]))


@pytest.mark.parametrize("symbols", [5, 20_000])
def test_large_tables_make_climbs_fewer_and_shorter(symbols: int, monkeypatch: pytest.MonkeyPatch) -> None:
    data = [one.tolist() for one in sequences(1, 3, "symbols")]
    climbs = climbs_of(bayou.HMM(3, {"x": list(range(symbols))}), data)
    made: list[int] = []

    def climb(self: ManyClimbs, rows: Any, steps: int, tolerance: float = 0.0) -> Any:
        made.append(len(rows) * steps)
        return rows, np.zeros(len(rows)), np.zeros(len(rows), np.int64)

    monkeypatch.setattr(ManyClimbs, "climb", climb)
    Contest(climbs, np.random.default_rng(0)).leaders()
    assert sum(made) * 3 * symbols < 2e8  # cells that are estimated
    assert sum(made) > (20_000 if symbols == 5 else 400)


@pytest.mark.parametrize("kind", ["symbols", "numbers"])
@pytest.mark.parametrize("states", [2, 4])
def test_no_other_seed_finds_a_better_maximum(kind: str, states: int) -> None:
    data = sequences(7 + states, states, kind)
    # Full covariances have maxima at a few rows in a line, of which one or another is found.
    hmm = bayou.HMM(states, covariance="spherical")
    found = [hmm.fit(data, seed=seed).log_likelihood(data) for seed in range(3)]
    assert max(found) - found[0] < 0.05
    assert hmm.fit(data, restarts=2, seed=9).log_likelihood(data) - found[0] < 0.05


def test_the_same_seed_gives_the_same_model_with_any_number_of_threads() -> None:
    data = sequences(5, 3, "numbers")
    with bayou.threads(1):
        one = bayou.HMM(3).fit(data, seed=4)
    with bayou.threads(2):
        assert bayou.HMM(3).fit(data, seed=4).same_as(one)


def test_many_rows_are_left_to_the_leaders_of_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    data = sequences(3, 3, "symbols", rows=1200)
    whole = bayou.HMM(3).fit(data).log_likelihood(data)
    monkeypatch.setattr(chain_starts, "_FEW", 300)
    assert bayou.HMM(3).fit(data).log_likelihood(data) == pytest.approx(whole, abs=0.05)
    monkeypatch.setattr(chain_starts, "ROWS", 500)
    assert bayou.HMM(3).fit(data).log_likelihood(data) == pytest.approx(whole, abs=0.05)


def test_models_that_the_kernel_does_not_know_start_from_groupings() -> None:
    data = sequences(1, 2, "numbers", rows=60)
    gaps = [np.where(np.arange(len(one))[:, None] % 7 == 0, np.nan, one) for one in data]
    for hmm, rows in ((bayou.HMM(2), gaps), (bayou.HMM(2, components=2), data)):
        opened = hmm._opened(hmm._given(rows, None, None, None, None, "ignore", None, None), fresh=True)
        problem = chain_problem(hmm.chain, opened, PriorChoice(prior_from(0)), SequenceFitOptions())
        assert many_climbs(problem, opened) is None
        assert hmm.fit(rows).learning.verdict == "converged"


@pytest.mark.parametrize(
    "data",
    [
        [[0, 1]],
        [[0.5, 1.0]],
        [[0], [1], [1]],
        [[0, 1, 1], [], [1, 0, 0, 0]],
        [0.0, 1.0] * 9,
        [3e120, 1e120, 2e120],
    ],
)
def test_a_few_rows_are_enough_to_start_from(data: list[Any]) -> None:
    for states in (1, 3):
        assert bayou.HMM(states).fit(data).learning.verdict == "converged"


def test_tables_too_large_for_many_climbs_start_from_groupings(monkeypatch: pytest.MonkeyPatch) -> None:
    data = sequences(0, 2, "symbols")
    climbs = climbs_of(bayou.HMM(2), data)
    monkeypatch.setattr("bayou.temporal.starts.many_climbs._MOST_CELLS", 9)
    assert many_climbs(climbs.problem, climbs.rows) is None
    assert bayou.HMM(2).fit(data).learning.verdict == "converged"
