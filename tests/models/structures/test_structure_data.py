"""The data that learn_structure takes: columns of every kind, gaps, weights, files."""

from __future__ import annotations

import gc
import itertools
import pickle

import numpy as np
import pytest
from tests.models.structures.learned_rows import EDGES, ROWS, edges, with_gaps

import bayou
from bayou.errors import BadPrior, BadQuestion, BayouWarning, UnknownVariable


def test_real_and_mixed_columns():
    random = np.random.default_rng(0)
    group = random.integers(0, 2, 400)
    x = group * 2.0 + random.normal(size=400)
    data = {"g": np.where(group, "a", "b").tolist(), "x": x, "y": 3 * x + random.normal(size=400)}
    net = bayou.learn_structure(data)
    assert edges(net) == {frozenset("gx"), frozenset("xy")}
    assert ("g", "x") in net.arcs
    only_numbers = bayou.learn_structure({"x": data["x"], "y": data["y"]})
    assert edges(only_numbers) == {frozenset("xy")}
    with pytest.raises(BadPrior, match="continuous"):
        bayou.learn_structure(data, score="bdeu")
    with pytest.raises(BadQuestion, match="'x', 'y' are continuous"):
        bayou.learn_structure(data, method="chow-liu")


def test_weights_count_rows_and_are_no_variable():
    twice = {**ROWS, "n": [2] * 1500}
    net = bayou.learn_structure(twice, weights="n")
    doubled = bayou.learn_structure({name: column * 2 for name, column in ROWS.items()})
    assert "n" not in net.names
    assert net.learned_structure.score == pytest.approx(doubled.learned_structure.score, rel=1e-9)


def test_columns_can_be_ignored_and_keys_are_warned_of():
    keyed = {**ROWS, "id": [f"id {k}" for k in range(1500)]}
    assert "id" not in bayou.learn_structure(keyed, ignore=["id"]).names
    with pytest.warns(BayouWarning, match="different state of 'id'"):
        bayou.learn_structure(keyed, restarts=0)
    with pytest.raises(UnknownVariable, match=r"'idd' in ignore\. Did you mean 'id'"):
        bayou.learn_structure(keyed, ignore=["idd"])


def test_an_array_with_names_and_declared_states():
    array = np.array([[0, 0], [1, 1]] * 30)
    net = bayou.learn_structure(array, columns=["a", "b"], states={"b": [0, 1, 2]})
    assert edges(net) == {frozenset("ab")}
    assert net.states("b") == (0, 1, 2)


def test_one_column_and_independent_columns_have_no_arcs():
    assert bayou.learn_structure({"a": [0, 1, 1]}).arcs == ()
    pairs = list(itertools.product([0, 1], [0, 1])) * 20
    assert bayou.learn_structure({"a": [a for a, _ in pairs], "b": [b for _, b in pairs]}).arcs == ()


def test_rows_with_gaps_are_learned_by_structural_em():
    rows = with_gaps(0.15)
    net = bayou.learn_structure(rows)
    assert edges(net) >= EDGES
    report = net.learned_structure
    assert report.method.startswith("structural EM with")
    assert list(report.trace) == sorted(report.trace)
    assert report.score == report.trace[-1]
    assert {(arc.parent, arc.child) for arc in report.arcs} == set(net.arcs)
    again = bayou.learn_structure(rows)
    assert again.arcs == net.arcs
    assert again.learned_structure.score == report.score


def test_rows_without_a_single_value_change_nothing():
    rows = {"a": [0, 1, 0, 1] * 8, 7: [0, 1, 0, 0] * 8}
    net = bayou.learn_structure({name: [*column, None, None] for name, column in rows.items()})
    whole = bayou.learn_structure(rows, method="hill-climbing")
    assert edges(net) == edges(whole)
    assert np.isfinite(net.learned_structure.score)
    assert net.learned_structure.trace[-1] == net.learned_structure.score


def test_gaps_can_be_left_out_family_by_family_with_a_warning():
    with pytest.warns(BayouWarning, match=r"'Jahr', .* have gaps"):
        net = bayou.learn_structure(with_gaps(0.15), missing="available")
    assert edges(net) >= EDGES


def test_files_give_what_tables_give(tmp_path):
    import pandas as pd

    frame = pd.DataFrame({str(name): column for name, column in ROWS.items()})
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = bayou.learn_structure(frame, method="hill-climbing")
    for file in ("t.parquet", "t.csv"):
        net = bayou.learn_structure(tmp_path / file, method="hill-climbing")
        assert net.arcs == table.arcs
        assert net.learned_structure.score == pytest.approx(table.learned_structure.score, rel=1e-12)


def test_a_family_that_no_row_has_is_never_chosen():
    rows = {"a": [0, 1] * 20 + [None] * 40, "b": [None] * 40 + [0, 1] * 20}
    with pytest.warns(BayouWarning, match="gaps"):
        assert bayou.learn_structure(rows, missing="available").arcs == ()


def test_real_columns_with_gaps():
    random = np.random.default_rng(0)
    x = random.normal(size=200)
    y = 2 * x + random.normal(size=200)
    x[::7] = np.nan
    assert edges(bayou.learn_structure({"x": x, "y": y})) == {frozenset("xy")}


def test_mixed_columns_of_a_file_are_reported_on_although_the_file_was_deleted(tmp_path):
    import pandas as pd

    random = np.random.default_rng(0)
    group = random.integers(0, 2, 300)
    frame = pd.DataFrame({"g": np.where(group, "a", "b"), "x": 2.0 * group + random.normal(size=300)})
    file = tmp_path / "t.parquet"
    frame.to_parquet(file)
    net = bayou.learn_structure(file)
    file.unlink()
    table = bayou.learn_structure(frame)
    found, expected = net.learned_structure.arcs[0], table.learned_structure.arcs[0]
    assert (found.parent, found.child, found.runner_up) == ("g", "x", "no arc")
    assert found.gain == pytest.approx(expected.gain, rel=1e-9)


def living(kind):
    gc.collect()
    return [one for one in gc.get_objects() if isinstance(one, kind)]


@pytest.mark.parametrize("method", ["hill-climbing", "chow-liu", "structural-em"])
def test_the_data_go_when_the_report_has_been_looked_at(method):
    from bayou.fitting.search_task import SearchTask
    from bayou.learning.scores.native_scores import NativeScores
    from bayou.sources import TableSource
    from bayou.statistics import Batch

    rows = with_gaps(0.15) if method == "structural-em" else ROWS
    kinds = (NativeScores, Batch, TableSource)
    before = {id(one) for one in living((*kinds, SearchTask))}
    net = bayou.learn_structure(rows, method=method)
    assert [one for one in living(SearchTask) if id(one) not in before] == []
    arcs = net.learned_structure.arcs
    assert {(arc.parent, arc.child) for arc in arcs} == set(net.arcs)
    assert [one for one in living(kinds) if id(one) not in before] == []
    assert net.learned_structure.arcs is arcs
    assert pickle.loads(pickle.dumps(net.learned_structure)).arcs == arcs


@pytest.mark.parametrize("method", ["hill-climbing", "chow-liu", "structural-em"])
def test_large_data_are_reported_on_at_once(method, monkeypatch):
    rows = with_gaps(0.15) if method == "structural-em" else ROWS
    assert "arcs" not in vars(bayou.learn_structure(rows, method=method).learned_structure)
    for module in ("structure_search", "structural_em_search"):
        monkeypatch.setattr(f"bayou.fitting.{module}.LARGEST_KEPT", 10)
    report = bayou.learn_structure(rows, method=method).learned_structure
    assert len(vars(report)["arcs"]) == len(report.arcs) > 0
    assert report.gains is tuple
