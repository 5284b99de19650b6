"""A fitted classifier of bayou as a model of Spark ML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.estimators.bayes_classifier import BayesClassifier
from bayou.estimators.input.row_input import feature_names, text_columns
from bayou.schema import is_number, plain
from bayou.sources.spark.frame_answers import VECTOR, type_of_states, with_answers
from bayou.sources.spark.frames import numbered
from bayou.spark.column_params import ColumnParams
from bayou.spark.ml import MLReadable, MLWritable, Model
from bayou.spark.stage_answers import StageAnswers
from bayou.spark.storage import StageReader, StageWriter
from bayou.spark.vector_columns import VectorElement, with_elements

_MOST_EMPTY = 100
"""How many classes without rows a vector of probabilities has at most."""


class BayouClassifierModel(
    ColumnParams,
    Model,  # type: ignore[misc]  # pyspark is untyped here
    MLReadable,  # type: ignore[misc]
    MLWritable,  # type: ignore[misc]
):
    """A fitted :class:`BayouClassifier`: ``transform`` adds the prediction and the vectors of all classes.

    ``probability`` has P(class | row), ``rawPrediction`` the log odds of each class against all others. Where
    the classes are the whole numbers that Spark ML uses, class k has place k; otherwise the places are those
    of ``classes``. A column whose name is empty is not added.

    ``fitted`` is the classifier; ``elements`` are the elements of vectors that it learned from as columns.

    >>> import bayou.spark
    >>> rows = {"wind": ["weak", "strong"] * 20, "sail": [0, 1] * 20}
    >>> model = bayou.spark.BayouClassifierModel(bayou.NaiveBayes().fit(rows, "sail"))
    >>> model.classes, model.numClasses
    ([0, 1], 2)
    """

    def __init__(self, fitted: BayesClassifier | None = None, elements: Sequence[VectorElement] = ()) -> None:
        super().__init__()
        if fitted is not None:
            self.fitted, self.elements = fitted, tuple(elements)

    @property
    def classes(self) -> list[Any]:
        """The classes in the order of the classifier."""
        return [plain(state) for state in self.fitted.classes_.tolist()]

    @property
    def numClasses(self) -> int:
        """The length of the vectors."""
        return int(self._places().max()) + 1

    def _places(self) -> npt.NDArray[np.intp]:
        """The place of each class in the vectors."""
        classes = self.classes
        indices = [int(c) for c in classes if is_number(c) and c >= 0 and c == int(c)]
        if len(indices) == len(classes) and max(indices) < len(classes) + _MOST_EMPTY:
            return np.array(indices, dtype=np.intp)
        return np.arange(len(classes))

    def _transform(self, dataset: Any) -> Any:
        names = {
            "prediction": self.getPredictionCol(),
            "probability": self.getProbabilityCol(),
            "rawPrediction": self.getRawPredictionCol(),
        }
        wanted = {kind: name for kind, name in names.items() if name}
        kinds = dict.fromkeys(wanted, VECTOR)
        numbers = all(is_number(state) for state in self.classes)
        if "prediction" in kinds:
            kinds["prediction"] = "double" if numbers else type_of_states(self.classes)
        added = {wanted[kind]: kinds[kind] for kind in wanted}
        answers = StageAnswers(self.fitted, tuple(wanted), self._places(), self.numClasses)
        wide = with_elements(dataset, self.elements)
        found = with_answers(wide, feature_names(self.fitted), added, answers, text_columns(self.fitted))
        return _with_vectors(found, dataset.columns, len(wide.columns), added)

    def write(self) -> StageWriter:
        """What saves the model; see :meth:`save`."""
        return StageWriter(self)

    @classmethod
    def read(cls) -> StageReader:
        """What loads a saved model; see :meth:`load`."""
        return StageReader(cls)


def _with_vectors(answered: Any, own: Sequence[str], first: int, added: dict[str, str]) -> Any:
    """The own columns of a DataFrame and the added ones, which start at a place; arrays as vectors."""
    from pyspark.ml.functions import array_to_vector
    from pyspark.sql import functions

    places = numbered(answered)
    columns = [functions.col(f"c{place}") for place in range(len(own))]
    for place, kind in enumerate(added.values(), start=first):
        cell = functions.col(f"c{place}")
        columns.append(array_to_vector(cell) if kind == VECTOR else cell)
    return places.select(*columns).toDF(*own, *added)
