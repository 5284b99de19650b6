"""What a stage of Spark ML adds to some rows, on a worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.estimators.input.row_input import rows_for
from bayou.schema import is_number, plain
from bayou.sources import Columns
from bayou.sources.spark.frame_answers import as_cells
from bayou.typing import FloatArray


@dataclass(frozen=True)
class StageAnswers:
    """Computes the columns ``wanted``; ``places`` are those of the classes in vectors of a length."""

    model: Any
    wanted: Sequence[str]
    places: npt.NDArray[np.intp]
    length: int

    def __call__(self, table: Columns) -> list[npt.NDArray[Any]]:
        model, rows = self.model, rows_for(self.model, table)
        probabilities = model.predict_proba(rows)
        columns: list[npt.NDArray[Any]] = []
        for kind in self.wanted:
            if kind == "prediction":
                columns.append(self._classes(probabilities.argmax(axis=1)))
            elif kind == "probability":
                columns.append(self._placed(probabilities, 0.0))
            else:
                columns.append(self._placed(log_odds(model.predict_log_proba(rows)), -np.inf))
        return columns

    def _classes(self, best: npt.NDArray[np.intp]) -> npt.NDArray[Any]:
        classes = [plain(state) for state in self.model.classes_.tolist()]
        if all(is_number(state) for state in classes):
            return np.array(classes, dtype=np.float64)[best]
        return as_cells(self.model.classes_[best], classes)

    def _placed(self, values: FloatArray, absent: float) -> FloatArray:
        placed = np.full((len(values), self.length), absent)
        placed[:, self.places] = values
        return placed


def log_odds(log_probabilities: FloatArray) -> FloatArray:
    """The log odds of each class against all others, exact where a class is nearly certain.

    >>> log_odds(np.log([[0.25, 0.75]])).round(4).tolist()
    [[-1.0986, 1.0986]]
    """
    logs, classes = log_probabilities, log_probabilities.shape[1]
    others = np.full_like(logs, -np.inf)
    for own in range(classes):
        rest = np.delete(logs, own, axis=1)
        if classes > 1:
            others[:, own] = np.logaddexp.reduce(rest, axis=1)
    return logs - others
