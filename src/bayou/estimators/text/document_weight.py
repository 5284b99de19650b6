"""The exponent of a text model, chosen by the likelihood of left-out documents.

Words come in company, and naive Bayes counts each of them as evidence of its own: its probabilities are far
too sure. (P(class) · Π P(word | class))ʷ, divided by the sum over the classes, with the w that predicts
left-out documents best, corrects that, and leaves every predicted class as it is. A document is left out
exactly: its words are taken off the counts of its class, and words that no other document has are unknown.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.sparse import csr_array

from bayou.distributions import Laplace, Prior
from bayou.estimators.naive_bayes.evidence_weight import (
    DIGITS,
    FEWEST_ROWS,
    ClassRecords,
    beyond_chance,
    joint_log_loss,
    left_out_prior,
)
from bayou.schema import Variable
from bayou.statistics import TokenCounts
from bayou.statistics.text.word_sample import WordSample
from bayou.typing import BoolArray, FloatArray, IntArray

LEAST, MOST = 1 / 4096, 2.0
_BLOCK = 256
"""Documents that are scored at once: the terms of all their words are in memory."""


def best_exponent(
    counts: TokenCounts, sample: WordSample, log_prior: FloatArray, prior: Prior, variant: str, learned: bool
) -> float:
    """Return the exponent with the least log-loss on the sample; 1 with few documents, or without smoothing.

    ``learned`` says whether P(class) was learned from the documents, so that each must be left out of it.
    """
    virtual = pseudocounts(counts, prior, variant)
    documents = counts.per_class.values.astype(np.float64)
    if documents.sum() < FEWEST_ROWS or counts.classes.cardinality < 2 or not (virtual > 0).all():
        return 1.0
    own = np.array([counts.classes.code(label) for label in sample.labels], dtype=np.int64)
    one = np.minimum(sample.weights, 1.0)  # of a document that stands for several, one is left out
    stay = np.flatnonzero(documents[own] > one * (1 + 1e-9))
    if not len(stay):
        return 1.0
    records = ClassRecords(documents, documents if learned else None)
    joint = left_out_prior(log_prior, records, own[stay], one[stay])
    if variant == "complement":  # P(class) plays no part in it
        joint = np.zeros_like(joint)
    joint = joint + left_out_scores(counts, sample, virtual, variant, own, one)[stay]
    return _best(joint, own[stay], sample.weights[stay])


def pseudocounts(counts: TokenCounts, prior: Prior, variant: str) -> FloatArray:
    """The virtual records of each word; of Bernoulli's variant of (absent, present)."""
    if variant == "bernoulli":
        pair = prior.pseudocounts(Variable("word", [False, True]), [])
        return np.broadcast_to(pair, 2).astype(np.float64)
    if isinstance(prior, Laplace):
        return np.full(len(counts.words), prior.strength)
    found = prior.pseudocounts(Variable("word", counts.words), [])
    return np.broadcast_to(found, len(counts.words)).astype(np.float64)


def left_out_scores(
    counts: TokenCounts,
    sample: WordSample,
    virtual: FloatArray,
    variant: str,
    own: IntArray,
    one: FloatArray,
) -> FloatArray:
    """Return Σ log P(word | class) of each document of the sample without it, [document, class]."""
    matrix = _matrix(counts, sample)
    score = {"bernoulli": _presence, "complement": _others}.get(variant, _occurrences)
    parts = [slice(first, first + _BLOCK) for first in range(0, len(own), _BLOCK)]
    return np.concatenate([score(counts, matrix[some], virtual, own[some], one[some]) for some in parts])


def _matrix(counts: TokenCounts, sample: WordSample) -> csr_array:
    """The documents of the sample as rows of the words in use."""
    places = np.array([counts.numbers.get(word, -1) for word in sample.words], dtype=np.int64)
    columns = places[sample.numbers] if len(places) else sample.numbers
    rows = np.repeat(np.arange(len(sample.labels)), np.diff(sample.starts))
    used = columns >= 0
    shape = len(sample.labels), len(counts.words)
    return csr_array((sample.times[used], (rows[used], columns[used])), shape=shape)


def _only_here(counts: TokenCounts, words: IntArray, own: FloatArray) -> BoolArray:
    """Whether no other document has a word, so that it would be unknown; a given vocabulary stays known."""
    if counts.declared:
        return np.zeros(len(words), dtype=bool)
    alone: BoolArray = counts.documents.sum(axis=1)[words] <= own * (1 + 1e-9)
    return alone


def _occurrences(
    counts: TokenCounts, matrix: csr_array, virtual: FloatArray, own: IntArray, one: FloatArray
) -> FloatArray:
    """The multinomial variant: the document is taken off the occurrences in its class."""

    def cells(words: IntArray, rows: IntArray, times: FloatArray) -> FloatArray:
        seen = counts.occurrences[words].astype(np.float64)
        seen[np.arange(len(words)), own[rows]] -= one[rows] * times
        return seen

    totals = np.tile(counts.occurrences.sum(axis=0).astype(np.float64), (len(own), 1))
    totals[np.arange(len(own)), own] -= one * matrix.sum(axis=1)
    return _log_left_out(counts, matrix, virtual, one, cells, totals)


def _others(
    counts: TokenCounts, matrix: csr_array, virtual: FloatArray, own: IntArray, one: FloatArray
) -> FloatArray:
    """The complement variant: the document is taken off the occurrences outside every other class."""
    whole = counts.occurrences.sum(axis=1, keepdims=True) - counts.occurrences

    def cells(words: IntArray, rows: IntArray, times: FloatArray) -> FloatArray:
        taken = np.repeat((one[rows] * times)[:, None], whole.shape[1], axis=1)
        taken[np.arange(len(words)), own[rows]] = 0.0
        return np.asarray(whole[words] - taken, dtype=np.float64)

    totals = np.tile(whole.sum(axis=0).astype(np.float64), (len(own), 1))
    kept = totals[np.arange(len(own)), own].copy()
    totals -= (one * matrix.sum(axis=1))[:, None]
    totals[np.arange(len(own)), own] = kept
    return -_log_left_out(counts, matrix, virtual, one, cells, totals)


def _log_left_out(
    counts: TokenCounts,
    matrix: csr_array,
    virtual: FloatArray,
    one: FloatArray,
    cells: Callable[[IntArray, IntArray, FloatArray], FloatArray],
    totals: FloatArray,
) -> FloatArray:
    """Σ times · log((cell + virtual) / (total + Σ virtual)) over the words of each document."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    words, times = matrix.indices.astype(np.int64), matrix.data
    unknown = _only_here(counts, words, one[rows])
    lost = np.bincount(rows[unknown], weights=virtual[words[unknown]], minlength=matrix.shape[0])
    rows, words, times = rows[~unknown], words[~unknown], times[~unknown]
    logs = np.log(np.maximum(cells(words, rows, times), 0.0) + virtual[words, None])
    sums = csr_array((times, (rows, np.arange(len(rows)))), shape=(matrix.shape[0], len(rows))) @ logs
    length = np.bincount(rows, weights=times, minlength=matrix.shape[0])
    whole = np.log(totals + virtual.sum() - lost[:, None])
    result: FloatArray = sums - length[:, None] * whole
    return result


def _presence(
    counts: TokenCounts, matrix: csr_array, virtual: FloatArray, own: IntArray, one: FloatArray
) -> FloatArray:
    """Bernoulli's variant: the document is taken off the documents of its class; absent words count too.

    A document of a weight below 1 is taken off as a whole one.
    """
    one = np.ones(len(one))
    absent, present = virtual.tolist()
    having, documents = counts.documents.astype(np.float64), counts.per_class.values.astype(np.float64)
    missing = np.log(np.maximum(documents - having, 0.0) + absent)
    base = missing.sum(axis=0) - len(having) * np.log(documents + absent + present)
    scores = np.tile(base, (matrix.shape[0], 1))
    line = np.arange(matrix.shape[0])
    left = documents[own] - one
    # In the own class there is one document less, without each of the words that it lacks.
    fewer = np.log(np.maximum(documents - 1 - having, 0.0) + absent).sum(axis=0)
    scores[line, own] = fewer[own] - len(having) * np.log(left + absent + present)
    rows, words = np.repeat(line, np.diff(matrix.indptr)), matrix.indices.astype(np.int64)
    shift = np.log(having[words] + present) - missing[words]
    mine = np.arange(len(words)), own[rows]
    lacking = np.log(np.maximum(documents[own[rows]] - 1 - having[words, own[rows]], 0.0) + absent)
    shift[mine] = np.log(np.maximum(having[words, own[rows]] - one[rows], 0.0) + present) - lacking
    unknown = _only_here(counts, words, one[rows])  # these are not in the vocabulary without the document
    whole = np.tile(np.log(documents + absent + present), (len(words), 1))
    whole[mine] = np.log(left + absent + present)[rows]
    nothing = missing[words]
    nothing[mine] = lacking
    shift = np.where(unknown[:, None], whole - nothing, shift)
    np.add.at(scores, rows, shift)
    return scores


def _best(joint: FloatArray, own: IntArray, weights: FloatArray) -> float:
    """The exponent of the joint probabilities with the least log-loss; above 1 only beyond chance."""

    def loss(log_weight: float) -> float:
        return joint_log_loss(np.exp(log_weight) * joint, own, weights)

    if not np.isfinite(loss(0.0)):
        return 1.0
    bounds = np.log(LEAST), np.log(MOST)
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-4})
    gain = loss(0.0) - loss(found.x)
    return beyond_chance(round(float(np.exp(found.x)), DIGITS), gain, float(weights.sum()))
