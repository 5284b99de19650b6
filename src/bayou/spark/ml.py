"""The parts of ``pyspark.ml`` that stages of pipelines are made of, or an error that says how to get them."""

from __future__ import annotations

from bayou.errors import MissingPackage

try:
    from pyspark.ml import Estimator, Model
    from pyspark.ml.param import Param, Params
    from pyspark.ml.param.shared import (
        HasFeaturesCol,
        HasInputCols,
        HasLabelCol,
        HasPredictionCol,
        HasProbabilityCol,
        HasRawPredictionCol,
        HasWeightCol,
    )
    from pyspark.ml.util import DefaultParamsReader, DefaultParamsWriter, MLReadable, MLReader, MLWritable
    from pyspark.ml.util import MLWriter as MLWriter
except ImportError:
    raise MissingPackage.needed("pyspark", "bayou.spark") from None

__all__ = [
    "DefaultParamsReader",
    "DefaultParamsWriter",
    "Estimator",
    "HasFeaturesCol",
    "HasInputCols",
    "HasLabelCol",
    "HasPredictionCol",
    "HasProbabilityCol",
    "HasRawPredictionCol",
    "HasWeightCol",
    "MLReadable",
    "MLReader",
    "MLWritable",
    "MLWriter",
    "Model",
    "Param",
    "Params",
]
