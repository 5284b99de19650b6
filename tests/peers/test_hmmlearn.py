"""Models of hmmlearn to and from bayou: the same likelihoods and paths.

Runs where hmmlearn is installed, as in an environment with ``benchmarks/requirements.txt``. Elsewhere, and so
by ``make test``, it is not collected.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.temporal.test_best_of_ten import BEST_OF_TEN, problem

import bayou

hmm = pytest.importorskip("hmmlearn.hmm")

pytestmark = [pytest.mark.filterwarnings("ignore")]


def fitted(kind: str, shape: str) -> tuple[Any, Any]:
    chance = np.random.default_rng(5)
    states = (np.arange(400) // 20) % 3
    if kind == "categorical":
        x = (states + chance.integers(0, 2, 400))[:, None]
        return hmm.CategoricalHMM(3, random_state=1).fit(x), x
    if kind == "poisson":
        x = chance.poisson(1 + 4 * states[:, None] * np.array([1.0, 0.5]))
        return hmm.PoissonHMM(3, random_state=1).fit(x), x
    x = chance.normal(3.0 * states[:, None], 1.0, (400, 2)) @ np.array([[1.0, 0.4], [0.0, 0.8]])
    if kind == "mixture":
        return hmm.GMMHMM(3, 2, covariance_type=shape, random_state=1).fit(x), x
    return hmm.GaussianHMM(3, covariance_type=shape, random_state=1).fit(x), x


SHAPES = ("full", "diag", "spherical", "tied")
CASES = [("categorical", ""), ("poisson", "")] + [
    (kind, shape) for kind in ("gaussian", "mixture") for shape in SHAPES
]


@pytest.mark.parametrize(("kind", "shape"), CASES)
def test_the_same_answers_here_there_and_back(kind: str, shape: str) -> None:
    theirs, x = fitted(kind, shape)
    ours = bayou.HMM.from_hmmlearn(theirs)
    value, path = theirs.decode(x)
    assert ours.log_likelihood(x) == pytest.approx(theirs.score(x), rel=1e-9)
    assert ours.decode(x).log_probability == pytest.approx(value, rel=1e-9)
    np.testing.assert_array_equal(np.asarray(ours.decode(x)), path)
    np.testing.assert_allclose(ours.smooth(x).probabilities, theirs.predict_proba(x), atol=1e-8)
    back = ours.to_hmmlearn()
    assert back.score(x) == pytest.approx(theirs.score(x), rel=1e-9)
    again = bayou.HMM.from_hmmlearn(back)
    assert again.log_likelihood(x) == pytest.approx(theirs.score(x), rel=1e-9)


def test_symbols_become_numbers_and_shared_diagonals_a_tied_matrix() -> None:
    casino = bayou.examples.casino()
    rolls = [1, 6, 6, 3, 2]
    there = casino.to_hmmlearn()
    assert there.score(np.array(rolls)[:, None] - 1) == pytest.approx(casino.log_likelihood(rolls), rel=1e-12)
    own = bayou.HMM(2, {"a": "gaussian", "b": "gaussian"}, covariance="shared diagonal")
    own.set_start([0.5, 0.5]).set_transition([[0.9, 0.1]] * 2).set_gaussian(np.eye(2), [[1.0, 2.0]] * 2)
    x = np.random.default_rng(0).normal(size=(9, 2))
    assert own.to_hmmlearn().score(x) == pytest.approx(own.log_likelihood(x), rel=1e-12)


@pytest.mark.parametrize("seed", [4, 5, 9])
def test_the_best_of_ten_fits_is_the_number_that_the_tests_know(seed: int) -> None:
    states, data = problem(seed)
    rows, lengths = np.concatenate(data).reshape(sum(map(len, data)), -1), [len(one) for one in data]
    found = []
    for run in range(10):
        how: dict[str, Any] = {"random_state": run, "n_iter": 500, "tol": 1e-5}
        gaussian = {"covariance_type": "full", "covars_prior": 0, "min_covar": 1e-6}
        model = hmm.CategoricalHMM(states, **how) if seed % 2 else hmm.GaussianHMM(states, **how, **gaussian)
        found.append(model.fit(rows, lengths).score(rows, lengths))
    assert max(found) == pytest.approx(BEST_OF_TEN[seed], abs=1e-3)
