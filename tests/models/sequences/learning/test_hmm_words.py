"""Texts as what a hidden state emits, also with words of probability 0."""

from __future__ import annotations

import numpy as np

import bayou

CALM, LOUD = ["sun and calm", "calm sea", "sun"], ["storm and rain", "rain", "storm wind"]


def test_texts_without_a_prior_converge_and_tell_the_states_apart() -> None:
    texts = (CALM * 4 + LOUD * 4) * 3
    model = bayou.HMM(2, {"note": "words"}).fit({"note": texts})
    assert model.learning.converged
    states = np.asarray(model.decode({"note": texts})).reshape(3, 2, 12)
    assert (states[:, 0] == states[0, 0, 0]).all()
    assert (states[:, 1] == 1 - states[0, 0, 0]).all()


def test_distances_of_logarithms_of_zero() -> None:
    from bayou.distributions import Family, Words
    from bayou.schema import Variable

    family = Family(Variable("note", texts=True), (Variable("state", [0, 1]),))
    with np.errstate(divide="ignore"):
        one = Words(("a", "b"), np.log([[1.0, 0.5], [0.0, 0.5]]))
        other = Words(("a", "b"), np.log([[0.5, 0.5], [0.5, 0.5]]))
    assert one.distance(one, family, {}) == 0
    assert one.distance(other, family, {}) == 1
