"""One suite over every classifier: a stranger's source or a file teaches it what the table in memory does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.conformance.strangers.list_source import ListSource

import bayou
from bayou import Network
from bayou.sources.files import file_source as file


def _table(rows: int = 240, seed: int = 3, gaps: float = 0.0) -> dict[Any, list[Any]]:
    random = np.random.default_rng(seed)
    kind = random.integers(0, 3, rows)
    wet = np.where(random.random(rows) < 0.8, kind % 2, 1 - kind % 2)
    legs = kind + random.integers(0, 4, rows)
    age = 20 * kind + random.integers(0, 60, rows)
    height = 2.0 * kind + random.normal(0, 1, rows)
    weight = 0.5 * height + kind + random.normal(0, 0.5, rows)
    columns: dict[Any, list[Any]] = {
        "wet": [("dry", "wet")[k] for k in wet],
        "legs": legs.tolist(),
        "age": age.tolist(),
        "height": height.tolist(),
        "weight": weight.tolist(),
    }
    for column in columns.values():
        for row in np.flatnonzero(random.random(rows) < gaps).tolist():
            column[row] = None
    return {**columns, "kind": [("ape", "bee", "cat")[k] for k in kind]}


def _texts(rows: int = 120, seed: int = 5) -> dict[Any, list[Any]]:
    random = np.random.default_rng(seed)
    words = {"spam": ["buy", "cheap", "pills", "now", "see"], "ham": ["see", "you", "at", "lunch", "now"]}
    kinds = random.choice(["spam", "ham"], rows).tolist()
    texts: list[Any] = [" ".join(random.choice(words[kind], 6).tolist()) for kind in kinds]
    texts[7] = None
    return {"text": texts, "kind": kinds}


TABLE, MORE, NEW, GAPS = _table(), _table(90, seed=5), _table(110, seed=7, gaps=0.1), _table(gaps=0.1)
NUMBERS = ("height", "weight", "kind")
DISCRETE = ("wet", "legs", "kind")
Rows = dict[Any, list[Any]]


def _of(table: Rows, names: tuple[Any, ...]) -> Rows:
    return {name: table[name] for name in names}


CLASSIFIERS: dict[str, tuple[Callable[[], Any], tuple[Any, ...]]] = {
    "naive Bayes": (bayou.NaiveBayes, tuple(TABLE)),
    "naive Bayes of tables": (lambda: bayou.NaiveBayes("table"), DISCRETE),
    "naive Bayes of Gaussians": (lambda: bayou.NaiveBayes("gaussian"), NUMBERS),
    "naive Bayes of kernels": (lambda: bayou.NaiveBayes("kernel"), NUMBERS),
    "naive Bayes of counts": (lambda: bayou.NaiveBayes({"legs": "poisson"}), tuple(TABLE)),
    "Gaussian, automatic": (bayou.GaussianBayes, NUMBERS),
    "Gaussian, shared": (lambda: bayou.GaussianBayes("shared"), NUMBERS),
    "Gaussian, full": (lambda: bayou.GaussianBayes("full"), NUMBERS),
    "Gaussian, diagonal": (lambda: bayou.GaussianBayes("diagonal"), NUMBERS),
    "Gaussian, Ledoit-Wolf": (lambda: bayou.GaussianBayes("full", shrinkage="ledoit-wolf"), NUMBERS),
    "TAN": (bayou.TAN, tuple(TABLE)),
    "TAN of tables": (bayou.TAN, DISCRETE),
    "AODE": (bayou.AODE, tuple(TABLE)),
    "Chow-Liu": (bayou.ChowLiuClassifier, tuple(TABLE)),
    "k-dependence": (bayou.KDependence, tuple(TABLE)),
    "network": (lambda: bayou.NetworkClassifier("kind -> wet -> legs; kind -> age"), tuple(TABLE)),
    "generative": (bayou.GenerativeClassifier, tuple(TABLE)),
    "generative networks": (lambda: bayou.GenerativeClassifier(Network("wet -> legs")), DISCRETE),
    "ensemble": (lambda: bayou.BayesEnsemble("small"), tuple(TABLE)),
    "Bayes optimal": (bayou.BayesOptimal, DISCRETE),
}
KINDS = ("a stranger's source", "csv", "csv streamed", "parquet", "parquet streamed")


def _given(table: Rows, kind: str, folder: Path) -> Any:
    """The table as another kind of data."""
    if kind == "a stranger's source":
        return ListSource(table, 37)
    path = folder / f"{len(list(folder.iterdir()))}.{kind.split()[0]}"
    frame = pl.DataFrame(table)
    _ = frame.write_csv(path) if kind.startswith("csv") else frame.write_parquet(path)
    return path


@pytest.fixture(autouse=True)
def _stream_where_asked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = request.node.callspec.params.get("kind", "") if hasattr(request.node, "callspec") else ""
    if kind.endswith("streamed"):
        monkeypatch.setattr(file, "LARGEST_WHOLE", -1)
        monkeypatch.setattr(file, "BATCH_ROWS", 37)


def _require_same(found: Any, expected: Any, new: Any) -> None:
    """The same classes with the same probabilities, up to the rounding of sums over batches."""
    assert found.classes_.tolist() == expected.classes_.tolist()
    assert np.allclose(found.predict_proba(new), expected.predict_proba(new), rtol=1e-6, atol=1e-9)


@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_it_learns_the_same(name: str, kind: str, tmp_path: Path) -> None:
    make, columns = CLASSIFIERS[name]
    table = _of(TABLE, columns)
    found = make().fit(_given(table, kind, tmp_path), "kind")
    _require_same(found, make().fit(table, "kind"), _of(NEW, columns[:-1]))


@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != "Bayes optimal"])
def test_it_learns_the_same_in_parts(name: str, kind: str, tmp_path: Path) -> None:
    make, columns = CLASSIFIERS[name]
    first, second = _of(GAPS, columns), _of(MORE, columns)
    found = make().partial_fit(_given(first, kind, tmp_path), "kind")
    found.partial_fit(_given(second, kind, tmp_path), "kind")
    expected = make().partial_fit(first, "kind").partial_fit(second, "kind")
    _require_same(found, expected, _of(NEW, columns[:-1]))


@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_it_predicts_the_same(name: str, kind: str, tmp_path: Path) -> None:
    make, columns = CLASSIFIERS[name]
    model, new = make().fit(_of(TABLE, columns), "kind"), _of(NEW, columns[:-1])
    given = _given(new, kind, tmp_path)
    assert np.allclose(model.predict_proba(given), model.predict_proba(new), rtol=1e-9, atol=1e-12)
    assert model.predict(given).tolist() == model.predict(new).tolist()
    assert np.allclose(model.predict_log_proba(given), model.predict_log_proba(new), rtol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("variant", ["multinomial", "bernoulli", "complement"])
def test_texts_are_learned_and_predicted_the_same(variant: str, kind: str, tmp_path: Path) -> None:
    first, second, new = _texts(), _texts(60, seed=9), _texts(70, seed=11)
    make = lambda: bayou.TextNaiveBayes(variant, ngrams=2)  # noqa: E731
    found = make().fit(_given(first, kind, tmp_path), "kind")
    expected = make().fit(first, "kind")
    found.partial_fit(_given(second, kind, tmp_path), "kind")
    expected.partial_fit(second, "kind")
    assert found.vocabulary_ == expected.vocabulary_
    assert found.class_count_.tolist() == expected.class_count_.tolist()
    documents = {"text": new["text"]}
    _require_same(found, expected, documents)
    given = _given(documents, kind, tmp_path)
    assert np.array_equal(found.predict_proba(given), found.predict_proba(documents))


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_judged_the_same(kind: str, tmp_path: Path) -> None:
    names = ["nb", "tan", "gaussian"]
    table = _of(TABLE, NUMBERS)
    found = bayou.evaluate(names, _given(table, kind, tmp_path), "kind", folds=3)
    expected = bayou.evaluate(names, table, "kind", folds=3)
    for name in names:
        assert np.allclose(found[name].probabilities, expected[name].probabilities, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_without_a_class_is_named_and_left_out(kind: str, tmp_path: Path) -> None:
    table = {"a": [1, 2] * 50, "b": [0.5, 1.5, 2.5, 0.25] * 25, "kind": [*["x", "y"] * 30, None, *["x"] * 39]}
    whole = {name: [*values[:60], *values[61:]] for name, values in table.items()}
    for maker in (bayou.NaiveBayes, bayou.GaussianBayes, bayou.TAN):
        columns = ("a", "b", "kind")
        with pytest.warns(
            bayou.BayouWarning, match="1 row without a class in 'kind' is left out: row 60"
        ) as told:
            model = maker().fit(_given(_of(table, columns), kind, tmp_path), "kind")
        assert len(told) == 1
        expected = maker().fit(whole, "kind").predict_proba(whole)
        np.testing.assert_allclose(model.predict_proba(whole), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "csv" not in kind])  # there inf is text
def test_an_infinite_number_is_refused(kind: str, tmp_path: Path) -> None:
    table = {"b": [*[0.5, 1.5] * 50, float("inf")], "kind": [*["x", "y"] * 50, "x"]}
    for model in (bayou.NaiveBayes(), bayou.GaussianBayes(), bayou.GaussianBayes("diagonal"), bayou.TAN()):
        with pytest.raises(bayou.errors.BadData, match=r"(?i)infinit"):
            model.fit(_given(table, kind, tmp_path), "kind")
