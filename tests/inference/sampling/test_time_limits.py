"""Engines that estimate keep their time: rounds by a measured rate, preparations that can be cut short.

The clock is a false one, so that nothing depends on the speed of the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.inference import engine_options
from bayou.inference.engine_options import FIRST_LOOK, EngineOptions
from bayou.inference.question import Question
from bayou.inference.sampling import (
    automatic,
    factor_graph,
    gibbs_blocks,
    gibbs_engine,
    look_ahead,
    sampling_engine,
    support_search,
)
from bayou.inference.sampling.factor_graph import FactorGraph
from bayou.inference.sampling.zero_propagation import PlainFactor


class Clock:
    """Seconds that pass only when somebody says so; far ahead of the real clock, which nobody may mix in.

    The real one begins with the machine: one that has just been started may be behind, an old one ahead.
    """

    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (engine_options, sampling_engine, support_search, gibbs_engine):
        monkeypatch.setattr(module, "monotonic", made)
    for path in ("inference.sampling.zero_ties", "inference.sampling.automatic", "graphs.ordering"):
        monkeypatch.setattr(f"bayou.{path}.monotonic", made)
    return made


RATES: dict[str, Callable[[float], float]] = {
    "fast": lambda _: 1e-6,
    "slow": lambda _: 3e-3,
    "getting twice as slow": lambda spent: 1e-4 * (1 if spent < 1 else 2),
}


@pytest.mark.parametrize("rate", RATES.values(), ids=RATES)
def test_rounds_end_in_time_at_any_rate(clock: Clock, rate: Callable[[float], float]) -> None:
    options = EngineOptions(1, time=2.0, started=clock.now)
    clock.now += 0.5  # what came before the draws counts
    drawn = 0
    for draws in options.rounds():
        drawn += draws
        clock.now += draws * rate(clock.now - options.started)
    assert 1.8 < clock.now - options.started <= 2.0
    assert drawn > 0


def test_the_first_round_is_short_and_none_follows_when_the_time_is_over(clock: Clock) -> None:
    options = EngineOptions(1, time=2.0, started=clock.now - 9)
    assert list(options.rounds()) == [128]


def test_rounds_without_a_time_limit_double(clock: Clock) -> None:
    assert list(EngineOptions(1, samples=1000).rounds()) == [128, 128, 256, 488]


def test_a_time_limit_that_is_not_reached_changes_nothing(clock: Clock) -> None:
    asia = bayou.examples.asia()
    plain, timed = (
        asia.query("lung", {"dysp": "yes"}, engine="weighting", seed=3, samples=5000, **more)
        for more in ({}, {"time": 60.0})
    )
    assert np.array_equal(plain.to_array(), timed.to_array())
    assert plain.estimate.draws == timed.estimate.draws == 5000


def test_the_accuracy_is_not_believed_before_there_are_some_draws() -> None:
    coin = bayou.Network("A", tables={"A": {"heads": 1e-9, "tails": 1 - 1e-9}})
    found = coin.query("A", engine="weighting", seed=1, accuracy=0.5)
    assert found.estimate.draws == FIRST_LOOK


def ring(size: int) -> FactorGraph:
    """Variables of three states, neighbours of which must differ: a search has to try some."""
    differ = 1.0 - np.eye(3)
    factors = [PlainFactor(tuple(sorted((k, (k + 1) % size))), differ) for k in range(size)]
    return FactorGraph(tuple(range(size)), tuple(np.arange(3) for _ in range(size)), tuple(factors), {}, 0.0)


def test_a_search_for_possible_states_is_given_up_when_its_time_is_over(clock: Clock) -> None:
    assert support_search.has_support(ring(9)) is True
    assert support_search.has_support(ring(9), until=clock.now - 1) is None
    random = np.random.default_rng(0)
    assert support_search.supported_states(ring(9), random, until=clock.now - 1) is None


def test_a_proof_about_zeros_is_given_up_when_its_time_is_over(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gibbs_blocks, "MOST_CELLS_IN_ALL", 8)
    assert gibbs_blocks.blocks_of(ring(6)).is_proved
    assert not gibbs_blocks.blocks_of(ring(6), until=clock.now - 1).is_proved


def test_less_time_means_smaller_tables_of_the_look_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    net = bayou.random_network(60, states=3, arcs=170, seed=1)
    asked: dict[str, Any] = {
        "given": {"X6": "s1", "X11": "s1"},
        "engine": "weighting",
        "seed": 1,
        "samples": 128,
    }
    made: list[int] = []
    product = look_ahead._product

    def counted(*arguments: Any) -> Any:
        table, log_unit = product(*arguments)
        made.append(table.values.size)
        return table, log_unit

    monkeypatch.setattr(look_ahead, "_product", counted)
    totals = []
    for time in (None, 10.0, 0.1):
        made.clear()
        with bayou.errors.without_warnings():
            net.query("X37", **asked, time=time)
        totals.append(sum(made))
    assert totals[0] == totals[1] > 2 * totals[2]
    assert totals[2] < 0.1 * look_ahead.CELLS_A_SECOND * 3


def test_a_conflict_is_named_by_all_findings_when_the_time_is_over(clock: Clock) -> None:
    net = bayou.Network(
        "A -> B; C",
        states={name: ["no", "yes"] for name in "ABC"},
        tables={"A": [0.5, 0.5], "B": [[1.0, 0.0], [0.0, 1.0]], "C": [0.3, 0.7]},
    )
    question = Question((), {"A": 0, "B": 1, "C": 1})
    names = list(net.names)
    for spent, found in ((0.0, r"A=no, B=yes\. "), (9.0, r"A=no, B=yes, C=yes\. ")):
        options = EngineOptions(1, time=1.0, started=clock.now - spent)
        with pytest.raises(bayou.errors.ImpossibleEvidence, match=found):
            sampling_engine.possible_problem(net.frozen, names, question, options)


def test_the_order_of_variables_is_looked_for_a_fifth_of_the_time(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []
    found = factor_graph.elimination_order

    def looking(*arguments: Any, until: float) -> Any:
        looked.append(until - clock.now)
        return found(*arguments, until=until)

    monkeypatch.setattr(factor_graph, "elimination_order", looking)
    net = bayou.examples.asia()
    net.query("lung", {"dysp": "yes"}, engine="weighting", samples=1000, time=10.0, seed=1)
    assert looked == [pytest.approx(2.0)]


def test_three_engines_side_by_side_prepare_a_question_once(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    prepared = sampling_engine.possible_problem

    def counted(*arguments: Any) -> Any:
        made.append(arguments)
        clock.now += 2.0
        return prepared(*arguments)

    monkeypatch.setattr(sampling_engine, "possible_problem", counted)
    given: list[float] = []
    began = automatic.AutomaticEngine._share

    def shared(self: automatic.AutomaticEngine, before: int) -> EngineOptions:
        options = began(self, before)
        given.append(options.seconds)
        return options

    monkeypatch.setattr(automatic.AutomaticEngine, "_share", shared)
    with bayou.limits(work=1), bayou.errors.without_warnings():
        found = bayou.examples.asia().marginals({"dysp": "yes"}, engine="auto", samples=20_000, time=20.0)
    assert len(made) == 1
    assert given == [5.0, 6.0, 9.0]  # what is left, divided among those that are left and the bounds
    assert found["lung"].estimate is not None
