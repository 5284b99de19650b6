"""One suite over every verb that takes data: a stranger's source gives what the table in memory gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tests.conformance.strangers.list_source import ListSource

import bayou
from bayou import Network


def _table(rows: int = 300, gaps: float = 0.0, seed: int = 3) -> dict[Any, list[Any]]:
    random = np.random.default_rng(seed)
    rain = random.integers(0, 2, rows)
    wet = np.where(random.random(rows) < 0.85, rain, 1 - rain)
    mood = (wet + random.integers(0, 2, rows)) % 3
    height = 10.0 * mood + random.normal(0, 1, rows)
    weight = 0.5 * height + random.normal(0, 0.3, rows)
    columns: dict[Any, list[Any]] = {
        "rain": [("no", "yes")[k] for k in rain],
        "wet grass": [("dry", "wet")[k] for k in wet],
        3: mood.tolist(),
        "height": height.tolist(),
        "weight": weight.tolist(),
    }
    for column in columns.values():
        for row in np.flatnonzero(random.random(rows) < gaps).tolist():
            column[row] = None
    return columns


TABLE, GAPS, MORE = _table(), _table(gaps=0.1), _table(120, seed=5)
STATES = ("rain", "wet grass", 3)
NUMBERS = ("height", "weight")


def _of(table: dict[Any, list[Any]], names: tuple[Any, ...]) -> dict[Any, list[Any]]:
    return {name: table[name] for name in names}


def _mixed() -> Network:
    return Network([("rain", "wet grass"), ("wet grass", 3), (3, "height"), ("height", "weight")])


def _discrete(**declared: Any) -> Network:
    return Network([("rain", "wet grass"), ("wet grass", 3)], **declared)


def _judged(net: Network) -> Any:
    """What a network thinks of rows, and its arcs."""
    table = _of(TABLE, tuple(name for name in net.names if name in TABLE))
    return [sorted(map(str, net.arcs)), np.asarray(net.log_likelihood(table, per_row=True))]


LEARNERS: dict[str, tuple[dict[Any, list[Any]], Callable[[Any], Any]]] = {
    "fit": (TABLE, lambda data: _judged(_mixed().fit(data))),
    "fit discrete": (_of(TABLE, STATES), lambda data: _judged(_discrete().fit(data))),
    "fit by EM": (GAPS, lambda data: _judged(_mixed().fit(data, max_iterations=30, tolerance=0.001))),
    "fit discrete by EM": (_of(GAPS, STATES), lambda data: _judged(_discrete().fit(data))),
    "fit hidden by EM": (
        _of(TABLE, STATES),
        lambda data: _judged(
            Network([("h", "rain"), ("h", "wet grass"), ("h", 3)], states={"h": ["a", "b"]}).fit(
                data, max_iterations=40, tolerance=0.001
            )
        ),
    ),
    "fit by gradient": (
        _of(GAPS, STATES),
        lambda data: _judged(_discrete().fit(data, method="gradient", tolerance=1e-3)),
    ),
    "fit by counting": (GAPS, lambda data: _judged(_mixed().fit(data, method="count"))),
    "fit declared": (
        _of(TABLE, STATES),
        lambda data: _judged(_discrete(states={3: [0, 1, 2, 7], "rain": ["yes", "no"]}).fit(data)),
    ),
    "fit with whole numbers as reals": (
        _of(TABLE, STATES),
        lambda data: _judged(_discrete(continuous=[3]).fit(data)),
    ),
    "fit with cuts": (
        TABLE,
        lambda data: _judged(
            Network([("rain", "height"), ("rain", 3)], states={"height": bayou.Cuts([0, 10])}).fit(data)
        ),
    ),
    "partial_fit": (MORE, lambda data: _judged(_mixed().fit(TABLE).partial_fit(data))),
    "forget": (
        {name: column[:50] for name, column in TABLE.items()},
        lambda data: _judged(_mixed().fit(TABLE).forget(data)),
    ),
    **{
        f"learn_structure {method}": (
            _of(TABLE, STATES),
            lambda data, method=method, more=more: _judged(
                bayou.learn_structure(data, method=method, **more)
            ),
        )
        for method, more in {
            "auto": {},
            "hill-climbing": {},
            "tabu": {},
            "ges": {},
            "order": {},
            "exact": {},
            "k2": {"order": STATES},
            "pc": {},
            "chow-liu": {},
            "tan": {"target": "rain"},
        }.items()
    },
    "learn_structure of numbers": (_of(TABLE, NUMBERS), lambda data: _judged(bayou.learn_structure(data))),
    "learn_structure of both": (TABLE, lambda data: _judged(bayou.learn_structure(data))),
    "learn_structure by PC of numbers": (
        _of(TABLE, NUMBERS),
        lambda data: _judged(bayou.learn_structure(data, method="pc")),
    ),
    "learn_structure with gaps": (_of(GAPS, STATES), lambda data: _judged(bayou.learn_structure(data))),
    "learn_structure with gaps, family by family": (
        _of(GAPS, STATES),
        lambda data: _judged(bayou.learn_structure(data, missing="available")),
    ),
    "learn_structure's report": (
        _of(TABLE, STATES),
        lambda data: [
            [gain.gain for gain in bayou.learn_structure(data).learned_structure.arcs],  # type: ignore[union-attr]
        ],
    ),
    "arc_strength": (
        _of(TABLE, STATES),
        lambda data: [bayou.arc_strength(data, samples=4)["rain", "wet grass"].strength],
    ),
    "cross_validate": (TABLE, lambda data: [bayou.cross_validate(_mixed(), data, folds=3).row_losses]),
    "independence_test": (
        _of(TABLE, STATES),
        lambda data: [bayou.independence_test(data, "rain", 3, "wet grass").statistic],
    ),
}


@pytest.fixture(scope="module")
def fitted() -> Network:
    return _mixed().fit(TABLE)


PREDICTORS: dict[str, Callable[[Network, Any], Any]] = {
    "posterior": lambda net, data: [net.posterior(data, ["rain", 3])[name] for name in ("rain", 3)],
    "evidence": lambda net, data: [net.posterior(data, "rain").log_evidence],
    "predict": lambda net, data: [net.predict(data, "rain").tolist()],
    "predict a number": lambda net, data: [net.predict(data, "weight")],
    "log_likelihood": lambda net, data: [net.log_likelihood(data)],
    "log_likelihood of rows": lambda net, data: [net.log_likelihood(data, per_row=True)],
    "log_probability": lambda net, data: [net.log_probability(data)],
    "impute": lambda net, data: [_lists(net.impute(data))[name] for name in TABLE],
    "impute jointly": lambda net, data: [_lists(net.impute(data, "joint"))[name] for name in TABLE],
    "impute by draws": lambda net, data: [_lists(net.impute(data, "sample", seed=4))[name] for name in TABLE],
}


def _lists(table: Any) -> dict[Any, list[Any]]:
    return {name: list(table[name]) for name in TABLE}


def _require_same(found: Any, expected: Any) -> None:
    """Equal, numbers up to the rounding of sums over batches."""
    for ours, theirs in zip(found, expected, strict=True):
        if isinstance(theirs, np.ndarray | float) or (
            isinstance(theirs, list) and theirs and isinstance(theirs[0], float)
        ):
            assert np.allclose(ours, theirs, rtol=1e-6, atol=1e-9, equal_nan=True)
        else:
            assert ours == theirs


@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
@pytest.mark.parametrize("verb", LEARNERS)
def test_it_learns_the_same_from_any_source(verb: str) -> None:
    table, learned = LEARNERS[verb]
    _require_same(learned(ListSource(table)), learned(table))


@pytest.mark.parametrize("verb", PREDICTORS)
def test_it_answers_the_same_for_any_source(verb: str, fitted: Network) -> None:
    answered = PREDICTORS[verb]
    _require_same(answered(fitted, ListSource(GAPS)), answered(fitted, GAPS))
