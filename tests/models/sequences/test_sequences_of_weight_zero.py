"""A sequence of weight 0 changes nothing that is learned, wherever the sequences are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bayou
from bayou.schema import Variable
from bayou.statistics.batch import Batch
from bayou.statistics.rows.sequence_batch import SequenceBatch, counting, numbers_in_data
from bayou.temporal.stored_sequences import LongRows, StoredSequences

CHANCE = np.random.default_rng(0)
WALK = list(np.cumsum(CHANCE.normal(size=60)))
WILD = list(1e8 * CHANCE.normal(size=60))


@pytest.mark.parametrize("other", [WALK, WILD, [1e300] * 9])
def test_a_hidden_chain_is_learned_as_without_it(other):
    alone = bayou.HMM(2).fit([WALK], weights=[1])
    with_other = bayou.HMM(2).fit([WALK, other], weights=[1, 0])
    assert with_other.log_likelihood([WALK]) == alone.log_likelihood([WALK])
    assert with_other.log_likelihood([WALK]) == pytest.approx(bayou.HMM(2).fit([WALK]).log_likelihood([WALK]))


@pytest.mark.parametrize("other", [WALK, WILD])
def test_a_kalman_model_is_learned_as_without_it(other):
    model = bayou.KalmanModel.local_level
    alone = model().fit([WALK])
    assert model().fit([WALK, other], weights=[1, 0]).score([WALK]) == pytest.approx(alone.score([WALK]))
    assert model().fit([other, WALK], weights=[0, 1]).score([WALK]) == pytest.approx(alone.score([WALK]))


def test_a_sequence_that_cannot_occur_does_not_abort_learning():
    chain = bayou.HMM(2).fit([[0, 1], [1, 1]], weights=[1, 0])
    assert chain.log_likelihood([[0, 1]]) == pytest.approx(0)


def test_a_table_with_a_column_of_sequences():
    rows = pd.DataFrame({"who": ["a"] * 60 + ["b"] * 60, "x": WALK + WILD})
    found = bayou.HMM(2).fit(rows, sequence="who", weights=[1, 0])
    assert found.log_likelihood([WALK]) == bayou.HMM(2).fit([WALK], weights=[1]).log_likelihood([WALK])


def test_a_dynamic_network_with_numbers():
    def learned(data, **how):
        net = bayou.DynamicNetwork("mood[t-1] -> mood[t] -> x[t]", states={"mood": ["low", "high"]})
        return net.fit(data, seed=1, **how)

    one, two = pd.DataFrame({"x": WALK}), pd.DataFrame({"x": WALK[::-1]})
    alone = learned([one], weights=[1])
    both = learned([one, two], weights=[1, 0])
    assert both.log_likelihood([one]) == pytest.approx(alone.log_likelihood([one]))


def test_messages_keep_the_numbers_of_sequences():
    chain = bayou.HMM(["a", "b"], {"x": [0, 1]}).set_start([1, 0]).set_transition([[1, 0], [0, 1]])
    chain.set_emission("x", [[1, 0], [0, 1]])
    with pytest.raises(bayou.errors.ImpossibleEvidence, match=r"^Sequence 2 .*row 4,"):
        chain.fit([[1, 1], [0, 0], [1, 1]], weights=[0, 1, 1], start="present")


def test_stored_sequences_keep_their_numbers():
    stored = StoredSequences([Variable("A", ["n", "y"])])
    codes = np.array([0, 1, 0, 1, 1, 0, 1], np.uint8)
    stored.add(SequenceBatch(Batch(7, {"A": codes}, {}), np.array([0, 1, 4, 7])))
    stored.weights = np.array([0.0, 0.0, 2.0])
    kept = stored.counting()
    (part,) = kept.whole_parts()
    assert (numbers_in_data(part).tolist(), part.weights.tolist(), part.batch.codes["A"].tolist()) == (
        [2],
        [2.0],
        [1, 0, 1],
    )
    (long,) = kept.whole_parts(rows=2)
    assert isinstance(long, LongRows)
    assert (long.number, long.weight) == (2, 2.0)
    assert counting(stored.only(np.array([1]))).count == 0
