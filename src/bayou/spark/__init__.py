"""Spark ML: any classifier of bayou as a stage of ``pyspark.ml`` pipelines.

It needs ``pip install 'bayou[spark]'``. Spark DataFrames go wherever tables go without it: this is for those
who have pipelines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.lazy_names import on_first_use

if TYPE_CHECKING:
    from bayou.spark.classifier import BayouClassifier as BayouClassifier
    from bayou.spark.classifier_model import BayouClassifierModel as BayouClassifierModel

_WHERE = {
    "BayouClassifier": "bayou.spark.classifier",
    "BayouClassifierModel": "bayou.spark.classifier_model",
}

__all__ = list(_WHERE)
__getattr__, __dir__ = on_first_use(__name__, _WHERE)
