"""with_class_prior: kept by files, further rows and sums; a later call begins with what was learned."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.errors import BadPrior, BadQuestion, BayouWarning
from bayou.formats.bundle import read_bundle, write_bundle

MODELS: dict[str, Callable[[], Any]] = {
    "naive": bayou.NaiveBayes,
    "tan": bayou.TAN,
    "aode": bayou.AODE,
    "gaussian": bayou.GaussianBayes,
    "generative": bayou.GenerativeClassifier,
    "ensemble": lambda: bayou.BayesEnsemble("small"),
}
random = np.random.default_rng(0)
ROWS = {"a": random.normal(size=120), "b": random.normal(size=120)}
CLASSES = np.where(ROWS["a"] + random.normal(size=120) > 0, "u", "v")
GIVEN = {"u": 0.1, "v": 0.9}


def saved_and_loaded(model: Any, folder: Path) -> Any:
    model.save(folder / "model.bayou", **({"rows": True} if isinstance(model, bayou.BayesEnsemble) else {}))
    return bayou.load(folder / "model.bayou")


def under(model: Any, new: list[float]) -> Any:
    """P(class | row) by Bayes' rule from what the model says without them."""
    odds = model.predict_proba(ROWS) * np.array(new) / np.exp(model._log_class_prior())
    return odds / odds.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("name", MODELS)
def test_files_and_further_rows_keep_them(name: str, tmp_path: Path) -> None:
    learned = MODELS[name]().fit(ROWS, CLASSES)
    given = learned.with_class_prior(GIVEN)
    np.testing.assert_allclose(given.predict_proba(ROWS), under(learned, [0.1, 0.9]), rtol=1e-9)
    assert not hasattr(learned, "given_prior_")
    loaded = saved_and_loaded(given, tmp_path)
    assert loaded.given_prior_ == (("u", 0.1), ("v", 0.9))
    np.testing.assert_array_equal(loaded.predict_proba(ROWS), given.predict_proba(ROWS))
    more = {"a": [0.5, -2.0], "b": [0.0, 1.0]}
    expected = under(learned.copy().partial_fit(more, ["v", "u"]), [0.1, 0.9])
    for model in (given, loaded):
        model.partial_fit(more, ["v", "u"])
        np.testing.assert_allclose(model.predict_proba(ROWS), expected, rtol=1e-9)
    np.testing.assert_allclose(
        given.forget(more, ["v", "u"]).predict_proba(ROWS), under(learned, [0.1, 0.9]), rtol=1e-6
    )
    again = given.fit(ROWS, CLASSES)
    np.testing.assert_array_equal(again.predict_proba(ROWS), learned.predict_proba(ROWS))


@pytest.mark.parametrize("name", MODELS)
def test_a_second_call_begins_with_what_was_learned(name: str, tmp_path: Path) -> None:
    learned = MODELS[name]().fit(ROWS, CLASSES)
    never = learned.with_class_prior({"u": 0, "v": 1})
    np.testing.assert_array_equal(never.predict_proba(ROWS), np.tile([0.0, 1.0], (120, 1)))
    loaded = saved_and_loaded(never, tmp_path)
    expected = learned.with_class_prior("uniform").predict_proba(ROWS)
    np.testing.assert_allclose(expected, under(learned, [0.5, 0.5]), rtol=1e-9)
    for model in (never, loaded):
        np.testing.assert_array_equal(model.predict_proba(ROWS), never.predict_proba(ROWS))
        np.testing.assert_array_equal(model.with_class_prior("uniform").predict_proba(ROWS), expected)


@pytest.mark.parametrize("name", MODELS)
def test_with_other_classes_those_learned_count_again_and_it_is_said(name: str) -> None:
    learned = MODELS[name]().fit(ROWS, CLASSES)
    more, labels = {"a": [3.0, 4.0, 3.5], "b": [3.0, 2.5, 4.0]}, ["w", "w", "w"]
    given = learned.with_class_prior(GIVEN)
    with pytest.warns(BayouWarning, match="probabilities of 'u', 'v'; the classes are now 'u', 'v', 'w'"):
        given.partial_fit(more, labels)
    expected = learned.partial_fit(more, labels).predict_proba(ROWS)
    np.testing.assert_array_equal(given.predict_proba(ROWS), expected)
    assert not hasattr(given, "given_prior_")


def test_sums_have_the_one_that_was_given() -> None:
    one = bayou.NaiveBayes("gaussian", evidence_weight=1).fit(ROWS, CLASSES)
    expected = (one + one).with_class_prior(GIVEN).predict_proba(ROWS)
    given = one.with_class_prior(GIVEN)
    for both in (one + given, given + one, given + given):
        np.testing.assert_array_equal(both.predict_proba(ROWS), expected)
    with pytest.raises(BadQuestion, match="given different class probabilities"):
        given + one.with_class_prior("uniform")


def test_impossible_shares_of_a_file_are_refused() -> None:
    given = bayou.NaiveBayes().fit(ROWS, CLASSES).with_class_prior(GIVEN)
    state = given.state()
    state["learned"]["given_prior_"]["items"][0]["items"][1] = 0.7
    with pytest.raises(BadPrior, match="probabilities that sum to 1"):
        bayou.NaiveBayes.from_state(state)


def test_files_of_earlier_ensembles_keep_theirs(tmp_path: Path) -> None:
    learned = bayou.BayesEnsemble("small").fit(ROWS, CLASSES)
    given = learned.with_class_prior(GIVEN)
    given.save(tmp_path / "model.bayou")
    kind, state = read_bundle(tmp_path / "model.bayou")
    new = np.log([0.1, 0.9])
    state["model"].update(log_prior=new, shift=new - learned._log_class_prior())
    del state["learned"]["given_prior_"]
    write_bundle(tmp_path / "old.bayou", kind, state)
    old = bayou.load(tmp_path / "old.bayou")
    np.testing.assert_allclose(old.predict_proba(ROWS), given.predict_proba(ROWS), rtol=1e-12)
    np.testing.assert_allclose(
        old.with_class_prior("uniform").predict_proba(ROWS), under(learned, [0.5, 0.5]), rtol=1e-9
    )
