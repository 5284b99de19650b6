"""No function reads a file whole that is too large for memory: only one column, or some rows at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayou
from bayou.errors import without_warnings
from bayou.sources import read_columns
from bayou.sources.files import file_part, file_source
from bayou.sources.files.file_kinds import open_file
from bayou.sources.files.file_part import FilePart, RowChoice
from bayou.sources.files.text.text_file import TextFile
from bayou.sources.files.typed.typed_file import TypedFile
from bayou.sources.tables.arrow import ALL_ROWS

ROWS = 600
_random = np.random.default_rng(11)
CLASSES = np.where(_random.random(ROWS) < 0.4, "ham", "spam")
WORDS = np.array(["buy", "now", "hello", "friend", "cheap", "meet"])
TABLE: dict[str, Any] = {
    "size": _random.normal(np.where(CLASSES == "ham", 1.0, 2.0), 1.0).round(2),
    "count": _random.poisson(np.where(CLASSES == "ham", 1.0, 3.0)),
    "wind": np.array(["weak", "strong", "none"])[(_random.integers(0, 3, ROWS) + (CLASSES == "ham")) % 3],
    "rain": _random.random(ROWS) < 0.3,
    "y": CLASSES,
}
TEXTS = {"text": [" ".join(_random.choice(WORDS, 6)) for _ in range(ROWS)], "y": CLASSES}
STATES = ("wind", "rain", "y")
MOST = 200
"""More rows than this are not read at once, except of a single column."""


@pytest.fixture(params=["csv", "parquet", "ndjson"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Path]:
    found = {}
    for name, table in (("table", TABLE), ("texts", TEXTS), ("gaps", {**TABLE, "y": _with_gaps(CLASSES)})):
        found[name] = tmp_path / f"{name}.{request.param}"
        frame = pl.DataFrame(table)
        write = {"csv": frame.write_csv, "parquet": frame.write_parquet, "ndjson": frame.write_ndjson}
        write[request.param](found[name])
    return found


def _with_gaps(values: Any) -> list[Any]:
    return [None if place % 7 == 3 else value for place, value in enumerate(values.tolist())]


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is too large for memory, and reading many rows at once fails."""
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file_source, "BATCH_ROWS", 60)

    for kind in (TypedFile, TextFile):

        def batches(self: Any, names: Any, as_text: Any, batch_rows: int, of: Any = kind.batches) -> Any:
            assert batch_rows <= 4 * MOST or (names is not None and len(list(names)) <= 1), "read whole"
            return of(self, names, as_text, batch_rows)

        monkeypatch.setattr(kind, "batches", batches)


CLASSIFIERS: dict[str, Callable[[], Any]] = {
    "naive Bayes": bayou.NaiveBayes,
    "naive Bayes of tables": lambda: bayou.NaiveBayes("table"),
    "TAN": bayou.TAN,
    "AODE": bayou.AODE,
    "ensemble": lambda: bayou.BayesEnsemble("small"),
    "k-dependence": bayou.KDependence,
    "Chow-Liu": bayou.ChowLiuClassifier,
    "network": lambda: bayou.NetworkClassifier("y -> wind, rain", target="y"),
}


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_classifier_learns_predicts_and_is_scored(name: str, files: dict[str, Path]) -> None:
    model, in_memory = CLASSIFIERS[name](), CLASSIFIERS[name]()
    model.fit(files["table"], "y")
    in_memory.fit(TABLE, "y")
    features = {column: TABLE[column] for column in TABLE if column != "y"}
    with without_warnings():
        found = model.predict_proba(files["table"])
    np.testing.assert_allclose(found, in_memory.predict_proba(features), rtol=1e-8)
    assert model.score(files["table"], "y") == pytest.approx(np.mean(model.predict(features) == CLASSES))


@pytest.mark.usefixtures("large")
def test_texts(files: dict[str, Path]) -> None:
    model = bayou.TextNaiveBayes().fit(files["texts"], "y")
    expected = bayou.TextNaiveBayes().fit(TEXTS["text"], CLASSES)
    np.testing.assert_allclose(
        model.predict_proba(files["texts"]), expected.predict_proba(TEXTS["text"]), rtol=1e-9
    )


def test_cross_validation_of_a_large_file_is_that_of_a_table(
    files: dict[str, Path], request: pytest.FixtureRequest
) -> None:
    net = bayou.Network("y -> wind; y -> rain; wind -> rain")
    models: list[tuple[Any, tuple[str, ...]]] = [
        (net, ()),
        (bayou.TAN(), ("y",)),
        (lambda table: bayou.Network("y -> wind").fit(table), ()),
    ]
    expected = [bayou.cross_validate(m, read_columns(files["table"]), *t, folds=3) for m, t in models]
    with without_warnings():
        of_gaps = bayou.cross_validate(bayou.TAN(), read_columns(files["gaps"]), "y", folds=3)
    request.getfixturevalue("large")
    for (model, target), before in zip(models, expected, strict=True):
        found = bayou.cross_validate(model, files["table"], *target, folds=3)
        np.testing.assert_allclose(found.row_losses, before.row_losses, rtol=1e-9)
        np.testing.assert_array_equal(found.fold_of_row, before.fold_of_row)
    with without_warnings():
        found = bayou.cross_validate(bayou.TAN(), files["gaps"], "y", folds=3)
    np.testing.assert_allclose(found.row_losses, of_gaps.row_losses, rtol=1e-9)


def test_evaluation_of_a_large_file_is_that_of_a_table(
    files: dict[str, Path], request: pytest.FixtureRequest
) -> None:
    costs = {"delete": {"ham": 10, "spam": 0}, "keep": {"ham": 0, "spam": 1}}
    expected = [
        bayou.evaluate(["nb", "tan"], read_columns(files[name]), "y", folds=4, costs=costs)
        for name in ("table", "gaps")
    ]
    request.getfixturevalue("large")
    for name, before in zip(("table", "gaps"), expected, strict=True):
        found = bayou.evaluate(["nb", "tan"], files[name], "y", folds=4, costs=costs)
        for model in ("nb", "tan"):
            np.testing.assert_allclose(found[model].probabilities, before[model].probabilities, rtol=1e-7)
            assert found[model].accuracy == before[model].accuracy
            assert found[model].cost == before[model].cost
        assert found.left_out == before.left_out


@pytest.mark.usefixtures("large")
def test_networks(files: dict[str, Path], tmp_path: Path) -> None:
    net = bayou.Network("y -> wind; y -> size; rain").fit(files["table"])
    assert net.query("y")["ham"] == pytest.approx(bayou.Network("y").fit(TABLE).query("y")["ham"])
    out = tmp_path / "answers.csv"
    net.posterior(files["table"], ["rain"], out=out)
    assert read_columns(out, names=["rain=False"]).rows == ROWS
    hidden = bayou.Network("h -> wind, rain", states={"h": [0, 1]})
    with without_warnings():
        hidden.fit(files["table"], max_iterations=3)
    found = bayou.learn_structure(pl.DataFrame(TABLE).select(STATES))
    chosen = bayou.learn_structure(files["table"], ignore=["size", "count"])
    assert {frozenset(arc) for arc in chosen.arcs} == {frozenset(arc) for arc in found.arcs}
    with_cuts = bayou.Network("y -> size", states={"size": bayou.Cuts([0.5, 1.5])}).fit(files["table"])
    assert with_cuts.query("size")
    filled = tmp_path / "filled.csv"
    net.impute(files["gaps"], out=filled)
    assert None not in read_columns(filled, names=["y"]).coded("y").values()


def test_with_little_memory_predictions_are_judged_and_not_kept(files: dict[str, Path], large: None) -> None:
    expected = bayou.evaluate("nb", files["table"], "y", folds=3)["nb"]
    with bayou.limits(memory="50 KB"):
        found = bayou.evaluate("nb", files["table"], "y", folds=3)["nb"]
    assert expected.probabilities.shape == (ROWS, 2)
    assert not hasattr(found, "probabilities")
    for measure in ("auc", "log_loss", "ece", "average_precision"):
        assert getattr(found, measure) == pytest.approx(getattr(expected, measure), rel=1e-9)


def test_a_part_of_a_file_is_never_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Narrow rows come in larger batches than those of a part of a file: they must not pile up in it."""
    pl.DataFrame({"a": [0, 1] * 400}).write_parquet(tmp_path / "t.parquet", row_group_size=100)
    monkeypatch.setattr(file_part, "_MOST_ROWS", 100)
    chosen = RowChoice(np.arange(800, dtype=np.int8) % 4, 0, inside=False)
    part = FilePart(open_file(tmp_path / "t.parquet"), chosen)
    assert max(batch.rows for batch in part.batches(None, (), 400)) <= 100
    (whole,) = part.batches(None, (), ALL_ROWS)
    assert whole.rows == 600
