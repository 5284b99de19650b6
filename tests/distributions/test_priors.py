"""Priors as people give them: the numbers of numpy are numbers, nonsense and no effect are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.distributions import BDeu, Dirichlet, Laplace, MEstimate, prior_from
from bayou.errors import BadPrior, BadVariable

RATINGS = {"Jim B": [4, 5, 5], "Märtha": [5, 4, 4]}


def shared(prior: Any) -> bayou.Network:
    return bayou.Network({"Jim B": [], "Märtha": []}, share={"p_R": ["Jim B", "Märtha"]}).fit(
        RATINGS, prior=prior
    )


@pytest.mark.parametrize("given", ["abc", [[1, 2], [3]], [1, "x"], object(), [1, -1], float("nan")])
def test_a_dirichlet_of_no_numbers_is_refused(given: Any) -> None:
    with pytest.raises(BadPrior, match="Dirichlet: pseudocounts"):
        Dirichlet(given)


@pytest.mark.parametrize("number", [np.int64(2), np.float32(2), np.uint8(2), 2])
def test_numbers_of_numpy_are_numbers_and_are_saved(number: Any, tmp_path: Path) -> None:
    for given in (number, Laplace(number), BDeu(number), MEstimate(number), Dirichlet(number)):
        net = bayou.Network("R").fit({"R": [4, 5, 5]}, prior=given)
        net.save(tmp_path / "net.bayou")
        again = bayou.load(tmp_path / "net.bayou")
        assert again.partial_fit({"R": [1]}).same_as(net.partial_fit({"R": [1]}))
    assert type(prior_from(number).strength) is float


@pytest.mark.parametrize("given", [np.bool_(True), True, np.complex128(1), 10**400])
def test_what_is_no_amount_is_no_prior(given: Any) -> None:
    with pytest.raises(BadPrior):
        prior_from(given)


def test_an_m_estimate_needs_a_mapping() -> None:
    with pytest.raises(BadPrior, match="must be a mapping of states"):
        MEstimate(2, "abc")


def test_two_equal_arrays_are_one_prior_for_a_shared_block() -> None:
    alike = {"Jim B": Dirichlet([1, 2]), "Märtha": Dirichlet(np.array([1.0, 2.0]))}
    assert shared(alike).cpt("Jim B")[4] == pytest.approx(4 / 9)
    with pytest.raises(BadPrior, match="two different priors"):
        shared({"Jim B": Dirichlet([1, 2]), "Märtha": Dirichlet([2, 1])})
    with pytest.raises(BadPrior, match="two different priors"):
        shared({"Jim B": Dirichlet([1, 2]), "Märtha": Dirichlet({4: 1, 5: 2})})


def test_dirichlets_compare_by_what_they_say() -> None:
    assert Dirichlet({1: 2, "1": 3}) == Dirichlet({"1": 3, 1: 2.0})
    assert Dirichlet({1: 2}) != Dirichlet({True: 2})
    assert Dirichlet([1, 2]) != Laplace(1)
    assert hash(Dirichlet([1, 2])) == hash(Dirichlet((1.0, 2.0)))


def test_numbers_handed_to_a_dirichlet_are_copied() -> None:
    given = np.array([1.0, 2.0])
    prior = Dirichlet(given)
    given[0] = 9.0
    assert prior == Dirichlet([1, 2])


def test_a_block_shared_by_a_number_and_a_state_is_refused() -> None:
    net = bayou.Network({"a": [], "b 2": []}, share={"both": ["a", "b 2"]})
    with pytest.raises(BadVariable, match="'b 2' is continuous and 'a' is discrete"):
        net.fit({"a": ["u", "v", "u"], "b 2": [1.5, 2.5, 0.5]})
    with pytest.raises(BadVariable, match="'b 2' is continuous and 'a' is discrete"):
        bayou.Network(
            {"a": [], "b 2": []}, states={"a": ["u"]}, continuous=["b 2"], share={"p": ["a", "b 2"]}
        )


def test_a_prior_for_a_continuous_variable_is_refused() -> None:
    data = {"a": ["u", "v", "u", "v"] * 2, "x": [1.5, 2.5, 0.5, 4.0, 8.0, 7.0, 1.0, 2.0]}
    net = bayou.Network("a -> x", continuous=["x"])
    with pytest.raises(BadPrior, match="'x' would have no effect"):
        net.fit(data, prior={"x": Laplace(2)})
    net.fit(data, prior={"a": Laplace(2)})


def test_pseudocounts_that_numpy_repeats_are_not_copied() -> None:
    row = np.array([1.0, 2.0])
    held = np.asarray(Dirichlet(np.broadcast_to(row, (1000, 1000, 2))).alpha)
    row[0] = 7.0
    assert (held.shape, held.strides[:2], held[999, 999].tolist()) == ((1000, 1000, 2), (0, 0), [1.0, 2.0])
    with pytest.raises(BadPrior, match="not negative"):
        Dirichlet(np.broadcast_to(np.array([1.0, -2.0]), (3, 2)))
    own = np.array([[1.0, 2.0]])
    kept = Dirichlet(own)
    own[0, 0] = 5.0
    assert np.asarray(kept.alpha).tolist() == [[1.0, 2.0]]
