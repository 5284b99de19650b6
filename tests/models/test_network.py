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
        (lambda: sprinkler.query("Rain", engine="magic"), "engine='magic' is unknown"),
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


def test_a_required_marginal_is_not_verified_silently() -> None:
    net = bayou.Network(
        "A -> B", tables={"A": {0: 0.5, 1: 0.5}, "B": {0: [0.9, 0.1], 1: [0.2, 0.8]}}, states={"B": [0, 1]}
    )
    with pytest.raises(BadQuestion, match="verify=True"):
        net.query("A", marginal={"B": {0: 0.3, 1: 0.7}}, verify=True)
