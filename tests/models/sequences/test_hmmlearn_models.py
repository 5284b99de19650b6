"""Models of hmmlearn, read by their attributes alone, against densities written out."""

from __future__ import annotations

import math
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from tests.models.sequences.chain_oracle import Oracle

import bayou
from bayou.errors import BadData, BadQuestion, BadTable, MissingPackage, NotFitted

START, MOVE = np.array([0.3, 0.7]), np.array([[0.8, 0.2], [0.4, 0.6]])
MATRICES = np.array([[[2.0, 0.5], [0.5, 1.0]], [[1.0, -0.3], [-0.3, 3.0]]])


def theirs(**parts):
    return SimpleNamespace(startprob_=START, transmat_=MOVE, **parts)


SHAPES = {
    "full": (MATRICES, MATRICES),
    "diag": (np.array([[2.0, 1.0], [0.5, 3.0]]), np.array([np.diag([2.0, 1.0]), np.diag([0.5, 3.0])])),
    "diag as matrices": (np.array([np.diag([2.0, 1.0]), np.diag([0.5, 3.0])]),) * 2,
    "spherical": (np.array([2.0, 0.5]), np.array([2 * np.eye(2), 0.5 * np.eye(2)])),
    "spherical by column": (np.array([[2.0, 2.0], [0.5, 0.5]]), np.array([2 * np.eye(2), 0.5 * np.eye(2)])),
    "tied": (MATRICES[0], np.array([MATRICES[0], MATRICES[0]])),
    "tied twice": (np.array([MATRICES[0]] * 2), np.array([MATRICES[0], MATRICES[0]])),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_gaussians_of_every_covariance_type(shape):
    given, matrices = SHAPES[shape]
    means = np.array([[0.0, 1.0], [3.0, -1.0]])
    model = theirs(means_=means, covars_=given, covariance_type=shape.split()[0])
    x = np.random.default_rng(0).normal(1, 2, (12, 2))
    oracle = Oracle(START, MOVE, shares=np.ones((2, 1)), means=means[:, None], covariances=matrices[:, None])
    hmm = bayou.HMM.from_hmmlearn(model)
    assert hmm.log_likelihood(x) == pytest.approx(oracle.messages({"x": x})[0], rel=1e-12)
    np.testing.assert_allclose(hmm.covariances, matrices, rtol=1e-12)


MIXED = {
    "full": np.array([MATRICES, MATRICES[::-1]]),
    "diag": np.array([[[2.0, 1.0], [1.0, 4.0]], [[0.5, 3.0], [1.0, 1.5]]]),
    "spherical": np.array([[2.0, 1.0], [0.5, 3.0]]),
    "tied": MATRICES,
}


@pytest.mark.parametrize("shape", MIXED)
def test_mixtures_of_every_covariance_type(shape):
    given, eye = MIXED[shape], np.eye(2)
    matrices = {
        "full": lambda: given,
        "diag": lambda: given[..., None] * eye,
        "spherical": lambda: given[..., None, None] * eye,
        "tied": lambda: np.stack([given, given], axis=1),
    }[shape]()
    means = np.array([[[0.0, 1.0], [1.0, 1.0]], [[3.0, -1.0], [5.0, 0.0]]])
    shares = np.array([[0.25, 0.75], [0.6, 0.4]])
    model = theirs(means_=means, covars_=given, weights_=shares, covariance_type=shape)
    x = np.random.default_rng(0).normal(1, 2, (12, 2))
    oracle = Oracle(START, MOVE, shares=shares, means=means, covariances=matrices)
    found = bayou.HMM.from_hmmlearn(model).log_likelihood(x)
    assert found == pytest.approx(oracle.messages({"x": x})[0], rel=1e-12)


def test_counts_and_symbols():
    rates = np.array([[1.0, 4.0], [3.0, 0.5]])
    hmm = bayou.HMM.from_hmmlearn(theirs(lambdas_=rates), columns=["calls", "visits"])
    x = np.array([[0, 3], [2, 2], [5, 0]])
    oracle = Oracle(START, MOVE, rates={"calls": rates[:, 0], "visits": rates[:, 1]})
    expected = oracle.messages({"calls": x[:, 0].astype(float), "visits": x[:, 1].astype(float)})[0]
    assert hmm.log_likelihood(x) == pytest.approx(expected, rel=1e-12)
    table = np.array([[0.2, 0.5, 0.3], [0.7, 0.2, 0.1]])
    named = bayou.HMM.from_hmmlearn(theirs(emissionprob_=table), states=["a", "b"])
    expected = Oracle(START, MOVE, tables={"x": table}).messages({"x": [0, 2, 2, 1]})[0]
    assert named.log_likelihood([0, 2, 2, 1]) == pytest.approx(expected, rel=1e-12)
    assert named.states == ("a", "b")
    assert math.isclose(named.start.sum(), 1)


def test_what_cannot_be_read_is_said():
    with pytest.raises(NotFitted, match="fit it with hmmlearn first"):
        bayou.HMM.from_hmmlearn(SimpleNamespace(n_components=2))
    with pytest.raises(BadQuestion, match="SimpleNamespace cannot be read"):
        bayou.HMM.from_hmmlearn(theirs(emissionprob_=np.eye(2), n_trials=4))
    with pytest.raises(BadData, match="3 names, but the model has 2 states"):
        bayou.HMM.from_hmmlearn(theirs(lambdas_=[[1.0]] * 3), states=["a", "b", "c"])
    with pytest.raises(BadTable, match="expected"):
        bayou.HMM.from_hmmlearn(theirs(lambdas_=[[1.0]] * 2), states=["a", "b", "c"])


def test_without_hmmlearn_the_message_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "hmmlearn.hmm", None)
    with pytest.raises(MissingPackage, match="pip install hmmlearn"):
        bayou.examples.casino().to_hmmlearn()


def test_what_hmmlearn_does_not_have_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "hmmlearn.hmm", SimpleNamespace())
    two = bayou.HMM(2, {"x": [0, 1], "y": "poisson"}).set_start(START).set_transition(MOVE)
    two.set_emission("x", np.eye(2)).set_emission("y", {"rate": [1.0, 2.0]})
    with pytest.raises(BadQuestion, match=r"'x' \(.*'y' \(Poisson\)"):
        two.to_hmmlearn()
    ending = bayou.HMM(2, {"x": [0, 1]}, ends=True)
    with pytest.raises(BadQuestion, match="no end probabilities"):
        ending.to_hmmlearn()
