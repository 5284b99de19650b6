"""A classifier of bayou as an estimator of Spark ML, for pipelines and cross-validation."""

from __future__ import annotations

from typing import Any

from bayou.errors import BadQuestion
from bayou.estimators.bayes_classifier import BayesClassifier
from bayou.sources.spark.frames import quoted
from bayou.spark.classifier_model import BayouClassifierModel
from bayou.spark.column_params import ColumnParams
from bayou.spark.ml import Estimator, MLReadable, MLWritable, Param
from bayou.spark.storage import StageReader, StageWriter
from bayou.spark.vector_columns import vector_elements, with_elements


class BayouClassifier(
    ColumnParams,
    Estimator,  # type: ignore[misc]  # pyspark is untyped here
    MLReadable,  # type: ignore[misc]
    MLWritable,  # type: ignore[misc]
):
    """Any classifier of bayou as a stage of a Spark ML pipeline.

    ``classifier`` is the classifier to learn, such as ``bayou.TAN()``. ``inputCols`` names its columns, of
    any type that bayou reads, or vectors; without it ``featuresCol`` is read. ``labelCol`` has the classes,
    ``weightCol`` the weights. The fitted stage adds the columns ``predictionCol``, ``probabilityCol`` and
    ``rawPredictionCol``. The parameters of the classifier are parameters of the stage, too::

        stage = bayou.spark.BayouClassifier(bayou.NaiveBayes(), inputCols=["wind", "temperature"])
        grid = ParamGridBuilder().addGrid(stage.prior, [0.5, 1.0, 5.0]).build()

    A grid may also try several classifiers: ``addGrid(stage.classifier, [bayou.NaiveBayes(), bayou.TAN()])``.

    Raises ``BadQuestion`` for a classifier that is not bayou's.

    >>> import bayou.spark
    >>> stage = bayou.spark.BayouClassifier(bayou.TAN(), inputCols=["wind", "temperature"], labelCol="sail")
    >>> stage.getInputCols(), stage.learner()
    (['wind', 'temperature'], TAN())
    """

    def __init__(self, classifier: BayesClassifier | None = None, **columns: Any) -> None:
        super().__init__()
        if classifier is None:
            from bayou.estimators.naive_bayes.naive_bayes import NaiveBayes

            classifier = NaiveBayes()
        if not isinstance(classifier, BayesClassifier):
            raise BadQuestion(
                f"classifier= is a {type(classifier).__name__}, which is no classifier of bayou; "
                "bayou.NaiveBayes() is one."
            )
        self.classifier = Param(self, "classifier", "the classifier of bayou to learn")
        for name in classifier.get_params(deep=False):
            if not hasattr(self, name):
                what = f"{name} of {type(classifier).__name__}"
                setattr(self, name, Param(self, name, what))
        self._set(classifier=classifier)
        self.setParams(**columns)

    def learner(self) -> BayesClassifier:
        """The classifier, not fitted yet, with the parameters that were set on this stage."""
        classifier: BayesClassifier = self.getOrDefault(self.classifier)
        known = classifier.get_params(deep=False)
        given = {
            param.name: value
            for param, value in self._paramMap.items()
            if param.name in known and param.name != "classifier"
        }
        return type(classifier)(**{**known, **given})

    def _fit(self, dataset: Any) -> BayouClassifierModel:
        names, label = self.input_names(dataset), self.getLabelCol()
        self.require_column(dataset, label, "labelCol= names the column of the classes")
        if label in names:
            raise BadQuestion(f"labelCol {label!r} is among the columns to learn from; leave it out there.")
        weight = self.getWeightCol() if self.isSet(self.weightCol) and self.getWeightCol() else None
        if weight is not None:
            self.require_column(dataset, weight, "weightCol= names the column of the weights")
        elements = vector_elements(dataset, names)
        vectors = {element.column for element in elements}
        columns = [*(name for name in names if name not in vectors), *(element.name for element in elements)]
        wide = with_elements(dataset, elements)
        needed = [*columns, label, *([] if weight is None else [weight])]
        chosen = {name: wide[quoted(name)] for name in needed}
        chosen[label] = _class_column(wide, label)
        rows = wide.select(*chosen.values())
        fitted = self.learner().fit(rows, label, sample_weight=weight)
        model = BayouClassifierModel(fitted, elements)
        model._resetUid(self.uid)
        return self._copyValues(model)  # type: ignore[no-any-return]

    def write(self) -> StageWriter:
        """What saves the stage; see :meth:`save`."""
        return StageWriter(self)

    @classmethod
    def read(cls) -> StageReader:
        """What loads a saved stage; see :meth:`load`."""
        return StageReader(cls)


def _class_column(frame: Any, name: str) -> Any:
    """The column of the classes; Spark's floats as the whole numbers that they stand for."""
    from pyspark.sql import functions

    column, kind = frame[quoted(name)], frame.schema[name].dataType.typeName()
    if kind not in ("double", "float", "decimal"):
        return column
    wrong = functions.raise_error(
        functions.concat(functions.lit(f"Column {name!r} has classes, whole numbers, but a row has "), column)
    )
    whole = column.isNull() | (column == functions.floor(column))
    return functions.when(whole, column.cast("bigint")).otherwise(wrong.cast("bigint")).alias(name)
