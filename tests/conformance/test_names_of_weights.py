"""One name for the weights of rows in each family: ``weights``, and ``sample_weight`` in scikit-learn's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sklearn.base import BaseEstimator

import bayou

FUNCTIONS = [getattr(bayou, name) for name in bayou.__all__ if inspect.isfunction(getattr(bayou, name))]
CLASSES = [getattr(bayou, name) for name in bayou.__all__ if inspect.isclass(getattr(bayou, name))]


def weighing() -> Iterator[tuple[str, Callable[..., Any], bool]]:
    """Every public function and method that takes weights of rows, and whether it is an estimator's."""
    for function in FUNCTIONS:
        yield function.__name__, function, False
    for owner in CLASSES:
        for name, method in inspect.getmembers(owner, inspect.isfunction):
            if not name.startswith("_") and not name.startswith("set_"):
                yield f"{owner.__name__}.{name}", method, issubclass(owner, BaseEstimator)


CASES = [
    (title, function, estimator)
    for title, function, estimator in weighing()
    if {"weights", "sample_weight"} & set(inspect.signature(function).parameters)
    and function.__module__.startswith("bayou.")
]


def test_the_rule_is_about_many_functions() -> None:
    titles = {title for title, _, _ in CASES}
    assert {"Network.fit", "Network.log_likelihood", "Network.score", "Network.forget"} <= titles
    assert {"learn_structure", "cross_validate", "evaluate"} <= titles
    assert {"NaiveBayes.fit", "NaiveBayes.score", "TAN.partial_fit", "MDLDiscretizer.fit"} <= titles


@pytest.mark.parametrize(("title", "function", "estimator"), CASES, ids=[title for title, _, _ in CASES])
def test_the_other_name_is_refused_with_the_right_one(
    title: str, function: Callable[..., Any], estimator: bool
) -> None:
    right, wrong = ("sample_weight", "weights") if estimator else ("weights", "sample_weight")
    assert right in inspect.signature(function).parameters
    assert wrong not in inspect.signature(function).parameters
    with pytest.raises(TypeError, match=rf"takes the weights of rows as {right}=…, not as {wrong}="):
        function(None, {}, **{wrong: [1.0]})


def test_weights_of_a_log_likelihood_count_like_repeated_rows() -> None:
    net = bayou.Network("R", tables={"R": {4: 0.25, 5: 0.75}})
    assert net.log_likelihood({"R": [4, 5]}, weights=[2, 1]) == net.log_likelihood({"R": [4, 4, 5]})
