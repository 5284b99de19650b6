"""Workers without any Python package: Spark SQL groups the rows, and one warning says so (spark)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.spark.java import frame_of

import bayou
from bayou.errors import BadData

TABLE = {
    "wind": ["weak", "strong", None, "weak", "weak", "strong"] * 5,
    "temp": [1.5, 2.5, 3.5, None, 1.5, 0.5] * 5,
    "play": ["yes", "no", "no", "yes", "no", "no"] * 5,
}


def test_spark_sql_counts_where_bayou_is_absent() -> None:
    frame = frame_of(TABLE, "string, double, string")
    with pytest.warns(bayou.BayouWarning, match="Spark's workers cannot run bayou"):
        found = bayou.NaiveBayes().fit(frame, "play")
    expected = bayou.NaiveBayes().fit(pd.DataFrame(TABLE), "play")
    rows = {"wind": ["weak", "strong"], "temp": [1.0, 2.0]}
    assert np.allclose(found.predict_proba(rows), expected.predict_proba(rows), rtol=1e-10)
    with pytest.warns(bayou.BayouWarning, match="Spark's workers cannot run bayou"):
        net = bayou.Network("wind -> play").fit(frame)
    expected_net = bayou.Network("wind -> play").fit(pd.DataFrame(TABLE))
    assert np.allclose(net.frozen.table("play"), expected_net.frozen.table("play"), rtol=1e-6)


def test_answers_for_every_row_are_refused_at_once_with_the_remedy() -> None:
    """Not when the rows are looked at, much later, by an error of Spark."""
    frame = frame_of(TABLE, "string, double, string")
    model = bayou.NaiveBayes().fit(pd.DataFrame(TABLE), "play")
    with pytest.raises(BadData, match=r"workers cannot run bayou .*PYSPARK_PYTHON.*sys\.executable"):
        model.predict_frame(frame)
    with pytest.raises(BadData, match=r"workers cannot run bayou .*PYSPARK_PYTHON.*toPandas"):
        bayou.Network("wind -> play").fit(pd.DataFrame(TABLE)).posterior(frame, "play")
