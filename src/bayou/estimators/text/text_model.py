"""Fitted text models: a row of log weights for each word, added up over the words of a document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from bayou._native import Vocabulary, score_words, word_matrix
from bayou.distributions import Laplace, Prior
from bayou.errors import BadData
from bayou.estimators.input.table_input import FeatureTable
from bayou.estimators.input.text_input import WordTable
from bayou.schema import Variable
from bayou.statistics import TokenCounts, TokenRules
from bayou.typing import CountArray, FloatArray


@dataclass(frozen=True, eq=False)
class WordWeights:
    """What a variant makes of the counts: score(class) = start + Σ weights of the document's words.

    Each word counts once where ``distinct``. ``certain`` marks words that every document of a class had,
    under no smoothing: a document without one of them is impossible in that class. ``log_shares`` is what
    is shown as log P(word | class).
    """

    start: FloatArray
    weights: FloatArray
    log_shares: FloatArray
    distinct: bool = False
    certain: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class TextModel:
    """The counts of the words that are used, and the weights that came out of them."""

    counts: TokenCounts
    rules: TokenRules
    prior: Prior
    log_prior: FloatArray
    made: WordWeights

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words as the kernels look them up."""
        return Vocabulary(list(self.counts.words))

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """log P(class, document) for every document and class (for complement weights: a score)."""
        if not isinstance(rows, WordTable):
            raise BadData("A text model reads documents, or rows of word counts.")
        joint: FloatArray = self._sums(rows, self.made.weights)
        joint += self.made.start
        if self.made.certain is not None:
            lacking = self.made.certain.sum(axis=0) - self._sums(rows, self.made.certain)
            joint[lacking > 0.5] = -np.inf
        return joint

    def _sums(self, rows: WordTable, weights: FloatArray) -> FloatArray:
        if rows.counts is not None:
            sums: FloatArray = np.asarray((rows.counts > 0 if self.made.distinct else rows.counts) @ weights)
            return sums.astype(np.float64)
        texts, arguments = self.rules.for_kernels(rows.documents or [])
        return score_words(texts, self.vocabulary, weights, self.made.distinct, **arguments)

    def matrix(self, rows: WordTable) -> sparse.csr_array:
        """How often each document has each word: documents × words, sparse."""
        if rows.counts is not None:
            return rows.counts
        texts, arguments = self.rules.for_kernels(rows.documents or [])
        starts, words, times = word_matrix(texts, self.vocabulary, **arguments)
        return sparse.csr_array((times, words, starts), shape=(rows.rows, len(self.counts.words)))


def multinomial(counts: TokenCounts, log_prior: FloatArray, prior: Prior) -> WordWeights:
    """(n_k + 1)/(n + |Vocabulary|): the lecture's LEARN-NAIVE-BAYES-TEXT."""
    logs = log_word_shares(counts.occurrences, counts.words, prior)
    return WordWeights(log_prior, logs, logs)


def bernoulli(counts: TokenCounts, log_prior: FloatArray, prior: Prior) -> WordWeights:
    """(documents with the word + 1)/(documents + 2); words that a document lacks speak too."""
    logs, without = log_presence(counts.documents, counts.per_class.values, prior)
    certain = np.isneginf(without)
    without = np.where(certain, 0.0, without)
    marks = certain.astype(np.float64) if certain.any() else None
    return WordWeights(log_prior + without.sum(axis=0), logs - without, logs, True, marks)


def complement(counts: TokenCounts, log_prior: FloatArray, prior: Prior, norm: bool = False) -> WordWeights:
    """Rennie et al. 2003: a class by how little its words fit all other classes; ``norm`` evens weights out.

    The class prior plays no part (as in scikit-learn), unless there is one class only.
    """
    others = counts.occurrences.sum(axis=1, keepdims=True) - counts.occurrences
    logs = log_word_shares(others, counts.words, prior)
    # Without smoothing a word that only one class has would weigh infinitely for it: then it has no say.
    logs = np.where(np.isneginf(logs), 0.0, logs)
    weights = logs / _or_one(logs.sum(axis=0)) if norm else -logs
    start = log_prior if len(log_prior) == 1 else np.where(np.isneginf(log_prior), -np.inf, 0.0)
    return WordWeights(start, weights, weights)


def log_word_shares(occurrences: CountArray, words: tuple[str, ...], prior: Prior) -> FloatArray:
    """log P(word | class), smoothed; a class without any words is as likely to have one as another."""
    if isinstance(prior, Laplace):
        pseudocounts = np.full(len(words), prior.strength)
    else:
        pseudocounts = np.broadcast_to(prior.pseudocounts(Variable("word", words), []), len(words))
    smoothed = occurrences + pseudocounts[:, None]
    return _log_shares(smoothed, smoothed.sum(axis=0), 1 / max(len(words), 1))


def log_presence(having: CountArray, documents: CountArray, prior: Prior) -> tuple[FloatArray, FloatArray]:
    """log P(a document of the class has the word), and log of the rest."""
    absent, present = np.broadcast_to(prior.pseudocounts(Variable("word", [False, True]), []), 2)
    whole = documents + absent + present
    # Weighted sums may differ in their last digit: a share is never above 1.
    with_word = np.minimum(having, documents)
    rest = documents - with_word
    return _log_shares(with_word + present, whole, 0.5), _log_shares(rest + absent, whole, 0.5)


def _log_shares(parts: FloatArray, whole: FloatArray, share_of_nothing: float) -> FloatArray:
    shares = np.where(whole > 0, parts / _or_one(whole), share_of_nothing)
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(shares, out=shares)
    return logs


def _or_one(values: FloatArray) -> FloatArray:
    return np.where(values == 0, 1.0, values)
