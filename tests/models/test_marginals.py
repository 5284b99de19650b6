"""All marginals as one object, and queries that are asked again with other states."""

from __future__ import annotations

import pickle
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayou
from bayou.errors import ImpossibleEvidence, TooWide, UnknownState, UnknownVariable
from bayou.inference.exact.plan_cache import KEPT_PLANS, plans_of

STATES = {"Wetter": ["naß", "trocken"], "1": [0, 1, 2], "Ernte": [True, False]}


def network(seed: int) -> bayou.Network:
    """A small network with random tables, some entries 0, and states of several types."""
    random = np.random.default_rng(seed)
    tables: dict[str, Any] = {}
    for name, parents in (("Wetter", []), ("1", ["Wetter"]), ("Ernte", ["Wetter", "1"])):
        shape = [len(STATES[parent]) for parent in (*parents, name)]
        cells = random.random(shape) * (random.random(shape) > 0.2) + 1e-3 * (random.random() > 0.5)
        cells[..., 0] += 1e-6
        tables[name] = cells / cells.sum(axis=-1, keepdims=True)
    return bayou.Network("Wetter -> 1; Wetter, 1 -> Ernte", states=STATES, tables=tables)


findings = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from([*states, None]) for name, states in STATES.items()}
)


@given(st.integers(0, 1000), st.lists(findings, min_size=2, max_size=8))
@settings(deadline=None)
def test_asking_again_gives_what_a_network_gives_that_was_never_asked(seed: int, asked: list[dict]) -> None:
    net = network(seed)
    for given_ in asked:
        fresh = network(seed)
        for target in STATES:
            texts, numbers = zip(*[_answer(each, target, given_) for each in (net, fresh)], strict=True)
            assert texts[0] == texts[1]
            assert numbers[0] == pytest.approx(numbers[1], rel=1e-12)
        texts, numbers = zip(*[_all(each, given_) for each in (net, fresh)], strict=True)
        assert texts[0] == texts[1]
        assert numbers[0] == pytest.approx(numbers[1], rel=1e-12)


def _answer(net: bayou.Network, target: str, given_: dict) -> tuple[Any, list[float]]:
    """The words of an answer, and its numbers, which other plans round in other places."""
    try:
        posterior = net.query(target, given=given_)
    except bayou.BayouError as error:
        return str(error), []
    return (posterior.title, posterior.evidence), [*posterior.to_array(), posterior.log_evidence]


def _all(net: bayou.Network, given_: dict) -> tuple[Any, list[float]]:
    try:
        found = net.marginals(given_)
    except bayou.BayouError as error:
        return str(error), []
    tables = found.to_arrays()
    numbers = [*np.concatenate([np.empty(0), *tables.values()]), found.log_evidence]
    return (list(tables), found.evidence, str(found)), numbers


def test_what_is_wrong_is_said_when_asked_again_too() -> None:
    tables = {"A": {"x": 0.5, "y": 0.5}, "B": {"x": {0: 1, 1: 0}, "y": {0: 0.5, 1: 0.5}}}
    net = bayou.Network("A -> B", tables=tables)
    assert net.query("A", {"B": 0})["x"] == pytest.approx(2 / 3)
    with pytest.raises(UnknownState, match="2 is not a state of 'B'"):
        net.query("A", {"B": 2})
    with pytest.raises(UnknownState, match="'yes' is not a state of 'B'"):
        net.marginals({"B": "yes"})
    for _ in range(2):
        with pytest.raises(ImpossibleEvidence):
            net.log_evidence({"A": "x", "B": 1})
    assert net.query("A", {"B": None}).to_dict() == net.query("A").to_dict()
    with bayou.limits(memory=1), pytest.raises(TooWide):
        net.query("A", {"B": 0})


def test_findings_belong_to_the_answer_not_to_the_caller() -> None:
    net = network(3)
    net.query("Wetter", {"1": 0})
    found = {"1": 1}
    posterior = net.query("Wetter", found)
    found["1"] = 2
    assert posterior.evidence == {"1": 1}
    assert posterior.title == "P(Wetter | 1=1)"


def test_names_that_are_equal_but_not_the_same_are_kept_apart() -> None:
    tables = {1: {0: 0.2, 1: 0.8}, "1": {0: {0: 1, 1: 0}, 1: {0: 0, 1: 1}}}
    net = bayou.Network({1: [], "1": [1]}, tables=tables)
    for _ in range(2):
        assert net.query(1, {"1": 1})[1] == 1.0
        assert net.query("1", {1: 0})[0] == 1.0


def test_changed_tables_are_used() -> None:
    net = network(5)
    before = net.query("1", {"Wetter": "naß"}).to_array()
    net.query("1", {"Wetter": "naß"})
    net.set_cpt("1", {"naß": [0.2, 0.3, 0.5], "trocken": [1, 0, 0]})
    after = net.query("1", {"Wetter": "naß"}).to_array()
    np.testing.assert_allclose(after, [0.2, 0.3, 0.5])
    assert not np.array_equal(before, after)


def test_prepared_questions_are_not_more_than_plans() -> None:
    names = [f"v{k}" for k in range(12)]
    net = bayou.Network(
        "; ".join(names), states={name: [0, 1] for name in names}, tables={name: [0.5, 0.5] for name in names}
    )
    for k in range(3 * KEPT_PLANS):
        chosen = [name for place, name in enumerate(names[1:]) if k >> place & 1]
        net.query("v0", dict.fromkeys(chosen, 1))
    assert len(plans_of(net.frozen).prepared) <= KEPT_PLANS


def test_threads_ask_the_same_network() -> None:
    net = network(11)
    expected = {state: net.query("Wetter", {"1": state}).to_array() for state in (0, 1, 2)}
    wrong: list[int] = []

    def ask() -> None:
        for k in range(300):
            if not np.array_equal(net.query("Wetter", {"1": k % 3}).to_array(), expected[k % 3]):
                wrong.append(k)
            net.marginals({"1": k % 3})

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_marginals_are_a_mapping_that_prints() -> None:
    net = network(2)
    found = net.marginals({"1": 1})
    assert list(found) == ["Wetter", "Ernte"]
    assert len(found) == 2
    assert "1" not in found
    assert "Ernte" in found
    assert found["Ernte"].to_dict() == net.query("Ernte", {"1": 1}).to_dict()
    assert found.to_dict()["Wetter"] == found["Wetter"].to_dict()
    assert found.get("nobody") is None
    with pytest.raises(UnknownVariable, match=r"no variable 'Erntee' among .* Did you mean 'Ernte'"):
        found["Erntee"]
    assert "given 1=1" in str(found)
    assert "naß" in found._repr_html_()
    frame = found.to_frame()
    assert frame.columns.tolist() == ["variable", "state", "probability"]
    assert len(frame) == 4
    found.to_arrays()["Ernte"][:] = 7  # a copy
    assert found["Ernte"][True] <= 1
    posterior = pickle.loads(pickle.dumps(found["Wetter"]))
    assert posterior.title == "P(Wetter | 1=1)"
    assert posterior == found["Wetter"]


def test_marginals_of_numbers_stand_beside_those_of_states() -> None:
    data = {"sex": ["m", "f"] * 20, "height": [180.0, 165.0, 178.0, 170.0] * 10}
    net = bayou.Network("sex -> height").fit(data)
    found = net.marginals()
    assert list(found) == ["sex", "height"]
    assert found["height"].mean == pytest.approx(net.query("height").mean)
    assert found["height"].title == "P(height)"
    assert "mean" in str(found)
    at = {"height": 175.0}
    assert net.marginals(at)["sex"]["m"] == pytest.approx(net.query("sex", at)["m"])
