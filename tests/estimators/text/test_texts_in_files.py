"""Texts in files larger than memory: words are counted some rows at a time, documents are never kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import bayou
from bayou.errors import BayouWarning, TooWide
from bayou.sources.files import file_source

ROWS = 6_000
LETTERS = list("abcdefgh")
_random = np.random.default_rng(5)
FRAME = pl.DataFrame(
    {
        "text": [f"row {k % 500} has {' '.join(_random.choice(LETTERS, 4))} {k}" for k in range(ROWS)],
        "class": _random.choice(["x", "y", None], ROWS, p=[0.5, 0.45, 0.05]),
    }
)
LABELLED = FRAME.drop_nulls()
LITTLE = 2**20
"""A limit of memory under which labels are forgotten after about 30 KB."""


@pytest.fixture(params=["parquet", "csv"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    return str(request.param)


def written(frame: pl.DataFrame, folder: Path, kind: str) -> Path:
    path = folder / f"texts.{kind}"
    frame.write_parquet(path) if kind == "parquet" else frame.write_csv(path)
    return path


def same(found: bayou.TextNaiveBayes, expected: bayou.TextNaiveBayes) -> bool:
    return (
        found.vocabulary_ == expected.vocabulary_
        and found.feature_count_.tolist() == expected.feature_count_.tolist()
        and found.class_count_.tolist() == expected.class_count_.tolist()
    )


def test_more_texts_than_may_be_counted_as_values(kind: str, tmp_path: Path) -> None:
    path = written(LABELLED, tmp_path, kind)
    with bayou.limits(memory=LITTLE * 5), pytest.raises(TooWide, match="column 'text' has"):
        bayou.Network("class -> text").fit(path)  # 5,700 values are too many
    with bayou.limits(memory=LITTLE * 12):
        found = bayou.TextNaiveBayes(vocabulary=LETTERS).fit(path, "class")
    assert same(found, bayou.TextNaiveBayes(vocabulary=LETTERS).fit(LABELLED, "class"))
    with bayou.limits(memory=LITTLE * 24):
        found = bayou.TextNaiveBayes().fit(path, "class")
    assert same(found, bayou.TextNaiveBayes().fit(LABELLED, "class"))


def test_texts_without_a_class_are_left_out(kind: str, tmp_path: Path) -> None:
    first = FRAME["class"].to_list().index(None)
    with (
        bayou.limits(memory=LITTLE * 24),
        pytest.warns(BayouWarning, match=rf"{len(FRAME) - len(LABELLED)} rows .* the first is row {first} "),
    ):
        found = bayou.TextNaiveBayes().fit(written(FRAME, tmp_path, kind), "class")
    assert same(found, bayou.TextNaiveBayes().fit(LABELLED, "class"))


def test_too_many_words_are_refused_by_the_name_of_their_column(kind: str, tmp_path: Path) -> None:
    path = written(LABELLED, tmp_path, kind)
    with (
        bayou.limits(memory=LITTLE * 2),
        pytest.raises(TooWide, match=r"texts of column 'text' have .* distinct words so far.*vocabulary="),
    ):
        bayou.TextNaiveBayes().fit(path, "class")


def test_naive_bayes_knows_a_column_of_texts_by_a_sample(kind: str, tmp_path: Path) -> None:
    path = written(LABELLED, tmp_path, kind)
    with bayou.limits(memory=LITTLE * 24):
        found = bayou.NaiveBayes().fit(path, "class")
    expected = bayou.NaiveBayes().fit(LABELLED, "class")
    assert type(found.feature_kinds_["text"]) is type(expected.feature_kinds_["text"])
    rows = LABELLED.select("text").head(50)
    assert np.allclose(found.predict_proba(rows), expected.predict_proba(rows), rtol=1e-12, atol=0)
