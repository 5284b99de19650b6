from __future__ import annotations

import itertools
import math
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bayou
from bayou.errors import (
    BadQuestion,
    BadTable,
    BadVariable,
    ImpossibleEvidence,
    MissingPackage,
    TooWide,
    UnknownState,
    UnknownVariable,
)
from bayou.probability.probability_table import ProbabilityTable
from bayou.schema import Variable

AXES: dict[Any, list[Any]] = {"Wetter": ["sun", "rain"], "a b": [1, "1", True], 3: ["ä", ("t", 1)]}
WEATHER = ProbabilityTable(
    {"weather": ["sun", "rain"], "traffic": ["light", "heavy"]}, [[0.4, 0.1], [0.2, 0.3]]
)
weights = st.lists(st.integers(1, 50), min_size=12, max_size=12)


def joint_of(numbers: list[int]) -> ProbabilityTable:
    return ProbabilityTable(AXES, np.reshape(numbers, (2, 3, 2)), normalise=True)


def lightning_joint() -> ProbabilityTable:
    lightning = ProbabilityTable.distribution("Lightning", {"yes": 0.3, "no": 0.7})
    thunder = ProbabilityTable.conditional(
        "Thunder", {"yes": {"yes": 0.9, "no": 0.1}, "no": {"yes": 0.05, "no": 0.95}}, given="Lightning"
    )
    rain = ProbabilityTable.conditional(
        "Rain", {"yes": {"yes": 0.8, "no": 0.2}, "no": {"yes": 0.1, "no": 0.9}}, given="Lightning"
    )
    return lightning * thunder * rain


@given(weights, st.permutations(list(AXES)), st.integers(1, 3))
def test_marginals_agree_with_adding_cells_up(numbers: list[int], order: list[Any], size: int) -> None:
    joint, names = joint_of(numbers), order[:size]
    marginal = joint.marginal(names)
    assert marginal.names == tuple(names)
    places = [list(AXES).index(name) for name in names]
    for states, value in marginal:
        wanted = (states,) if size == 1 else states
        cells = [
            p
            for cell, p in joint
            if all(cell[place] is state for place, state in zip(places, wanted, strict=True))
        ]
        assert value == pytest.approx(sum(cells), abs=1e-14)
    assert abs(marginal.to_array().sum() - 1) < 1e-12


@given(weights, st.sampled_from(list(AXES)))
def test_the_product_rule_puts_a_joint_together_again(numbers: list[int], name: Any) -> None:
    joint = joint_of(numbers)
    conditional = joint.given(name)
    assert conditional.conditions == (name,)
    assert (joint.marginal(name) * conditional).close_to(joint)
    assert (conditional * joint.marginal(name)).close_to(joint)
    for state in AXES[name]:
        assert conditional.condition({name: state}).close_to(joint.condition({name: state}))


@given(weights)
def test_the_chain_rule_and_total_probability(numbers: list[int]) -> None:
    joint = joint_of(numbers)
    first = joint.marginal("Wetter")
    second = joint.marginal(["Wetter", "a b"]).given("Wetter")
    third = joint.given("Wetter", "a b")
    assert (first * second * third).close_to(joint)
    assert (first * second).total("a b").close_to(joint.marginal("a b"))


@given(weights, st.sampled_from(AXES["a b"]), st.sampled_from(AXES[3]))
def test_the_sum_rule(numbers: list[int], state: Any, other: Any) -> None:
    joint = joint_of(numbers)
    a, b = {"a b": state}, {3: other}
    expected = joint.probability(a) + joint.probability(b) - joint.probability({**a, **b})
    assert joint.probability_of_any([a, b]) == pytest.approx(expected, abs=1e-14)
    assert joint.probability({"a b": AXES["a b"]}) == pytest.approx(1, abs=1e-14)
    assert joint.probability(a, given=b) == pytest.approx(
        joint.probability({**a, **b}) / joint.probability(b)
    )


@given(weights)
def test_information_agrees_with_entropies(numbers: list[int]) -> None:
    joint = joint_of(numbers)

    def entropy(*names: Any) -> float:
        return joint.marginal(list(names)).entropy()

    assert joint.entropy() == pytest.approx(-sum(p * math.log2(p) for _, p in joint))
    assert joint.mutual_information("Wetter", "a b") == pytest.approx(
        entropy("Wetter") + entropy("a b") - entropy("Wetter", "a b"), abs=1e-12
    )
    assert joint.mutual_information("Wetter", "a b", given=3, base=math.e) == pytest.approx(
        math.log(2) * (entropy("Wetter", 3) + entropy("a b", 3) - joint.entropy() - entropy(3)), abs=1e-12
    )


@given(weights)
def test_independence_finds_the_largest_gap_and_its_cell(numbers: list[int]) -> None:
    joint = joint_of(numbers)
    verdict = joint.independent("Wetter", ["a b"], given=3)
    gaps = {}
    for wetter, ab, third in itertools.product(*AXES.values()):
        known = joint.condition({3: third})
        product = known.probability({"Wetter": wetter}) * known.probability({"a b": ab})
        gaps[wetter, repr(ab), third] = abs(known.probability({"Wetter": wetter, "a b": ab}) - product)
    assert verdict.gap == pytest.approx(max(gaps.values()), abs=1e-14)
    assert gaps[verdict.where["Wetter"], repr(verdict.where["a b"]), verdict.where[3]] == pytest.approx(
        verdict.gap
    )
    assert bool(verdict) == (verdict.gap <= 1e-12)


def test_thunder_is_independent_of_rain_given_lightning_only() -> None:
    joint = lightning_joint()
    assert joint.independent("Thunder", "Rain", given=["Lightning"])
    verdict = joint.independent("Thunder", "Rain")
    assert not verdict
    assert verdict.gap == pytest.approx(0.2195 - 0.305 * 0.31, abs=1e-15)
    assert verdict.where == {"Thunder": "yes", "Rain": "yes"}
    assert str(verdict).startswith("Thunder ⟂ Rain does not hold: the largest gap is 0.12")
    assert joint.given("Lightning").independent("Thunder", "Rain")


def test_states_are_found_by_type_and_value_never_by_position() -> None:
    table = ProbabilityTable({"x": [1, "1"], "y": [True, False]}, [[0.1, 0.2], [0.3, 0.4]])
    assert table["1", True] == 0.3
    assert table[1.0, False] == 0.2
    assert table[1, 1] == 0.1  # of y only True means 1
    with pytest.raises(UnknownState, match="2 is not a state of 'y'"):
        table[1, 2]


def test_products_align_axes_and_states_by_name() -> None:
    prior = ProbabilityTable({"d": ["ill", "well"]}, [0.1, 0.9])
    rows = {"well": {"+": 0.2, "-": 0.8}, "ill": {"+": 0.7, "-": 0.3}}
    joint = prior * ProbabilityTable.conditional("t", rows, given="d")
    assert joint.names == ("d", "t")
    assert joint["ill", "+"] == pytest.approx(0.07)
    assert joint["well", "-"] == pytest.approx(0.72)


def test_several_givens_take_tuples_as_keys() -> None:
    rows = {(a, b): {"no": 1 - (a + b) / 4, "yes": (a + b) / 4} for a in (0, 1) for b in (0, 1, 2)}
    table = ProbabilityTable.conditional("c", rows, given=["a", "b"])
    assert table.title == "P(c | a, b)"
    assert table[1, 2, "yes"] == 0.75
    assert ProbabilityTable.conditional("c", rows, given=("a", "b")) == table


def test_joint_tables_read_from_mappings() -> None:
    cells = {("sun", "light"): 0.4, ("rain", "heavy"): 0.3, ("sun", "heavy"): 0.1, ("rain", "light"): 0.2}
    axes = {"weather": ["sun", "rain"], "traffic": ["light", "heavy"]}
    assert ProbabilityTable(axes, cells) == WEATHER
    assert hash(ProbabilityTable(axes, cells)) == hash(WEATHER)
    assert ProbabilityTable(axes, WEATHER.to_dict()) == WEATHER
    assert ProbabilityTable([Variable(*axis) for axis in axes.items()], WEATHER.to_array()) == WEATHER


def test_the_most_probable_state_and_the_size() -> None:
    assert WEATHER.argmax() == ("sun", "light")
    assert WEATHER.marginal("traffic").argmax() == "light"
    assert len(WEATHER) == 4
    assert WEATHER.given("traffic") != WEATHER
    assert not WEATHER.close_to(WEATHER.given("traffic"))


def test_rounded_numbers_are_put_right_and_exact_ones_left_alone() -> None:
    thirds = ProbabilityTable({"x": list("abc")}, [0.3333333333, 0.3333333333, 0.3333333333])
    assert abs(thirds.to_array().sum() - 1) < 1e-12
    assert ProbabilityTable({"x": list("ab")}, [0.98, 0.02])["a"] == 0.98


def test_nothing_outside_can_change_a_table() -> None:
    numbers = np.array([0.5, 0.5])
    table = ProbabilityTable({"x": ["a", "b"]}, numbers)
    numbers[0] = 7
    table.to_array()[0] = 7
    assert table["a"] == 0.5


def test_printing() -> None:
    assert str(WEATHER).splitlines() == [
        "P(weather, traffic)",
        "weather  traffic=light  traffic=heavy",
        "sun      0.4000         0.1000",
        "rain     0.2000         0.3000",
    ]
    assert str(ProbabilityTable({"年齢": ["<b>", "x\ny"]}, [0.99999, 0.00001])).splitlines() == [
        "P(年齢)",
        "年齢  P",
        "<b>   >0.9999  ██████████",
        "x\\ny   1e-05",
    ]
    many = ProbabilityTable({"x": range(100), "y": [0, 1]}, np.full((100, 2), 1 / 200))
    assert str(many).endswith("… and 40 more rows")
    assert repr(WEATHER) == "<ProbabilityTable P(weather, traffic) over weather: 2 states, traffic: 2 states>"


def test_html_is_escaped() -> None:
    page = ProbabilityTable({"<script>": ["<b>&", "'"]}, [1, 0])._repr_html_()
    assert "<script>" not in page
    assert "<b>" not in page
    assert "&lt;b&gt;&amp;" in page


def test_frames_have_a_column_for_each_axis() -> None:
    pandas = pytest.importorskip("pandas")
    frame = WEATHER.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["weather", "traffic", "probability"]
    assert frame.iloc[3].tolist() == ["rain", "heavy", 0.3]


def test_frames_without_pandas_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingPackage, match=r"pip install 'bayou\[frames\]'"):
        WEATHER.to_frame()


AB = {"a": ["x", "y"], "b": ["u", "v"]}


@pytest.mark.parametrize(
    ("arguments", "options", "kind", "message"),
    [
        ((AB, [[0.5, 0.5], [0.5, -0.5]]), {}, BadTable, "P(a, b): the entry for a = 'y', b = 'v' is -0.5"),
        ((AB, [[0.5, 0.5], [math.nan, 0]]), {}, BadTable, "the entry for a = 'y', b = 'u' is nan"),
        ((AB, [0.5, 0.5]), {}, BadTable, "expected 2 (a) × 2 (b), got the shape (2,)"),
        ((AB, [[0.5], [0.2, 0.3]]), {}, BadTable, "not numbers in 2 (a) × 2 (b)"),
        ((AB, [["p", 0], [0, 1]]), {}, BadTable, "not numbers"),
        (
            (AB, [[0.5, 0.5], [0.2, 0]]),
            {},
            BadTable,
            "the entries sum to 1.2, not 1. Correct it, or have it divided by its sum",
        ),
        (
            (AB, [[0.5, 0.5], [0.2, 0]]),
            {"given": "a"},
            BadTable,
            "P(b | a): the row a = 'y' sums to 0.2, not 1",
        ),
        (
            (AB, [[0.5, 0.5], [0, 0]]),
            {"given": "a", "normalise": True},
            BadTable,
            "the row a = 'y' sums to 0, so it",
        ),
        ((AB, {("x", "u"): 1}), {}, BadTable, "no entry for a = 'x', b = 'v' (3 missing)"),
        ((AB, {"x": 1}), {}, BadTable, "the key 'x' must be a tuple with one state each of: a, b"),
        ((AB, {("x", "w"): 1}), {}, UnknownState, "'w' is not a state of 'b'"),
        ((AB, [[1, 0], [0, 0]]), {"given": ["a", "b"]}, BadQuestion, "an axis that is not given"),
        ((AB, [[1, 0], [0, 0]]), {"given": "A"}, UnknownVariable, "Did you mean 'a'?"),
        (({"a": "xy"}, [1, 0]), {}, BadTable, "must be a list, not 'xy'"),
        (({"a": []}, []), {}, BadTable, "'a' has no states"),
        (({}, 1), {}, BadTable, "at least one axis"),
        ((["a"], [1]), {}, BadTable, "got 'a'"),
        (({"a": ["x", "x"]}, [1, 0]), {}, BadVariable, "'x' twice"),
    ],
)
def test_bad_numbers_are_refused_by_name(
    arguments: Any, options: Any, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as caught:
        ProbabilityTable(*arguments, **options)
    assert message in str(caught.value)


def test_bad_questions_are_refused_by_name() -> None:
    conditional = WEATHER.given("traffic")
    never = ProbabilityTable(AB, [[0.5, 0.5], [0, 0]])
    wide = ProbabilityTable({"x": range(10_000)}, np.full(10_000, 1e-4))
    other = ProbabilityTable({"y": range(10_000)}, np.full(10_000, 1e-4))
    questions: list[tuple[Any, type[Exception], str]] = [
        (lambda: WEATHER.marginal("wether"), UnknownVariable, "Did you mean 'weather'?"),
        (lambda: WEATHER.marginal([]), BadQuestion, "Name at least one"),
        (lambda: conditional.marginal("traffic"), BadQuestion, r"multiply it by P\(traffic\)"),
        (lambda: conditional.argmax(), BadQuestion, "The most probable state needs a joint"),
        (lambda: conditional.probability({"weather": "sun"}), BadQuestion, "needs a joint distribution"),
        (lambda: WEATHER.probability("sun"), BadQuestion, "An event must be a mapping"),
        (lambda: WEATHER.condition({"weather": "sun", "traffic": "light"}), BadQuestion, "fix every target"),
        (lambda: WEATHER.given("weather", "traffic"), BadQuestion, "Every axis"),
        (lambda: WEATHER.given(["weather", "traffic"]), BadQuestion, "Every axis"),
        (lambda: WEATHER["sun"], BadQuestion, "one state each of: weather, traffic"),
        (lambda: WEATHER.independent("weather", "weather"), BadQuestion, "is named twice"),
        (lambda: WEATHER * WEATHER, BadQuestion, "both give the probability of 'weather', 'traffic'"),
        (lambda: conditional * WEATHER.given("weather"), BadQuestion, "each is conditional on a target"),
        (lambda: never.condition({"a": "y"}), ImpossibleEvidence, "the probability of a = 'y' is 0"),
        (lambda: never.given("a"), ImpossibleEvidence, r"P\(b \| a\) is not defined.* a = 'y' is 0"),
        (lambda: wide * other, TooWide, "100,000,000 entries"),
        (
            lambda: ProbabilityTable({"weather": ["sun", "fog"]}, [1, 0]) * WEATHER.given("weather"),
            BadTable,
            "'weather' has the states 'sun', 'fog' in one table and 'sun', 'rain' in the other",
        ),
        (lambda: ProbabilityTable({"x": [1, True]}, [0.5, 0.5]).to_dict(), BadQuestion, "1 and True"),
    ]
    for ask, kind, message in questions:
        with pytest.raises(kind, match=message):
            ask()


def test_the_table_of_one_network_states_that_of_another_by_names_and_states() -> None:
    states = {"a b": [1, "1", True], "é": ["n", "y"], "c": [0, 1]}
    net = bayou.Network({"a b": (), "é": (), "c": ["a b", "é"]}, states=states)
    net.set_cpt("a b", [0.2, 0.3, 0.5]).set_cpt("é", [0.6, 0.4])
    net.set_cpt("c", [[[0.1, 0.9], [0.2, 0.8]], [[0.3, 0.7], [0.4, 0.6]], [[0.5, 0.5], [1, 0]]])
    turned = {"a b": [True, 1, "1"], "é": ["y", "n"], "c": [1, 0]}
    twin = bayou.Network({"a b": (), "é": (), "c": ["é", "a b"]}, states=turned)
    bare = bayou.Network({"a b": (), "é": (), "c": ["a b", "é"]})
    for name in net.names:
        twin.set_cpt(name, net.cpt(name))
        bare.set_cpt(name, net.cpt(name))
    assert bare.same_as(net)
    assert twin.cpt("c")["n", "1", 1] == 0.7
    assert twin.cpt("c")["y", True, 0] == 1
    with pytest.raises(BadTable, match=r"P\(é\) is not the table of 'c' given 'a b', 'é'"):
        net.set_cpt("c", net.cpt("é"))
    more = bayou.ProbabilityTable({"é": ["n", "y", "perhaps"]}, [0.5, 0.5, 0])
    with pytest.raises(UnknownState, match="'perhaps' is not a state of 'é'"):
        net.set_cpt("é", more)
    fewer = bayou.ProbabilityTable({"é": ["n"]}, [1.0])
    with pytest.raises(UnknownState, match="'y' is not a state of 'é'"):
        net.set_cpt("é", fewer)


def test_fractions_are_printed_where_every_entry_is_one() -> None:
    net = bayou.examples.genre_ratings_network()
    assert "d  0    0  0  2/3  1/3" in str(net.cpt("R"))
    assert "4/7" in str(bayou.examples.genre_ratings_network(prior=1).cpt("G"))
    third = ProbabilityTable({"a": [0, 1]}, [1 / 3, 2 / 3])
    assert "0.3333" in str(third)
    assert "1/3" in str(third.in_fractions())
    assert third.in_fractions() == third
    odd = ProbabilityTable({"a": [0, 1]}, [0.12345, 0.87655])
    assert str(odd.in_fractions()) == str(odd)
    many = bayou.Network("R").fit({"R": [1, 2, 2] * 20}, prior=0)
    assert "0.6667" in str(many.cpt("R"))


@pytest.mark.parametrize("base", [0, 1, -2, "e"])
def test_information_is_counted_in_a_base_that_has_a_logarithm(base: Any) -> None:
    two = ProbabilityTable({"a": [0, 1], "b": [0, 1]}, [[0.4, 0.1], [0.2, 0.3]])
    for asked in (lambda: two.entropy(base), lambda: two.mutual_information("a", "b", base=base)):
        with pytest.raises(BadQuestion, match="give the base of the logarithm"):
            asked()
