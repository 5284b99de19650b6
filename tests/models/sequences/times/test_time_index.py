"""An index of times of a pandas frame or column is the column of times: the same answers as with time=."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayou
from bayou.errors import BadData

DAYS = pd.date_range("2024-01-01", periods=12, name="when")
SOLD = np.random.default_rng(1).normal(size=12).cumsum()
IN_ORDER = pd.DataFrame({"sold": SOLD}, index=DAYS)
SHUFFLED = IN_ORDER.sample(frac=1, random_state=2)
WITH_GAP = SHUFFLED.drop(pd.Timestamp("2024-01-05"))
WORDS = pd.DataFrame({"mood": list("uudduuuddudu")}, index=DAYS).sample(frac=1, random_state=2)


def trend() -> bayou.KalmanModel:
    return bayou.KalmanModel.local_trend(0.1, 0.1, 0.1, column="sold")


def hidden() -> bayou.HMM:
    return bayou.HMM(2, {"sold": "gaussian"}).fit(list(SOLD), columns=["sold"])


@pytest.mark.parametrize("model", [trend(), hidden()])
def test_questions_use_an_index_of_times(model: Any) -> None:
    for table in (SHUFFLED, WITH_GAP):
        named = table.reset_index()
        for how in ({}, {"gaps": "missing"}, {"gaps": "day"}):
            expected = model.log_likelihood(named, time="when", **how)
            assert model.log_likelihood(table, **how) == expected
            assert model.log_likelihood(table["sold"], **how) == expected
    for data in (SHUFFLED, SHUFFLED["sold"]):
        ahead = model.forecast(data, steps=2)
        assert ahead.time == "when"
        assert ahead.times == model.forecast(SHUFFLED.reset_index(), steps=2, time="when").times
        assert str(ahead.times[0])[:10] == "2024-01-13"


def test_learning_uses_an_index_of_times() -> None:
    by_index = bayou.HMM(2).fit(SHUFFLED, seed=1)
    assert by_index.chain.columns == ("sold",)
    by_name = bayou.HMM(2).fit(SHUFFLED.reset_index(), time="when", seed=1)
    assert by_index.log_likelihood(list(SOLD)) == by_name.log_likelihood(list(SOLD))
    expected = trend().fit(SHUFFLED.reset_index(), time="when").log_likelihood(IN_ORDER)
    assert trend().fit(SHUFFLED).log_likelihood(IN_ORDER) == expected


def test_dynamic_networks_use_an_index_of_times() -> None:
    net = bayou.DynamicNetwork("mood -> mood'").fit(WORDS)
    named = bayou.DynamicNetwork("mood -> mood'").fit(WORDS.reset_index(), time="when")
    assert np.array_equal(net.cpt("mood'").to_array(), named.cpt("mood'").to_array())
    unordered = bayou.DynamicNetwork("mood -> mood'").fit({"mood": list(WORDS["mood"])})
    assert not np.array_equal(net.cpt("mood'").to_array(), unordered.cpt("mood'").to_array())
    for data in (WORDS, WORDS["mood"]):
        assert [str(time)[:10] for time in net.forecast(data, steps=2).times] == ["2024-01-13", "2024-01-14"]


def test_periods_and_indices_without_a_name() -> None:
    months = pd.Series(SOLD, index=pd.period_range("2024-01", periods=12, freq="M"))
    ahead = trend().forecast(months, steps=2)
    assert ahead.time == "time"
    assert [str(time)[:10] for time in ahead.times] == ["2025-01-01", "2025-02-01"]


def test_several_sequences_with_an_index_of_times() -> None:
    both = pd.concat([IN_ORDER.assign(shop="a"), IN_ORDER.assign(shop="b")]).sample(frac=1, random_state=0)
    expected = trend().log_likelihoods(both.reset_index(), sequence="shop", time="when")
    assert np.array_equal(trend().log_likelihoods(both, sequence="shop"), expected)
    with pytest.raises(BadData, match="sequence="):
        trend().filter(both)
    listed = [SHUFFLED, IN_ORDER]
    assert np.array_equal(trend().log_likelihoods(listed), trend().log_likelihoods([IN_ORDER, IN_ORDER]))
    with pytest.raises(BadData, match="not in the order of their index"):
        hidden().fit(listed, states=[[0] * 12, [1] * 12])


def test_known_states_and_answers_stay_with_their_rows() -> None:
    model = hidden()
    decoded = model.decode_rows(SHUFFLED).states
    expected = model.decode_rows(SHUFFLED.reset_index(), time="when").states
    assert decoded == expected
    states = [int(one > 0) for one in SHUFFLED["sold"]]
    by_index = bayou.HMM(2).fit(SHUFFLED, states=states, method="count")
    by_name = bayou.HMM(2).fit(SHUFFLED.reset_index(), time="when", states=states, method="count")
    assert by_index.log_likelihood(list(SOLD)) == by_name.log_likelihood(list(SOLD))
