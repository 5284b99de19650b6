"""Fitted text models: one log weight per word and class, summed over the words of a document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from bayou._native import Vocabulary, score_sparse_rows, score_words, word_matrix
from bayou.distributions import Laplace, Prior
from bayou.errors import BadData
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.text_input import WordTable
from bayou.schema import Variable
from bayou.statistics import TokenCounts, TokenRules
from bayou.typing import CountArray, FloatArray


@dataclass(frozen=True, eq=False)
class WordWeights:
    """The parameters of a variant: score(class) = start + Σ weights of the document's words.

    With ``distinct`` each word counts once. ``certain`` marks words that all training documents of a class
    have, if there is no smoothing: a document without such a word is impossible in that class (None: there
    are none). ``log_word_shares`` is shown to users as log P(word | class).
    """

    start: FloatArray
    weights: FloatArray
    log_word_shares: FloatArray
    distinct: bool = False
    certain: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class TextModel:
    """The counts of the words in use, and the weights estimated from them."""

    counts: TokenCounts
    rules: TokenRules
    prior: Prior
    log_prior: FloatArray
    word_weights: WordWeights
    exponent: float = 1.0
    """The power of the whole product; 1 is the textbook's."""

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words in the form that the kernels use."""
        return Vocabulary(list(self.counts.words))

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """Return log P(class, document), times the exponent (complement variant: a score)."""
        if not isinstance(rows, WordTable):
            raise BadData("A text model reads documents, or rows of word counts.")
        joint = self._sums(rows, self.word_weights.weights, self.word_weights.start)
        certain = self.word_weights.certain
        if certain is not None:
            lacking = certain.sum(axis=0) - self._sums(rows, certain, np.zeros(len(self.log_prior)))
            joint[lacking > 0.5] = -np.inf
        return joint if self.exponent == 1.0 else self._powers(joint)[:, None] * joint

    def _powers(self, joint: FloatArray) -> FloatArray:
        """The exponent of each document; 1 where it has no word in use, so that P(class) stays as it is."""
        if self.word_weights.distinct:  # absent words are evidence, too
            return np.full(len(joint), self.exponent)
        return np.where((joint == self.word_weights.start).all(axis=1), 1.0, self.exponent)

    def _sums(self, rows: WordTable, weights: FloatArray, start: FloatArray) -> FloatArray:
        """``start`` + the sum of the weights of each document's words, [document, class]."""
        distinct = self.word_weights.distinct
        if rows.counts is not None:
            counts, table = rows.counts, np.ascontiguousarray(weights, dtype=np.float64)
            first = np.ascontiguousarray(start, dtype=np.float64)
            values = kernel_values(counts)
            return score_sparse_rows(counts.indptr, counts.indices, values, table, first, distinct)
        texts, arguments = self.rules.for_kernels(rows.documents or [])
        return score_words(texts, self.vocabulary, weights, distinct, **arguments) + start

    def matrix(self, rows: WordTable) -> sparse.csr_array:
        """Return the count of each word in each document: documents × words, sparse."""
        if rows.counts is not None:
            return rows.counts
        texts, arguments = self.rules.for_kernels(rows.documents or [])
        starts, words, times = word_matrix(texts, self.vocabulary, **arguments)
        return sparse.csr_array((times, words, starts), shape=(rows.rows, len(self.counts.words)))


def kernel_values(counts: sparse.csr_array) -> CountArray:
    """The values of a sparse matrix in a type that the kernels read: whole numbers, or floats."""
    kind = np.int64 if counts.dtype.kind in "iub" else np.float64
    values: CountArray = np.ascontiguousarray(counts.data, dtype=kind)
    return values


def multinomial(counts: TokenCounts, log_prior: FloatArray, prior: Prior) -> WordWeights:
    """P(word | class) = (n_k + 1)/(n + |Vocabulary|): the lecture's LEARN-NAIVE-BAYES-TEXT."""
    logs = log_word_shares(counts.occurrences, counts.words, prior)
    return WordWeights(log_prior, logs, logs)


def bernoulli(counts: TokenCounts, log_prior: FloatArray, prior: Prior) -> WordWeights:
    """P(word | class) = (documents with the word + 1)/(documents + 2); absent words count too."""
    logs, without = log_presence(counts.documents, counts.per_class.values, prior)
    certain = np.isneginf(without)
    without = np.where(certain, 0.0, without)
    marks = certain.astype(np.float64) if certain.any() else None
    return WordWeights(log_prior + without.sum(axis=0), logs - without, logs, True, marks)


def complement(counts: TokenCounts, log_prior: FloatArray, prior: Prior, norm: bool = False) -> WordWeights:
    """Complement naive Bayes (Rennie et al. 2003): a word's weight is −log P(word | all other classes).

    ``norm`` divides the weights of a class by their sum. The class prior is not used (as in scikit-learn),
    unless there is only one class.
    """
    others = counts.occurrences.sum(axis=1, keepdims=True) - counts.occurrences
    logs = log_word_shares(others, counts.words, prior)
    # Without smoothing a word that occurs in one class only would have an infinite weight: it gets 0.
    logs = np.where(np.isneginf(logs), 0.0, logs)
    weights = logs / _or_one(logs.sum(axis=0)) if norm else -logs
    start = log_prior if len(log_prior) == 1 else np.where(np.isneginf(log_prior), -np.inf, 0.0)
    return WordWeights(start, weights, weights)


def log_word_shares(occurrences: CountArray, words: tuple[str, ...], prior: Prior) -> FloatArray:
    """Return log P(word | class), smoothed; uniform for a class without any words."""
    if isinstance(prior, Laplace):
        pseudocounts = np.full(len(words), prior.strength)
    else:
        pseudocounts = np.broadcast_to(prior.pseudocounts(Variable("word", words), []), len(words))
    smoothed = occurrences + pseudocounts[:, None]
    return _log_ratios(smoothed, smoothed.sum(axis=0), 1 / max(len(words), 1))


def log_presence(having: CountArray, documents: CountArray, prior: Prior) -> tuple[FloatArray, FloatArray]:
    """Return log P(a document of the class has the word), and log P(it does not)."""
    absent, present = np.broadcast_to(prior.pseudocounts(Variable("word", [False, True]), []), 2)
    whole = documents + absent + present
    # Rounding of weighted sums must not make a share larger than 1.
    with_word = np.minimum(having, documents)
    rest = documents - with_word
    return _log_ratios(with_word + present, whole, 0.5), _log_ratios(rest + absent, whole, 0.5)


def _log_ratios(parts: FloatArray, whole: FloatArray, share_of_zero: float) -> FloatArray:
    """log(parts / whole); log ``share_of_zero`` where the whole is 0."""
    shares = np.where(whole > 0, parts / _or_one(whole), share_of_zero)
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(shares, out=shares)
    return logs


def _or_one(values: FloatArray) -> FloatArray:
    return np.where(values == 0, 1.0, values)
