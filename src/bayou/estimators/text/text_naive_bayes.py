"""Naive Bayes for text: words of raw documents are counted by class."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from bayou._native import Vocabulary, sum_sparse_rows
from bayou.distributions import DEFAULT_SMOOTHING, Laplace, prior_from
from bayou.errors import BadData
from bayou.estimators.bayes_classifier import BayesClassifier
from bayou.estimators.class_prior import log_class_prior
from bayou.estimators.input.containers import is_column_name, is_streamable
from bayou.estimators.input.feature_table import FeatureTable
from bayou.estimators.input.labelled_source import LabelledSource
from bayou.estimators.input.labelled_table import LabelledTable
from bayou.estimators.input.text_input import (
    WordTable,
    document_tables,
    documents_of,
    read_texts,
    split_target,
    without_unlabelled,
    without_weightless,
)
from bayou.estimators.naive_bayes.evidence_weight import given_weight
from bayou.estimators.text.document_weight import best_exponent
from bayou.estimators.text.sampled_counts import sampled_rows
from bayou.estimators.text.text_choices import document_range, given_vocabulary, token_rules, word_weights
from bayou.estimators.text.text_model import TextModel, kernel_values
from bayou.estimators.text.text_words import document_ledger, document_working, informative_words
from bayou.explain.class_working import ClassWorking
from bayou.explain.ledger import Ledger
from bayou.schema import Variable
from bayou.statistics import Counts, TokenCounts, WordCounts, count_tokens
from bayou.typing import CountArray, FloatArray, State

Self = TypeVar("Self", bound="TextNaiveBayes")


class TextNaiveBayes(BayesClassifier):
    r"""Naive Bayes on raw documents (or on a matrix of word counts).

    ``variant`` is "multinomial" (P(word | class) = (n_k + 1)/(n + \|Vocabulary\|), unknown words are
    ignored), "bernoulli" or "complement" (``norm`` normalises its weights). ``prior`` smooths the words.
    ``lowercase``, ``punctuation``, ``min_length``, ``ngrams``, ``stop_words``, ``vocabulary``, ``min_df``,
    ``max_df`` and ``tokenizer`` define what a word is and which words are used. ``evidence_weight`` is the
    power of P(class) · Π P(word | class): 1 is the textbook's, which is far too sure; "auto" is the one that
    predicts left-out documents best, from 50 on (``evidence_weight_``). It changes no predicted class.

    >>> texts, kinds = ["buy now", "cheap pills now", "see you at lunch"], ["spam", "spam", "ham"]
    >>> model = TextNaiveBayes().fit(texts, kinds)
    >>> model.predict(["buy cheap lunch pills"]).tolist()
    ['spam']
    """

    reads_: Literal["documents", "counts"]
    evidence_weight_: float
    _model: TextModel

    def __init__(
        self,
        variant: str = "multinomial",
        *,
        prior: Any = DEFAULT_SMOOTHING,
        class_prior: Any = None,
        lowercase: bool = True,
        punctuation: bool = False,
        min_length: int = 1,
        ngrams: Any = 1,
        stop_words: Any = None,
        vocabulary: Any = None,
        min_df: float = 1,
        max_df: float = 1.0,
        tokenizer: Any = None,
        norm: bool = False,
        evidence_weight: Any = "auto",
    ) -> None:
        self.variant = variant
        self.prior = prior
        self.class_prior = class_prior
        self.lowercase = lowercase
        self.punctuation = punctuation
        self.min_length = min_length
        self.ngrams = ngrams
        self.stop_words = stop_words
        self.vocabulary = vocabulary
        self.min_df = min_df
        self.max_df = max_df
        self.tokenizer = tokenizer
        self.norm = norm
        self.evidence_weight = evidence_weight

    # Learning

    def _labelled(self, X: Any, y: Any, sample_weight: Any, first: bool) -> LabelledSource:
        target, by_name = y, is_column_name(y, X)
        if by_name and is_streamable(X):
            return super()._labelled(X, y, sample_weight, first)
        if first:
            self.by_name_ = by_name
        X, y = split_target(X, y)
        table = read_texts(self, X, reset=first)
        if by_name:
            table, y, sample_weight = without_unlabelled(table, y, sample_weight, target)
        table, y, sample_weight = without_weightless(table, y, sample_weight)
        return super()._labelled(table, y, sample_weight, first)

    def _read(self, X: Any) -> WordTable:
        return read_texts(self, X, reset=False)

    def _tables(self, X: Any) -> Iterator[tuple[int, FeatureTable]]:
        if is_streamable(X) and (not isinstance(X, str) or os.path.isfile(X)):
            return document_tables(self, X)
        return iter([(0, self._read(X))])

    def _collect(self, rows: LabelledSource) -> TokenCounts:
        vocabulary = given_vocabulary(self.vocabulary)
        if isinstance(rows, LabelledTable):
            return self._counted(rows, vocabulary)
        column = documents_of(rows, self, not hasattr(self, "statistics_"))
        sampled = self._samples
        request = WordCounts(
            column, (rows.target,), token_rules(self), vocabulary, gaps=True, sampled=sampled
        )
        return replace(rows.collect_by_class(request), variable=None)

    def _counted(self, rows: LabelledTable, vocabulary: Vocabulary | None) -> TokenCounts:
        """The word counts of documents in memory, or of rows of word counts."""
        labels, classes = rows.labels, Variable(rows.target, rows.labels.labels)
        table = rows.table
        if isinstance(table, WordTable) and table.documents is not None:
            coded = labels.codes, classes
            return count_tokens(
                table.documents, coded, token_rules(self), rows.weights, vocabulary, sampled=self._samples
            )
        if isinstance(table, WordTable) and table.counts is not None:
            words = tuple(map(str, table.names))
            counts = _summed(table.counts, words, labels.codes, classes, rows.weights)
            if not self._samples:
                return counts
            sample = sampled_rows(table.counts, words, labels.codes, classes, rows.weights)
            return replace(counts, sample=sample)
        raise BadData("A text classifier learns from documents, or from rows of word counts.")

    def _estimate(self, statistics: TokenCounts, classes: Variable) -> TextModel:
        counts = document_range(statistics.aligned([classes]), self.min_df, self.max_df)
        prior = prior_from(self.prior)
        log_prior = log_class_prior(self.class_prior, counts.per_class, Laplace(0.0))
        weights = word_weights(self.variant, counts, log_prior, prior, self.norm)
        exponent = given_weight(self.evidence_weight)
        if exponent is None and counts.sample is not None:
            given = self.class_prior
            learned = given is None or (isinstance(given, str) and given == "empirical")
            if not self.norm:  # left-out scores know no norms
                exponent = best_exponent(counts, counts.sample, log_prior, prior, self.variant, learned)
        exponent = 1.0 if exponent is None else exponent
        self.evidence_weight_ = exponent
        return TextModel(counts, token_rules(self), prior, log_prior, weights, exponent)

    @property
    def _samples(self) -> bool:
        """Whether some documents are kept, to judge exponents on."""
        return given_weight(self.evidence_weight) is None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = False
        tags.input_tags.categorical = False
        tags.input_tags.positive_only = True
        # scikit-learn's checks use clusters of real numbers, which word counts do not separate.
        tags.classifier_tags.poor_score = True
        return tags

    # What was learned

    def _text_model(self) -> TextModel:
        self._fitted_model()
        return self._model

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The words in use, each with its column in ``feature_count_`` and ``feature_log_prob_``."""
        return self._text_model().counts.numbers

    @property
    def class_count_(self) -> CountArray:
        """The number (or weight) of documents of each class."""
        return self._text_model().counts.per_class.values

    @property
    def class_log_prior_(self) -> FloatArray:
        """log P(class)."""
        return self._text_model().log_prior

    @property
    def feature_count_(self) -> CountArray:
        """Occurrences of each word (Bernoulli variant: documents with the word), one row per class."""
        model = self._text_model()
        return (model.counts.documents if model.word_weights.distinct else model.counts.occurrences).T

    @property
    def feature_log_prob_(self) -> FloatArray:
        """log P(word | class), one row per class (complement variant: the weights)."""
        return self._text_model().word_weights.log_word_shares.T

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Return the words in the order of the columns of ``word_counts``.

        ``input_features`` is not used; scikit-learn passes it.

        Raises scikit-learn's ``NotFittedError`` before the first fit.

        >>> import bayou
        >>> model = bayou.TextNaiveBayes().fit(["buy now", "see you now"], ["spam", "ham"])
        >>> model.get_feature_names_out().tolist()
        ['buy', 'now', 'see', 'you']
        """
        return np.array(self._text_model().counts.words, dtype=object)

    def word_counts(self, X: Any) -> sparse.csr_array:
        """Return the count of each word in use in each document: documents × words, sparse.

        Raises scikit-learn's ``NotFittedError`` before the first fit, and ``BadData`` for documents that are
        no texts.

        >>> import bayou
        >>> model = bayou.TextNaiveBayes().fit(["buy now", "see you now"], ["spam", "ham"])
        >>> model.word_counts(["now or now", "you"]).toarray().tolist()
        [[0, 2, 0, 0], [0, 0, 0, 1]]
        """
        return self._text_model().matrix(self._read(X))

    def informative_words(self, of: State, n: int = 10, by: str = "divergence") -> list[tuple[str, float]]:
        """Return the top ``n`` words of class ``of`` with their log-odds against all other classes.

        ``by="divergence"`` ranks by the log-odds times P(word | class), so frequent words come first;
        ``"log_odds"`` ranks by the log-odds alone.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``UnknownState`` for a class that is
        not there, and ``BadQuestion`` for another ``by``.

        >>> import bayou
        >>> model = bayou.TextNaiveBayes().fit(["buy now", "see you now"], ["spam", "ham"])
        >>> [(word, round(odds, 3)) for word, odds in model.informative_words("spam", 2)]
        [('buy', 0.847), ('now', 0.154)]
        """
        model = self._text_model()
        return informative_words(model, self._class_variable.code(of), n, by)

    def explain(self, row: Any, of: State = None, against: State = None, order: str = "size") -> Ledger:
        """Split the log-odds of two classes into one term per word; by default best against second best.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``UnknownState`` for a class that is
        not there, ``BadData`` for more than one document, and ``BadQuestion`` for the same class twice, or
        another ``order``.

        >>> import bayou
        >>> model = bayou.TextNaiveBayes().fit(["buy now", "see you now"], ["spam", "ham"])
        >>> print(model.explain("buy it now"))
        log-odds of class=spam against class=ham
        finding    log-odds                spam     ham
        prior       +0.0000
        buy=1       +0.8473  ████████▌
        now=1       +0.1542  █▌
        sum         +1.0014  ██████████
        posterior                        0.7313  0.2687
        """
        model = self._text_model()
        document = self._read([row] if isinstance(row, str) or row is None else row)
        if document.rows != 1:
            raise BadData(f"One document is explained at a time; X has {document.rows}.")
        return document_ledger(model, document, self.target_, of, against).sorted(order)

    def working(self, row: Any) -> ClassWorking:
        """Return the step-by-step calculation of one document (multinomial variant): ``.text``, ``.latex``.

        Raises scikit-learn's ``NotFittedError`` before the first fit, ``BadData`` for more than one document,
        and ``BadQuestion`` for a variant that is not multinomial.

        >>> model = TextNaiveBayes().fit(["buy now", "see you now"], ["spam", "ham"])
        >>> print(model.working("buy").text.splitlines()[1].strip())
        = (1/2)·(0+1)/(3+4) = 0.0714
        """
        model = self._text_model()
        if self.variant != "multinomial":
            return super().working(row)
        document = self._read([row] if isinstance(row, str) or row is None else row)
        if document.rows != 1:
            raise BadData(f"The calculation is shown for one document at a time; X has {document.rows}.")
        return document_working(model, document, self.target_)


def _summed(
    counts: sparse.csr_array, words: tuple[str, ...], codes: Any, classes: Variable, weights: Any
) -> TokenCounts:
    """The sums by class of rows of word counts."""
    size = classes.cardinality
    of_row = np.ascontiguousarray(codes, dtype=np.uint32)
    occurrences, documents = sum_sparse_rows(
        counts.indptr, counts.indices, kernel_values(counts), len(words), of_row, size, weights
    )
    per_class = np.bincount(codes, weights=weights, minlength=size)
    if weights is None or weights.dtype.kind != "f":
        per_class = per_class.astype(np.int64)
    return TokenCounts(words, Counts((classes,), per_class), occurrences, documents, declared=True)
