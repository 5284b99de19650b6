"""Sums and differences of classifiers: their statistics are added, and the model is estimated again."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bayou.errors import BadQuestion, BadStatistics, listed
from bayou.estimators.explain.explanations import class_counts
from bayou.estimators.input.target import class_variable, classes_of
from bayou.estimators.state_codec import stored
from bayou.estimators.unchanged import unchanged_on_error
from bayou.schema import state_key
from bayou.statistics import RowSample, Statistics
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.estimators.bayes_classifier import BayesClassifier

C = TypeVar("C", bound="BayesClassifier")
_DECIDED = {
    "features_": "leave out other columns (nearly every row had a different value there)",
    "graph_": "have other arcs",
    "parents_": "learned other parents of the features",
}
"""Learned attributes that say what is counted, and what it means if they differ."""


def added(one: C, other: C) -> C:
    """Return a classifier with the statistics of both, not estimated yet."""
    twin = _alike(one, other)
    given = {model.given_prior_ for model in (one, other) if hasattr(model, "given_prior_")}
    if len(given) > 1:
        raise BadQuestion(
            "The classifiers were given different class probabilities. Call with_class_prior of both with "
            "the same, or add those that it was called on, and then call that of the sum."
        )
    if given:
        (twin.given_prior_,) = given
    twin.statistics_ = twin._pooled(one.statistics_, other.statistics_)
    states = {state_key(state): state for model in (one, other) for state in model._class_variable.states}
    twin._class_variable = class_variable(one.target_, states.values())
    return twin


def subtracted(whole: C, part: C) -> C:
    """Return a classifier with the statistics of the rows that stay, not estimated yet."""
    twin = _alike(whole, part)
    return _with_rest(twin, whole, _difference(whole.statistics_, whole._as_counted(part.statistics_)))


def without_rows(model: C, X: Any, y: Any, sample_weight: Any) -> C:
    """Remove rows from a classifier in place: count them alone, and subtract their statistics."""
    check_is_fitted(model, "statistics_")
    with unchanged_on_error(model):
        rows = model._labelled(X, y, sample_weight, False)
        removed = model._collect(rows)
        _with_rest(model, model, _difference(model.statistics_, removed))
        return estimated(model)


def estimated(model: C) -> C:
    """Estimate the model of a classifier from its statistics."""
    model._take_model(model._estimate(model.statistics_, model._class_variable))
    model.target_, model.classes_ = model._class_variable.name, classes_of(model._class_variable)
    return model


def _with_rest(twin: C, whole: BayesClassifier, rest: Any) -> C:
    """The classifier with what is left; classes that lost their last row are dropped."""
    variable = whole._class_variable
    before, after = class_counts(whole.statistics_, variable), class_counts(rest, variable)
    states = list(variable.states)
    if before is not None and after is not None:
        if not after.total:
            raise BadStatistics("Cannot forget every row: nothing would be left to learn from.")
        gone = (before.values > 0) & (after.values == 0)
        states = [state for state, lost in zip(states, gone.tolist(), strict=True) if not lost]
    twin.statistics_, twin._class_variable = rest, class_variable(variable.name, states)
    return twin


def _difference(whole: Any, part: Any) -> Any:
    if not isinstance(whole, Statistics):
        return whole - part
    # A classifier of an earlier file has no sample of rows: it is counted without.
    part = part.only({r for r in part if r in set(whole) or not isinstance(r, RowSample)})
    if not set(part) <= set(whole):
        missing = next(request for request in part if request not in set(whole))
        raise BadStatistics(f"Only one of the two classifiers has counted {missing}.")
    shared = whole.only(set(part)) - part
    rest = {request: result for request, result in whole.items() if request not in set(part)}
    return Statistics({**rest, **shared}, shared.rows)


def _alike(one: C, other: C) -> C:
    """A copy of the first classifier, if both count the same; else an error that says what differs."""
    for model in (one, other):
        check_is_fitted(model, "statistics_")
    if type(one) is not type(other):
        raise BadQuestion(
            f"A {type(one).__name__} and a {type(other).__name__} count different things: only classifiers "
            "of the same class can be added or subtracted."
        )
    own, given = one.get_params(deep=False), other.get_params(deep=False)
    others = [name for name in own if not _same(own[name], given[name], name)]
    if others:
        raise BadQuestion(
            f"The classifiers have different settings: {listed(others)}. Fit both with the same."
        )
    if one.target_ != other.target_:
        raise BadQuestion(f"One classifier predicts {one.target_!r}, the other {other.target_!r}.")
    _require_same_columns(one, other)
    _require_same_cuts(one, other)
    for name, meaning in _DECIDED.items():
        if getattr(one, name, None) != getattr(other, name, None):
            raise BadQuestion(
                f"The classifiers {meaning}, so their statistics do not add. Count the rows of one with what "
                "the other has learned: copy() it, then partial_fit()."
            )
    twin = copy.copy(one)
    merge = getattr(twin, "_merge_decisions", None)
    if merge is not None:
        merge(one, other)
    return twin


def _require_same_columns(one: BayesClassifier, other: BayesClassifier) -> None:
    names = [list(getattr(model, "feature_names_in_", ())) for model in (one, other)]
    if one.n_features_in_ != other.n_features_in_ or set(names[0]) != set(names[1]):
        differ = set(names[0]) ^ set(names[1])
        which = f" {listed(sorted(differ, key=str))} are in one only." if differ else ""
        raise BadQuestion(f"The classifiers have different columns.{which} Fit both on the same columns.")
    if names[0] != names[1]:
        raise BadQuestion(
            "The classifiers have their columns in a different order: fit both on the same order "
            f"({listed(names[0])})."
        )


def _require_same_cuts(one: BayesClassifier, other: BayesClassifier) -> None:
    cuts: list[Mapping[Name, Any]] = [
        domain.cut if (domain := getattr(model, "domain_", None)) is not None else {}
        for model in (one, other)
    ]
    differ = [name for name in {**cuts[0], **cuts[1]} if cuts[0].get(name) != cuts[1].get(name)]
    if differ:
        raise BadQuestion(
            f"The classifiers learned different cuts of {listed(differ)} from their rows, so their counts do "
            f"not add. Declare the same cuts in both: states={{{differ[0]!r}: bayou.Cuts([…])}}, or let the "
            "sites agree on them first (bayou.count of naive Bayes, added, then cuts(); on the command line "
            "--cuts-from)."
        )


def _same(left: Any, right: Any, where: str) -> bool:
    """Whether two settings are the same, compared as a file would hold them."""
    if left is right:
        return True
    try:
        return same_data(stored(left, where), stored(right, where))
    except BadQuestion:  # a function, which is the same only if it is the same object
        return False


def same_data(left: Any, right: Any) -> bool:
    """Whether two states, nested dicts and lists of values and arrays, are the same."""
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return bool(np.array_equal(left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_data(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_data, left, right))
    return type(left) is type(right) and bool(left == right)
