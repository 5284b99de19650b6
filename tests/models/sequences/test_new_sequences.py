"""Sequences that a model is asked about: unseen values, known states, rows in any order."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadData, BadTable, BayouWarning, ImpossibleEvidence, NotFitted, UnknownVariable
from bayou.models.sequences.decoded_rows import row_beliefs


def test_an_unseen_symbol_is_missing_and_one_warning_names_it() -> None:
    casino = bayou.examples.casino()
    with pytest.warns(BayouWarning, match=r"'roll' has 7, 9 in 3 of 6 rows") as given:
        found = casino.smooth([[1, 7, 6], [6, 9, 9]])
    assert len(given) == 1
    expected = casino.smooth([[1, None, 6], [6, None, None]])
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.probabilities.tolist() == theirs.probabilities.tolist()
    with pytest.warns(BayouWarning, match="never seen"):
        assert casino.online().observe("heads") == {"fair": 0.5, "loaded": 0.5}


def test_a_text_among_numbers_is_missing_in_its_own_row() -> None:
    model = bayou.HMM(2).fit(np.array([0.1, 0.2, 5.1, 4.9, 0.0, 5.0]))
    with pytest.warns(BayouWarning, match="'x' has a text among its numbers in 1 of 3 rows"):
        found = model.smooth({"x": [0.1, "broken", 5.0]})
    assert np.allclose(found.probabilities, model.smooth([0.1, None, 5.0]).probabilities)


def test_a_column_of_states_counts_as_observed_only_on_request() -> None:
    casino = bayou.examples.casino()
    rolls, states = [6, 1, 6], ["fair", None, "loaded"]
    table = {"roll": rolls, "state": states}
    assert casino.log_likelihood(table) == casino.log_likelihood(rolls)
    total = 0.0
    for middle in casino.states:
        path = [0, casino.states.index(middle), 1]
        total += (
            casino.start[0]
            * math.prod(casino.transition[a, b] for a, b in itertools.pairwise(path))
            * math.prod(
                casino.emission("roll").values[state, roll - 1]
                for state, roll in zip(path, rolls, strict=True)
            )
        )
    assert casino.log_likelihood(table, states=True) == pytest.approx(math.log(total), abs=1e-12)
    assert casino.log_likelihood(rolls, states=states) == pytest.approx(math.log(total), abs=1e-12)
    with pytest.raises(BadData, match="'loded'"):
        casino.decode({"roll": [1], "state": ["loded"]}, states=True)
    with pytest.raises(UnknownVariable, match="'state'"):
        casino.decode({"roll": [1]}, states=True)


def test_decoded_rows_stand_in_the_order_of_the_table() -> None:
    casino = bayou.examples.casino()
    drawn = casino.sample(30, sequences=4, seed=3)
    rows = [(k, t, roll) for k, one in enumerate(drawn) for t, roll in enumerate(one["roll"])]
    order = np.random.default_rng(0).permutation(len(rows))
    table = {name: [rows[k][place] for k in order] for place, name in enumerate(("id", "t", "roll"))}
    found = casino.decode_rows(table, sequence="id", time="t")
    paths, beliefs = (ask([one["roll"] for one in drawn]) for ask in (casino.decode, casino.smooth))
    for place, (k, t, _) in enumerate(rows[k] for k in order):
        assert found.states[place] == paths[k][t]
        assert found.probability[place] == pytest.approx(beliefs[k][t][paths[k][t]], abs=1e-12)
    assert found.to_frame().columns.tolist() == ["id", "t", "state", "probability"]
    assert found.keys["t"] == table["t"]
    assert str(found).endswith("… and 108 more rows")


def test_columns_of_frames_are_sequences() -> None:
    import pandas as pd

    values = [[1.5, 2.0, 9.0, 9.5, 1.0], [1.0, 8.8]]
    one, two = (bayou.HMM(2).fit(given) for given in (values, [pd.Series(part) for part in values]))
    assert one.means.tolist() == two.means.tolist()
    assert one.decode(pd.Series(values[0])) == one.decode(values[0])
    assert (
        one.forecast(values[0], steps=2).to_frame()["mean(x)"].tolist()
        == one.forecast(values[0], 2).means["x"].tolist()
    )


def test_parameters_that_lack_are_named() -> None:
    with pytest.raises(NotFitted, match="'start', 'transition', 'x'"):
        bayou.HMM(2, {"x": "gaussian"}).decode([1.0])
    with pytest.raises(BadTable, match="no row for the state 'loaded'"):
        bayou.examples.casino().set_transition({"fair": {"fair": 1}})
    with pytest.raises(BadData, match="'x' has no value at all"):
        bayou.HMM(2).fit([math.nan, math.nan])
    with pytest.raises(BadData, match="lengths="):
        bayou.HiddenMarkov(2).fit([[1, 2, 3], [3, 2]])


def test_wrong_tables_are_named() -> None:
    casino = bayou.examples.casino()
    with pytest.raises(BadData, match="Did you mean 'rol'"):
        casino.decode({"rol": [1, 2], "id": [1, 2]}, sequence="id")
    with pytest.raises(UnknownVariable, match="'idd'"):
        casino.decode({"roll": [1, 2], "id": [1, 2]}, sequence="idd")
    with pytest.raises(BadData, match=r"Column 'x' has -3 in row 1 \(counting from 0\), which is no count"):
        bayou.HMM(2, "poisson").fit([1, -3, 2, 5])
    sure = bayou.HMM(["a", "b"]).fit([[0, 0, 1]], states=[["a", "a", "b"]], prior=0)
    with pytest.raises(ImpossibleEvidence, match="can follow with what is observed"):
        sure.decode([1, 0])
    emptied = bayou.HMM(["a", "b"], {"x": [0, 1, 2]}).fit([[0, 0, 1]], states=[["a", "a", "b"]], prior=0)
    with pytest.raises(ImpossibleEvidence, match="no state emits 2 in column 'x'"):
        emptied.decode([0, 2])


@pytest.mark.parametrize(
    ("data", "how", "said"),
    [
        (np.arange(9.0) * 1e200, {}, r"'x' is 1e\+200 in row 1 .* give the column in another unit"),
        (np.arange(9.0) * 1e-200, {}, "Give them in another unit"),
        ([np.arange(9.0), np.arange(5.0)], {"weights": [0, 0]}, "all 0"),
        ([[[1.0, 2.0], [3.0]]], {}, "Step 1 of a sequence has 1 values, but the first one has 2"),
    ],
)
def test_data_that_nothing_can_be_learned_from_are_refused_with_the_reason(
    data: Any, how: Any, said: str
) -> None:
    with pytest.raises(BadData, match=said):
        bayou.HMM(2).fit(data, **how)


@pytest.mark.parametrize("ask", ["filter", "smooth", "decode", "score_steps"])
def test_a_table_without_a_row_is_a_sequence_without_a_step(ask: str) -> None:
    assert len(getattr(bayou.examples.casino(), ask)({"roll": []})) == 0
    if ask != "decode":
        assert len(getattr(bayou.KalmanModel.local_level(), ask)({"y": []})) == 0


def test_nothing_observed_is_forecast_from_the_start() -> None:
    ahead = bayou.examples.casino().forecast({"roll": []}, 1)
    np.testing.assert_allclose(ahead.states, [bayou.examples.casino().start])


@pytest.mark.parametrize("what", ["filter", "smooth"])
def test_beliefs_of_rows_read_new_values_as_questions_do(what: str) -> None:
    casino = bayou.examples.casino()
    with pytest.warns(UserWarning, match="never seen"):
        found = row_beliefs(casino, {"roll": [6, 7, 6], "state": ["fair", "odd", "fair"]}, what)
    want = getattr(casino, what)([6, None, 6]).probabilities
    np.testing.assert_allclose(found["P(state=loaded)"], want[:, 1])
    assert row_beliefs(casino, {"id": [], "roll": []}, what, sequence="id")["P(state=fair)"] == []
