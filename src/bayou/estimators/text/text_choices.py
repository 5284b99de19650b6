"""What users may say about words, checked and turned into rules, vocabularies and weights."""

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
    """The rules that an estimator's parameters state."""
    least = whole_number("min_length", choices.min_length)
    if choices.tokenizer is not None and not callable(choices.tokenizer):
        raise BadQuestion(
            f"tokenizer={choices.tokenizer!r} can not be called; a function text → words is meant."
        )
    return TokenRules(
        bool(choices.lowercase),
        bool(choices.punctuation),
        least,
        _ngrams(choices.ngrams),
        _stop_words(choices.stop_words),
        choices.tokenizer,
    )


def _ngrams(given: Any) -> tuple[int, int]:
    """A number n means 1 to n words in a row."""
    pair: tuple[Any, ...] = (1, given) if is_whole(given) else ()
    if isinstance(given, list | tuple):
        pair = tuple(given)
    if len(pair) != 2 or not all(map(is_whole, pair)) or not 1 <= pair[0] <= pair[1]:
        raise BadQuestion(f"ngrams={given!r}: use n for 1 to n words in a row, or (fewest, most).")
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
    """A stated vocabulary: a list (its order is kept), a set, or a mapping of words to columns."""
    if given is None:
        return None
    if isinstance(given, Mapping):
        words = sorted(given, key=given.__getitem__)
    elif isinstance(given, str) or not isinstance(given, Iterable):
        raise BadQuestion(f"vocabulary={given!r}: a list of words is expected.")
    else:
        words = sorted(given) if isinstance(given, Set) else list(given)
    try:
        return Vocabulary(words)
    except (TypeError, ValueError) as problem:
        raise BadQuestion(f"vocabulary: {problem}.") from None


def document_range(counts: TokenCounts, min_df: Any, max_df: Any) -> TokenCounts:
    """The words that at least ``min_df`` and at most ``max_df`` documents have: numbers, or shares of all."""
    total = float(counts.per_class.values.sum())
    least, most = _documents("min_df", min_df, total), _documents("max_df", max_df, total)
    if counts.declared or (least <= 1 and most >= total):
        return counts
    having = counts.documents.sum(axis=1)
    kept = np.flatnonzero((having >= least) & (having <= most))
    if len(counts.words) and not len(kept):
        raise BadData(
            f"No word is in at least {least:g} and at most {most:g} of the {total:g} documents: min_df="
            f"{min_df!r} and max_df={max_df!r} leave nothing."
        )
    return counts.only(kept)


def _documents(name: str, given: Any, total: float) -> float:
    """A number of documents as it is, a share of them as a number."""
    if is_whole(given) and given >= 0:
        return float(given)
    if not isinstance(given, float | np.floating) or not 0 <= given <= 1:
        raise BadQuestion(
            f"{name}={given!r}: a number of documents (a whole number, at least 0) or a share of them "
            "(a float from 0.0 to 1.0) is expected."
        )
    return float(given) * total


def weights_of(
    variant: Any, counts: TokenCounts, log_prior: FloatArray, prior: Prior, norm: bool
) -> WordWeights:
    """The weights of the chosen variant."""
    if variant == "multinomial":
        return multinomial(counts, log_prior, prior)
    if variant == "bernoulli":
        return bernoulli(counts, log_prior, prior)
    if variant == "complement":
        return complement(counts, log_prior, prior, bool(norm))
    raise BadQuestion(f"variant={variant!r}: use one of {listed(VARIANTS)}.")
