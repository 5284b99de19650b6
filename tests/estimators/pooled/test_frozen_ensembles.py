"""Ensembles of many rows beside their counts: what judges them, what they forget, what came to nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from tests.estimators.pooled.test_bayes_ensemble import table
from tests.estimators.pooled.test_many_rows import KEPT, assert_same_counts, counts, small

import bayou
from bayou import NaiveBayes
from bayou.errors import without_warnings
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.pooled import bayes_ensemble, pool_settings
from bayou.estimators.pooled.feature_codes import UNKNOWN
from bayou.estimators.pooled.frozen.ensemble_statistics import kept_rows
from bayou.estimators.pooled.frozen.frozen_members import _grown
from bayou.estimators.pooled.frozen.frozen_structure import learned_structure
from bayou.estimators.pooled.frozen.member_tables import counted_rows
from bayou.estimators.pooled.members.dependence_member import CountedTables, DependenceMember
from bayou.estimators.pooled.pool_settings import PoolSettings
from bayou.estimators.pooled.training_rows import training_rows
from bayou.schema import Variable
from bayou.statistics import SampledRows


@pytest.fixture(autouse=True)
def few_kept_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bayes_ensemble, "MOST_ROWS", KEPT)


@pytest.fixture(scope="module")
def new() -> pandas.DataFrame:
    return table(200, seed=9)[0]


@pytest.mark.parametrize("times", [3, 5, 7])
def test_a_row_learned_in_parts_is_forgotten_as_a_whole(times: int, new: pandas.DataFrame) -> None:
    rows, y = table(600)
    more, z = table(40, seed=4)
    model, at_once = small(rows, y), small(rows, y).partial_fit(more, z).forget(more, z)
    for _ in range(times):
        model.partial_fit(more, z, sample_weight=np.full(len(z), 1 / times))
    assert counts(model).total == pytest.approx(640)
    model.forget(more, z)
    np.testing.assert_allclose(model.predict_proba(new), at_once.predict_proba(new), atol=1e-3)
    assert_same_counts(model, small(rows, y))


def test_all_classes_of_the_structure_may_be_forgotten(new: pandas.DataFrame, tmp_path: Path) -> None:
    rows, y = table(600)
    more, z = table(400, seed=4)
    z = np.char.add("neu ", z)
    model = small(rows, y).partial_fit(more, z).forget(rows, y)
    assert model.classes_.tolist() == ["neu ja", "neu nein", "neu offen"]
    truth = (new["x"] > 0) == (new["kind"] == "a")
    sure = new["kind"].notna().to_numpy()
    assert ((model.predict(new) == "neu ja") == truth)[sure].mean() > 0.9
    ledger = model.explain(new.iloc[[3]], of="neu ja", against="neu nein")
    logs = model.predict_log_proba(new.iloc[[3]])[0]
    parts = ledger.prior + sum(entry.log_odds for entry in ledger.entries)
    assert abs(parts - (logs[0] - logs[1])) < 1e-9
    model.save(tmp_path / "model.bayou")
    again = bayou.load(tmp_path / "model.bayou")
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))


def test_rows_that_judge_have_no_say_in_the_choice_among_many_columns() -> None:
    random = np.random.default_rng(0)
    cells = {f"c{k}": random.choice(["a", "b", "c", "d"], 400).tolist() for k in range(300)}
    y = random.choice(["no", "yes"], 400)
    classes, kinds = Variable("y", ["no", "yes"]), dict.fromkeys(cells, "str")
    variables = {name: Variable(name, ["a", "b", "c", "d"]) for name in cells}
    sample = SampledRows.from_values({**cells, "y": y.tolist()}, np.ones(400), 400)
    rows = training_rows(sample, classes, kinds, seed=0)

    def chosen(changed: Any) -> set[str]:
        others = replace(rows, own=np.where(changed, 1 - rows.own, rows.own).astype(np.uint32))
        found = learned_structure(others, classes, variables, kinds, PoolSettings(members=1, trees=1))
        assert found is not None
        return set(found.kinds)

    lot = random.random(400) < 0.5
    assert len(chosen(lot & False)) == 250
    assert chosen(lot & ~rows.half) == chosen(lot & False) != chosen(lot & rows.half)


def test_below_50_rows_it_is_naive_bayes_and_above_it_leans_on_it(new: pandas.DataFrame) -> None:
    rows, y = table(600)
    model = small(rows, y)
    kept = training_rows(kept_rows(model.statistics_), model._class_variable, model.column_kinds_, 0)
    few = np.flatnonzero(np.isin(rows["x"], kept.columns.numbers("x")))[:45]
    gone = np.setdiff1d(np.arange(600), few)
    model.forget(rows.iloc[gone], y[gone])
    assert hasattr(model, "structure_")
    assert model._model.trust == 0
    plain = NaiveBayes().fit(rows.iloc[few].reset_index(drop=True), y[few])
    np.testing.assert_allclose(model.predict_proba(new), plain.predict_proba(new), rtol=1e-9)
    some, z = table(60, seed=4)
    model.partial_fit(some, z)
    assert 0 < model._model.trust < 1
    assert np.isfinite(model.predict_log_proba(new)).all()


def test_rows_with_cells_that_were_not_counted_are_left_out_exactly() -> None:
    rows, y = table(600)
    more, z = table(300, seed=4)
    strange = np.random.default_rng(0).random((300, 2)) < 0.5
    more["kind"], more["x"] = more["kind"].mask(strange[:, 0], "neu"), more["x"].mask(strange[:, 1])
    model = small(rows, y).partial_fit(more, z)
    structure, tables = model.structure_, counts(model)
    kept = training_rows(kept_rows(model.statistics_), model._class_variable, structure.kinds, 0)
    with without_warnings():
        fine = structure.prepared.coded(FeatureTable(kept.columns))
    some = np.flatnonzero((fine == UNKNOWN).any(axis=0) & (kept.weights == 1))[:25]
    assert len(some) == 25
    for number, (member, terms) in enumerate(_grown(structure, tables, fine, kept, some)):
        for place, row in enumerate(some.tolist()):
            one = fine[:, [row]]
            alone = counted_rows(structure, one, kept.own[[row]].astype(np.int64), np.ones(1), 3)
            left = tables.cells[number] - alone.cells[number]
            counted = CountedTables(member.parents, left.reshape(-1), member.strengths)
            without = DependenceMember.of_counts(
                number, member.cards, counted, terms.log_prior[place], member.weights
            )
            codes = structure.prepared.of_member(number, one)
            np.testing.assert_allclose(terms.terms[place], without.terms(codes)[0], atol=1e-9)


def test_weights_are_fitted_on_later_rows_whatever_is_new_in_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(rows: pandas.DataFrame) -> pandas.DataFrame:
        return rows.assign(zeros=0.5, kind=rows["kind"].fillna("neu"), flag=None)

    monkeypatch.setattr(bayes_ensemble, "MOST_ROWS", 1024)
    (rows, y), (more, z), (later, truth) = table(2000), table(8000, seed=4), table(3000, seed=5)
    model = small(rows, y)
    before = len(model._model.members.held_out.own)
    model.partial_fit(changed(more), z)
    held_out = model._model.members.held_out
    assert len(held_out.own) > 0.8 * before
    with without_warnings():
        logs = model.predict_log_proba(changed(later))
    told = -held_out.log_proba[np.arange(len(held_out.own)), held_out.own]
    true = -logs[np.arange(3000), np.searchsorted(model.classes_, truth)]
    assert abs(told.mean() - true.mean()) < 3 * told.std() / np.sqrt(len(told))


@pytest.mark.parametrize("rows", [250, 900])
def test_of_many_classes_and_columns_weights_are_fitted_on_fewer_rows(
    rows: int, new: pandas.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = table(rows)
    every = len(small(x, y)._model.members.held_out.own)
    monkeypatch.setattr(pool_settings, "FEWEST_KEPT", 10)
    monkeypatch.setattr(pool_settings, "MOST_TERMS", 3 * 5 * 60)  # classes × columns × rows
    model = small(x, y)
    assert len(model._model.members.held_out.own) == 60 < every
    assert np.isfinite(model.predict_log_proba(new)).all()
