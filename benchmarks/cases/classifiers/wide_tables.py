"""Classifiers on tables with many columns and few rows, and on sparse matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from case import Case, Work

SKLEARN = "scikit-learn"
Table = tuple[Any, np.ndarray]


def _numbers(rows: int, columns: int) -> Callable[[], Table]:
    def make() -> Table:
        chance = np.random.default_rng(1)
        y = chance.integers(0, 2, rows)
        return chance.normal(size=(rows, columns)) + 0.5 * y[:, None], y

    return make


def _bits() -> Table:
    chance = np.random.default_rng(2)
    y = chance.integers(0, 2, 300)
    return (chance.random((300, 400)) < 0.3 + 0.3 * y[:, None]).astype(np.int64), y


def _texts() -> Table:
    import pandas as pd

    chance = np.random.default_rng(3)
    y = chance.integers(0, 2, 100)
    states = np.array(["a", "b", "c"], dtype=object)
    columns = {f"x{k}": states[chance.integers(0, 3, 100)] for k in range(400)}
    return pd.DataFrame(columns), y


def _sparse() -> Table:
    from scipy import sparse

    chance = np.random.default_rng(4)
    X = sparse.random(1000, 3000, density=0.02, format="csr", random_state=chance)
    X.data[:] = 1.0
    return X, chance.integers(0, 3, 1000)


def _documents() -> Table:
    from scipy import sparse

    chance = np.random.default_rng(5)
    words = np.minimum(chance.zipf(1.3, 5_000_000) - 1, 19_999)
    X = sparse.csr_matrix((np.ones(5_000_000), words, np.arange(0, 5_000_001, 100)), shape=(50_000, 20_000))
    X.sum_duplicates()
    return X, chance.integers(0, 20, 50_000)


def _squares(posteriors: np.ndarray) -> float:
    return float(np.square(posteriors).sum())


def _fit(make: Callable[[], Table], classifier: Callable[[], Any]) -> Callable[[float], Work]:
    def prepare(scale: float) -> Work:
        X, y = make()
        one = classifier()
        return Work(lambda: one.fit(X, y), lambda model: _squares(model.predict_proba(X)))

    return prepare


def _predict(make: Callable[[], Table], classifier: Callable[[], Any]) -> Callable[[float], Work]:
    def prepare(scale: float) -> Work:
        X, y = make()
        model = classifier().fit(X, y)
        return Work(lambda: model.predict_proba(X), _squares)

    return prepare


def _ours(name: str, *arguments: Any, **options: Any) -> Callable[[], Any]:
    def make() -> Any:
        import bayou

        return getattr(bayou, name)(*arguments, **options)

    return make


def _theirs(name: str, **options: Any) -> Callable[[], Any]:
    def make() -> Any:
        from sklearn import naive_bayes

        return getattr(naive_bayes, name)(**options)

    return make


def _auto(name: str, title: str, make: Callable[[], Table], plainest: str, peer: str) -> Case:
    return Case(
        name,
        f"`NaiveBayes().fit` of {title}",
        {
            "bayou": _fit(make, _ours("NaiveBayes")),
            f"bayou, {plainest}": _fit(make, _ours("NaiveBayes", plainest)),
            SKLEARN: _fit(make, _theirs(peer)),
        },
        {f"bayou, {plainest}": 0.1},
        tolerance=None,
        note=f"‘auto’ may take ten times what its plainest kind, {plainest}, takes.",
    )


CASES = (
    _auto("wide-numbers", "100 × 1,000 numbers", _numbers(100, 1000), "gaussian", "GaussianNB"),
    _auto("wide-bits", "300 × 400 zeros and ones", _bits, "table", "BernoulliNB"),
    _auto("wide-5000", "100 × 5,000 numbers", _numbers(100, 5000), "gaussian", "GaussianNB"),
    Case(
        "aode-wide",
        "AODE and TAN of 100 × 400 text columns",
        {
            "bayou": _fit(_texts, _ours("AODE")),
            "bayou, AODE predict_proba": _predict(_texts, _ours("AODE")),
            "bayou, TAN": _fit(_texts, _ours("TAN")),
        },
        tolerance=None,
    ),
    Case(
        "sparse-bernoulli-fit",
        "Bernoulli naive Bayes, sparse 1,000 × 3,000: fit",
        {
            "bayou": _fit(_sparse, _ours("NaiveBayes", "bernoulli")),
            SKLEARN: _fit(_sparse, _theirs("BernoulliNB")),
        },
        {SKLEARN: 1.0},
        tolerance=None,
    ),
    Case(
        "sparse-bernoulli-predict",
        "Bernoulli naive Bayes, sparse 1,000 × 3,000: predict_proba",
        {
            "bayou": _predict(_sparse, _ours("NaiveBayes", "bernoulli")),
            SKLEARN: _predict(_sparse, _theirs("BernoulliNB")),
        },
        {SKLEARN: 1.0},
        tolerance=None,
    ),
    Case(
        "sparse-text-fit",
        "multinomial naive Bayes, sparse counts of 50,000 documents, 20 classes: fit",
        {
            "bayou": _fit(_documents, _ours("TextNaiveBayes")),
            SKLEARN: _fit(_documents, _theirs("MultinomialNB")),
        },
        {SKLEARN: 1.0},
        tolerance=None,
    ),
    Case(
        "sparse-text-predict",
        "multinomial naive Bayes, sparse counts of 50,000 documents, 20 classes: predict_proba",
        {
            "bayou": _predict(_documents, _ours("TextNaiveBayes")),
            SKLEARN: _predict(_documents, _theirs("MultinomialNB")),
        },
        {SKLEARN: 1.0},
        tolerance=None,
    ),
)
