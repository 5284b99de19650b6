"""Noisy nodes: every answer equals that of the table written out, at any width."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.distributions.noisy.noisy_families import CHILD, Pair, full_table, pairs

import bayou
from bayou.distributions.noisy import noisy_max
from bayou.errors import BadFile, BadTable, ImpossibleEvidence, TooWide, UnknownVariable
from bayou.inference import Question, explanation, marginals


def medicine(**options: Any) -> bayou.Network:
    return bayou.Network(
        "Flu -> Fever; Cold -> Fever",
        states={"Fever": ["no", "yes"]},
        tables={
            "Flu": {"no": 0.9, "yes": 0.1},
            "Cold": {"no": 0.8, "yes": 0.2},
            "Fever": bayou.NoisyOr({"Flu": 0.8, "Cold": 0.4}, leak=0.05, **options),
        },
    )


def wide(n: int, node: Any) -> bayou.Network:
    names = [f"cause {k}" for k in range(n)]
    tables = {name: {"no": 0.9, "yes": 0.1} for name in names}
    return bayou.Network(
        [(name, "effect") for name in names],
        states={"effect": ["no", "yes"]},
        tables={**tables, "effect": node(dict.fromkeys(names, 0.3), leak=0.01)},
    )


@given(pairs(), st.data())
def test_posteriors_equal_those_of_the_full_table(pair: Pair, data: st.DataObject) -> None:
    names = list(pair.noisy.names)
    target = data.draw(st.sampled_from(names))
    findings, do, likelihood = {}, {}, {}
    for name in names:
        part = data.draw(st.sampled_from(["hidden", "hidden", "found", "done", "likely"]))
        state = data.draw(st.sampled_from(pair.noisy.states(name)))
        if name != target and part != "hidden":
            if part == "likely":
                likelihood[name] = [0.1 + 0.2 * k for k in range(len(pair.noisy.states(name)))]
            else:
                (findings if part == "found" else do)[name] = state
    try:
        expected = pair.plain.query(target, findings, do=do, likelihood=likelihood, engine="enumeration")
    except ImpossibleEvidence:
        with pytest.raises(ImpossibleEvidence):
            pair.noisy.query(target, findings, do=do, likelihood=likelihood)
        return
    log_evidence = pair.plain.log_evidence(findings, likelihood=likelihood) if not do else None
    for engine, small in (("compiled", 0), ("compiled", 64), ("elimination", 64), ("enumeration", 64)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(noisy_max, "SMALL_TABLE", small)
            net = pair.noisy.copy().set_cpt("after", pair.node_after)
            answer = net.query(target, findings, do=do, likelihood=likelihood, engine=engine)
            if log_evidence is not None:
                assert net.log_evidence(findings, likelihood=likelihood) == pytest.approx(log_evidence)
        for state in net.states(target):
            assert answer[state] == pytest.approx(expected[state], rel=1e-9, abs=1e-12)


@settings(max_examples=25)
@given(pairs())
def test_the_table_marginals_and_explanation_equal_those_of_the_full_table(pair: Pair) -> None:
    for name in (CHILD, "after"):
        assert np.allclose(
            pair.noisy.frozen.table(name), pair.plain.frozen.table(name), rtol=1e-12, atol=1e-15
        )
    question = Question(tuple(pair.noisy.names))
    ours, theirs = (marginals(each.frozen, question).tables for each in (pair.noisy, pair.plain))
    for name in pair.noisy.names:
        assert np.allclose(ours[name], theirs[name], atol=1e-12)
    assert explanation(pair.noisy.frozen, question)[1] == pytest.approx(
        explanation(pair.plain.frozen, question)[1], rel=1e-9
    )


@settings(max_examples=25)
@given(pairs(), st.data())
def test_log_probability_of_rows_with_gaps_equals_that_of_the_full_table(
    pair: Pair, data: st.DataObject
) -> None:
    rows = [
        {name: data.draw(st.sampled_from([*pair.noisy.states(name), None])) for name in pair.noisy.names}
        for _ in range(4)
    ]
    ours, theirs = pair.noisy.log_probability(rows), pair.plain.log_probability(rows)
    assert np.allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@given(pairs(most=2))
def test_drawn_rows_are_those_of_the_full_table(pair: Pair) -> None:
    ours, theirs = pair.noisy.sample(200, seed=5), pair.plain.sample(200, seed=5)
    agreeing = np.mean([np.mean(ours[name] == theirs[name]) for name in pair.noisy.names])
    assert agreeing > 0.999  # the same random numbers; a rounding of the table may move one draw


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 10])
@pytest.mark.parametrize("node", [bayou.NoisyOr, bayou.NoisyAnd])
def test_wide_noisy_or_and_and_equal_brute_force(n: int, node: Any) -> None:
    net = wide(n, node)
    table = net.frozen.table("effect")
    for index in np.ndindex(*table.shape[:-1]):
        acting = sum(index) if node is bayou.NoisyOr else n - sum(index)
        assert table[index][1 if node is bayou.NoisyOr else 0] == pytest.approx(1 - 0.99 * 0.7**acting)
    found = {"effect": "yes", "cause 0": "no"} if n > 1 else {"effect": "yes"}
    target = f"cause {n - 1}"
    slow = net.query(target, found, engine="enumeration")
    assert net.query(target, found)["yes"] == pytest.approx(slow["yes"], rel=1e-10)


def test_a_noisy_or_of_sixty_parents_answers_and_is_counted_and_drawn_factored() -> None:
    net = wide(60, bayou.NoisyOr)
    absent = 0.99 * (0.9 + 0.1 * 0.7) ** 60
    assert net.query("effect")["no"] == pytest.approx(absent, rel=1e-10)
    with_cause = 0.1 * (1 - 0.99 * 0.7 * (0.9 + 0.1 * 0.7) ** 59)
    assert net.query("cause 7", {"effect": "yes"})["yes"] == pytest.approx(with_cause / (1 - absent))
    assert net.parameter_count().free == 60 + 61
    drawn = net.sample(4000, seed=3)
    assert np.mean(drawn["effect"] == "no") == pytest.approx(absent, abs=0.03)
    assert net.log_probability({"effect": "no"}) == pytest.approx(np.log(absent))
    complete = dict.fromkeys(net.names, "no")
    assert net.log_probability(complete) == pytest.approx(60 * np.log(0.9) + np.log(0.99))


def test_a_wide_node_is_refused_where_it_must_be_written_out(tmp_path: Path) -> None:
    net = wide(40, bayou.NoisyOr)
    for refused in (
        lambda: net.cpt("effect"),
        lambda: net.query("cause 1", {"effect": "yes"}, engine="elimination"),
        lambda: net.query("cause 1", {"effect": "yes"}, engine="enumeration"),
        lambda: net.save(tmp_path / "wide.bif"),
    ):
        with pytest.raises(TooWide):
            refused()
    assert not (tmp_path / "wide.bif").exists()


@pytest.mark.parametrize("net", [medicine(), wide(40, bayou.NoisyAnd), wide(3, bayou.NoisyAnd)])
def test_saved_and_loaded_it_is_the_same_to_the_last_bit(net: bayou.Network, tmp_path: Path) -> None:
    net.save(tmp_path / "ö.bayou")
    again = bayou.load(tmp_path / "ö.bayou")
    assert again.same_as(net)
    assert again.frozen.kinds == net.frozen.kinds


def test_a_small_node_goes_into_bif_as_its_table(tmp_path: Path) -> None:
    medicine().save(tmp_path / "small.bif")
    table = bayou.load(tmp_path / "small.bif").cpt("Fever")
    assert table["yes", "yes", "no"] == pytest.approx(0.95 * 0.2 * 0.6)


def test_a_damaged_node_in_a_file_is_refused(tmp_path: Path) -> None:
    from bayou.formats.bundle import read_bundle, write_bundle

    medicine().save(tmp_path / "good.bayou")
    kind, state = read_bundle(tmp_path / "good.bayou")
    (block,) = [entry for entry in state["blocks"] if entry["kind"] == "causes"]
    block["strength"] = [0, 0]
    write_bundle(tmp_path / "bad.bayou", kind, state, "test")
    with pytest.raises(BadFile, match="damaged"):
        bayou.load(tmp_path / "bad.bayou")


def test_it_prints_and_tells_its_numbers() -> None:
    net = medicine()
    assert "NoisyOr(Fever | Flu, Cold)" in str(net)
    assert "<table" in net._repr_html_()
    node = net.node("Fever")
    assert (node.leak, node.chance("Flu", "yes"), node.chance("Flu", "no")) == (0.05, 0.8, 0.0)
    with pytest.raises(UnknownVariable, match="among the parents"):
        node.chance("Fever", "yes")
    assert net.node("Flu")["yes"] == 0.1
    assert repr(bayou.NoisyAnd({"Flu": 0.5}, present="yes")) == "NoisyAnd({'Flu': 0.5}, present='yes')"


def test_the_present_state_is_told_by_its_name_or_named() -> None:
    states = {"A": ["yes", "no"], "B": [1, True], "C": ["yes", "no"]}
    arcs = "A -> C; B -> C"
    named = bayou.Network(arcs, states=states)
    named.set_cpt(
        "C", bayou.NoisyOr({"A": 0.5, "B": 0.25}, leak=0.1, present={"A": "yes", "C": "yes", "B": 1})
    )
    assert named.cpt("C")["yes", True, "yes"] == pytest.approx(1 - 0.9 * 0.5)
    assert named.cpt("C")["yes", 1, "yes"] == pytest.approx(1 - 0.9 * 0.5 * 0.75)
    told = bayou.Network(arcs, states=states).set_cpt("C", bayou.NoisyOr({"A": 0.5, "B": 0.25}))
    assert told.cpt("C")["yes", 1, "yes"] == pytest.approx(0.5)
    assert told.cpt("C")["no", 1, "yes"] == 0
    with pytest.raises(BadTable, match="'yes' is not a state of 'B'"):
        bayou.Network(arcs, states=states).set_cpt("C", bayou.NoisyOr({"A": 0.5, "B": 0.2}, present="yes"))


@pytest.mark.parametrize("states", [["yes", "no"], ["no", "yes"], [True, False], [1, 0], ["on", "off"]])
def test_the_order_of_states_does_not_invert_a_noisy_node(states: list[object]) -> None:
    """P(effect) by the formula, 1 − (1 − leak) ∏ (1 − p), whichever state comes first."""
    yes = next(state for state in states if state in ("yes", "on", True))
    no = next(state for state in states if state != yes)
    net = bayou.Network("A, B -> C", states=dict.fromkeys("ABC", states))
    net.set_cpt("C", bayou.NoisyOr({"A": 0.8, "B": 0.4}, leak=0.05))
    assert net.cpt("C")[yes, yes, yes] == pytest.approx(1 - 0.95 * 0.2 * 0.6)
    assert net.cpt("C")[no, no, yes] == pytest.approx(0.05)
    net.set_cpt("C", bayou.NoisyAnd({"A": 0.8, "B": 0.4}, leak=0.05))
    assert net.cpt("C")[yes, yes, yes] == pytest.approx(0.95)
    assert net.cpt("C")[no, no, yes] == pytest.approx(0.95 * 0.2 * 0.6)


def test_states_that_do_not_tell_are_asked_for() -> None:
    states = {"A": ["ill", "well"], "C": ["hot", "cool"], "D": ["high", "low", "none"]}
    net = bayou.Network("A -> C; A -> D", states=states)
    with pytest.raises(BadTable, match=r"'C' means present, 'hot' or 'cool'.*present={'C': 'cool'}"):
        net.set_cpt("C", bayou.NoisyOr({"A": 0.5}))
    with pytest.raises(BadTable, match=r"'A' means present, 'ill' or 'well'"):
        net.set_cpt("C", bayou.NoisyOr({"A": 0.5}, present={"C": "hot"}))
    net.set_cpt("C", bayou.NoisyOr({"A": {"ill": 0.5}}, present={"C": "hot"}))  # this mapping tells
    assert net.cpt("C")["ill", "hot"] == 0.5
    with pytest.raises(BadTable, match=r"'none' is not the first.*\['none', 'high', 'low'\]"):
        net.set_cpt("D", bayou.NoisyMax({"A": {"ill": {"high": 0.5, "low": 0.3, "none": 0.2}}}))
    rows = {"A": ["ill", "well"] * 20, "C": ["hot", "cool"] * 20}
    with pytest.warns(bayou.errors.BayouWarning, match=r"NoisyOr of 'C': which state of"):
        bayou.Network("A -> C", nodes={"C": bayou.NoisyOr}).fit(rows)


def test_a_cause_with_several_states_has_a_chance_for_each() -> None:
    states = {"Dose": ["none", "low", "high"], "Ill": ["no", "yes"]}
    node = bayou.NoisyOr({"Dose": {"low": 0.2, "high": 0.7}}, leak=0.1)
    net = bayou.Network("Dose -> Ill", states=states).set_cpt("Ill", node)
    assert net.frozen.table("Ill")[:, 1] == pytest.approx([0.1, 1 - 0.9 * 0.8, 1 - 0.9 * 0.3])
    assert net.parameter_count().free == 2 + 3
    always = bayou.NoisyOr({"Dose": {"none": 0.05, "low": 0.2, "high": 0.7}})
    assert net.set_cpt("Ill", always).parameter_count().free == 2 + 4


def test_noisy_max_takes_ordered_states_and_leaves_out_what_does_nothing() -> None:
    states = {"Flu": ["no", "yes"], "Cold": ["no", "yes"], "Fever": ["none", "mild", "high"]}
    node = bayou.NoisyMax(
        {"Flu": {"yes": {"none": 0.1, "mild": 0.3, "high": 0.6}}, "Cold": {"yes": [0.5, 0.4, 0.1]}},
        leak={"none": 0.9, "mild": 0.1, "high": 0.0},
    )
    net = bayou.Network("Flu, Cold -> Fever", states=states).set_cpt("Fever", node)
    links = [np.array([[1, 0, 0], [0.1, 0.3, 0.6]]), np.array([[1, 0, 0], [0.5, 0.4, 0.1]])]
    expected = full_table(links, np.array([0.9, 0.1, 0.0]), [0, 1, 2])
    assert np.allclose(net.frozen.table("Fever"), expected, atol=1e-15)
    assert net.parameter_count().free == 2 + 3 * 2
    assert net.node("Fever").chance("Cold", "yes") == {"none": 0.5, "mild": 0.4, "high": 0.1}


def test_a_noisy_node_among_continuous_variables() -> None:
    tables = {"Flu": {"no": 0.9, "yes": 0.1}, "Cold": {"no": 0.7, "yes": 0.3}}
    gauss = {"no": (36.8, 0.1), "yes": (38.5, 0.3)}
    options: dict[str, Any] = {"states": {"Fever": ["no", "yes"]}, "continuous": ["T"]}
    noisy = bayou.Network("Flu, Cold -> Fever -> T", tables=tables, **options)
    plain = bayou.Network("Flu, Cold -> Fever -> T", tables=tables, **options)
    noisy.set_cpt("Fever", bayou.NoisyOr({"Flu": 0.8, "Cold": 0.4}, leak=0.05)).set_gaussian("T", gauss)
    plain.set_cpt("Fever", noisy.frozen.table("Fever")).set_gaussian("T", gauss)
    assert noisy.query("T", {"Flu": "yes"}).mean == pytest.approx(plain.query("T", {"Flu": "yes"}).mean)
    assert noisy.query("Flu", {"T": 38.0})["yes"] == pytest.approx(plain.query("Flu", {"T": 38.0})["yes"])
    rows = [{"Flu": "yes", "T": 37.0}, {"Cold": "no", "Fever": "yes", "T": 38.0}]
    assert np.allclose(noisy.log_probability(rows), plain.log_probability(rows))


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (bayou.NoisyOr({"Flu": 0.5}), "has no entry for its parents 'Cold'"),
        (bayou.NoisyOr({"Flu": 0.5, "Gold": 0.5}), "Did you mean 'Cold'"),
        (bayou.NoisyOr({"Flu": 1.5, "Cold": 0.5}), "must lie between 0 and 1"),
        (bayou.NoisyOr({"Flu": "a lot", "Cold": 0.5}), "not a number"),
        (bayou.NoisyOr({"Flu": {"maybe": 0.5}, "Cold": 0.5}), "'maybe' is not a state of 'Flu'"),
        (bayou.NoisyOr({"Flu": 0.5, "Cold": 0.5}, leak=-1), "leak of 'Fever'"),
        (bayou.NoisyOr(0.5), "give a mapping of its parents"),
        (bayou.NoisyMax({"Flu": {}, "Cold": {}}, absent="nein"), "'nein' is not a state of 'Flu'"),
        (bayou.NoisyMax({"Flu": {"yes": [0.5, 0.6]}, "Cold": {}}), r"P\(Fever \| Flu=yes\) sums to 1.1"),
    ],
)
def test_a_node_that_is_stated_wrongly_is_refused_and_leaves_the_network_alone(
    node: Any, message: str
) -> None:
    net = medicine()
    before = net.frozen
    with pytest.raises(bayou.BayouError, match=message):
        net.set_cpt("Fever", node)
    assert net.frozen is before


def test_a_noisy_or_needs_two_states() -> None:
    net = bayou.Network("A -> B", states={"A": [0, 1, 2], "B": [0, 1, 2]})
    with pytest.raises(BadTable, match="needs two states"):
        net.set_cpt("B", bayou.NoisyOr({"A": {1: 0.5}}))
    two = bayou.Network("A -> B", states={"A": [0, 1, 2], "B": [0, 1]})
    with pytest.raises(BadTable, match="give a probability for each"):
        two.set_cpt("B", bayou.NoisyOr({"A": 0.5}))


def test_users_of_a_shared_block_share_a_noisy_node() -> None:
    net = bayou.Network(
        "A1 -> B1; A2 -> B2",
        states={"A1": ["yes", "no"], "B1": ["no", "yes"]},
        share={"step": ["B1", "B2"], "root": ["A1", "A2"]},
    )
    net.set_cpt("B2", bayou.NoisyOr({"A2": 0.5}, leak=0.1, present={"A2": "yes"}))
    assert net.cpt("B1")["yes", "yes"] == pytest.approx(0.55)
    assert net.frozen.kinds["B1"].marked == {"A1": "yes"}


def test_negative_findings_of_many_wide_nodes_fall_apart_into_single_causes() -> None:
    random = np.random.default_rng(6)
    causes = [f"c{k}" for k in range(60)]
    effects = [f"e{k}" for k in range(40)]
    chances = {e: {c: float(random.uniform(0.1, 0.9)) for c in causes} for e in effects}
    net = bayou.Network(
        [(c, e) for e in effects for c in causes],
        states={e: ["no", "yes"] for e in effects},
        tables={
            **{c: {"no": 0.8, "yes": 0.2} for c in causes},
            **{e: bayou.NoisyOr(chances[e], leak=0.1) for e in effects},
        },
    )
    answer = net.query("c5", dict.fromkeys(effects, "no"))
    silent = 0.2 * np.prod([1 - chances[e]["c5"] for e in effects])
    assert answer["yes"] == pytest.approx(silent / (0.8 + silent), rel=1e-9)
    found = {**dict.fromkeys(effects[1:], "no"), "e0": "yes", "c6": "yes"}
    weights = {c: 0.2 * np.prod([1 - chances[e][c] for e in effects[1:]]) for c in causes}
    alone = {c: 1.0 if c == "c6" else weight / (0.8 + weight) for c, weight in weights.items()}
    others = 0.9 * np.prod([1 - alone[c] * chances["e0"][c] for c in causes if c != "c5"])
    with_it, without = (
        alone["c5"] * (1 - others * (1 - chances["e0"]["c5"])),
        (1 - alone["c5"]) * (1 - others),
    )
    assert net.query("c5", found)["yes"] == pytest.approx(with_it / (with_it + without), rel=1e-9)


def test_plans_and_junction_trees_show_the_auxiliary_variables_of_a_wide_node() -> None:
    net = wide(30, bayou.NoisyOr)
    assert "effect so far (29)" in str(net.junction_tree())
    plan = net.plan("cause 3", {"effect": "yes"})
    assert plan.width <= 3
    assert plan.refused is None
    rows = {name: ["no", None] for name in net.names if name != "cause 5"}
    answers = net.posterior(rows, targets=["cause 5"])
    single = net.query("cause 5", dict.fromkeys(rows, "no"))
    assert answers["cause 5"][0, 1] == pytest.approx(single["yes"])
    assert single["yes"] == pytest.approx(0.1 * 0.7 / (0.9 + 0.1 * 0.7))
