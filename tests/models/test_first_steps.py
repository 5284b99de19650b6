"""What a new user of the library tries first, and the messages that follow."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pandas
import pytest

import bayou
from bayou import BayouWarning


def test_a_warning_points_at_the_line_of_the_user() -> None:
    rows = {"the key": [f"№ {k}" for k in range(60)], "größe": [0, 1] * 30}
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        bayou.learn_structure(rows)
    assert {warning.filename for warning in given} == {__file__}


def gappy_pair() -> dict[str, list[str | None]]:
    random = np.random.default_rng(5)
    first = random.integers(0, 2, 200)
    second = np.where(random.random(200) < 0.1, 1 - first, first)
    texts = [None if k % 9 == 0 else "ny"[value] for k, value in enumerate(first)]
    return {"été 1": texts, "b c": ["ny"[value] for value in second]}


@pytest.mark.parametrize("method", ["pc", "chow-liu", "tan"])
def test_methods_that_count_what_is_there_say_so_and_score_the_cells_that_are_there(method: str) -> None:
    rows, target = gappy_pair(), "b c" if method == "tan" else None
    with pytest.warns(
        BayouWarning, match=r"'été 1' has gaps: .* uses the rows where its variables are observed"
    ):
        net = bayou.learn_structure(rows, method=method, target=target)
    report = net.learned_structure
    assert report is not None
    by_all = bayou.learn_structure(rows, fixed=net.dag).learned_structure
    assert by_all is not None
    assert report.score_name == by_all.score_name == "BIC of the cells that are there"
    assert report.score == pytest.approx(by_all.score, abs=1e-6)
    assert any("'été 1' has gaps" in remark for remark in report.remarks)


def test_rows_without_any_value_leave_a_score() -> None:
    rows = {"a": ["x", "y", None] * 9, "b": ["p", "q", None] * 9}
    with pytest.warns(BayouWarning, match="have gaps"):
        report = bayou.learn_structure(rows, method="chow-liu").learned_structure
    assert report is not None
    assert np.isfinite(report.score)


def test_columns_that_are_lines_of_each_other_are_named() -> None:
    x = np.random.default_rng(2).normal(size=80)
    near = x + 1e-5 * np.random.default_rng(3).normal(size=80)
    with pytest.warns(BayouWarning) as given:
        bayou.learn_structure({"a": x, "b 2": x, "c": 3 - 2 * x, "near": near})
    (printed,) = [str(warning.message) for warning in given]
    assert "'b 2' is a linear function of 'a'; 'c' is a linear function of 'a':" in printed
    assert "ignore=['b 2', 'c']" in printed


def test_columns_of_keys_get_no_arcs_but_required_ones() -> None:
    keys = [f"№ {k}" for k in range(3000)]
    rows = {"id": keys, "again": keys, "z": [0, 1] * 1500, "y": [0, 1] * 1500}
    for method in ("auto", "pc", "chow-liu"):
        with pytest.warns(BayouWarning, match="'id', 'again': .* it gets only required arcs"):
            net = bayou.learn_structure(rows, method=method)
        assert {frozenset(arc) for arc in net.arcs} == {frozenset("yz")}
    with pytest.warns(BayouWarning, match="only required arcs"):
        assert ("z", "id") in bayou.learn_structure(rows, require="z -> id").arcs


def test_a_class_without_features_is_a_network_without_arcs() -> None:
    net = bayou.learn_structure({"a": [0, 1, 1]}, method="tan", target="a")
    assert net.arcs == ()
    assert "parent" not in str(net.learned_structure)


@pytest.mark.parametrize("level", ["a", 0, 1.5, True, float("nan")])
def test_a_level_that_is_none_is_refused(level: object) -> None:
    with pytest.raises(bayou.BayouError, match=r"level=.*between 0 and 1"):
        bayou.learn_structure({"a": [0, 1], "b": [0, 1]}, method="pc", level=level)


def test_unknown_options_of_arc_strength_are_named() -> None:
    rows = {"a": [0, 1] * 9, "b": [0, 1] * 9}
    with pytest.raises(bayou.BayouError, match="Did you mean 'method'"):
        bayou.arc_strength(rows, samples=2, metod="pc")


@pytest.mark.parametrize(("score", "named"), [("k2", "'k2'"), (bayou.BDeu(3), "BDeu")])
def test_a_score_of_counts_is_called_as_it_was_written(score: object, named: str) -> None:
    rows = {"a": [0, 1] * 9, "x": np.arange(18.0) ** 2}
    with pytest.raises(bayou.BayouError, match=f"score={named}.* scores tables of counts only"):
        bayou.learn_structure(rows, score=score)


def test_an_empty_table_has_no_rows() -> None:
    with pytest.raises(bayou.BayouError, match="no row"):
        bayou.learn_structure({"a": [], "b": []})
    with pytest.raises(bayou.BayouError, match="no row"):
        bayou.Network("a -> b").fit({"a": [], "b": []})


def test_fewer_than_no_arcs_are_refused() -> None:
    with pytest.raises(bayou.BayouError, match="arcs=-1"):
        bayou.random_network(3, arcs=-1)


def floats_with_gaps() -> pandas.DataFrame:
    return pandas.DataFrame({"a 0": [0, 1, None, 1, 0, 1, 0, 0, 1] * 9, "é": ["x", "y", "x"] * 27})


def test_whole_numbers_that_gaps_made_floats_are_states_in_every_container(tmp_path: Path) -> None:
    rows = floats_with_gaps()
    rows.to_parquet(tmp_path / "rows.parquet")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    net = bayou.Network("é -> a 0").fit(rows)
    assert net.states("a 0") == (0, 1)
    for other in (tmp_path / "rows.parquet", tmp_path / "rows.csv"):
        assert bayou.Network("é -> a 0").fit(other).same_as(net)
    assert bayou.learn_structure(rows).states("a 0") == (0, 1)
    assert bayou.Network("é -> a 0", continuous=["a 0"]).fit(rows).variables["a 0"].is_continuous


def test_a_column_of_broken_numbers_is_a_measurement() -> None:
    values = [0.5, 1.0, None]
    rows = {"x": pandas.Series(values * 2, dtype=float), "y": [0, 1] * len(values)}
    assert bayou.Network("y -> x").fit(pandas.DataFrame(rows)).variables["x"].is_continuous


def test_an_arc_from_whole_numbers_to_states_tells_how_to_make_states() -> None:
    rows = floats_with_gaps().dropna()
    with pytest.raises(bayou.BayouError, match=r"'a 0' has whole numbers only.*states=\{'a 0': \[0, 1\]\}"):
        bayou.Network("a 0 -> é").fit(rows)


def sum_of_two() -> bayou.Network:
    even = {0: 0.5, 1: 0.5}
    tables = {"a": even, "b": even, "Σ": bayou.Deterministic(lambda a, b: a + b)}
    return bayou.Network("a, b -> Σ", tables=tables)


@pytest.mark.parametrize(
    "rows",
    [{"b": [0, 1, 1], "Σ": [1, 1, 2]}, {"a": [0, 1, None], "b": [0, 1, 1], "Σ": [0, 2, 1]}],
    ids=["hidden parent", "gap"],
)
def test_a_stated_function_is_kept_where_no_row_contradicts_it(rows: dict[str, list[int]]) -> None:
    net = sum_of_two()
    before = str(net.cpt("Σ"))
    for _ in range(2):
        net.fit(rows)
        assert str(net.cpt("Σ")) == before


def test_a_stated_function_that_rows_contradict_is_learned_anew() -> None:
    with pytest.warns(BayouWarning, match="3 of 4 parent combinations of 'Σ' never occur"):
        net = sum_of_two().fit({"a": [0, None], "b": [0, 1], "Σ": [1, 1]})
    assert net.cpt("Σ")[0, 0, 1] == 1


def test_counting_cannot_learn_hidden_variables_and_says_so() -> None:
    with pytest.raises(bayou.BayouError, match=r"method=.count. cannot learn a variable without any value"):
        bayou.Network("h -> a", states={"h": [0, 1]}).fit({"a": [0, 1]}, method="count")


def test_another_fit_forgets_how_the_arcs_were_learned() -> None:
    rows = {"a": [0, 1] * 9, "b": [0, 1] * 9}
    net = bayou.learn_structure(rows)
    twin = net.copy().fit(rows)
    assert net.learned_structure is not None
    assert twin.learned_structure is None


def test_states_that_read_alike_are_shown_with_their_quotes() -> None:
    net = bayou.Network("a", tables={"a": {1: 0.25, "1": 0.5, "x": 0.25}})
    shown = str(net.query("a"))
    assert "\n1 " in shown
    assert "\n'1' " in shown
    assert "\nx " in shown
    assert "1, '1', x" in str(net)


def test_a_state_for_each_of_many_numbers_is_not_silent() -> None:
    rows = {"age": [18 + k % 80 for k in range(400)], "ill": ["no", "yes"] * 200}
    with pytest.warns(BayouWarning, match=r"'age' \(80 states\).*continuous=\['age'\].*Cuts"):
        bayou.Network("ill -> age").fit(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bayou.Network("ill -> age", continuous=["age"]).fit(rows)  # both remedies can be followed
        bayou.Network("ill -> age", states={"age": bayou.Cuts([30, 60])}).fit(rows)
        bayou.Network("ill -> age", states={"age": range(18, 98)}).fit(rows)
