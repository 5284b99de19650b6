"""Classifiers of bayou as stages of Spark ML: pipelines, cross-validation, weights, files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.spark.java import frame_of

import bayou
from bayou.errors import BadFile, BadQuestion

ROWS = 150


def _table() -> pd.DataFrame:
    random = np.random.default_rng(11)
    kind = random.random(ROWS) < 0.4
    wind = np.where(random.random(ROWS) < 0.2 + 0.5 * kind, "weak", "strong")
    warm = random.normal(20, 4, ROWS) + 4 * kind
    weight = random.integers(1, 4, ROWS).astype(float)
    play = np.where(kind, "yes", "no")
    return pd.DataFrame({"wind": wind, "warm": warm, "weight": weight, "play": play})


TABLE = _table()
CODES = TABLE.assign(label=(TABLE["play"] == "yes").astype(float))
INPUTS = ["wind", "warm"]


@pytest.fixture(scope="module")
def frame() -> Any:
    columns = {name: TABLE[name].tolist() for name in TABLE}
    return frame_of(columns, "string, double, double, string", 2)


def _stage(classifier: Any = None, **columns: Any) -> Any:
    return bayou.spark.BayouClassifier(
        bayou.NaiveBayes() if classifier is None else classifier, inputCols=INPUTS, **columns
    )


def _pipeline(stage: Any, order: str = "alphabetAsc") -> Any:
    from pyspark.ml import Pipeline
    from pyspark.ml.feature import StringIndexer

    return Pipeline(stages=[StringIndexer(inputCol="play", outputCol="label", stringOrderType=order), stage])


def _vectors(found: pd.DataFrame, name: str) -> Any:
    return np.array([vector.toArray() for vector in found[name]])


def test_a_pipeline_learns_predicts_and_is_saved_with_its_model(frame: Any, tmp_path: Path) -> None:
    from pyspark.ml import PipelineModel

    model = _pipeline(_stage(bayou.TAN())).fit(frame)
    answered = model.transform(frame)
    assert answered.columns == [*frame.columns, "label", "prediction", "probability", "rawPrediction"]
    found = answered.toPandas()
    plain = bayou.TAN().fit(CODES[[*INPUTS, "label"]], "label")
    expected = plain.predict_proba(found[INPUTS])
    assert np.allclose(_vectors(found, "probability"), expected, rtol=1e-10, atol=0)
    assert found["prediction"].tolist() == plain.predict(found[INPUTS]).tolist()
    odds = np.log(expected[:, 1] / expected[:, 0])
    assert np.allclose(_vectors(found, "rawPrediction"), np.stack([-odds, odds], axis=1), rtol=1e-8)
    model.save(str(tmp_path / "saved"))
    again = PipelineModel.load(str(tmp_path / "saved"))
    assert again.uid == model.uid
    assert again.stages[1].uid == model.stages[1].uid
    assert again.stages[1].fitted.statistics_ == model.stages[1].fitted.statistics_
    assert again.transform(frame).toPandas().equals(found)


def test_cross_validation_chooses_a_parameter(frame: Any, tmp_path: Path) -> None:
    from pyspark.ml.evaluation import BinaryClassificationEvaluator, MulticlassClassificationEvaluator
    from pyspark.ml.tuning import CrossValidator, ParamGridBuilder

    stage = _stage()
    grid = ParamGridBuilder().addGrid(stage.prior, [1.0, 100_000.0]).build()
    judge = MulticlassClassificationEvaluator(metricName="logLoss", labelCol="label")
    found = CrossValidator(
        estimator=_pipeline(stage), estimatorParamMaps=grid, evaluator=judge, numFolds=2, seed=3
    ).fit(frame)
    assert found.avgMetrics[0] < found.avgMetrics[1]
    assert found.bestModel.stages[1].fitted.prior == 1.0
    # Spark's measure is that of the probabilities.
    area = BinaryClassificationEvaluator(labelCol="label").evaluate(found.transform(frame))
    plain = bayou.NaiveBayes().fit(CODES[[*INPUTS, "label"]], "label")
    yes = plain.predict_proba(TABLE[INPUTS])[:, 1]
    pairs = np.subtract.outer(yes[CODES["label"] == 1], yes[CODES["label"] == 0])
    assert area == pytest.approx(((pairs > 0) + 0.5 * (pairs == 0)).mean(), abs=1e-12)


def test_a_grid_may_try_several_classifiers(frame: Any) -> None:
    stage = _stage()
    gaussian = stage.fit(frame, {stage.classifier: bayou.TAN(), stage.labelCol: "play"})
    assert isinstance(gaussian.fitted, bayou.TAN)
    assert isinstance(stage.learner(), bayou.NaiveBayes)


def test_weights_are_repeated_rows(frame: Any) -> None:
    weighted = _stage(labelCol="play", weightCol="weight").fit(frame)
    rows = TABLE.loc[TABLE.index.repeat(TABLE["weight"].astype(int)), [*INPUTS, "play"]]
    repeated = bayou.NaiveBayes().fit(rows, "play")
    assert np.allclose(
        weighted.fitted.predict_proba(TABLE[INPUTS]), repeated.predict_proba(TABLE[INPUTS]), rtol=1e-9
    )
    # Classes that are text are predicted as text.
    answered = weighted.transform(frame).toPandas()
    assert answered["prediction"].tolist() == weighted.fitted.predict(answered[INPUTS]).tolist()
    assert weighted.classes == ["no", "yes"]
    assert weighted.numClasses == 2


def test_vectors_of_other_stages(frame: Any, tmp_path: Path) -> None:
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.feature import StringIndexer, VectorAssembler

    index = StringIndexer(
        inputCols=["wind", "play"], outputCols=["blows", "label"], stringOrderType="alphabetAsc"
    )
    join = VectorAssembler(inputCols=["blows", "warm"], outputCol="features")
    stage = bayou.spark.BayouClassifier(bayou.NaiveBayes(), probabilityCol="p", rawPredictionCol="")
    model = Pipeline(stages=[index, join, stage]).fit(frame)
    found = model.transform(frame).toPandas()
    assert list(found.columns)[-3:] == ["features", "prediction", "p"]
    plain = bayou.NaiveBayes().fit(CODES[[*INPUTS, "label"]], "label")
    assert np.allclose(_vectors(found, "p"), plain.predict_proba(found[INPUTS]), rtol=1e-10)
    assert model.stages[-1].fitted.feature_names_in_.tolist() == ["features.blows", "features.warm"]
    model.write().save(str(tmp_path / "vectors"))
    again = PipelineModel.load(str(tmp_path / "vectors"))
    assert again.transform(frame).toPandas().equals(found)


def test_stages_that_are_not_fitted_are_saved(tmp_path: Path) -> None:
    from pyspark.ml import Pipeline

    stage = _stage(bayou.NaiveBayes(prior=bayou.Laplace(3.0)), labelCol="play", evidence_weight=1.0)
    _pipeline(stage).save(str(tmp_path / "stages"))
    again = Pipeline.load(str(tmp_path / "stages")).getStages()[1]
    assert repr(again.learner()) == repr(stage.learner())
    assert again.learner().evidence_weight == 1.0
    assert (again.getInputCols(), again.getLabelCol(), again.uid) == (INPUTS, "play", stage.uid)
    with pytest.raises(BadFile, match=r"not a .*BayouClassifierModel"):
        bayou.spark.BayouClassifierModel.load(str(next((tmp_path / "stages" / "stages").glob("1_*"))))


def test_a_saved_stage_is_overwritten(tmp_path: Path) -> None:
    from tests.spark.java import session

    session()
    path = str(tmp_path / "stage")
    _stage(bayou.NaiveBayes(prior=1.0)).save(path)
    _stage(bayou.NaiveBayes(prior=2.0)).write().overwrite().save(path)
    assert bayou.spark.BayouClassifier.load(path).learner().prior == 2.0


def test_places_of_classes() -> None:
    from bayou.spark.classifier_model import BayouClassifierModel

    def places(*classes: Any) -> list[int]:
        fitted = bayou.NaiveBayes().fit({"a": ["x"] * len(classes)}, list(classes))
        return BayouClassifierModel(fitted)._places().tolist()

    assert places(0.0, 1.0, 3.0) == [0, 1, 3]
    assert places("no", "yes") == [0, 1]
    assert places(-1, 1) == [0, 1]
    assert places(0, 5_000_000) == [0, 1]


def test_what_is_wrong_is_named(frame: Any) -> None:
    with pytest.raises(BadQuestion, match=r"no column 'features'; it has 'wind'.*inputCols"):
        bayou.spark.BayouClassifier(labelCol="play").fit(frame)
    with pytest.raises(BadQuestion, match=r"no column 'label'.*labelCol="):
        _stage().fit(frame)
    with pytest.raises(BadQuestion, match=r"no column 'w'.*weightCol="):
        _stage(labelCol="play", weightCol="w").fit(frame)
    with pytest.raises(BadQuestion, match="among the columns to learn from"):
        _stage(labelCol="wind").fit(frame)
    with pytest.raises(BadQuestion, match="labelCol"):
        _stage(lableCol="wind")
    with pytest.raises(BadQuestion, match="no classifier of bayou"):
        bayou.spark.BayouClassifier("tan")


def test_names_of_columns_may_have_dots_and_backticks() -> None:
    from pyspark.ml.linalg import Vectors, VectorUDT
    from pyspark.sql.types import DoubleType, StringType, StructField, StructType
    from tests.spark.java import session

    kinds = [StringType(), VectorUDT(), DoubleType()]
    names = ["the `wind`.x", "`v", "cl`ass"]
    fields = [StructField(name, kind) for name, kind in zip(names, kinds, strict=True)]
    rows = [("weak", Vectors.dense([1.0, 2.0 * k]), float(k % 2)) for k in range(8)]
    frame = session().createDataFrame(rows, StructType(fields))
    stage = bayou.spark.BayouClassifier(bayou.NaiveBayes(), inputCols=names[:2], labelCol=names[2])
    answered = stage.fit(frame).transform(frame)
    assert answered.columns[:3] == names
    assert answered.count() == 8
