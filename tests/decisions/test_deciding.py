"""decide(): expected utilities, ties, gaps, rejection, and errors that name what is missing."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bayou
from bayou.decisions import Decision, Decisions, decide
from bayou.errors import BadQuestion, BadTable

TREAT = {"treat it": {"krank": 90, "gesund": 40}, "wait": {"krank": 0, "gesund": 100}}


def one(*arguments: object, **settings: object) -> Decision:
    decision = decide(*arguments, **settings)  # type: ignore[arg-type]
    assert isinstance(decision, Decision)
    return decision


def many(*arguments: object, **settings: object) -> Decisions:
    decisions = decide(*arguments, **settings)  # type: ignore[arg-type]
    assert isinstance(decisions, Decisions)
    return decisions


def test_one_posterior_in_every_form_gives_the_same_decision() -> None:
    net = bayou.Network("zustand", tables={"zustand": {"krank": 0.25, "gesund": 0.75}})
    told = [
        one({"gesund": 0.75, "krank": 0.25}, TREAT),
        one(net.query("zustand"), TREAT),
        one(net.query("zustand").to_series(), TREAT),
        one([0.25, 0.75], TREAT, classes=["krank", "gesund"]),
        one(
            np.array([0.25, 0.75]),
            [[90, 40], [0, 100]],
            classes=["krank", "gesund"],
            actions=["treat it", "wait"],
        ),
        one({"krank": 0.25, "gesund": 0.75}, pandas.DataFrame(TREAT).T),
        one(
            {"krank": 0.25, "gesund": 0.75},
            costs={a: {s: -u for s, u in r.items()} for a, r in TREAT.items()},
        ),
    ]
    for decision in told:
        assert decision.best == "wait"
        assert decision.expected == {"treat it": 52.5, "wait": 75.0}
        assert decision.margin == 22.5
        assert decision.value_of_perfect_information == pytest.approx(0.25 * 90 + 0.75 * 100 - 75)


@given(
    arrays(np.float64, (4, 3), elements=st.floats(0.01, 1)),
    arrays(np.float64, (5, 3), elements=st.floats(-100, 100)),
    st.none() | st.floats(-100, 100),
)
def test_a_matrix_agrees_with_brute_force_and_with_its_rows(
    weights: np.ndarray, utilities: np.ndarray, reject: float | None
) -> None:
    proba = weights / weights.sum(axis=1, keepdims=True)
    decisions = many(proba, utilities, reject, classes=["a", "b", 3])
    table = utilities if reject is None else np.vstack([utilities, np.full(3, reject)])
    for row, decision in zip(proba, (decisions[k] for k in range(4)), strict=True):
        worth = [sum(p * u for p, u in zip(row, line, strict=True)) for line in table]
        assert list(decision.expected.values()) == pytest.approx(worth, abs=1e-9)
        assert decision.expected_utility == pytest.approx(max(worth), abs=1e-9)
        informed = sum(p * max(column) for p, column in zip(row, table.T, strict=True))
        assert decision.value_of_perfect_information == pytest.approx(informed - max(worth), abs=1e-9)
        assert decision.value_of_perfect_information >= 0
    assert decisions.best.tolist() == [decisions[k].best for k in range(4)]
    assert decisions.margin.tolist() == [decisions[k].margin for k in range(4)]


def test_rejecting_follows_chow_s_rule() -> None:
    decisions = many([[0.9, 0.1], [0.65, 0.35], [0.3, 0.7]], classes=["spam", "ham"], reject=0.7)
    assert decisions.best.tolist() == ["spam", "reject", "ham"]
    assert decisions[2].ties == ("ham", "reject")
    by_cost = many([[0.9, 0.1], [0.65, 0.35]], costs=1 - np.eye(2), classes=["spam", "ham"], reject=0.3)
    assert by_cost.best.tolist() == ["spam", "reject"]
    assert by_cost.expected_utility.tolist() == pytest.approx([-0.1, -0.3])
    with pytest.raises(BadQuestion, match="'reject' already"):
        one({"a": 1.0}, {"reject": {"a": 1}}, reject=0.5)


def test_ties_within_rounding_go_to_the_first_action() -> None:
    decision = one({"x": 0.1, "y": 0.2, "z": 0.7}, {"first": {"x": 0, "y": 0, "z": 3}, "second": [3, 9, 0]})
    assert decision.ties == ("first", "second")
    assert decision.best == "first"
    assert decision.margin == 0
    assert "A tie of first, second" in str(decision)


def test_an_impossible_state_does_not_count_however_bad() -> None:
    utilities = {"risky": {"ok": 10, "boom": -np.inf}, "safe": {"ok": 1, "boom": 1}}
    assert one({"ok": 1.0, "boom": 0.0}, utilities).best == "risky"
    assert one({"ok": 0.999, "boom": 0.001}, utilities).best == "safe"
    both = {"one": {"ok": 1, "boom": -np.inf}, "two": {"ok": 2, "boom": -np.inf}}
    hopeless = one({"ok": 0.5, "boom": 0.5}, both)
    assert (hopeless.margin, hopeless.value_of_perfect_information) == (0, 0)
    with pytest.raises(BadTable, match="'safe' in the state 'boom' is infinite"):
        one({"ok": 1.0, "boom": 0.0}, {"safe": {"ok": 1, "boom": np.inf}})


def test_rows_without_a_posterior_are_counted_not_guessed() -> None:
    decisions = many([[0.5, 0.5], [np.nan, np.nan]], classes=[0, 1], utilities=np.eye(2))
    assert decisions.best.tolist() == [0, None]
    assert np.isnan(decisions.expected_utility[1])
    assert "(no posterior)" in str(decisions)
    assert decisions.to_frame()["best"].tolist()[0] == 0
    with pytest.raises(BadQuestion, match=r"Row 1 \(counting from 0\) has no posterior"):
        decisions[1]
    with pytest.raises(BadTable, match="missing"):
        one([np.nan, 0.5], np.eye(2), classes=[0, 1])


@pytest.mark.parametrize(
    ("posterior", "settings", "message"),
    [
        ({"a": 0.5, "b": 0.5}, {"utilities": {"go": {"a": 1}}}, "'go' has no number for the state 'b'"),
        ({1: 0.5, "1": 0.5}, {"utilities": {"go": {1: 1, 2: 1}}}, "has no number for the state '1'"),
        ({"a": 1.0}, {"utilities": {"go": {"a": 1, "c": 2}}}, "number for 'c', which is not a state"),
        ({"a": 1.0}, {"utilities": {"go": {"a": "much"}}}, "'go' in the state 'a' has 'much'"),
        ({"a": 1.0}, {"utilities": {"go": {"a": float("nan")}}}, "'go' in the state 'a' is missing"),
        ({"a": 0.5, "b": 0.6}, {}, "sums to 1.1"),
        ({"a": 1.5, "b": -0.5}, {}, "outside 0"),
        ([0.5, 0.5], {}, "classes="),
        ([0.5, 0.5], {"classes": ["a", "a"]}, "occurs twice"),
        ([[0.5, 0.5], [0.5, 0.4]], {"classes": "ab"}, "is text"),
        ([[0.5, 0.5], [0.5, 0.4]], {"classes": ["a", "b"]}, "Row 1, .* sums to 0.9"),
        ({"a": 1.0}, {"utilities": {}}, "no actions"),
        ({"a": 1.0}, {"utilities": [[1]], "costs": [[1]]}, "not both"),
        ([0.5, 0.5], {"classes": [0, 1], "utilities": [[1, 2, 3]]}, "the shape"),
    ],
)
def test_what_is_wrong_is_named(posterior: object, settings: dict[str, object], message: str) -> None:
    with pytest.raises((BadTable, BadQuestion), match=message):
        decide(posterior, **settings)  # type: ignore[arg-type]


def test_posteriors_of_rows_and_frames_of_any_kind() -> None:
    net = bayou.examples.storm()
    rows = net.posterior({"Thunder": ["yes", "no"]}, "Storm")
    worth = {"stay": {"yes": 0, "no": 0}, "go": {"yes": -10, "no": 3}}
    decisions = many(rows, worth)
    for k, row in enumerate(rows["Storm"]):
        assert decisions[k].best == one(row, worth, classes=net.states("Storm")).best
    with pytest.raises(BadQuestion, match="one target at a time"):
        many(net.posterior({"Thunder": ["yes"]}, ["Storm", "Campfire"]), worth)
    table = polars.DataFrame({"no": [0, 3], "yes": [0, -10]})
    assert many(rows, table, actions=["stay", "go"]).best.tolist() == decisions.best.tolist()
    joint = net.query(["Storm", "Thunder"])
    assert one(joint).best == max(joint.to_dict(), key=joint.to_dict().__getitem__)
    assert "one action only" in str(one({"a": 1.0}, {"go": 3}))


def test_it_prints_escapes_and_converts() -> None:
    decision = one({"<b>": 0.5, "q": 0.5}, {"a&b": {"<b>": 1, "q": 2}, "c": {"<b>": 5, "q": 1}})
    assert "&lt;b&gt;" in decision._repr_html_()
    assert "<b>" not in decision._repr_html_()
    assert decision.to_frame()["expected"].tolist() == [1.5, 3.0]
    assert decision.to_dict()["best"] == "c"
    assert str(decision).splitlines()[1].startswith("→  c")
    frame = pandas.DataFrame({"yes": [0.25, 1.0], "no": [0.75, 0.0]})
    assert many(frame).best.tolist() == ["no", "yes"]
    assert "2 rows" in str(many(frame))
