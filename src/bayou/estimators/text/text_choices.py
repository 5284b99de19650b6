"""The parameters of text classifiers, checked and converted to rules, vocabularies and weights."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any

import numpy as np

from bayou._native import Vocabulary
from bayou.arguments import is_whole, whole_number
from bayou.distributions import Prior
from bayou.errors import BadData, BadQuestion, listed
from bayou.estimators.text.stop_words import ENGLISH
from bayou.estimators.text.text_model import WordWeights, bernoulli, complement, multinomial
from bayou.statistics import TokenCounts, TokenRules
from bayou.typing import FloatArray

VARIANTS = ("multinomial", "bernoulli", "complement")


def token_rules(choices: Any) -> TokenRules:
    """Return the rules for cutting texts into words, from an estimator's parameters."""
    least = whole_number("min_length", choices.min_length)
    if choices.tokenizer is not None and not callable(choices.tokenizer):
        raise BadQuestion(f"tokenizer={choices.tokenizer!r} is not callable; give a function text → words.")
    return TokenRules(
        bool(choices.lowercase),
        bool(choices.punctuation),
        least,
        _ngrams(choices.ngrams),
        _stop_words(choices.stop_words),
        choices.tokenizer,
    )


def _ngrams(given: Any) -> tuple[int, int]:
    """The shortest and longest n-gram; a single number n means 1 to n words."""
    pair: tuple[Any, ...] = (1, given) if is_whole(given) else ()
    if isinstance(given, list | tuple):
        pair = tuple(given)
    if len(pair) != 2 or not all(map(is_whole, pair)) or not 1 <= pair[0] <= pair[1]:
        raise BadQuestion(f"ngrams={given!r}: give n for 1 to n consecutive words, or (fewest, most).")
    return int(pair[0]), int(pair[1])


def _stop_words(given: Any) -> tuple[str, ...]:
    if given is None:
        return ()
    if isinstance(given, str) and given == "english":
        return ENGLISH
    words = () if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    if not words or not all(isinstance(word, str) for word in words):
        raise BadQuestion(f"stop_words={given!r}: use 'english' or a list of words.")
    return words


def given_vocabulary(given: Any) -> Vocabulary | None:
    """Read a vocabulary: a list (its order is kept), a set, or a mapping word → column; None if not given."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        words = sorted(given, key=given.__getitem__)
    elif isinstance(given, str) or not isinstance(given, Iterable):
        raise BadQuestion(f"vocabulary={given!r}: give a list of words.")
    else:
        words = sorted(given) if isinstance(given, Set) else list(given)
    try:
        return Vocabulary(words)
    except (TypeError, ValueError) as problem:
        raise BadQuestion(f"vocabulary: {problem}.") from None


def document_range(counts: TokenCounts, min_df: Any, max_df: Any) -> TokenCounts:
    """Return the words in at least ``min_df`` and at most ``max_df`` documents (numbers or shares)."""
    total = float(counts.per_class.values.sum())
    least, most = _documents("min_df", min_df, total), _documents("max_df", max_df, total)
    if counts.declared or (least <= 1 and most >= total):
        return counts
    having = counts.documents.sum(axis=1)
    kept = np.flatnonzero((having >= least) & (having <= most))
    if len(counts.words) and not len(kept):
        raise BadData(
            f"No word is in at least {least:g} and at most {most:g} of the {total:g} documents: min_df="
            f"{min_df!r} and max_df={max_df!r} leave no words."
        )
    return counts.only(kept)


def _documents(name: str, given: Any, total: float) -> float:
    """A number of documents, from a whole number or a share of all."""
    if is_whole(given) and given >= 0:
        return float(given)
    if not isinstance(given, float | np.floating) or not 0 <= given <= 1:
        raise BadQuestion(
            f"{name}={given!r}: give a number of documents (a whole number, 0 or more) or a share of them "
            "(a float from 0.0 to 1.0)."
        )
    return float(given) * total


def word_weights(
    variant: Any, counts: TokenCounts, log_prior: FloatArray, prior: Prior, norm: bool
) -> WordWeights:
    """Return the word weights of a variant of naive Bayes."""
    if variant == "multinomial":
        return multinomial(counts, log_prior, prior)
    if variant == "bernoulli":
        return bernoulli(counts, log_prior, prior)
    if variant == "complement":
        return complement(counts, log_prior, prior, bool(norm))
    raise BadQuestion(f"variant={variant!r}: use one of {listed(VARIANTS)}.")
