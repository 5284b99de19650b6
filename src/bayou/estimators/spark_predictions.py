"""Predictions for the rows of a Spark DataFrame: computed on the workers, as more columns of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.schema import label, plain
from bayou.sources import Columns

PREDICTED, PROBABILITIES = "predicted", "probabilities"


def in_spark(model: Any, frame: Any, *wanted: str) -> Any:
    """The DataFrame with the predicted class, the probabilities of all classes, or both."""
    from bayou.estimators.input.column_matching import tell_of_columns
    from bayou.estimators.input.row_input import feature_names, text_columns
    from bayou.sources.spark.frame_answers import type_of_states, with_answers

    names = feature_names(model)
    tell_of_columns(model, [name for name in frame.columns if name != model.target_])
    classes = [plain(state) for state in model.classes_.tolist()]
    target = label(model.target_)
    added: dict[str, str] = {}
    if PREDICTED in wanted:
        added[f"predicted_{target}"] = type_of_states(classes)
    if PROBABILITIES in wanted:
        added.update({f"P({target}={label(state)})": "double" for state in classes})
    return with_answers(frame, names, added, ClassifierAnswers(model, wanted), text_columns(model))


@dataclass(frozen=True)
class ClassifierAnswers:
    """Computes what is wanted of some rows, on a worker."""

    model: Any
    wanted: Sequence[str]

    def __call__(self, table: Columns) -> list[npt.NDArray[Any]]:
        from bayou.estimators.input.row_input import rows_for
        from bayou.sources.spark.frame_answers import as_cells

        model, rows = self.model, rows_for(self.model, table)
        classes = [plain(state) for state in model.classes_.tolist()]
        probabilities = model.predict_proba(rows) if PROBABILITIES in self.wanted else None
        columns = []
        if PREDICTED in self.wanted:
            best = (
                model.predict(rows) if probabilities is None else model.classes_[probabilities.argmax(axis=1)]
            )
            columns.append(as_cells(best, classes))
        if probabilities is not None:
            columns += list(np.ascontiguousarray(probabilities.T))
        return columns
