"""What the gallery says about its models: plain sentences, and what they say to click is there."""

from __future__ import annotations

import re

import pytest

from bayou.server.gallery import NAMES, exhibit, gallery
from bayou.server.gallery_words import WORDS


def test_every_model_has_its_words() -> None:
    assert tuple(WORDS) == NAMES
    assert {one["name"]: one["about"] for one in gallery()} == WORDS


@pytest.mark.parametrize("name", NAMES)
def test_they_are_for_newcomers(name: str) -> None:
    words = WORDS[name]
    assert not re.search(r"lecture|bayou|divisor|likelihood|parameter|et al|\bch\.|query|evidence", words)
    assert len(words) <= 170
    assert words.endswith((".", "?"))
    for variable, state in re.findall(r"(\w+) = ([\w+]+)", words):
        assert state in map(str, exhibit(name).states(variable))


def test_what_they_promise_comes_true() -> None:
    alarm = exhibit("earthquake")
    called = alarm.query("Burglary", {"JohnCalls": "True"})["True"]
    shaken = alarm.query("Burglary", {"JohnCalls": "True", "Earthquake": "True"})["True"]
    assert shaken < 0.25 * called
    cold = exhibit("cold_and_allergies")
    assert cold.query("Cold", {"Cough": 1, "ItchyEyes": 1})[1] < cold.query("Cold", {"Cough": 1})[1]
    assert exhibit("cancer_test_network").query("Disease", {"Test": "+"})["healthy"] > 0.5
    thunder = exhibit("thunder_and_rain")
    seen = thunder.query("Rain", {"Lightning": "yes"})["yes"]
    assert thunder.query("Rain", {"Lightning": "yes", "Thunder": "yes"})["yes"] == pytest.approx(seen)
