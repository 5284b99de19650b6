"""Hidden Markov models against the shared reference answers."""

from __future__ import annotations

import numpy as np
import pytest
from tests.shared_data import needs_shared_data, shared_json

import bayou

MODELS = {one["name"]: one for one in shared_json("sequences/hmm_reference.json.gz") or []}
CATEGORICAL = [name for name, one in MODELS.items() if one["kind"] == "categorical"] or ["none"]


def made(reference, parameters=None):
    numbers = parameters or reference["parameters"]
    if reference["kind"] == "categorical":
        hmm = bayou.HMM(reference["states"], {"symbol": reference["symbols"]})
        hmm.set_start(close(numbers["start"])).set_transition(close(numbers["transition"]))
        return hmm.set_emission("symbol", close(numbers["emission"]))
    hmm = bayou.HMM(2, {"duration": "gaussian", "waiting": "gaussian"})
    hmm.set_start(numbers["start"]).set_transition(numbers["transition"])
    return hmm.set_gaussian(numbers["means"], numbers["covariances"])


def close(table):
    """The reference has twelve digits: rows are made to sum to 1."""
    values = np.asarray(table)
    return values / values.sum(axis=-1, keepdims=True)


def observed(reference, sequence):
    if reference["kind"] == "categorical":
        return [reference["symbols"][code] for code in sequence["observations"]]
    return np.asarray(sequence["observations"])


@needs_shared_data
@pytest.mark.parametrize("name", sorted(MODELS) or ["none"])
def test_likelihoods_posteriors_and_paths(name):
    reference = MODELS[name]
    hmm = made(reference)
    for sequence in reference["sequences"]:
        data = observed(reference, sequence)
        assert hmm.log_likelihood(data) == pytest.approx(sequence["log_likelihood"], abs=1e-9, rel=1e-9)
        np.testing.assert_allclose(hmm.smooth(data).probabilities, sequence["posteriors"], atol=1e-9)
        np.testing.assert_allclose(hmm.filter(data).probabilities, sequence["filtered"], atol=1e-9)
        path = hmm.decode(data)
        assert path.log_probability == pytest.approx(sequence["viterbi_log_prob"], abs=1e-9, rel=1e-9)
        if sequence["viterbi_path_equal_own"]:
            assert path.codes.tolist() == sequence["viterbi_path"]


@needs_shared_data
@pytest.mark.parametrize("name", CATEGORICAL)
def test_counting_labelled_sequences(name):
    reference = MODELS[name]
    data = [observed(reference, one) for one in reference["sequences"]]
    states = [[reference["states"][code] for code in one["true_states"]] for one in reference["sequences"]]
    hmm = bayou.HMM(reference["states"], {"symbol": reference["symbols"]}).fit(data, states=states, prior=1)
    expected = reference["supervised_laplace_1"]
    np.testing.assert_allclose(hmm.start, expected["start"], atol=1e-11)
    np.testing.assert_allclose(hmm.transition, expected["transition"], atol=1e-11)
    np.testing.assert_allclose(hmm.emission("symbol").values, expected["emission"], atol=1e-11)


@needs_shared_data
@pytest.mark.parametrize("name", CATEGORICAL)
def test_ten_steps_of_baum_welch(name):
    reference = MODELS[name]
    data = [observed(reference, one) for one in reference["sequences"]]
    known = reference["baum_welch"]
    hmm = made(reference, known["initial"])
    with pytest.warns(bayou.BayouWarning, match="max_iterations"):
        hmm.fit(data, method="baum-welch", start="present", tolerance=0, max_iterations=known["iterations"])
    logs = [*known["log_likelihood_before_each_iteration"], known["final_log_likelihood"]]
    np.testing.assert_allclose(hmm.learning.log_likelihoods, logs, rtol=1e-9)
    np.testing.assert_allclose(hmm.transition, known["final"]["transition"], atol=1e-9)
    np.testing.assert_allclose(hmm.emission("symbol").values, known["final"]["emission"], atol=1e-9)
