"""Files of ensembles: the fitted members without rows, or with what more learning needs; old files load."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.estimators.pooled.test_bayes_ensemble import table

import bayou
from bayou import BayesEnsemble
from bayou.errors import BadFile, BadQuestion
from bayou.formats.bundle import read_bundle, write_bundle
from bayou.statistics import RowSample


@pytest.fixture(scope="module")
def fitted() -> BayesEnsemble:
    return BayesEnsemble("small").fit(*table())


def loaded(model: BayesEnsemble, folder: Path, **how: Any) -> Any:
    model.save(folder / "model.bayou", **how)
    return bayou.load(folder / "model.bayou")


@pytest.mark.parametrize("n", [30, 70, 300])
@pytest.mark.parametrize("rows", [False, True])
def test_a_loaded_ensemble_answers_with_the_same_bits(n: int, rows: bool, tmp_path: Path) -> None:
    model, (new, _) = BayesEnsemble("small").fit(*table(n)), table(50, seed=4)
    again = loaded(model, tmp_path, rows=rows)
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(again)).predict_proba(new), model.predict_proba(new)
    )
    row = new.iloc[[3]]
    assert str(again.explain(row)) == str(model.explain(row))
    assert str(again.summary()) == str(model.summary())
    assert vars(again).keys() == vars(model).keys()


def test_given_class_shares_are_kept(fitted: BayesEnsemble, tmp_path: Path) -> None:
    new, _ = table(50, seed=4)
    given = fitted.with_class_prior("uniform")
    np.testing.assert_array_equal(loaded(given, tmp_path).predict_proba(new), given.predict_proba(new))


def test_without_rows_a_file_has_none_and_nothing_is_learned_on(
    fitted: BayesEnsemble, tmp_path: Path
) -> None:
    (rows, y), again = table(300), loaded(fitted, tmp_path)
    assert not any(isinstance(request, RowSample) for request in again.statistics_)
    assert '"hashes"' not in json.dumps(read_bundle(tmp_path / "model.bayou"), default=str)
    small = loaded(BayesEnsemble("small").fit(rows[:70], y[:70]), tmp_path)  # naive Bayes takes part
    assert not any(isinstance(request, RowSample) for request in small._model.plain.statistics)
    assert '"hashes"' not in json.dumps(read_bundle(tmp_path / "model.bayou"), default=str)
    for learn in (again.partial_fit, again.forget):
        with pytest.raises(BadQuestion, match=r"save\(path, rows=True\)"):
            learn(rows, y)
    for one, other in ((again, fitted), (fitted, again)):
        with pytest.raises(BadQuestion, match="without its training rows"):
            one + other
    with pytest.raises(BadQuestion, match="without its training rows"):
        again.save(tmp_path / "again.bayou", rows=True)
    again.save(tmp_path / "again.bayou")


def test_with_rows_learning_goes_on_where_it_stopped(fitted: BayesEnsemble, tmp_path: Path) -> None:
    new, _ = table(50, seed=4)
    again, (more, y) = loaded(fitted, tmp_path, rows=True), table(80, seed=6)
    np.testing.assert_array_equal(
        again.partial_fit(more, y).predict_proba(new), fitted.copy().partial_fit(more, y).predict_proba(new)
    )


def test_files_of_earlier_versions_learn_again_from_their_rows(fitted: BayesEnsemble, tmp_path: Path) -> None:
    fitted.save(tmp_path / "model.bayou", rows=True)
    kind, state = read_bundle(tmp_path / "model.bayou")
    del state["model"]
    write_bundle(tmp_path / "old.bayou", kind, state)
    again, (new, _) = bayou.load(tmp_path / "old.bayou"), table(50, seed=4)
    np.testing.assert_array_equal(again.predict_proba(new), fitted.predict_proba(new))


@pytest.mark.parametrize(
    ("part", "value", "told"),
    [
        (("prepared", "own"), np.zeros((4, 6, 255), np.uint8), "own has the shape"),
        (("dependences", "parents"), np.full((4, 5, 2), 9), "parents"),
        (("dependences", "counts"), np.zeros(3), "impossible|from 0"),
        (("trees", "n_classes"), 2, "other columns or classes"),
        (("boosted", "folds"), 10**9, "damaged"),
        (("pool", "exponents"), np.ones(2), "exponents has the shape"),
        (("held_out", "own"), np.zeros(2, np.uint8), "own has the shape"),
    ],
)
def test_parts_that_do_not_fit_are_refused_by_name(
    fitted: BayesEnsemble, part: tuple[str, str], value: Any, told: str, tmp_path: Path
) -> None:
    fitted.save(tmp_path / "model.bayou")
    kind, state = read_bundle(tmp_path / "model.bayou")
    members = state["model"]["members"]
    (members if part[0] in members else members["tables"])[part[0]][part[1]] = value
    write_bundle(tmp_path / "bad.bayou", kind, state)
    with pytest.raises(BadFile, match=told):
        bayou.load(tmp_path / "bad.bayou")
