"""Engines are entries of a registry: a new one is asked without touching anything else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import FrameType
from typing import ClassVar

import numpy as np
import pytest

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence
from bayou.inference import Answer, Question, marginals
from bayou.inference.engines import ENGINES, Engine
from bayou.networks import FrozenNetwork
from bayou.typing import Name


@pytest.fixture
def rain() -> bayou.Network:
    return network_of_rain()


def network_of_rain() -> bayou.Network:
    tables = {"Rain": [0.8, 0.2], "Wet": [[0.9, 0.1], [0.2, 0.8]], "Mud": [[0.7, 0.3], [0.0, 1.0]]}
    states = {name: ["no", "yes"] for name in tables}
    return bayou.Network("Rain -> Wet; Rain -> Mud", states=states, tables=tables)


class Uniform(Engine):
    """Knows nothing, and says so: the smallest engine there is."""

    handles_numbers = True
    asked: ClassVar[list[tuple[Name, ...]]] = []

    def answer(self, network: FrozenNetwork, names: list[Name], question: Question) -> Answer:
        self.asked.append(tuple(names))
        shape = [network.schema[name].cardinality for name in question.targets]
        return Answer(question.targets, np.full(shape, 1 / np.prod(shape)), None, -1.5)


@pytest.fixture
def uniform() -> Iterator[str]:
    ENGINES.add("uniform guess", Uniform)
    Uniform.asked.clear()
    yield "uniform guess"
    ENGINES._known.pop("uniform guess")


def test_a_registered_engine_is_asked_by_its_name(rain: bayou.Network, uniform: str) -> None:
    posterior = rain.query("Rain", {"Wet": "yes"}, engine=uniform)
    assert posterior.to_dict() == {"no": 0.5, "yes": 0.5}
    assert posterior.log_evidence == -1.5
    assert Uniform.asked == [("Rain", "Wet")]


def test_a_registered_engine_gives_marginals_and_serves_jeffrey_s_rule(
    rain: bayou.Network, uniform: str
) -> None:
    found = marginals(rain.frozen, Question(("Rain", "Mud"), {"Wet": 1}), uniform)
    assert {name: table.tolist() for name, table in found.tables.items()} == {
        "Rain": [0.5, 0.5],
        "Mud": [0.5, 0.5],
    }
    moved = rain.query("Mud", marginal={"Wet": {"no": 0.25, "yes": 0.75}}, engine=uniform)
    assert moved.to_dict() == {"no": 0.5, "yes": 0.5}


def test_an_engine_without_numbers_is_not_asked_about_them() -> None:
    net = bayou.Network("Art -> x", states={"Art": ["a", "b"]}, continuous=["x"])
    net.set_cpt("Art", [0.5, 0.5]).set_gaussian("x", {"a": (-1, 1), "b": (1, 1)})
    plain = [net.query("Art", {"x": 0.3}, engine=name).to_dict() for name in ("compiled", "elimination")]
    assert plain[0] == plain[1]


def test_the_engines_agree_on_all_marginals(rain: bayou.Network) -> None:
    question = Question(("Rain", "Mud"), {"Wet": 1})
    # Other tests may have registered engines of their own.
    own = [name for name in ENGINES if ENGINES.find(name).__module__.startswith("bayou.")]
    exact = [name for name in own if ENGINES.find(name).is_exact]
    assert exact == ["compiled", "elimination", "enumeration", "messages"]
    first, *others = [marginals(rain.frozen, question, engine) for engine in exact]
    for other in others:
        for name in question.targets:
            np.testing.assert_allclose(other.tables[name], first.tables[name], rtol=1e-12)
            assert other.log_evidence == pytest.approx(first.log_evidence, rel=1e-12)


@pytest.mark.parametrize("engine", list(ENGINES))
def test_impossible_findings_are_an_error_of_every_engine(rain: bayou.Network, engine: str) -> None:
    impossible = Question(("Wet",), {"Rain": 1, "Mud": 0})
    with pytest.raises(ImpossibleEvidence, match="Rain=yes, Mud=no"):
        marginals(rain.frozen, impossible, engine)
    with pytest.raises(ImpossibleEvidence, match="Rain=yes, Mud=no"):
        marginals(rain.frozen, Question((), {"Rain": 1, "Mud": 0, "Wet": 0}), engine)


def test_an_unknown_engine_is_refused_with_those_there_are(rain: bayou.Network) -> None:
    with pytest.raises(BadQuestion, match=r"engine='oracle' is unknown.*'compiled', 'elimination'"):
        rain.query("Rain", engine="oracle")


def ask_about_states(net: bayou.Network) -> None:
    net.query("Rain", {"Wet": "yes"}, likelihood={"Mud": {"no": 0.5, "yes": 0.25}})
    net.query("Rain", {"Wet": "yes"}, engine="elimination")
    net.marginals({"Wet": "yes"})
    net.posterior([{"Wet": "yes"}, {"Wet": None}], "Rain")
    net.log_probability([{"Wet": "yes"}, {"Wet": "no", "Rain": "yes"}])


def test_a_question_about_states_enters_no_code_for_numbers_or_jeffrey_s_rule() -> None:
    ask_about_states(network_of_rain())  # what is imported on first use is imported now
    fresh, entered = network_of_rain(), set[str]()

    def note(frame: FrameType, event: str, argument: object) -> None:
        entered.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        ask_about_states(fresh)
    finally:
        sys.setprofile(None)
    inside = [name for name in entered if "inference" in name]
    assert inside
    assert not [name for name in inside if "mixed" in name or "jeffrey" in name]
