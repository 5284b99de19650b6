"""Intervals, cuts, and variables that are modelled by them."""

from __future__ import annotations

import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayou import Cuts, Interval, Schema, Variable
from bayou.errors import BadStatistics, BadVariable, UnknownState
from bayou.schema import natural_order
from bayou.statistics import Counts
from bayou.statistics.labels import union

FINITE = st.floats(allow_nan=False, allow_infinity=False)
POINTS = st.lists(FINITE, min_size=1, max_size=8, unique=True).map(sorted)
ANY = st.floats(allow_nan=False)


@given(POINTS, ANY)
def test_exactly_one_interval_holds_a_number_and_it_is_the_one_of_searchsorted(
    points: list[float], value: float
) -> None:
    variable = Variable("Größe in cm", cuts=points)
    for number in (value, points[0], points[-1]):
        holding = [code for code, interval in enumerate(variable.states) if number in interval]
        assert holding == [variable.code(number)] == [int(np.searchsorted(points, number, side="left"))]


@given(POINTS)
def test_printed_text_notation_and_the_interval_itself_lead_to_the_state(points: list[float]) -> None:
    cuts = Cuts(points)
    variable = Variable("x", cuts)
    assert len({str(interval) for interval in cuts}) == len(cuts)
    for code, interval in enumerate(cuts):
        assert variable.code(interval) == variable.code(str(interval)) == code
        assert Interval.from_notation(interval.notation) == interval
        assert pickle.loads(pickle.dumps(interval)) == interval
    assert pickle.loads(pickle.dumps(variable)) == variable


@given(POINTS)
def test_intervals_have_a_natural_order(points: list[float]) -> None:
    states = list(Cuts(points))
    mixed = states[::-1]
    assert natural_order(mixed) == tuple(states) == tuple(sorted(mixed))


@pytest.mark.parametrize(
    "value",
    [42, 42.0, np.float32(42), np.int8(42), Fraction(85, 2), Decimal("42.5"), "42", " 4.2e1", "30 to 50"],
)
def test_numbers_of_every_kind_stand_for_their_interval(value: object) -> None:
    assert Variable("age", cuts=[30, 50]).code(value) == 1  # type: ignore[arg-type]


def test_an_interval_of_pandas_is_understood_where_it_is_closed_on_the_right() -> None:
    age = Variable("age", cuts=[30, 50])
    assert age.find(pd.Interval(30, 50)) == 1
    assert age.find(pd.Interval(30, 50, closed="left")) is None
    assert age.find(pd.Interval(30, 51)) is None


@pytest.mark.parametrize("value", [True, "forty", "nan", "inf", "", math.nan, None, (1, 2), 1j])
def test_what_is_neither_a_number_nor_an_interval_is_no_state(value: object) -> None:
    age = Variable("age", cuts=[30, 50])
    assert age.find(value) is None
    with pytest.raises(UnknownState, match=r"'up to 30', '30 to 50', 'over 50'"):
        age.code(value)


def test_a_declared_range_holds_both_of_its_ends_and_nothing_beyond() -> None:
    age = Variable("age", cuts=Cuts(30, 50, low=0, high=120))
    assert [age.code(value) for value in (0, 30, 50.5, 120)] == [0, 0, 2, 2]
    assert 0 in Interval(0, 30, closed_left=True)
    assert 0 not in Interval(0, 30)
    with pytest.raises(
        UnknownState, match=r"130 lies outside the declared range of 'age': Cuts\(30, 50, low=0"
    ):
        age.code(130)
    assert [interval.mid for interval in Cuts(30, 50, low=0, high=120)] == [15, 40, 85]


def test_huge_whole_numbers_lie_in_the_outer_intervals() -> None:
    age = Variable("age", cuts=[0])
    assert (age.code(10**400), age.code(-(10**400)), age.code(math.inf), age.code(-math.inf)) == (1, 0, 1, 0)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([50, 30], r"50 comes before 30\. Write Cuts\(30, 50\)"),
        ([30, 30], r"30 is given twice"),
        ([0.0, -0.0], r"0 is given twice"),
        ([math.nan], r"must be a number, not nan"),
        ([math.inf], r"must be finite"),
        (["30"], r"must be a number, not '30'"),
        ([True], r"must be a number, not True"),
        ([10**400], r"must be a number"),
    ],
)
def test_cuts_that_make_no_intervals_are_refused(points: list[object], message: str) -> None:
    with pytest.raises(BadVariable, match=message):
        Cuts(points)
    with pytest.raises(BadVariable, match=message):
        Variable("age", cuts=points)  # type: ignore[arg-type]


@pytest.mark.parametrize("ends", [{"low": 30}, {"high": 30}, {"low": 40, "high": 20}, {"low": math.nan}])
def test_a_range_that_does_not_hold_the_cuts_is_refused(ends: dict[str, float]) -> None:
    with pytest.raises(BadVariable):
        Cuts(30, **ends)


def test_no_cut_at_all_is_one_state() -> None:
    assert [str(interval) for interval in Cuts()] == ["any number"]
    assert Variable("x", cuts=[]).code(-3.5) == 0


def test_intervals_that_overlap_or_states_beside_cuts_are_refused() -> None:
    with pytest.raises(BadVariable, match=r"\(0, 2\] and \(1, 3\] of 'x' overlap"):
        Variable("x", [Interval(1, 3), Interval(0, 2)])
    with pytest.raises(BadVariable, match="both states and cuts"):
        Variable("x", ["a"], cuts=[1])
    with pytest.raises(BadVariable, match="empty"):
        Interval(3, 3)


def test_adjoining_intervals_as_states_are_cuts_and_others_are_mere_states() -> None:
    assert Variable("x", list(Cuts(1, 2))) == Variable("x", cuts=[1, 2])
    assert Variable("x", list(Cuts(1, 2))).ordered
    gap = Variable("x", [Interval(0, 1), Interval(2, 3)])
    assert gap.cuts is None
    assert gap.find(0.5) is None
    assert not gap.same_states(Variable("x", cuts=Cuts(1, 2, low=0, high=3)))
    assert Variable("x", cuts=[1]) != Variable("x", cuts=[2])
    assert Variable("x", cuts=[1]) != Variable("x", ["up to 1", "over 1"])


def test_printing_leads_back() -> None:
    schema = Schema([Variable("age", cuts=Cuts(30, 0.5e2, low=-1.5))])
    assert repr(schema) == "Schema([Variable('age', Cuts(30, 50, low=-1.5))])"
    assert eval(repr(schema)) == schema
    assert repr(Interval(0, 0.1, closed_left=True)) == "Interval(0, 0.1, closed_left=True)"


def test_statistics_join_intervals_and_never_take_a_number_for_its_interval() -> None:
    low, middle, high = Cuts(30, 50)
    seen = union(Variable("age", [low]), Variable("age", [high, middle]))
    assert seen == Variable("age", cuts=[30, 50])
    numbers = Counts((Variable("age", [31, 32]),), np.array([3, 4]))
    with pytest.raises(BadStatistics, match="31, 32"):
        numbers.aligned([seen])
    with pytest.raises(BadVariable, match="overlap"):
        union(Variable("age", cuts=[30]), Variable("age", cuts=[40]))
