"""Models of labelled sequences add and subtract; those with hidden states say why they do not."""

from __future__ import annotations

import numpy as np
import pytest

import bayou
from bayou.errors import BadStatistics, NotFitted


def chain() -> bayou.HMM:
    return bayou.HMM(["a", "b"], {"x": [0, 1, 2]})


FIRST = ([[0, 0, 1, 2], [1, 0]], [list("aabb"), list("ba")])
SECOND = ([[2, 2, 1], [0, 1, 0]], [list("bba"), list("aba")])


def test_labelled_sequences_of_two_sites() -> None:
    one, other = (chain().fit(rows, states=states) for rows, states in (FIRST, SECOND))
    both = chain().fit([*FIRST[0], *SECOND[0]], states=[*FIRST[1], *SECOND[1]])
    for found, expected in ((one + other, both), (both - other, one)):
        np.testing.assert_array_equal(found.transition, expected.transition)
        np.testing.assert_array_equal(found.start, expected.start)
        same = {**expected.fitted.statistics}
        assert all(found.fitted.statistics[request] == same[request] for request in same)


def test_hidden_states_do_not_add() -> None:
    hidden = chain().fit(FIRST[0], restarts=1)
    labelled = chain().fit(FIRST[0], states=FIRST[1])
    with pytest.raises(BadStatistics, match="learned by EM"):
        hidden + labelled
    with pytest.raises(NotFitted, match="fit both"):
        labelled + chain()
    other = bayou.HMM(["a", "b"], {"x": [0, 1, 2, 3]}).fit(FIRST[0], states=FIRST[1])
    with pytest.raises(BadStatistics, match="other states or columns"):
        labelled - other
    with pytest.raises(TypeError):
        labelled + 1
    walk = bayou.KalmanModel.local_level(0.5, 2.0, start_variance=1)
    with pytest.raises(BadStatistics, match="do not add"):
        walk + walk
