"""Stages of Spark ML in folders: Spark's own file of parameters, and bayou's own file in pieces.

Both are written and read by Spark, so that any file system will do that Spark knows, over Spark Connect, too.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from bayou.errors import BadFile
from bayou.estimators.classifier_state import classifier_from_parameters, classifier_parameters
from bayou.formats.bundle import read_bundle, write_bundle
from bayou.loading import load
from bayou.spark.ml import DefaultParamsReader, DefaultParamsWriter, MLReader, MLWriter
from bayou.spark.vector_columns import VectorElement

PIECE_BYTES = 1 << 22
_UNFITTED = "parameters of a classifier"
COLUMN_PARAMS = (
    "inputCols",
    "featuresCol",
    "labelCol",
    "weightCol",
    "predictionCol",
    "probabilityCol",
    "rawPredictionCol",
)
"""The parameters that name columns; those of the classifier are in bayou's own file."""


class StageWriter(MLWriter):  # type: ignore[misc]  # pyspark is untyped here
    """Saves a stage."""

    def __init__(self, stage: Any) -> None:
        super().__init__()
        self._stage = stage

    def _handleOverwrite(self, path: str) -> None:
        """Delete what is there; Spark's own method does so in classic sessions only."""
        from pyspark.sql.utils import is_remote

        if not is_remote():
            super()._handleOverwrite(path)
            return
        from pyspark.ml.connect.readwrite import RemoteMLWriter

        RemoteMLWriter.handleOverwrite(path, True)

    def saveImpl(self, path: str) -> None:
        """Write the stage into a folder that Spark makes."""
        stage, fitted = self._stage, getattr(self._stage, "fitted", None)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "stage.bayou"
            if fitted is None:
                write_bundle(file, _UNFITTED, classifier_parameters(stage.learner()))
            else:
                fitted.save(file)
            data = file.read_bytes()
        columns = {p.name: value for p, value in stage._paramMap.items() if p.name in COLUMN_PARAMS}
        more = {"elements": [element.state() for element in getattr(stage, "elements", ())]}
        DefaultParamsWriter.saveMetadata(stage, path, self.sparkSession, more, columns)
        pieces = [
            (place, data[first : first + PIECE_BYTES])
            for place, first in enumerate(range(0, len(data), PIECE_BYTES))
        ]
        rows = self.sparkSession.createDataFrame(pieces, "piece int, data binary")
        rows.coalesce(1).write.parquet(f"{path}/bayou")


class StageReader(MLReader):  # type: ignore[misc]  # pyspark is untyped here
    """Loads a stage."""

    def __init__(self, kind: type[Any]) -> None:
        super().__init__()
        self._kind = kind

    def load(self, path: str) -> Any:
        """The stage that was saved in this folder."""
        about = DefaultParamsReader.loadMetadata(path, self.sparkSession)
        name = f"{self._kind.__module__}.{self._kind.__name__}"
        if about["class"] != name:
            raise BadFile.at(path, f"holds a {about['class']}, not a {name}.")
        rows = self.sparkSession.read.parquet(f"{path}/bayou").orderBy("piece").collect()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "stage.bayou"
            file.write_bytes(b"".join(bytes(row[1]) for row in rows))
            stage = self._stage(file, about)
        stage._resetUid(about["uid"])
        DefaultParamsReader.getAndSetParams(stage, about)
        return stage

    def _stage(self, file: Path, about: dict[str, Any]) -> Any:
        if not hasattr(self._kind, "learner"):
            return self._kind(load(file), [VectorElement(*fields) for fields in about["elements"]])
        _, state = read_bundle(file)
        return self._kind(classifier_from_parameters(state))
