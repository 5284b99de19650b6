"""What somebody who is new to the library tries first, and what it is told."""

from __future__ import annotations

import warnings

import numpy as np
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
    with pytest.warns(BayouWarning, match=r"'été 1' has gaps: .* on the rows that have the values"):
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
    (told,) = [str(warning.message) for warning in given]
    assert "'b 2' is a linear function of 'a'; 'c' is a linear function of 'a':" in told
    assert "ignore=['b 2', 'c']" in told


def test_columns_of_keys_get_no_arcs_but_required_ones() -> None:
    keys = [f"№ {k}" for k in range(3000)]
    rows = {"id": keys, "again": keys, "z": [0, 1] * 1500, "y": [0, 1] * 1500}
    for method in ("auto", "pc", "chow-liu"):
        with pytest.warns(BayouWarning, match="'id', 'again': .* it gets no arcs but required ones"):
            net = bayou.learn_structure(rows, method=method)
        assert {frozenset(arc) for arc in net.arcs} == {frozenset("yz")}
    with pytest.warns(BayouWarning, match="no arcs but required"):
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
    with pytest.raises(bayou.BayouError, match="no row to learn"):
        bayou.learn_structure({"a": [], "b": []})
    with pytest.raises(bayou.BayouError, match="no row to learn"):
        bayou.Network("a -> b").fit({"a": [], "b": []})


def test_fewer_than_no_arcs_are_refused() -> None:
    with pytest.raises(bayou.BayouError, match="arcs=-1"):
        bayou.random_network(3, arcs=-1)
