"""Fitted text models: a row of log weights for each word, added up over the words of a document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bayou._native import Vocabulary, score_words
from bayou.distributions import Laplace, Prior
from bayou.errors import BadData
from bayou.estimators.table_input import FeatureTable
from bayou.estimators.text_input import TextTable
from bayou.schema import Variable
from bayou.statistics import TokenCounts, TokenRules
from bayou.typing import FloatArray


@dataclass(frozen=True, eq=False)
class TextModel:
    """score(class) = start + Σ weights of the document's words; each word once where ``distinct``.

    ``certain`` marks words that every document of the class had, under no smoothing: a document without
    one of them is impossible in that class.
    """

    words: tuple[str, ...]
    rules: TokenRules
    start: FloatArray
    weights: FloatArray
    distinct: bool = False
    certain: FloatArray | None = None

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words as the kernels look them up."""
        return Vocabulary(list(self.words))

    def joint_log(self, rows: FeatureTable) -> FloatArray:
        """log P(class, document) for every document and class (for complement weights: a score)."""
        if not isinstance(rows, TextTable):
            raise BadData("A text model reads documents, or rows of word counts.")
        joint: FloatArray = self.start + self._sums(rows, self.weights)
        if self.certain is not None:
            lacking = self.certain.sum(axis=0) - self._sums(rows, self.certain)
            joint = np.where(lacking > 0.5, -np.inf, joint)
        return joint

    def _sums(self, rows: TextTable, weights: FloatArray) -> FloatArray:
        if rows.documents is not None:
            texts, arguments = self.rules.for_kernels(rows.documents)
            return score_words(texts, self.vocabulary, weights, self.distinct, **arguments)
        counts = rows.counts
        if counts is None:
            return np.zeros((rows.rows, weights.shape[1]))
        sums: FloatArray = (counts > 0 if self.distinct else counts) @ weights
        return sums


def multinomial(
    counts: TokenCounts, rules: TokenRules, log_prior: FloatArray, prior: Prior
) -> tuple[TextModel, FloatArray]:
    """(n_k + 1)/(n + |Vocabulary|), the lecture's LEARN-NAIVE-BAYES-TEXT; also log P(word | class)."""
    smoothed = counts.occurrences + _pseudocounts(prior, counts.words)[:, None]
    logs = _log_shares(smoothed, smoothed.sum(axis=0))
    return TextModel(counts.words, rules, log_prior, logs), logs


def bernoulli(
    counts: TokenCounts, rules: TokenRules, log_prior: FloatArray, prior: Prior
) -> tuple[TextModel, FloatArray]:
    """(documents with the word + 1)/(documents + 2); words that a document lacks speak too."""
    absent, present = np.broadcast_to(prior.pseudocounts(Variable("word", [False, True]), []), 2)
    having = counts.documents + present
    lacking = counts.per_class.values - counts.documents + absent
    logs, logs_without = (_log_shares(part, having + lacking) for part in (having, lacking))
    certain = np.isneginf(logs_without)
    logs_without = np.where(certain, 0.0, logs_without)
    start = log_prior + logs_without.sum(axis=0)
    marks = certain.astype(np.float64) if certain.any() else None
    return TextModel(counts.words, rules, start, logs - logs_without, True, marks), logs


def complement(
    counts: TokenCounts, rules: TokenRules, log_prior: FloatArray, prior: Prior, norm: bool
) -> tuple[TextModel, FloatArray]:
    """Rennie et al. 2003: a class by how little a word fits all other classes; ``norm`` evens the weights out.

    The class prior plays no part (as in scikit-learn), unless there is one class only.
    """
    pseudocounts = _pseudocounts(prior, counts.words)[:, None]
    others = counts.occurrences.sum(axis=1, keepdims=True) - counts.occurrences + pseudocounts
    logs = _log_shares(others, others.sum(axis=0))
    if np.isneginf(logs).any():
        # A word that only one class has would weigh infinitely for it; without smoothing it has no weight.
        logs = np.where(np.isneginf(logs), 0.0, logs)
    weights = logs / _or_one(logs.sum(axis=0)) if norm else -logs
    start = log_prior if len(log_prior) == 1 else np.where(np.isneginf(log_prior), -np.inf, 0.0)
    return TextModel(counts.words, rules, start, np.ascontiguousarray(weights)), weights


def _pseudocounts(prior: Prior, words: tuple[str, ...]) -> FloatArray:
    if isinstance(prior, Laplace):
        return np.full(len(words), prior.strength)
    return np.broadcast_to(prior.pseudocounts(Variable("word", words), []), len(words))


def _log_shares(parts: FloatArray, whole: FloatArray) -> FloatArray:
    """Logs of shares; a class without any counts is as likely to have one word as another."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(whole > 0, parts / _or_one(whole), 1.0 / max(len(parts), 1))
        return np.log(shares)


def _or_one(values: FloatArray) -> FloatArray:
    return np.where(values == 0, 1.0, values)
