"""Fitted by the target's name, rows without a class are left out, with one warning; y must not have gaps."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import bayou
from bayou.errors import BadData
from bayou.estimators.classifier_names import classifier_class
from bayou.estimators.input import table_input
from bayou.estimators.input.labelled_file import open_labelled_file
from bayou.schema import Variable
from bayou.sources import open_source
from bayou.sources.files import file_source
from bayou.sources.prepared_source import PreparedSource

RANDOM = np.random.default_rng(5)
ROWS = 90
PLAY = np.where(RANDOM.random(ROWS) < 0.5, "yes", "no").astype(object)
TABLE = pandas.DataFrame({
    "wind": np.where(RANDOM.random(ROWS) < 0.7, PLAY, "calm"),
    "sky": RANDOM.choice(["sun", "rain"], ROWS),
    "heat": (RANDOM.normal(size=ROWS) + (PLAY == "yes")).round(3),
    "play": PLAY,
})  # fmt: skip
GAPS = TABLE.copy()
GAPS.loc[[4, 11, 50], "play"] = None
GAPS.loc[11, "sky"] = "fog"  # a state that only a row without a class has
KNOWN = GAPS[GAPS["play"].notna()]
CLASSIFIERS = (
    bayou.NaiveBayes,
    bayou.TAN,
    bayou.AODE,
    bayou.KDependence,
    bayou.ChowLiuClassifier,
    bayou.NetworkClassifier,
    bayou.BayesOptimal,
)
CONTAINERS: dict[str, Callable[[pandas.DataFrame, Path], Any]] = {
    "pandas": lambda table, folder: table,
    "polars": lambda table, folder: polars.from_pandas(table),
    "arrow": lambda table, folder: pyarrow.Table.from_pandas(table, preserve_index=False),
    "dict": lambda table, folder: {n: table[n].where(table[n].notna(), None).tolist() for n in table},
    "source": lambda table, folder: open_source(table),
    "csv": lambda table, folder: _written(table.to_csv, folder / "rows.csv", index=False),
    "parquet": lambda table, folder: _written(table.to_parquet, folder / "rows.parquet"),
}


def _written(write: Callable[..., Any], path: Path, **options: Any) -> Path:
    write(path, **options)
    return path


def fitted(model: Any, data: Any, **options: Any) -> tuple[Any, list[str]]:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(data, "play", **options)
    return model, [str(one.message) for one in told]


@pytest.mark.parametrize("kind", CLASSIFIERS)
@pytest.mark.parametrize(
    ("container", "streamed"), [*((name, False) for name in CONTAINERS), ("csv", True), ("parquet", True)]
)
def test_they_are_left_out_in_every_container(
    kind: Any, container: str, streamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if streamed:
        monkeypatch.setattr(table_input, "LARGEST_WHOLE", -1)
        monkeypatch.setattr(file_source, "BATCH_ROWS", 16)
    model, told = fitted(kind(), CONTAINERS[container](GAPS, tmp_path))
    assert [one for one in told if "class" in one] == [
        "3 rows without a class in 'play' are left out: the first is row 4 (counting from 0)."
    ]
    expected = kind().fit(KNOWN, "play").predict_proba(TABLE)
    np.testing.assert_allclose(model.predict_proba(TABLE), expected, rtol=1e-12)


def test_weights_go_with_their_rows() -> None:
    weights = np.arange(1, ROWS + 1)
    model, told = fitted(bayou.NaiveBayes(), GAPS, sample_weight=weights)
    assert len(told) == 1
    other = bayou.NaiveBayes().fit(KNOWN, "play", sample_weight=weights[GAPS["play"].notna()])
    np.testing.assert_array_equal(model.predict_proba(TABLE), other.predict_proba(TABLE))


def test_gaussians_and_documents_leave_them_out_too(tmp_path: Path) -> None:
    numbers = GAPS[["heat", "play"]]
    for data in (numbers, CONTAINERS["csv"](numbers, tmp_path)):
        model, told = fitted(bayou.GaussianBayes("shared"), data)
        assert len(told) == 1
        other = bayou.GaussianBayes("shared").fit(KNOWN[["heat", "play"]], "play")
        np.testing.assert_allclose(model.means_, other.means_, rtol=1e-12)
    letters = pandas.DataFrame({"text": ["buy now", "see you", "buy you"], "play": [1, None, 2]})
    for data in (letters, CONTAINERS["csv"](letters, tmp_path)):
        text, told = fitted(bayou.TextNaiveBayes(), data)
        assert told == ["1 row without a class in 'play' is left out: row 1 (counting from 0)."]
        assert text.classes_.tolist() == [1, 2]
        assert "see" not in text.vocabulary_


def test_labels_beside_the_rows_must_not_have_gaps() -> None:
    for y in (GAPS["play"], [1.0, np.nan, 2.0] * 30):
        with pytest.raises(BadData, match="every training row needs a class"):
            bayou.NaiveBayes().fit(GAPS[["wind"]], y)


def test_without_any_class_there_is_nothing_to_learn(tmp_path: Path) -> None:
    nothing = GAPS.assign(play=None)
    for data in (nothing, CONTAINERS["csv"](nothing, tmp_path)):
        with pytest.raises(BadData, match="No row has a value in the target column 'play'"):
            bayou.NaiveBayes().fit(data, "play")


def test_scores_leave_them_out_too() -> None:
    model = bayou.NaiveBayes().fit(TABLE, "play")
    with pytest.warns(bayou.BayouWarning, match="3 rows without a class in 'play' are left out"):
        found = model.score(GAPS.assign(sky=TABLE["sky"]), "play")
    assert found == model.score(KNOWN, "play")
    with pytest.warns(bayou.BayouWarning, match="3 rows without a class"):
        losses = bayou.cross_validate(bayou.NaiveBayes(), GAPS, "play", folds=3).row_losses
    assert (
        losses.tolist()
        == bayou.cross_validate(bayou.NaiveBayes(), KNOWN, "play", folds=3).row_losses.tolist()
    )


@pytest.mark.parametrize("model", ["nb", "tan", "ensemble"])
def test_dates_that_only_rows_without_a_class_have(model: str, tmp_path: Path) -> None:
    days = [f"2024-05-{day:02}" for day in (1, 2, 3, 1, 2)] * 3
    table = pandas.DataFrame({"day": days, "play": ["yes", "no", None, "yes", "no"] * 3})
    table.to_csv(tmp_path / "rows.csv", index=False)
    known = bayou.errors.without_warnings
    with known():
        of_file = open_labelled_file(str(tmp_path / "rows.csv"), "play")
        kind = classifier_class(model)
        found = kind().fit(of_file.rows, "play").predict_proba({"day": ["2024-05-01"]})
        expected = kind().fit(table, "play").predict_proba({"day": ["2024-05-01"]})
    np.testing.assert_allclose(found, expected)


def test_values_that_were_not_declared_are_refused_in_rows_with_a_class(tmp_path: Path) -> None:
    part = PreparedSource(open_source(GAPS), only=("play", None))
    fewer = Variable("sky", ["rain"])
    with pytest.raises(BadData, match=r"'sky' that are not among its declared states: .sun. \(first in row "):
        list(part.batches([fewer]))
    for batch in part.batches([Variable("sky", ["rain", "sun"])]):
        assert batch.rows == len(KNOWN)
