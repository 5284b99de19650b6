"""A network tested with the rows of a table: how often it is right, and how well its probabilities hold."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from bayou.decisions.calibration import Reliability, reliability
from bayou.decisions.class_scores import ClassScores
from bayou.decisions.ranking_curves import RocCurve, roc_curve
from bayou.decisions.scoring_rules import scores_of
from bayou.errors import BadQuestion
from bayou.models.network import Network
from bayou.server.cases.tested_rows import TestedRows, tested_rows
from bayou.server.messages import Message, Value, encoded, known_name, labels_of
from bayou.server.operations.operation import Operation
from bayou.server.tables.table_file import TableFile

MOST_POINTS = 200
"""The most points of a curve that are sent; a picture shows no more."""


class TestRequest(Message):
    """An uploaded table, and the variable whose states its rows tell."""

    __test__ = False

    table: str
    target: Value


class ClassTest(Message):
    """One state against all others; what no row decides is null. ``curve``: false and true positive rates."""

    precision: float | None
    recall: float | None
    f1: float | None
    auc: float | None
    rows: float
    curve: list[tuple[float, float]]


class CalibrationBin(Message):
    """Rows whose predicted state had a probability between two limits: what was said, and what came true."""

    low: float
    high: float
    rows: float
    said: float
    came_true: float


class TestAnswer(Message):
    """How the network did.

    ``confusion[i][j]`` are the rows of the i-th state that were predicted as the j-th; weights where the
    table has them. ``rows`` counts the rows that were scored, ``unlabelled`` those without the target,
    ``impossible`` those that the network holds for impossible. ``foreign`` are columns that are no variables,
    ``absent`` variables that have no column. ``accuracy_of_most_frequent`` is that of always saying the
    commonest state.
    """

    __test__ = False

    target: Any
    states: list[Any]
    labels: list[str]
    rows: int
    unlabelled: int
    impossible: int
    accuracy: float
    accuracy_of_most_frequent: float
    log_loss: float
    brier: float
    calibration_error: float
    confusion: list[list[float]]
    classes: list[ClassTest]
    calibration: list[CalibrationBin]
    foreign: list[Any]
    absent: list[Any]


def test_network(net: Network, table: TableFile, request: TestRequest) -> TestAnswer:
    """Predict the target in every row, and compare with what the rows tell."""
    found = tested_rows(net, table, known_name(net, request.target))
    chosen, variable = found.scored, found.target
    if not len(chosen):
        raise BadQuestion(
            f"No row tells the state of {variable.name!r}: the table needs a column of this name with its "
            "states."
        )
    truth, proba = found.truth[chosen], found.proba[chosen]
    weights = None if found.weights is None else found.weights[chosen]
    codes = tuple(range(variable.cardinality))
    scores = scores_of(truth, proba, codes, weights)
    counts = scores.confusion.counts
    bins = reliability(truth, proba, classes=codes, weights=weights)
    curves = [roc_curve(truth, proba, of=code, classes=codes, weights=weights) for code in codes]
    return TestAnswer(
        encoded(variable.name),
        [encoded(state) for state in variable.states],
        labels_of(variable.states),
        len(chosen),
        int((found.truth < 0).sum()),
        int((~found.possible).sum()),
        scores.accuracy,
        float(counts.sum(axis=1).max() / counts.sum()),
        scores.log_loss,
        scores.brier,
        scores.ece,
        counts.astype(float).tolist(),
        [_class_test(one, curve) for one, curve in zip(scores.by_class, curves, strict=True)],
        _bins(bins),
        [encoded(name) for name in found.columns.names if name not in net.variables],
        [encoded(name) for name in net.names if name not in found.columns],
    )


test_network.__test__ = False  # type: ignore[attr-defined]  # no test of pytest


def _class_test(one: ClassScores, curve: RocCurve) -> ClassTest:
    precision, recall, f1, auc = map(_number, (one.precision, one.recall, one.f1, one.auc))
    return ClassTest(precision, recall, f1, auc, one.rows, _points(curve))


def _bins(found: Reliability) -> list[CalibrationBin]:
    return [
        CalibrationBin(
            *(
                float(one[place])
                for one in (
                    found.edges[:-1],
                    found.edges[1:],
                    found.counts,
                    found.mean_probability,
                    found.frequency,
                )
            )
        )
        for place in np.flatnonzero(found.counts)
    ]


def _points(curve: RocCurve) -> list[tuple[float, float]]:
    """The points of a curve, thinned out if they are many; none where a share is not defined."""
    rates = np.column_stack([curve.false_positive_rate, curve.true_positive_rate])
    if not np.isfinite(rates).all():
        return []
    if len(rates) > MOST_POINTS:
        rates = rates[np.unique(np.linspace(0, len(rates) - 1, MOST_POINTS).round().astype(int))]
    return [(float(x), float(y)) for x, y in rates]


def _number(value: float) -> float | None:
    return value if isfinite(value) else None


def rows_of_cell(found: TestedRows, true: int | None, predicted: int | None) -> Any:
    """The numbers of the rows of a cell of the confusion, or of all rows."""
    if true is None and predicted is None:
        return np.arange(found.columns.rows)
    kept = found.scored
    if true is not None:
        kept = kept[found.truth[kept] == true]
    return kept if predicted is None else kept[found.predicted[kept] == predicted]


TEST = Operation(
    "test",
    "A network tested with the rows of an uploaded table",
    TestRequest,
    TestAnswer,
    test_network,
    takes_table=True,
)
