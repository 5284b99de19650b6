"""Arrays that are used as they are give the same answers as the same data read as a table."""

from __future__ import annotations

import numpy as np
import pytest

import bayou
from bayou.models.sequences.input.plain_arrays import plain_batch
from bayou.schema import Variable


@pytest.fixture
def model() -> bayou.HMM:
    chance = np.random.default_rng(3)
    made = bayou.HMM(2, {"a": [1, 2, 3], "x": "gaussian"})
    made.set_start([0.4, 0.6]).set_transition(chance.dirichlet([2, 2], 2))
    made.set_emission("a", chance.dirichlet([1, 1, 1], 2))
    return made.set_gaussian([[0.0], [2.0]], [[[1.0]], [[0.5]]])


def table() -> dict[str, np.ndarray]:
    chance = np.random.default_rng(4)
    return {"a": chance.integers(1, 4, 40), "x": chance.normal(1, 1, 40)}


def test_arrays_and_lists_give_the_same_answers(model: bayou.HMM) -> None:
    data, lengths = table(), [25, 15]
    lists = {name: column.tolist() for name, column in data.items()}
    assert model.log_likelihood(data, lengths=lengths) == model.log_likelihood(lists, lengths=lengths)
    for one, other in zip(
        model.decode(data, lengths=lengths), model.decode(lists, lengths=lengths), strict=True
    ):
        assert list(one) == list(other)


def test_what_is_not_plain_is_read_as_a_table() -> None:
    dice = Variable("a", [1, 2, 3])
    assert plain_batch({"a": np.array([1, 4])}, [dice]) is None, "an unseen value"
    assert plain_batch({"a": np.array([1.0, 2.0])}, [dice]) is None, "numbers with a fraction"
    assert plain_batch({"a": [1, 2]}, [dice]) is None, "a list"
    assert plain_batch({"b": np.array([1])}, [dice]) is None, "no such column"
    assert plain_batch({"a": np.array([0, 1])}, [Variable("a", [False, True])]) is None, "truth values"
    assert plain_batch({"a": np.array([3, 1])}, [Variable("a", [3, 1])]) is None, "states in another order"
    assert plain_batch({"a": np.array([1, 2])}, [Variable("a")]) is None, "whole numbers of a number column"


def test_an_unseen_value_in_an_array_is_missing(model: bayou.HMM) -> None:
    data = table()
    unseen = {"a": np.where(np.arange(40) == 7, 9, data["a"]), "x": data["x"]}
    gap = {"a": [None if row == 7 else int(value) for row, value in enumerate(data["a"])], "x": data["x"]}
    with pytest.warns(UserWarning, match="never seen"):
        found = model.log_likelihood(unseen)
    assert found == pytest.approx(model.log_likelihood(gap), rel=1e-12)
