"""A new kind of statistic, prior or classifier is saved and loaded by writing its class."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conformance.states.coming_back import assert_same_model, in_a_file
from tests.conformance.states.example_models import DISCRETE, LABELS
from tests.conformance.states.example_parts import RESULTS

import bayou
from bayou import distributions, statistics
from bayou.errors import BayouError
from bayou.schema import Variable
from bayou.statistics import Statistics


@dataclass(frozen=True)
class Extremes:
    """What are the smallest and the largest value of a column?"""

    variable: Any


def range_of_values() -> Any:
    """The answer's class; made when a test runs."""

    class Range(statistics.Result):
        """The smallest and the largest value."""

        kind = "test range"

        def __init__(self, variable: Any, low: float, high: float) -> None:
            self.variable, self.low, self.high = variable, low, high

        @property
        def request(self) -> Any:
            return Extremes(self.variable)

        @property
        def total(self) -> float:
            return 2.0

        def __add__(self, other: Any) -> Any:
            return Range(self.variable, min(self.low, other.low), max(self.high, other.high))

        def state(self) -> dict[str, Any]:
            return {
                "kind": self.kind,
                "variable": self.variable,
                "low": self.low,
                "high": self.high,
            }

        @classmethod
        def from_state(cls, state: Any) -> Any:
            return cls(state["variable"], state["low"], state["high"])

    return Range


def test_a_new_statistic_adds_and_is_saved_by_writing_it(tmp_path: Path) -> None:
    kind = range_of_values()
    counts = RESULTS["counts"]()
    one = Statistics({Extremes("x"): kind("x", 1.0, 2.0), counts.request: counts}, rows=3)
    two = Statistics({Extremes("x"): kind("x", 0.5, 1.5), counts.request: counts}, rows=3)
    both = Statistics.from_state(in_a_file((one + two).state(), tmp_path))
    assert (both[Extremes("x")].low, both[Extremes("x")].high) == (0.5, 2.0)
    assert both[counts.request] == counts + counts
    with pytest.raises(BayouError, match="cannot be removed from"):
        one - two


def half_everywhere() -> Any:
    """A new prior; made when a test runs."""

    @dataclass(frozen=True)
    class Jeffreys(distributions.Prior):
        """Half a record for every state."""

        kind = "test jeffreys"
        amount: float = 0.5

        def pseudocounts(self, child: Variable, parents: Any) -> Any:
            return np.full(child.cardinality, self.amount)

        def state(self) -> dict[str, Any]:
            return {"kind": self.kind, "amount": self.amount}

        @classmethod
        def from_state(cls, state: Any) -> Any:
            return cls(state["amount"])

    return Jeffreys


def test_a_new_prior_is_saved_by_writing_it(tmp_path: Path) -> None:
    prior = half_everywhere()(0.75)
    net = bayou.Network("a -> b").fit(DISCRETE, prior=prior)
    net.save(tmp_path / "net.bayou")
    again = bayou.load(tmp_path / "net.bayou")
    assert again.partial_fit(DISCRETE).same_as(net.partial_fit(DISCRETE))
    model = bayou.NaiveBayes(prior=prior).fit(DISCRETE, LABELS)
    model.save(tmp_path / "model.bayou")
    again = bayou.load(tmp_path / "model.bayou")
    assert again.prior == prior
    np.testing.assert_array_equal(again.predict_proba(DISCRETE), model.predict_proba(DISCRETE))


def test_a_new_classifier_is_saved_by_asking_for_it(tmp_path: Path) -> None:
    class Plain(bayou.NaiveBayes, saved=True):
        """Naive Bayes without weighed evidence."""

        def __init__(self, *, prior: Any = 1.0) -> None:
            super().__init__(prior=prior, evidence_weight=1.0)

    class Quiet(bayou.NaiveBayes):
        """A class that files do not know."""

    model = Plain(prior=0.5).fit(DISCRETE, LABELS)
    model.save(tmp_path / "plain.bayou")
    assert_same_model(model, bayou.load(tmp_path / "plain.bayou"), DISCRETE)
    with pytest.raises(BayouError, match="saved=True"):
        Quiet().fit(DISCRETE, LABELS).save(tmp_path / "quiet.bayou")
    with pytest.raises(BayouError, match="it holds a Plain, not a TAN"):
        bayou.TAN.from_state(model.state())
