"""``Network``: declaring, setting tables, learning, querying, editing, printing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bayou
from bayou.errors import (
    BadData,
    BadFile,
    BadGraph,
    BadPrior,
    BadQuestion,
    BadStatistics,
    BadTable,
    BadVariable,
    BayouWarning,
    ImpossibleEvidence,
    NotFitted,
    TooWide,
    UnknownState,
    UnknownVariable,
)
from bayou.statistics import CountTable

MOVIES = {"G": ["d", "d", "d", "c", "c"], "R": [4, 4, 5, 1, 5]}
RATINGS = {"G": ["d", "c"], "R": [1, 2, 3, 4, 5]}
SPRINKLER = {
    "Rain": {"no": 0.8, "yes": 0.2},
    "Sprinkler": {"no": {"off": 0.6, "on": 0.4}, "yes": {"off": 0.99, "on": 0.01}},
    "Wet grass": {
        ("off", "no"): {"dry": 1.0, "wet": 0.0},
        ("off", "yes"): {"dry": 0.2, "wet": 0.8},
        ("on", "no"): {"dry": 0.1, "wet": 0.9},
        ("on", "yes"): {"dry": 0.01, "wet": 0.99},
    },
}


@pytest.fixture
def sprinkler() -> bayou.Network:
    return bayou.Network("Rain -> Sprinkler; Sprinkler, Rain -> Wet grass", tables=SPRINKLER)


def test_textbook_sprinkler_posterior(sprinkler: bayou.Network) -> None:
    # The well-known answer to this network, 35.77 %.
    assert sprinkler.query("Rain", given={"Wet grass": "wet"})["yes"] == pytest.approx(0.3576876756, abs=1e-9)


@pytest.mark.parametrize(
    "text", ["Rain | 'Wet grass'=wet", "Rain|Wet grass = wet", "Rain | \"Wet grass\"='wet'"]
)
def test_query_as_text(sprinkler: bayou.Network, text: str) -> None:
    assert sprinkler.query(text) == sprinkler.query("Rain", {"Wet grass": "wet"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Rain | Wet grass", "variable=state"),
        ("Rain | Wet grass=wet, Wet grass=dry", "twice"),
        ("Rain | Wet grass='wet", "not closed"),
        ("| Rain=yes", "missing"),
        ("Rain | Sprinkler=on | Wet grass=wet", "more than one bar"),
    ],
)
def test_bad_query_text_says_what_is_wrong(sprinkler: bayou.Network, text: str, message: str) -> None:
    with pytest.raises(BadQuestion, match=message):
        sprinkler.query(text)


def test_do_cuts_the_arcs_into_what_is_set(sprinkler: bayou.Network) -> None:
    done = sprinkler.query("Rain", do={"Sprinkler": "on"})
    assert done["yes"] == pytest.approx(0.2)
    assert done.title == "P(Rain | do(Sprinkler=on))"
    assert sprinkler.query("Rain", given={"Sprinkler": "on"})["yes"] == pytest.approx(0.002 / 0.322)


def test_likelihood_evidence_is_weighed_not_conditioned(sprinkler: bayou.Network) -> None:
    soft = sprinkler.query("Rain", likelihood={"Wet grass": {"wet": 0.8, "dry": 0.3}})
    wet = sprinkler.query("Wet grass")["wet"]
    mixed = sum(
        weight * p * sprinkler.query("Rain", {"Wet grass": state})["yes"]
        for state, weight, p in (("wet", 0.8, wet), ("dry", 0.3, 1 - wet))
    ) / (0.8 * wet + 0.3 * (1 - wet))
    assert soft["yes"] == pytest.approx(mixed)
    assert np.exp(soft.log_evidence) == pytest.approx(0.8 * wet + 0.3 * (1 - wet))


def test_impossible_evidence_names_a_conflict_that_cannot_shrink(sprinkler: bayou.Network) -> None:
    given = {"Wet grass": "wet", "Sprinkler": "off", "Rain": "no"}
    with pytest.raises(ImpossibleEvidence, match="Sprinkler=off") as caught:
        sprinkler.log_evidence(given)
    assert "Rain=no" in str(caught.value)
    assert "Wet grass=wet" in str(caught.value)


@pytest.mark.parametrize("shared", [True, False])
def test_jim_and_martha(shared: bool) -> None:
    data = {"G": list("dddcc"), "R1": [4, 4, 5, 1, 5], "R2": [5, 4, 3, 2, 4]}
    net = bayou.Network("G -> R1, R2", share={"p_R": ["R1", "R2"]} if shared else None)
    net.fit(data, prior=0)
    expected = {3: 1 / 6, 4: 3 / 6, 5: 2 / 6} if shared else {4: 2 / 3, 5: 1 / 3}
    for rating, probability in expected.items():
        assert net.cpt("R1")["d", rating] == pytest.approx(probability, abs=1e-15)
    assert (net.cpt("R1").to_array().tolist() == net.cpt("R2").to_array().tolist()) is shared
    assert net.parameter_count().total == 2 + 2 * 5 * (1 if shared else 2) - (0 if shared else 2 * 3)


def test_laplace_example_of_the_lecture() -> None:
    net = bayou.Network("G -> R", states=RATINGS).fit(MOVIES)
    assert net.cpt("G")["d"] == pytest.approx(4 / 7, abs=1e-15)
    assert [net.cpt("R")["c", r] for r in (1, 2, 3, 4, 5)] == pytest.approx(
        [2 / 7, 1 / 7, 1 / 7, 1 / 7, 2 / 7]
    )


@pytest.mark.parametrize(
    ("prior", "expected"),
    [
        (0.5, [1.5 / 4, 0.5 / 4, 1.5 / 4, 0.5 / 4]),
        (bayou.MEstimate(4), [2 / 6, 1 / 6, 2 / 6, 1 / 6]),
        (bayou.MEstimate(2, {1: 0.5, 2: 0.25, 3: 0.25, 4: 0.0}), [2 / 4, 0.5 / 4, 1.5 / 4, 0]),
        (bayou.Dirichlet([1, 2, 3, 4]), [2 / 12, 2 / 12, 4 / 12, 4 / 12]),
        (bayou.Dirichlet({4: 4, 3: 3, 2: 2, 1: 1}), [2 / 12, 2 / 12, 4 / 12, 4 / 12]),
        (bayou.BDeu(8), [3 / 10, 2 / 10, 3 / 10, 2 / 10]),
        ({"R": "bdeu"}, [3.5 / 12, 2.5 / 12, 3.5 / 12, 2.5 / 12]),
    ],
)
def test_every_prior(prior: object, expected: list[float]) -> None:
    net = bayou.Network("R", states={"R": [1, 2, 3, 4]}).fit({"R": [1, 3]}, prior=prior)
    assert net.cpt("R").to_array().tolist() == pytest.approx(expected, abs=1e-15)


def test_priors_that_make_no_sense() -> None:
    net = bayou.Network("R", states={"R": [1, 2]})
    for prior, printed in [
        (-1, "negative"),
        ("kt", "not a prior"),
        (bayou.MEstimate(1, {1: 0.5}), "has no entry for 2"),
        (bayou.MEstimate(1, {1: 0.5, 2: 0.6}), "sums to 1.1"),
        (bayou.Dirichlet([1, 2, 3]), "shape"),
    ]:
        with pytest.raises(BadPrior, match=printed):
            net.fit({"R": [1, 2]}, prior=prior)
    with pytest.raises(UnknownVariable, match="in prior"):
        net.fit({"R": [1, 2]}, prior={"Q": 1})


def test_typed_states_never_meet() -> None:
    net = bayou.Network("x").fit({"x": [1, "1", True, 1, None]}, prior=0)
    assert net.states("x") == (True, 1, "1")
    assert [net.cpt("x")[state] for state in (True, 1, "1")] == [0.25, 0.5, 0.25]


def test_new_states_in_mid_stream_equal_one_fit() -> None:
    whole = bayou.Network("G -> R").fit(MOVIES)
    parts = bayou.Network("G -> R")
    for row in (4, 0, 3, 2, 1):
        parts.partial_fit({name: [column[row]] for name, column in MOVIES.items()})
    assert parts.same_as(whole)


def test_forgetting_gives_the_network_without_the_record() -> None:
    net = bayou.Network("G -> R", states=RATINGS).fit(MOVIES)
    net.forget({"G": ["c"], "R": [5]})
    less = bayou.Network("G -> R", states=RATINGS).fit({name: col[:4] for name, col in MOVIES.items()})
    assert net.same_as(less)
    with pytest.raises(BadStatistics, match="would become -1"):
        net.forget({"G": ["c"], "R": [5]})
    assert net.same_as(less)


def test_gaps_count_where_the_family_is_observed() -> None:
    data = {"G": ["d", None, "c"], "R": [4, 4, None]}
    net = bayou.Network("G -> R").fit(data, prior=1, method="count")
    assert net.cpt("G").to_dict() == {"c": 0.5, "d": 0.5}
    assert net.statistics[CountTable(("G", "R"))].values.tolist() == [[0], [1]]


def test_rows_that_never_occur_are_uniform_with_a_warning() -> None:
    with pytest.warns(BayouWarning, match="1 of 2 parent combinations of 'R' never occur"):
        net = bayou.Network("G -> R", states={"G": ["d", "c"]}).fit({"G": ["d"] * 2, "R": [4, 5]}, prior=0)
    assert net.cpt("R")["c", 4] == 0.5


def test_weights_are_repeated_rows() -> None:
    repeated = {name: np.repeat(column, [3, 1, 2, 1, 4]) for name, column in MOVIES.items()}
    weighed = bayou.Network("G -> R").fit(MOVIES, weights=[3, 1, 2, 1, 4])
    assert weighed.same_as(bayou.Network("G -> R").fit(repeated))
    by_column = bayou.Network("G -> R").fit({**MOVIES, "n": [3, 1, 2, 1, 4]}, weights="n")
    assert by_column.same_as(weighed)
    with pytest.raises(BadData, match="row 1"):
        bayou.Network("G").fit({"G": ["d", "c"]}, weights=[1, -2])


@pytest.mark.parametrize("unknown", ["error", "missing", "smooth"])
def test_values_never_seen_follow_the_policy(unknown: str) -> None:
    net = bayou.Network("G -> R").fit(MOVIES)
    rows = {"G": ["d", "d"], "R": [4, 9]}
    if unknown == "error":
        with pytest.raises(UnknownState, match=r"9 in row 1 \(counting from 0\) is not a state of 'R'"):
            net.log_probability(rows, unknown=unknown)
    elif unknown == "missing":
        with pytest.warns(BayouWarning, match="1 in 'R'"):
            logs = net.log_probability(rows, unknown=unknown)
        assert np.exp(logs[1]) == pytest.approx(4 / 7)
    else:
        logs = net.log_probability(rows, unknown=unknown)
        # The second row is scored as if 9 had been declared; the first row is not affected.
        assert np.exp(logs) == pytest.approx([4 / 7 * 3 / 6, 4 / 7 * 1 / 7])


def test_absent_column_at_fit_is_named_with_a_hint() -> None:
    with pytest.raises(UnknownVariable, match=r"'Rating' in the data. Did you mean 'rating'"):
        bayou.Network("G -> Rating").fit({"G": ["d"], "rating": [4]})


def test_absent_column_at_prediction_is_a_gap() -> None:
    net = bayou.Network("G -> R").fit(MOVIES)
    assert np.exp(net.log_probability({"R": [4], "other": ["x"]})) == pytest.approx(
        net.query("R").to_dict()[4]
    )
    with pytest.raises(BadData, match="no column for any of 'G', 'R'"):
        net.log_probability({"other": ["x"]})


def test_values_outside_the_declared_states_are_refused() -> None:
    with pytest.raises(BadStatistics, match="'R' that are not among its declared states: 9"):
        bayou.Network("R", states={"R": [4, 5]}).fit({"R": [4, 9]})


def test_nothing_to_learn_from() -> None:
    with pytest.raises(BadData, match="no row"):
        bayou.Network("R", states={"R": [4, 5]}).fit({"R": []})
    with pytest.raises(BadData, match="'R' has no value at all"):
        bayou.Network("R").fit({"R": [None, None]})


def test_a_table_too_large_is_refused_before_it_is_made() -> None:
    data = {f"id{k}": list(range(2000)) for k in range(4)}
    with pytest.raises(TooWide, match="identifiers"):
        bayou.Network("id0, id1, id2 -> id3").fit(data)


def test_stating_tables_checks_every_row() -> None:
    net = bayou.Network("A -> B", states={"A": [0, 1], "B": ["x", "y"]})
    for table, printed in [
        ([[0.5, 0.5], [0.5, 0.6]], r"P\(B \| A=1\) sums to 1.1"),
        ([[0.5, 0.5]], r"shape \(1, 2\), expected \(2, 2\)"),
        ({0: [0.5, 0.5]}, r"has no rows for 'P\(B \| A=1\)'"),
        ({0: {"x": 0.5, "y": 0.5}, 1: {"x": -0.5, "y": 1.5}}, "not a probability"),
        ({0: {"x": "half"}, 1: [0, 1]}, "not a number"),
        ("nonsense", "neither a mapping"),
    ]:
        with pytest.raises(BadTable, match=printed):
            net.set_cpt("B", table)
    with pytest.raises(UnknownState, match="Did you mean 'x'"):
        net.set_cpt("B", {0: {"X": 0.5, "y": 0.5}, 1: [0, 1]})
    net.set_cpt("B", [[1, 3], [2, 2]], normalise=True)
    assert net.cpt("B").to_array().tolist() == [[0.25, 0.75], [0.5, 0.5]]
    net.set_cpt("A", {0: 0.25})
    assert net.cpt("A")[1] == 0.75


def test_editing_a_shared_table_changes_all_its_users() -> None:
    net = bayou.Network("G -> R1, R2", states={"G": ["d", "c"], "R1": [1, 2]}, share={"p_R": ["R1", "R2"]})
    net.set_cpt("R2", [[0.1, 0.9], [0.2, 0.8]])
    assert net.cpt("R1")["d", 2] == 0.9


def test_counts_do_not_survive_an_edit() -> None:
    net = bayou.Network("R").fit({"R": [1, 2]})
    net.set_cpt("R", {1: 0.9, 2: 0.1})
    with pytest.raises(NotFitted, match="given by hand"):
        net.partial_fit({"R": [1]})
    assert net.fit({"R": [1, 2]}).cpt("R")[1] == 0.5


def test_what_is_missing_is_named() -> None:
    with pytest.raises(NotFitted, match="'A'"):
        bayou.Network("A -> B").query("A")
    half = bayou.Network("A -> B", states={"A": [0, 1], "B": [0, 1]}, tables={"A": [0.5, 0.5]})
    assert half.query("A")[0] == 0.5
    with pytest.raises(NotFitted, match="'B'"):
        half.query("B")


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: bayou.Network("A -> B -> A"), BadGraph, "cycle: A -> B -> A"),
        (lambda: bayou.Network("A -> B", states={"C": [1]}), UnknownVariable, "in states"),
        (lambda: bayou.Network("A", states={"A": "yes"}), BadVariable, "list of states"),
        (lambda: bayou.Network("A", states={"A": []}), BadVariable, "continuous="),
        (lambda: bayou.Network("A", states={"A": [1, 1.0]}), BadVariable, "twice"),
        (lambda: bayou.Network("A", states={"A": [1, None]}), BadVariable, "means 'missing'"),
        (lambda: bayou.Network("A -> B; C", share={"p": ["B", "C"]}), BadGraph, "number of parents"),
        (lambda: bayou.Network("A, B", share={"p": ["A"], "q": ["A"]}), BadGraph, "listed twice"),
        (lambda: bayou.Network("A, B", share={"A": ["A", "B"]}), BadGraph, "a variable has that name"),
        (
            lambda: bayou.Network("A, B", states={"A": [1, 2], "B": [2, 3]}, share={"p": ["A", "B"]}),
            BadVariable,
            "same states",
        ),
        (
            lambda: bayou.Network("x -> A", states={"A": [1]}, continuous=["x"]),
            BadGraph,
            "continuous parent 'x'",
        ),
    ],
)
def test_networks_that_make_no_sense(build: object, error: type[Exception], message: str) -> None:
    assert callable(build)
    with pytest.raises(error, match=message):
        build()


def test_questions_that_contradict_themselves(sprinkler: bayou.Network) -> None:
    for ask, printed in [
        (lambda: sprinkler.query("Rain", given={"Rain": "yes"}), "asked for and given"),
        (lambda: sprinkler.query("Rain", given={"Sprinkler": "on"}, do={"Sprinkler": "on"}), "both observed"),
        (lambda: sprinkler.query("Rain", engine="magic"), "no engine"),
        (lambda: sprinkler.query("Rain", likelihood={"Sprinkler": [1, 2, 3]}), "a weight for each"),
        (lambda: sprinkler.sample(-1), "number of rows"),
        (lambda: sprinkler.sample(1, seed=-1), "seed"),
        (lambda: sprinkler.sample(1, seed=2**64), r"2\*\*64 - 1"),
        (lambda: sprinkler.impute({"Rain": [None]}, method="sample", seed=2**64), r"2\*\*64 - 1"),
    ]:
        with pytest.raises(BadQuestion, match=printed):
            ask()
    with pytest.raises(UnknownState, match="Did you mean 'on'"):
        sprinkler.query("Rain", given={"Sprinkler": "On"})
    with pytest.raises(UnknownVariable, match="Did you mean 'Rain'"):
        sprinkler.query("rain", given={"Sprinkler": "on"})


def test_it_prints_in_a_terminal_and_in_a_notebook(sprinkler: bayou.Network) -> None:
    hostile = bayou.Network("'<b>x</b>' -> y", states={"<b>x</b>": ["<i>", "&"], "y": [0, 1]})
    hostile.set_cpt("<b>x</b>", [0.5, 0.5])
    page = hostile._repr_html_()
    assert "<b>x</b>" not in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    text = str(sprinkler)
    assert "P(Sprinkler | Rain)" in text
    assert "14 parameters, 7 free (the full joint table: 8, 7 free)" in text
    assert "shared by 'R1', 'R2'" in str(bayou.Network("G -> R1, R2", share={"p_R": ["R1", "R2"]}))


def test_the_working_ends_in_the_posterior(sprinkler: bayou.Network) -> None:
    lines = sprinkler.working("Rain", {"Wet grass": "wet"}).splitlines()
    assert lines[0] == "P(Rain | Wet grass=wet)"
    assert lines[-1].endswith("= 0.357688")


@pytest.mark.parametrize(
    "build",
    [
        lambda: bayou.Network("A", states={"A": 3}),
        lambda: bayou.Network("A", states=[1]),
        lambda: bayou.Network("A", states={"A": {"x", "y"}}),
        lambda: bayou.Network("A", states={"A": bayou.Variable("B", [1])}),
        lambda: bayou.Network("A", tables=3),
        lambda: bayou.Network("A; B", share=["A", "B"]),
        lambda: bayou.Network("A; B", share={"p": 3}),
        lambda: bayou.Network("A", continuous=3),
        lambda: bayou.Network([(float("nan"), "A")]),
        lambda: bayou.Network([(None, "A")]),
        lambda: bayou.Network(np.array([[0, 1], [0, 0]])),
        lambda: bayou.Network("A", tables={"A": {"x": 1}}).query([]),
        lambda: bayou.Network("A", tables={"A": {"x": 1}}).query("A", given=3),
        lambda: bayou.Network("A", tables={"A": {"x": 1}}).query("A", likelihood={"A": "q"}),
        lambda: bayou.Network("A", tables={"A": {"x": 1}}).query("A", likelihood=[1]),
    ],
)
def test_arguments_of_the_wrong_kind_are_refused_by_name(build: object) -> None:
    assert callable(build)
    with pytest.raises(bayou.BayouError):
        build()


def test_a_series_is_read_by_its_labels() -> None:
    import pandas as pd

    net = bayou.Network("A -> B", states={"A": ["n", "y"], "B": ["n", "y"]})
    net.set_cpt("A", pd.Series({"y": 0.9, "n": 0.1}))
    assert net.cpt("A")["y"] == 0.9
    net.set_cpt("B", pd.DataFrame([[0.5, 0.5], [0.7, 0.3]], index=["y", "n"], columns=["y", "n"]))
    assert net.cpt("B")["n", "y"] == 0.7
    soft = net.query("A", likelihood={"B": pd.Series({"y": 1.0, "n": 0.0})})
    assert soft == net.query("A", likelihood={"B": {"y": 1.0, "n": 0.0}})
    assert net.query("A", given=pd.Series({"B": "y"})) == net.query("A", given={"B": "y"})


def test_a_table_can_be_given_back() -> None:
    net = bayou.Network("A -> B", states={"A": ["n", "y"], "B": [0, 1]}, tables={"A": [0.5, 0.5]})
    net.set_cpt("B", [[0.5, 0.5], [0.7, 0.3]])
    twin = net.copy().set_cpt("B", net.cpt("B").to_dict())
    assert twin.same_as(net)


def test_text_and_given_are_merged(sprinkler: bayou.Network) -> None:
    both = sprinkler.query("Rain | Wet grass=wet", given={"Sprinkler": "off"})
    assert both == sprinkler.query("Rain", {"Wet grass": "wet", "Sprinkler": "off"})
    with pytest.raises(BadQuestion, match="give it once"):
        sprinkler.query("Rain | Wet grass=wet", given={"Wet grass": "dry"})


def test_stated_tables_are_not_thrown_away_by_partial_fit() -> None:
    net = bayou.Network("A", tables={"A": {"x": 0.25, "y": 0.75}})
    with pytest.raises(NotFitted, match="given by hand"):
        net.partial_fit({"A": ["x"]})
    assert net.cpt("A")["x"] == 0.25


def test_a_failed_statement_leaves_nothing_behind() -> None:
    net = bayou.Network("A")
    with pytest.raises(BadTable):
        net.set_cpt("A", {"a": 0.5, "b": 0.6})
    assert net.set_cpt("A", {"u": 0.5, "v": 0.5}).states("A") == ("u", "v")


def test_evidence_behind_a_hidden_continuous_variable() -> None:
    net = bayou.Network(
        "s -> h -> w",
        states={"s": ["f", "m"]},
        continuous=["h", "w"],
        tables={
            "s": [0.5, 0.5],
            "h": {"f": (165, 36), "m": (178, 49)},
            "w": {"mean": -90, "variance": 25, "coefficients": {"h": 0.9}},
        },
    )
    assert net.log_evidence({"w": 60.0}) == pytest.approx(net.log_probability({"w": 60.0}), rel=1e-12)


def test_fractions_among_learned_whole_numbers_are_refused() -> None:
    net = bayou.Network("x").fit({"x": [1, 2, 3]})
    with pytest.raises(BadData, match="Declare it"):
        net.partial_fit({"x": [2.5, 1.25]})
    assert net.states("x") == (1, 2, 3)


def test_a_tuple_is_a_column_unless_it_is_a_state() -> None:
    net = bayou.Network("A", tables={"A": {"x": 0.25, "y": 0.75}})
    assert np.exp(net.log_probability({"A": ("x", "y")})) == pytest.approx([0.25, 0.75])
    odd = bayou.Network("A", tables={"A": {("x", 1): 0.25, "y": 0.75}})
    assert np.exp(odd.log_probability({"A": ("x", 1)})) == pytest.approx(0.25)


def test_what_a_file_says_beside_the_network_is_kept(tmp_path: Path) -> None:
    text = (
        "network mynet { property author = me; }\n"
        "variable X { type discrete [ 2 ] { a, b }; property position = (1, 2); }\n"
        "probability ( X ) { table 0.9, 0.1; }\n"
    )
    (tmp_path / "a.bif").write_text(text)
    net = bayou.load(tmp_path / "a.bif")
    net.save(tmp_path / "b.bayou")
    bayou.load(tmp_path / "b.bayou").save(tmp_path / "c.bif")
    again = (tmp_path / "c.bif").read_text()
    for part in ("network mynet", "property author = me;", "property position = (1, 2);"):
        assert part in again


def test_a_format_that_cannot_hold_sharing_says_so(tmp_path: Path) -> None:
    net = bayou.Network("A, B", share={"p": ["A", "B"]}).fit({"A": [0, 1], "B": [1, 1]})
    with pytest.warns(BayouWarning, match="cannot keep the sharing of 'p'"):
        net.save(tmp_path / "shared.bif")
    net.save(tmp_path / "shared.bayou")
    assert bayou.load(tmp_path / "shared.bayou").sharing == {"p": ("A", "B")}


def test_findings_that_contradict_each_other_are_still_possible() -> None:
    # Each measurement is 50 standard deviations off for one of the classes: e^-1250, far below any float.
    count = 40
    tables: dict[str, object] = {"c": {"a": 0.5, "b": 0.5}}
    for k in range(count):
        tables[f"x{k}"] = {"a": (0, 1), "b": (50 * (-1) ** k, 1)}
    net = bayou.Network(
        {"c": [], **{f"x{k}": ["c"] for k in range(count)}},
        states={"c": ["a", "b"]},
        continuous=[f"x{k}" for k in range(count)],
        tables=tables,
    )
    row = {f"x{k}": 50.0 * (-1) ** k if k % 2 else 0.0 for k in range(count)}
    for engine in ("compiled", "elimination"):
        assert net.query("c", row, engine=engine).to_dict() == pytest.approx({"a": 0.5, "b": 0.5})
    expected = -0.5 * count * np.log(2 * np.pi) - 0.5 * 2500 * count / 2
    assert net.log_evidence(row) == pytest.approx(expected, rel=1e-12)
    assert net.log_probability(row) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("layout", ["array", "reversed", "strided", "records"])
def test_numbers_in_any_memory_layout(layout: str) -> None:
    import pandas as pd

    values = np.random.default_rng(0).normal(size=(50, 3))
    frame = pd.DataFrame(values, columns=list("abc"))
    data = {
        "array": values,
        "reversed": frame[::-1],
        "strided": {name: values[:, k] for k, name in enumerate("abc")},
        "records": frame.to_records(),
    }[layout]
    net = bayou.Network("a -> b -> c").fit(data, columns=list("abc") if layout == "array" else None)
    expected = bayou.Network("a -> b -> c").fit({name: values[:, k].copy() for k, name in enumerate("abc")})
    assert net.gaussian("c").variance() == pytest.approx(expected.gaussian("c").variance(), rel=1e-12)


def test_more_of_the_wrong_kind() -> None:
    net = bayou.Network("A").fit({"A": [1, 2]})
    with pytest.raises(BadData, match="'x' is infinite in row 1 "):
        bayou.Network("x").fit({"x": [1.5, np.inf]})
    with pytest.raises(BadPrior):
        net.fit({"A": [1]}, prior=bayou.Laplace)
    with pytest.raises(BadStatistics, match="every row"):
        net.forget({"A": [1, 2]})
    for wrong in (None, 3):
        with pytest.raises(BadFile, match="not a path"):
            net.save(wrong)
        with pytest.raises(BadFile, match="not a path"):
            bayou.load(wrong)


def test_times_with_and_without_a_zone_meet_in_mid_stream() -> None:
    import datetime

    naive = datetime.datetime(2026, 1, 1)
    aware = naive.replace(tzinfo=datetime.timezone.utc)
    net = bayou.Network("t").fit({"t": [naive]}).partial_fit({"t": [aware]})
    assert len(net.states("t")) == 2
