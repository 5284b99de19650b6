"""The parameters that name columns: the same of the stage that learns and of the one that predicts."""

from __future__ import annotations

from typing import Any

from bayou.errors import BadQuestion
from bayou.spark.ml import (
    HasFeaturesCol,
    HasInputCols,
    HasLabelCol,
    HasPredictionCol,
    HasProbabilityCol,
    HasRawPredictionCol,
    HasWeightCol,
)


class ColumnParams(
    HasInputCols,  # type: ignore[misc]  # pyspark is untyped here
    HasFeaturesCol,  # type: ignore[misc]
    HasLabelCol,  # type: ignore[misc]
    HasWeightCol,  # type: ignore[misc]
    HasPredictionCol,  # type: ignore[misc]
    HasProbabilityCol,  # type: ignore[misc]
    HasRawPredictionCol,  # type: ignore[misc]
):
    """Which columns are read (``inputCols`` if set, else ``featuresCol``) and which are added."""

    def input_names(self, frame: Any) -> list[str]:
        """The columns to learn from; raises BadQuestion if one of them is absent."""
        names: list[str] = (
            list(self.getInputCols()) if self.isSet(self.inputCols) else [self.getFeaturesCol()]
        )
        for name in names:
            self.require_column(frame, name, "inputCols=[…] names the columns to learn from")
        return names

    def require_column(self, frame: Any, name: str, remedy: str) -> None:
        """Raise BadQuestion if the DataFrame has no such column."""
        if name not in frame.columns:
            known = ", ".join(map(repr, frame.columns))
            raise BadQuestion(f"The DataFrame has no column {name!r}; it has {known}. {remedy}.")

    def setParams(self, **values: Any) -> Any:
        """Set parameters by name; return the stage.

        Raises ``BadQuestion`` for a name that is none of its parameters.

        >>> import bayou.spark
        >>> bayou.spark.BayouClassifier().setParams(labelCol="sail", prior=0.5).getLabelCol()
        'sail'
        """
        for name, value in values.items():
            if not self.hasParam(name):
                known = tuple(param.name for param in self.params)
                raise BadQuestion.choice("the parameter", name, known)
            self.set(self.getParam(name), value)
        return self
