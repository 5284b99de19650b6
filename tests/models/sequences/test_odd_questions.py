"""What strangers ask of models of sequences: answers, and messages that name what is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadData, BadQuestion, BadVariable, UnknownVariable

WORDS, TAGS = [["the", "dog"], ["she", "runs"], ["the", "cat", "runs"]], [["D", "N"], ["P", "V"]]


def test_none_for_a_sequence_without_known_states() -> None:
    short = bayou.HMM(["D", "N", "P", "V"]).fit(WORDS, states=[*TAGS, None])
    long = bayou.HMM(["D", "N", "P", "V"]).fit(WORDS, states=[*TAGS, [None] * 3])
    np.testing.assert_array_equal(short.transition, long.transition)


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ([["D"], ["P", "V", "V"], ["D", "N", "V"]], "1 state for sequence 0 .* has 2 rows"),
        (TAGS, "states of 2 sequences, but there are 3"),
    ],
)
def test_states_of_another_length_are_refused(states: Any, message: str) -> None:
    with pytest.raises(BadData, match=message):
        bayou.HMM(["D", "N", "P", "V"]).fit(WORDS, states=states)


def test_messages_name_the_argument_and_the_column() -> None:
    casino = bayou.examples.casino()
    with pytest.raises(BadVariable, match="no column 'rol'; the columns are 'roll'"):
        casino.emission("rol")
    with pytest.raises(BadQuestion, match=r"covariance='diag' is unknown. Did you mean 'diagonal'"):
        bayou.HMM(2, covariance="diag")
    with pytest.raises(BadQuestion, match=r"numbers=3: give the numbers of states to try"):
        bayou.choose_states([1.0, 2.0], 3)  # type: ignore[arg-type]
    with pytest.raises(UnknownVariable, match=r"have 2 columns, but there is 1 name .*'roll'"):
        casino.decode(np.ones((3, 2)))
    level = bayou.KalmanModel.local_level()
    with pytest.raises(BadQuestion, match="keep='levels' is unknown"):
        level.fit([1.0, 2.0, 4.0], keep="levels")
    with pytest.raises(BadQuestion, match=r"coefficients=2: give a list"):
        bayou.KalmanModel.autoregression(2)  # type: ignore[arg-type]
    thing = bayou.KalmanModel.constant_velocity(2, columns=["lat", "lon"])
    with pytest.raises(BadData, match="'lon' has no value at all"):
        thing.fit({"lat": [1.0, 2.5, 3.0], "east": [1.0, 2.0, 4.0]})


def test_an_impossible_sequence_without_a_name() -> None:
    stay = bayou.DynamicNetwork(
        "A -> A'", states={"A": ["x", "y"]}, tables={"A": [1, 0], "A'": [[1, 0], [0, 1]]}
    )
    with pytest.raises(bayou.errors.ImpossibleEvidence, match="Sequence 0 is impossible"):
        stay.filter({"A": ["x", "y"]})


def test_online_filters_print_what_they_know() -> None:
    watch = bayou.examples.casino().online()
    watch.observe(6)
    assert repr(watch) == "OnlineFilter after 1 step: fair: 0.25, loaded: 0.75"
    level = bayou.KalmanModel.local_level(start_variance=1).online()
    level.observe(1.0)
    assert repr(level) == "OnlineKalman after 1 step: level: 0.5"


def test_one_state_is_singular() -> None:
    assert str(bayou.HMM(1).fit([1.0, 2.5])).startswith("HMM with 1 state, ")


def test_a_column_that_looks_misspelt_is_told() -> None:
    chance = np.random.default_rng(0)
    rows = {"humid": chance.normal(size=60), "light": chance.normal(size=60)}
    hmm = bayou.HMM(2).fit(rows)
    with pytest.warns(bayou.errors.BayouWarning, match="no column 'humid'.* Did you mean 'humidity'"):
        told = hmm.score({"humidity": rows["humid"], "light": rows["light"]})
    assert (
        told
        == hmm.score({"light": rows["light"]})
        == hmm.score({"light": rows["light"], "day": rows["humid"]})
    )
