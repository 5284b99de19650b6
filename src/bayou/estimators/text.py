"""Naive Bayes for text: raw documents in, words counted by class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from bayou._native import Vocabulary, word_matrix
from bayou.distributions import Laplace, prior_from
from bayou.errors import BadData, BadPrior, BadQuestion, listed
from bayou.estimators.base import BayesClassifier
from bayou.estimators.class_prior import log_class_prior
from bayou.estimators.text_input import TextTable, read_texts
from bayou.estimators.text_model import TextModel, bernoulli, complement, multinomial
from bayou.estimators.training import Training
from bayou.schema import Variable
from bayou.statistics import Counts, TokenCounts, TokenRules, count_tokens
from bayou.typing import CountArray, FloatArray, IntArray, State

VARIANTS = ("multinomial", "bernoulli", "complement")


class TextNaiveBayes(BayesClassifier):
    r"""Naive Bayes on raw documents (or on a matrix of word counts).

    ``variant`` is "multinomial" (the lecture's: P(word | class) = (n_k + 1)/(n + \|Vocabulary\|), unknown words
    skipped), "bernoulli" or "complement". ``prior`` smooths the words, ``class_prior`` states P(class).

    >>> model = TextNaiveBayes().fit(["buy now", "cheap pills now", "see you at lunch"], ["spam", "spam", "ham"])
    >>> model.predict(["buy cheap lunch pills"]).tolist()
    ['spam']
    >>> [word for word, _ in model.informative_words("spam", 2)]
    ['now', 'buy']
    """

    def __init__(
        self,
        variant: str = "multinomial",
        *,
        prior: Any = 1.0,
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
