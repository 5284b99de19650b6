"""What the sampling engines do when their time is over before a possible row is found."""

from __future__ import annotations

from math import inf
from time import monotonic
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import ImpossibleEvidence, NoEstimate
from bayou.inference import EngineOptions
from bayou.inference.engines import ENGINES
from bayou.inference.sampling import gibbs_engine, sampling_engine


@pytest.mark.parametrize(("until", "late"), [(0.0, True), (inf, False)])
def test_chains_without_a_start_say_if_the_search_ran_out_of_time(
    until: float, late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gibbs_engine, "supported_states", lambda *_, **__: None)
    sampler = SimpleNamespace(draw=lambda *_: ([], np.full(gibbs_engine.START_ROWS, -inf)))
    graph: Any = SimpleNamespace(numbers=[0])
    plan: Any = SimpleNamespace(sampler=sampler, log_bound=0.0)
    with pytest.raises(NoEstimate, match="No consistent sample in 4,096 draws") as caught:
        gibbs_engine.gibbs_starts(graph, plan, 1, until)
    assert ("ran out of time" in str(caught.value)) is late


def test_trials_of_fewer_findings_end_with_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []

    def impossible(graph: Any, plan: Any, until: float) -> bool:
        asked.append(until)
        return False

    monkeypatch.setattr(sampling_engine, "_may_be_possible", impossible)
    with pytest.raises(ImpossibleEvidence):
        bayou.examples.asia().query("lung", {"dysp": "yes", "xray": "yes"}, engine="weighting", time=5)
    assert len(asked) > 1
    assert max(asked) <= monotonic() + 5


def test_loading_an_engine_is_no_part_of_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    find, begin = ENGINES.find, EngineOptions.from_arguments

    def found(name: str) -> Any:
        order.append("load")
        return find(name)

    def begun(*arguments: Any) -> Any:
        order.append("clock")
        return begin(*arguments)

    monkeypatch.setattr(ENGINES, "find", found)
    monkeypatch.setattr(EngineOptions, "from_arguments", begun)
    bayou.examples.asia().query("lung", engine="weighting", time=0.05, seed=1)
    assert order[:2] == ["load", "clock"]
