"""Feature selection: the features that matter are found, those that do not are dropped."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

import bayou


def table(rows: int = 1500, seed: int = 1, noise: int = 10) -> tuple[pd.DataFrame, np.ndarray]:
    """Three columns that matter (text, whole numbers, reals), their echo, and many that do not."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    text = np.where(rng.random(rows) < 0.7, np.array(["å", "b", "c d"])[y], "b")
    columns: dict[str, Any] = {
        "text": text,
        "count": rng.poisson(2 + 2 * y),
        "real": rng.normal(y * 1.5, 1.0),
    }
    columns["echo of text"] = np.where(rng.random(rows) < 0.9, columns["text"], "b")
    columns.update({f"noise {k}": rng.normal(size=rows) for k in range(noise)})
    columns.update({f"dice {k}": rng.integers(1, 7, rows) for k in range(noise)})
    return pd.DataFrame(columns), np.array(["x", "y", "z"])[y]


@pytest.mark.parametrize("seed", range(4))
def test_relevant_features_are_kept_and_padding_is_dropped(seed: int) -> None:
    X, y = table(seed=seed)
    model = bayou.FeatureSelector().fit(X, y)
    assert model.get_feature_names_out().tolist() == ["text", "count", "real", "echo of text"]


@pytest.mark.parametrize("seed", range(4))
def test_the_markov_blanket_leaves_out_what_is_only_an_echo(seed: int) -> None:
    X, y = table(seed=seed)
    model = bayou.FeatureSelector("markov blanket").fit(X, y)
    kept = model.get_feature_names_out().tolist()
    assert kept == ["text", "count", "real"]
    assert model.scores_[3] < 0.01 < model.scores_[0]


def test_k_keeps_the_best_and_scores_are_nats() -> None:
    X = pd.DataFrame({"same": [0, 1] * 50, "half": [0, 1, 0, 1, 1, 1, 0, 0, 0, 1] * 10, "none": [3] * 100})
    y = np.array([0, 1] * 50)
    model = bayou.FeatureSelector(k=1).fit(X, y)
    assert model.scores_[0] == pytest.approx(np.log(2))
    assert 0 < model.scores_[1] < np.log(2)
    assert model.scores_[2] == 0
    assert model.pvalues_[2] == 1
    assert model.get_support().tolist() == [True, False, False]
    assert bayou.FeatureSelector(k=2).fit(X, y).get_support(indices=True).tolist() == [0, 1]


def test_an_exclusive_or_among_noise_is_beyond_looking_at_one_feature_at_a_time() -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (800, 6))
    X[:, :2] = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[np.arange(800) % 4]
    y = X[:, 0] ^ X[:, 1]
    assert not bayou.FeatureSelector().fit(X, y).get_support()[:2].any()
    seen = {f"x{k}": X[:, k] for k in range(6)}
    assert not bayou.independence_test({**seen, "y": y}, "y", "x0", given="x1")


def test_in_a_pipeline_before_any_classifier_and_with_data_frames_out() -> None:
    X, y = table(rows=600)
    numbers = X.drop(columns=["text", "echo of text"])
    for last in (GaussianNB(), LogisticRegression(max_iter=500), bayou.NaiveBayes()):
        model = make_pipeline(bayou.FeatureSelector(), last).fit(numbers, y)
        assert model[:-1].get_feature_names_out().tolist() == ["count", "real"]
        assert model.score(numbers, y) > 0.6
    selector = bayou.FeatureSelector().set_output(transform="pandas").fit(X, y)
    frame = selector.transform(X)
    pd.testing.assert_frame_equal(frame, X[["text", "count", "real", "echo of text"]])
    names = bayou.FeatureSelector().set_output(transform="polars").fit(pl.from_pandas(numbers), y)
    assert names.transform(pl.from_pandas(numbers)).columns == ["count", "real"]


def test_mappings_and_gaps_go_through_as_they_are() -> None:
    rows = {"größe": ["s", "l", None, "l"] * 20, 7: [1, 2, 3, 4] * 20, "empty": [None] * 80}
    model = bayou.FeatureSelector().fit(rows, [0, 1, 0, 1] * 20)
    assert model.support_.tolist() == [True, True, False]
    kept = model.transform({"größe": ["s", None], 7: [4, 1], "empty": [None, None]})
    assert kept == {"größe": ["s", None], 7: [4, 1]}
    pipeline = make_pipeline(bayou.FeatureSelector(), bayou.NaiveBayes())
    assert pipeline.fit(rows, [0, 1, 0, 1] * 20).predict(rows)[:2].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("settings", "told"),
    [({"by": "luck"}, "by='luck'"), ({"k": 0}, "k=0"), ({"k": "all"}, "k='all'"), ({"level": 1}, "level=1")],
)
def test_settings_that_mean_nothing_are_refused(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(bayou.BayouError, match=told):
        bayou.FeatureSelector(**settings).fit([[0], [1]], [0, 1])


def test_an_identifier_is_not_kept_though_it_knows_every_class() -> None:
    random = np.random.default_rng(4)
    y = random.integers(0, 3, 600)
    rows = {
        "Kennung 1": [f"P{k}" for k in range(600)],
        "nearly an id": [f"Q{k}" for k in random.integers(0, 400, 600)],
        "many states that tell": [f"{y[k]} {k % 60}" for k in range(600)],
    }
    chosen = bayou.FeatureSelector().fit(rows, y)
    assert chosen.get_feature_names_out().tolist() == ["many states that tell"]
