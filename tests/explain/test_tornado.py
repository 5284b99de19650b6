"""Answers as functions of table entries, against the same question asked of changed networks."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.explain.changed_entries import asked_again, cancer, place_of, questions
from tests.laws.strategies import law, networks, seeds
from tests.shared_data import SHARED, needs_shared_data

import bayou
from bayou.errors import BadQuestion, ImpossibleEvidence, UnknownState, UnknownVariable
from bayou.inference.expectation import target_gradients
from bayou.models.answers.sensitivity.entry_effect import EntryEffect


def check_entry(net: bayou.Network, entry: EntryEffect, target: Any, state: Any, how: Any) -> None:
    ends = [(entry.low, entry.at_low), (entry.high, entry.at_high), (0.0, entry.at_zero), (1.0, entry.at_one)]
    for value, found in ends:
        again = asked_again(net, entry, value, target, how)
        if again is None:
            assert math.isnan(found)
        else:
            assert found == pytest.approx(again[state], abs=1e-9)
            if (
                entry.coefficients is not None
                and entry.coefficients[2] * value + entry.coefficients[3] > 1e-4
            ):
                assert entry.answer(value) == pytest.approx(again[state], abs=1e-9)


@given(networks(most=4), st.data())
@law
def test_every_entry_gives_what_the_changed_network_answers(net: bayou.Network, data: st.DataObject) -> None:
    target, state, how = data.draw(questions(net))
    change = data.draw(st.sampled_from([0.1, 0.5, 1.0]))
    try:
        posterior = net.query(target, **how)
    except ImpossibleEvidence:
        with pytest.raises(ImpossibleEvidence):
            net.tornado(target, state, change=change, **how)
        return
    found = net.tornado(target, state, change=change, **how)
    assert found.probability == pytest.approx(posterior[state], abs=1e-12)
    every = sum(net.cpt(n).to_array().size for n in net.names if len(net.states(n)) > 1)
    silent = sum(net.cpt(n).to_array().size for n in found.without_effect if len(net.states(n)) > 1)
    assert len(found) + silent == every
    picked = data.draw(st.permutations(range(len(found))))[:15]
    for rank in picked:
        entry = found[rank]
        assert entry.value == net.cpt(entry.table).to_array()[place_of(net, entry)]
        assert entry.low == pytest.approx(entry.value * (1 - change))
        assert entry.high == pytest.approx(min(entry.value * (1 + change), 1))
        check_entry(net, entry, target, state, how)
    for name in net.names:
        slopes = net.sensitivity(target, state, table=name, **how)
        for entry in found if len(net.names) < 4 else found[:10]:
            if entry.table == name and type(entry.table) is type(name):
                expected = slopes.derivatives[place_of(net, entry)]
                assert entry.derivative == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(networks(most=5), st.data())
@law
def test_tables_without_effect_can_be_anything(net: bayou.Network, data: st.DataObject) -> None:
    target, state, how = data.draw(questions(net))
    random = data.draw(seeds())
    try:
        found = net.tornado(target, state, **how)
    except ImpossibleEvidence:
        return
    for name in found.without_effect:
        shape = net.cpt(name).to_array().shape
        other = random.dirichlet(np.ones(shape[-1]), shape[:-1])
        again = net.copy().set_cpt(name, other).query(target, **how)[state]
        assert again == pytest.approx(found.probability, abs=1e-12)


@given(networks(most=4), st.data())
@law
def test_zeros_one_at_a_time_give_the_same_as_all_at_once(net: bayou.Network, data: st.DataObject) -> None:
    target, state, how = data.draw(questions(net))
    try:
        together = net.tornado(target, state, **how)
    except ImpossibleEvidence:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(target_gradients, "LEAST_LOG", math.inf)
        smaller = net.tornado(target, state, **how)
        patch.setattr(target_gradients, "SMALLEST_LOG", math.inf)
        apart = net.tornado(target, state, **how)
    for found in (smaller, apart):
        for one, other in zip(together.functions.tables, found.functions.tables, strict=True):
            assert one.users == other.users
            for name in ("derivatives", "at_zero", "at_one", "zero", "one"):
                assert np.allclose(getattr(one, name), getattr(other, name), 1e-10, 1e-12, equal_nan=True)


@pytest.mark.parametrize("symptoms", [40, 150, 400])
def test_findings_of_tiny_probability(symptoms: int) -> None:
    """P(findings) is 1e-120 and far below what a double holds; zeros in the tables are still exact."""
    names = [f"s{k}" for k in range(symptoms)]
    tables: dict[str, Any] = {"ill": [0.5, 0.5, 0.0]}
    for k, name in enumerate(names):
        tables[name] = [
            [0.999, 0.001],
            [0.999 - 1e-5 * k / symptoms, 0.001 + 1e-5 * k / symptoms],
            [1.0, 0.0],
        ]
    net = bayou.Network(
        [("ill", name) for name in names],
        states={"ill": [0, 1, 2], **{name: ["no", "yes"] for name in names}},
        tables=tables,
    )
    how = {"given": dict.fromkeys(names, "yes")}
    found = net.tornado("ill", 1, tables=["ill", "s3"], **how)
    assert len(found) == 9
    for entry in found:
        check_entry(net, entry, "ill", 1, how)


def test_a_shared_table_moves_for_all_its_users() -> None:
    net = bayou.Network(
        "X1 -> X2 -> X3; X3 -> Y",
        states={"X1": ["a", "b"]},
        share={"step": ["X2", "X3"]},
        tables={
            "X1": [0.3, 0.7],
            "X2": [[0.8, 0.2], [0.0, 1.0]],
            "Y": {"a": {0: 0.9, 1: 0.1}, "b": {0: 0.5, 1: 0.5}},
        },
    )
    how = {"given": {"Y": 0}}
    found = net.tornado("X1", "a", tables=["X3"], **how)
    assert {entry.users for entry in found} == {("X2", "X3")}
    slopes = net.sensitivity("X1", "a", table="X3", **how)
    for entry in found:
        assert entry.coefficients is None
        assert entry.threshold is None
        assert math.isnan(entry.answer(0.5))
        assert entry.derivative == pytest.approx(slopes.derivatives[place_of(net, entry)])
        check_entry(net, entry, "X1", "a", how)
    assert "Shared tables move for all their users" in str(found)


def test_a_shared_table_with_one_user_in_the_question_is_a_plain_one() -> None:
    net = bayou.Network(
        "X1 -> X2 -> X3",
        states={"X1": ["a", "b"]},
        share={"step": ["X2", "X3"]},
        tables={"X1": [0.3, 0.7], "X2": [[0.8, 0.2], [0.35, 0.65]]},
    )
    how = {"given": {"X2": "b"}}
    found = net.tornado("X1", "a", **how)
    assert all(entry.coefficients is not None for entry in found)
    assert found.without_effect == ("X3",)
    for entry in found:
        if entry.table == "X1":
            check_entry(net, entry, "X1", "a", how)


@needs_shared_data
@pytest.mark.parametrize("name", ["alarm", "hailfinder", "munin1"])
def test_large_networks_with_zeros_answer_the_same_when_asked_again(name: str) -> None:
    net = bayou.load(SHARED / "networks" / f"{name}.bif.gz")
    row = net.sample(1, seed=3)
    leaves = [one for one in net.names if not net.children(one)]
    how = {"given": {leaf: row[leaf][0] for leaf in leaves[:4]}}
    target = sorted(net.dag.ancestors(leaves[0]), key=net.names.index)[-1]
    found = net.tornado(target, row[target][0], change=0.5, **how)
    assert found.probability == pytest.approx(net.query(target, **how)[row[target][0]], abs=1e-12)
    zeros = [entry for entry in found if entry.value == 0]
    for entry in [*found[:6], *found[len(found) // 2 :][:3], *zeros[:3]]:
        check_entry(net, entry, target, row[target][0], how)


def test_noisy_nodes_functions_and_numbers_are_left_out() -> None:
    net = bayou.Network(
        "flu -> fever; cold -> fever; flu -> heat; fever -> bed",
        states={name: ["no", "yes"] for name in ("flu", "cold", "fever", "bed")},
        continuous=["heat"],
    )
    net.set_cpt("flu", [0.9, 0.1]).set_cpt("cold", [0.7, 0.3]).set_cpt("bed", [[1.0, 0.0], [0.4, 0.6]])
    net.set_cpt("heat", {"no": (37, 0.5), "yes": (39, 0.7)})
    net.set_cpt("fever", bayou.NoisyOr({"flu": 0.8, "cold": 0.3}, leak=0.02))
    how = {"given": {"heat": 38.1, "bed": "yes"}, "likelihood": {"cold": [1.0, 3.0]}}
    found = net.tornado("flu", "yes", **how)
    assert {entry.table for entry in found} == {"flu", "cold", "bed"}
    assert set(found.without_entries) == {"fever", "heat"}
    assert "Left out, because they are not tables of entries: " in str(found)
    for entry in found:
        check_entry(net, entry, "flu", "yes", how)


def test_do_takes_the_own_table_away() -> None:
    net = bayou.examples.storm()
    found = net.tornado("Thunder", "yes", do={"Lightning": "yes"})
    assert {entry.table for entry in found} == {"Thunder"}
    assert "Lightning" in found.without_effect
    assert "Tables that cannot matter here: " in str(found)


def test_entries_are_sorted_by_what_they_move() -> None:
    found = cancer().tornado("disease", "yes", {"test": "+"}, change=0.2)
    swings = [abs(entry.at_high - entry.at_low) for entry in found]
    assert all(one >= other - 1e-12 for one, other in itertools.pairwise(swings))
    assert found[-1] == list(found)[-1]
    assert [entry.text for entry in found[:2]] == [entry.text for entry in list(found)[:2]]
    with pytest.raises(IndexError):
        found[len(found)]


def test_it_prints_and_converts() -> None:
    found = cancer().tornado("disease", "yes", {"test": "+"})
    lines = str(found).splitlines()
    assert lines[0] == "P(disease=yes | test=+) = 0.2085, with each entry 10 % lower and higher"
    assert lines[1].split() == ["entry", "θ", "10", "%", "lower", "10", "%", "higher", "turns", "at"]
    assert "│" in lines[2]
    assert lines[-1] == found.sentence
    shown = found._repr_html_()
    assert shown.count("<tr>") == 7
    assert "display:flex" in shown
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["decision"] == "no"
    assert len(document["entries"]) == 6
    assert document["turning_point"]["parents"] == [{"name": "disease", "state": "no"}]
    assert len(found.to_dict(2)["entries"]) == 2
    frame = found.to_frame()
    assert list(frame.columns[:4]) == ["table", "entry", "value", "derivative"]
    for row, entry in zip(frame.to_dict("records"), found, strict=True):
        assert (row["entry"], row["value"], row["at_high"]) == (entry.text, entry.value, entry.at_high)
        assert (row["a"], row["d"]) == (entry.coefficients[0], entry.coefficients[3])


def test_hostile_names_are_escaped() -> None:
    net = bayou.Network({"<b>x</b>": []}, tables={"<b>x</b>": {"<i>": 0.25, "$y$": 0.75}})
    found = net.tornado("<b>x</b>", "<i>")
    assert "<b>" not in found._repr_html_()
    assert "&lt;b&gt;" in found._repr_html_()


def test_errors_say_what_to_do() -> None:
    net = cancer()
    with pytest.raises(UnknownState, match="maybe"):
        net.tornado("disease", "maybe")
    with pytest.raises(UnknownVariable, match="tst"):
        net.tornado("disease", "yes", tables=["tst"])
    with pytest.raises(BadQuestion, match="change=2: give the share"):
        net.tornado("disease", "yes", change=2)
    with pytest.raises(BadQuestion, match="names no variable"):
        net.tornado("disease", "yes", tables=[])
    with pytest.raises(BadQuestion, match="large finite cost"):
        net.tornado("disease", "yes", utilities={"a": {"yes": -math.inf, "no": 0}, "b": 0})
    with pytest.raises(BadQuestion, match="both asked for and given"):
        net.tornado("disease", "yes", {"disease": "no"})
    heights = bayou.Network(
        "k -> x",
        states={"k": [0, 1]},
        continuous=["x"],
        tables={"k": [0.5, 0.5], "x": {0: (0, 1), 1: (1, 1)}},
    )
    with pytest.raises(BadQuestion, match="'x' is continuous"):
        heights.tornado("x", 0.5)


def test_a_network_that_is_too_wide_is_refused() -> None:
    with bayou.limits(memory="100 B"), pytest.raises(bayou.errors.TooWide, match="raise the limits"):
        bayou.examples.storm().tornado("Storm", "yes", {"Thunder": "yes"})


def test_small_probabilities_without_a_zero_are_not_taken_for_impossible() -> None:
    """Nine positive tests: the decision turns at a prior of about 7e-27, which no table has as a zero."""
    tests = [f"T{k}" for k in range(9)]
    row = {"no": {"neg": 0.999, "pos": 0.001}, "yes": {"neg": 0.2, "pos": 0.8}}
    net = bayou.Network(
        {"D": [], **{name: ["D"] for name in tests}},
        tables={"D": {"no": 0.99, "yes": 0.01}, **dict.fromkeys(tests, row)},
    )
    found = net.tornado("D", "yes", dict.fromkeys(tests, "pos"))
    entry = next(one for one in found if one.table == "D" and one.state == "no")
    assert entry.at_one == 0.0
    odds = 0.8**9 / 0.001**9
    yes = next(one for one in found if one.table == "D" and one.state == "yes")
    assert yes.threshold == pytest.approx(1 / (1 + odds), rel=1e-6)
