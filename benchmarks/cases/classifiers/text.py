"""Naive Bayes on raw documents: from Python strings to a model, and from strings to class probabilities."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from case import Case, Work

DOCUMENTS, NEW_DOCUMENTS, WORDS, CLASSES, VOCABULARY = 50_000, 12_500, 150, 20, 50_000
SKLEARN = "scikit-learn"


@cache
def _documents(scale: float) -> tuple[list[str], np.ndarray]:
    """Words drawn by Zipf's law, one in five from a part of the vocabulary that the class prefers."""
    chance = np.random.default_rng(6)
    letters = np.array(list("etaoinshrdlucmfwypvbgk"))
    lengths = chance.integers(2, 11, VOCABULARY)
    spelt = {"".join(letters[chance.integers(0, len(letters), length)]) for length in lengths}
    vocabulary = np.array(sorted(spelt), dtype=object)[chance.permutation(len(spelt))]
    upper = np.cumsum(1 / np.arange(1, len(vocabulary) + 1))
    count = int((DOCUMENTS + NEW_DOCUMENTS) * scale)
    classes = chance.integers(0, CLASSES, count)
    texts = []
    for of_class in classes:
        drawn = np.searchsorted(upper, chance.random(WORDS) * upper[-1])
        drawn[::5] = (drawn[::5] * CLASSES + of_class) % len(vocabulary)
        texts.append(" ".join(vocabulary[drawn]).capitalize())
    return texts, classes


def _parts(scale: float) -> tuple[list[str], np.ndarray, list[str]]:
    texts, classes = _documents(scale)
    count = int(DOCUMENTS * scale)
    return texts[:count], classes[:count], texts[count:]


def _squares(table: Any) -> float:
    return float(np.square(np.asarray(table, dtype=np.float64)).sum())


def bayou_fit(scale: float) -> Work:
    """``TextNaiveBayes.fit`` on strings; words of two letters or more, as scikit-learn cuts them."""
    import bayou

    texts, classes, _ = _parts(scale)
    kind = bayou.TextNaiveBayes  # loaded before the clock starts, as the peer is
    return Work(
        lambda: kind(min_length=2).fit(texts, classes),
        lambda model: _squares(model.feature_log_prob_),
        sum(map(len, texts)),
    )


def sklearn_fit(scale: float) -> Work:
    """``CountVectorizer`` and ``MultinomialNB``."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    texts, classes, _ = _parts(scale)
    return Work(
        lambda: make_pipeline(CountVectorizer(), MultinomialNB()).fit(texts, classes),
        lambda model: _squares(model[-1].feature_log_prob_),
        sum(map(len, texts)),
    )


def bayou_predict(scale: float) -> Work:
    """``predict_proba`` on a list of strings."""
    _, _, new = _parts(scale)
    model = bayou_fit(scale).run()
    return Work(lambda: model.predict_proba(new), _squares, sum(map(len, new)))


def sklearn_predict(scale: float) -> Work:
    """``predict_proba`` of the pipeline."""
    _, _, new = _parts(scale)
    model = sklearn_fit(scale).run()
    return Work(lambda: model.predict_proba(new), _squares, sum(map(len, new)))


FIT = Case(
    "text-fit",
    "naive Bayes from 50,000 documents of 150 words, 20 classes: strings to model",
    {"bayou": bayou_fit, SKLEARN: sklearn_fit},
    targets={SKLEARN: 15},
)
PREDICT = Case(
    "text-predict",
    "naive Bayes, class probabilities of 12,500 documents of 150 words",
    {"bayou": bayou_predict, SKLEARN: sklearn_predict},
    targets={SKLEARN: 15},
)
