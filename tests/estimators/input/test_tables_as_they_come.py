"""What new users bring: columns twice, columns of one value or none, lazy frames, Arrow labels, mixtures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bayou
from bayou.errors import BadData, BadQuestion

FAMILY = [bayou.NaiveBayes, bayou.TAN, bayou.AODE, bayou.KDependence, bayou.ChowLiuClassifier]
WEATHER = bayou.examples.play_tennis()
FEATURES = {name: values for name, values in WEATHER.items() if name != "PlayTennis"}
LABELS = WEATHER["PlayTennis"]


@pytest.mark.parametrize("kind", FAMILY)
def test_a_column_without_any_value_changes_nothing(kind: Any) -> None:
    gaps = {**FEATURES, "größe 1": [None] * len(LABELS)}
    plain, more = kind().fit(FEATURES, LABELS), kind().fit(gaps, LABELS)
    assert np.array_equal(plain.predict_proba(FEATURES), more.predict_proba(gaps))


@pytest.mark.parametrize("kind", [*FAMILY, bayou.GaussianBayes])
def test_a_column_that_is_there_twice_is_named(kind: Any) -> None:
    frame = pd.DataFrame([[1.0, 2.0, 3.0], [2.0, 1.0, 5.0]], columns=["a", "Wind 2", "Wind 2"])
    with pytest.raises(BadData, match="Two columns are called 'Wind 2'"):
        kind().fit(frame, [0, 1])


@pytest.mark.parametrize("value", [1, 1.5])
def test_a_number_that_never_changes_tells_nothing_about_the_class(value: float) -> None:
    constant = {**FEATURES, "constant": [value] * len(LABELS)}
    plain, more = bayou.NaiveBayes().fit(FEATURES, LABELS), bayou.NaiveBayes().fit(constant, LABELS)
    np.testing.assert_allclose(more.predict_proba(constant), plain.predict_proba(FEATURES), rtol=1e-12)


@pytest.mark.parametrize("kind", FAMILY)
def test_lazy_frames_and_arrow_labels_are_as_good_as_others(kind: Any) -> None:
    expected = kind().fit(FEATURES, LABELS).predict_proba(FEATURES)
    lazy = pl.DataFrame(FEATURES).lazy()
    assert np.array_equal(kind().fit(lazy, pa.array(LABELS)).predict_proba(lazy), expected)
    by_name = kind().fit(pl.DataFrame(WEATHER).lazy(), "PlayTennis")
    assert np.array_equal(by_name.predict_proba(lazy), expected)
    chunks = pa.chunked_array([LABELS[:5], LABELS[5:]])
    assert np.array_equal(kind().fit(pa.table(FEATURES), chunks).predict_proba(lazy), expected)


@pytest.mark.parametrize("labels", [[1, "1", 2], np.array([1, "1", 2], dtype=object), pd.Series(["1", 1, 2])])
def test_labels_that_mix_text_and_numbers_are_refused_not_merged(labels: Any) -> None:
    with pytest.raises(BadData, match="mixes text and numbers, such as '1' and 1"):
        bayou.NaiveBayes().fit({"a": [1, 2, 3]}, labels)


@pytest.mark.parametrize("cuts", [[1], [10], [3, 7, 50]])
@pytest.mark.parametrize("first", [0, 10])
def test_a_column_whose_first_rows_are_gaps_is_learned_on_as_if_all_came_at_once(
    cuts: list[int], first: int
) -> None:
    random = np.random.default_rng(3)
    y = random.integers(0, 3, 120)
    late: list[Any] = [None] * max(first, 1) + (random.normal(size=120) + y).tolist()[max(first, 1) :]
    rows = {"late": late, "s": random.choice(list("uvw"), 120).tolist()}
    whole = bayou.NaiveBayes().fit(rows, y)
    parts = bayou.NaiveBayes()
    for start, stop in zip([0, *cuts], [*cuts, 120], strict=True):
        parts.partial_fit({name: values[start:stop] for name, values in rows.items()}, y[start:stop])
    assert np.array_equal(parts.predict_proba(rows), whole.predict_proba(rows))
    assert parts.feature_kinds_ == whole.feature_kinds_


def test_negative_counts_are_refused_when_learning_not_only_when_predicting() -> None:
    with pytest.raises(BadData, match="'calls a day' is negative in row 2"):
        bayou.NaiveBayes("poisson").fit({"calls a day": [1, None, -1, 3]}, [0, 0, 1, 1])


@pytest.mark.parametrize("weight", [-1, None, float("nan"), float("inf")])
def test_an_evidence_weight_that_is_none_is_refused(weight: Any) -> None:
    with pytest.raises(BadQuestion, match="evidence_weight="):
        bayou.NaiveBayes(evidence_weight=weight).fit(FEATURES, LABELS)


def test_a_tokenizer_that_gives_no_list_is_named() -> None:
    with pytest.raises(BadData, match="The tokenizer returned 3 for document 0"):
        bayou.TextNaiveBayes(tokenizer=len).fit(["a b", "c"], [0, 1])


def test_a_text_classifier_learns_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "nachrichten 1.csv"
    path.write_text("row,text,kind\n1,cheap pills,spam\n2,see you,ham\n3,,ham\n", encoding="utf-8")
    model = bayou.TextNaiveBayes().fit(path, "kind")
    expected = bayou.TextNaiveBayes().fit(["cheap pills", "see you", None], ["spam", "ham", "ham"])
    assert np.array_equal(model.predict_proba(["cheap you"]), expected.predict_proba(["cheap you"]))
    assert bayou.TextNaiveBayes().fit(str(path), "kind").vocabulary_ == expected.vocabulary_


def test_arrow_labels_and_weights_of_zero_go_together() -> None:
    labels = pa.array(["spam", "ham", "ham"])
    model = bayou.TextNaiveBayes().fit(["cheap", "you", "never"], labels, sample_weight=[1, 1, 0])
    assert list(model.vocabulary_) == ["cheap", "you"]


@pytest.mark.parametrize("kind", [bayou.AODE, bayou.GenerativeClassifier])
def test_tables_without_room_for_new_values_do_not_promise_to_smooth_them(kind: Any) -> None:
    with pytest.raises(BadQuestion, match="unknown='smooth': use 'missing'"):
        kind(unknown="smooth").fit(FEATURES, LABELS)


@pytest.mark.parametrize("covariance", ["shared", "full"])
def test_numbers_whose_squares_overflow_are_named(covariance: str) -> None:
    rows = {"small": [1.0, 2.0, 4.0, 3.0], "mass in kg": [1e300, -1e300, 2.0, 3.0]}
    with np.errstate(all="ignore"), pytest.raises(BadData, match="The squares of 'mass in kg'"):
        bayou.GaussianBayes(covariance).fit(rows, [0, 1, 1, 0])


@pytest.mark.parametrize("kind", [*FAMILY, bayou.GaussianBayes])
def test_weights_are_numbers_and_not_a_name(kind: Any) -> None:
    with pytest.raises(BadData, match=r"pass the column itself, X\['Gewicht 1'\]"):
        kind().fit({"a": [1.0, 2.0]}, [0, 1], sample_weight="Gewicht 1")
