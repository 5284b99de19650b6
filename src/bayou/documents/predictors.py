"""One interface for classifiers and networks: from columns to probabilities of the target's states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from bayou.errors import BadQuestion, ImpossibleEvidence, UnknownVariable

if TYPE_CHECKING:
    from bayou.models.network import Network
    from bayou.sources import Columns
    from bayou.typing import FloatArray, Name, State


class Predictor(Protocol):
    """Predicts the state of one column from others."""

    target: Name
    classes: tuple[State, ...]
    features: tuple[Name, ...]
    text: list[Name]
    """Features whose values are read as text, even if they look like numbers."""

    def proba(self, columns: Columns, first: int) -> FloatArray:
        """Return one row per row of the table, one column per class; NaN if the findings are impossible.

        ``first`` is the number of the first row, for error messages.
        """


class ClassifierPredictor:
    """Predicts with a fitted classifier."""

    def __init__(self, model: Any) -> None:
        from bayou.estimators.input.row_input import feature_names, text_columns

        self.model = model
        self.target: Name = model.target_
        self.classes: tuple[State, ...] = tuple(model.classes_.tolist())
        self.features = feature_names(model)
        self.text = text_columns(model)

    def proba(self, columns: Columns, first: int) -> FloatArray:
        """P(class | row)."""
        import numpy as np

        from bayou.estimators.input.column_matching import with_gaps
        from bayou.estimators.input.row_input import reads_documents, rows_for

        if not columns.rows:
            return np.empty((0, len(self.classes)))
        if not reads_documents(self.model):
            columns = with_gaps(columns, self.features)  # `column_notes` has told of absent columns
        try:
            answers: FloatArray = self.model.predict_proba(rows_for(self.model, columns))
        except ImpossibleEvidence as error:
            place = f"Among the rows from {first:,} on: " if first else ""
            raise ImpossibleEvidence(f"{place}{error}") from None
        return answers


class NetworkPredictor:
    """Predicts one variable of a network."""

    def __init__(self, net: Network, target: Name) -> None:
        from bayou.schema import text_names

        self.net = net
        self.target = target
        variable = net.variables[target]
        if variable.is_continuous:
            raise BadQuestion(
                f"{target!r} is continuous, and only variables with states are predicted as classes; ask for "
                "its mean with bayou query."
            )
        net.frozen.require(net.names)
        self.classes = variable.states
        self.features = tuple(name for name in net.names if name != self.target)
        self.text = text_names(net.variables)

    def proba(self, columns: Columns, first: int) -> FloatArray:
        """P(target | the row's findings)."""
        return self.net.posterior(columns, [self.target])[self.target]


def row_stretches(path: str, names: list[Name], text: list[Name]) -> Iterator[tuple[int, Columns]]:
    """Yield some rows of the named columns of a file at a time, with the number of the first row."""
    from bayou.sources import IfPresent, open_source, row_tables

    first = 0
    for part in row_tables(open_source(path, names=IfPresent(names), as_text=text)):
        yield first, part
        first += part.rows


def column_notes(predictor: Predictor, columns: tuple[Name, ...], truth: str | None) -> list[str]:
    """Return notes about columns that are absent or not used, by the rule of all classifiers.

    Misspelt names, and data with none or nearly none of the features, are errors. ``truth`` is the column
    with the true classes, or None.
    """
    from bayou.estimators.input.column_matching import compared_columns

    names = [str(name) for name in columns]
    others = [str(name) for name in (predictor.target, truth) if name is not None]
    unknown = getattr(getattr(predictor, "model", None), "unknown", "")
    difference = compared_columns([str(name) for name in predictor.features], names, others, unknown)
    if truth is not None and truth not in names:
        raise UnknownVariable.named(truth, columns, "in the data, to score by")
    return difference.notes
