"""Predicted classes of rows, by a classifier or by one variable of a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayou.documents.predictors import ClassifierPredictor, NetworkPredictor, Predictor, column_notes
from bayou.documents.scored_answers import most_probable_classes
from bayou.errors import BadQuestion, listed
from bayou.schema import label
from bayou.server.messages import Message, Value, encoded, known_name
from bayou.server.models.given_rows import GivenRows, columns_given
from bayou.server.models.kinds import CLASSIFIER, NETWORK, kind_of
from bayou.server.models.told_notes import told_notes
from bayou.server.operations.operation import Operation
from bayou.typing import FloatArray

if TYPE_CHECKING:
    from bayou.sources import Columns


class PredictRequest(GivenRows):
    """Rows; ``target`` is the variable of a network that is predicted (a classifier has its own)."""

    target: Value | None = None


class PredictAnswer(Message):
    """The most probable class of each row, and the probabilities in the order of ``classes``.

    Both are null for a row whose findings are impossible.
    """

    target: Any
    classes: list[Any]
    predicted: list[Any]
    probabilities: list[list[float] | None]
    notes: list[str]


def predictor_of(model: Any, target: Value | None) -> Predictor:
    """What predicts: a classifier, or a network with a target."""
    if kind_of(model) == CLASSIFIER:
        found = ClassifierPredictor(model)
        if target is not None and target != encoded(found.target):
            raise BadQuestion(f"This classifier predicts {label(found.target)!r}: leave the target out.")
        return found
    if target is None:
        raise BadQuestion(f"Say which variable to predict: target is one of {listed(model.names)}.")
    return NetworkPredictor(model, known_name(model, target))


def features_of(predictor: Predictor, table: Columns) -> Columns:
    """The columns of a table that the predictor uses."""
    from bayou.sources import Columns

    names = [name for name in table.names if name in predictor.features]
    return Columns(names, [table[name] for name in names], table.rows)


def rows_of_shares(shares: FloatArray) -> list[list[float] | None]:
    """Probabilities as lists; None for rows without any (impossible findings)."""
    return [None if row[0] != row[0] else row for row in shares.tolist()]


def predict(model: Any, request: PredictRequest) -> PredictAnswer:
    """Predict the class of every row."""
    from bayou.sources import read_columns

    predictor = predictor_of(model, request.target)
    table = read_columns(columns_given(request.columns, request.rows))
    with told_notes() as notes:
        notes += column_notes(predictor, table.names, None)
        shares = predictor.proba(features_of(predictor, table), 0)
    best = most_probable_classes(shares, predictor.classes)
    return PredictAnswer(
        encoded(predictor.target),
        [encoded(state) for state in predictor.classes],
        [None if state is None else encoded(state) for state in best],
        rows_of_shares(shares),
        notes,
    )


PREDICT = Operation(
    "predict",
    "The most probable class of each row, and its probabilities",
    PredictRequest,
    PredictAnswer,
    predict,
    kinds=(CLASSIFIER, NETWORK),
)
