"""Plain references of the text kernels: words are defined by Python's own ``str.lower`` and ``re``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from bayou.typing import CountArray, FloatArray, IntArray


class Vocabulary:
    """The words of a model, each with a number.

    >>> len(Vocabulary(["ham", "spam"]))
    2
    """

    def __init__(self, words: list[str]) -> None:
        self.number: dict[str, int] = {}
        for row, word in enumerate(words):
            if not isinstance(word, str):
                raise TypeError(f"words, position {row}: expected text (str)")
            if self.number.setdefault(word, row) != row:
                raise ValueError(f"words, position {row}: '{word}' is there twice")

    @property
    def words(self) -> list[str]:
        """All words in the order of their numbers."""
        return list(self.number)

    def __len__(self) -> int:
        return len(self.number)


def count_words(
    documents: list[str | None],
    classes: npt.NDArray[np.uint32],
    n_classes: int,
    weights: FloatArray | None = None,
    vocabulary: Vocabulary | None = None,
    lowercase: bool = True,
    punctuation: bool = False,
    min_length: int = 1,
    ngrams: tuple[int, int] = (1, 1),
    stop_words: Sequence[str] = (),
    offsets: IntArray | None = None,
    threads: int = 0,
) -> tuple[list[str], CountArray, CountArray]:
    """Return (words in order, occurrences, documents): the counts of each word by class.

    >>> count_words(["Ham, ham", "spam"], np.array([0, 1], np.uint32), 2)[0]
    ['ham', 'spam']
    """
    texts = cut_documents(documents, lowercase, punctuation, min_length, ngrams, stop_words, offsets, threads)
    if len(classes) != len(texts) or (weights is not None and len(weights) != len(texts)):
        raise ValueError(f"there are {len(texts)} documents: expected as many classes and weights")
    bad = np.flatnonzero(classes >= n_classes)
    if bad.size:
        raise ValueError(f"classes, row {bad[0]}: class {classes[bad[0]]} is not below {n_classes}")
    words = vocabulary.words if vocabulary is not None else sorted({word for text in texts for word in text})
    number = {word: row for row, word in enumerate(words)}
    kind = np.int64 if weights is None else np.float64
    counts = np.zeros((2, len(words), n_classes), dtype=kind)
    for text, of_class, weight in zip(
        texts, classes, [1] * len(texts) if weights is None else weights, strict=True
    ):
        for word, times in Counter(text).items():
            if word in number:
                counts[:, number[word], of_class] += [times * weight, weight]
    return [] if vocabulary is not None else words, counts[0], counts[1]


def score_words(
    documents: list[str | None],
    vocabulary: Vocabulary,
    weights: FloatArray,
    distinct: bool = False,
    lowercase: bool = True,
    punctuation: bool = False,
    min_length: int = 1,
    ngrams: tuple[int, int] = (1, 1),
    stop_words: Sequence[str] = (),
    offsets: IntArray | None = None,
    threads: int = 0,
) -> FloatArray:
    """For each document, the sum of the rows of weights of its words; unknown words are skipped.

    >>> score_words(["spam spam eggs"], Vocabulary(["ham", "spam"]), np.array([[1.0], [2.0]])).tolist()
    [[4.0]]
    """
    if weights.ndim != 2 or len(weights) != len(vocabulary):
        raise ValueError(f"weights: expected a row for each of the {len(vocabulary)} words")
    texts = cut_documents(documents, lowercase, punctuation, min_length, ngrams, stop_words, offsets, threads)
    scores = np.zeros((len(texts), weights.shape[1]))
    for row, text in enumerate(texts):
        for word in dict.fromkeys(text) if distinct else text:
            if word in vocabulary.number:
                scores[row] += weights[vocabulary.number[word]]
    return scores


def word_matrix(
    documents: list[str | None],
    vocabulary: Vocabulary,
    lowercase: bool = True,
    punctuation: bool = False,
    min_length: int = 1,
    ngrams: tuple[int, int] = (1, 1),
    stop_words: Sequence[str] = (),
    offsets: IntArray | None = None,
    threads: int = 0,
) -> tuple[IntArray, npt.NDArray[np.int32], IntArray]:
    """The words of each document by number, compressed by rows: (starts, words, counts).

    >>> [part.tolist() for part in word_matrix(["b a b", "c"], Vocabulary(["a", "b"]))]
    [[0, 2, 2], [0, 1], [1, 2]]
    """
    texts = cut_documents(documents, lowercase, punctuation, min_length, ngrams, stop_words, offsets, threads)
    number = vocabulary.number
    rows = [sorted(Counter(number[word] for word in text if word in number).items()) for text in texts]
    starts = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    pairs = [pair for row in rows for pair in row]
    words = np.array([word for word, _ in pairs], dtype=np.int32)
    return starts, words, np.array([times for _, times in pairs], dtype=np.int64)


def cut_documents(
    documents: list[str | None],
    lowercase: bool = True,
    punctuation: bool = False,
    min_length: int = 1,
    ngrams: tuple[int, int] = (1, 1),
    stop_words: Sequence[str] = (),
    offsets: IntArray | None = None,
    threads: int = 0,
) -> list[list[str]]:
    """The words (and runs of words) of each document, in their order.

    >>> cut_documents(["Spam, spam"], ngrams=(1, 2))
    [['spam', 'spam spam', 'spam']]
    """
    if threads < 0 or min_length < 0 or not 1 <= ngrams[0] <= ngrams[1]:
        raise ValueError("threads and min_length must be at least 0, and ngrams 1 <= fewest <= most")
    for row, document in enumerate(documents):
        if document is not None and not isinstance(document, str):
            raise TypeError(
                f"document {row} is of type {type(document).__name__}: expected text (str), or None"
            )
    texts = [document or "" for document in documents]
    if offsets is None:
        cased = [text.lower() for text in texts] if lowercase else texts
        pattern = re.compile(rf"\w{{{max(min_length, 1)},}}" + (r"|[^\w\s]+" if punctuation else ""))
        lists = [_runs(pattern, text) for text in cased]
    else:
        _check_offsets(offsets, len(texts))
        lists = [texts[start:end] for start, end in pairwise(offsets)]
    dropped = frozenset(stop_words)
    kept = [[word for word in words if word not in dropped] for words in lists]
    return kept if ngrams == (1, 1) else [_joined(words, *ngrams) for words in kept]


def _runs(pattern: re.Pattern[str], text: str) -> list[str]:
    return [found.group() for found in pattern.finditer(text)]


def _joined(words: list[str], fewest: int, most: int) -> list[str]:
    return [
        " ".join(words[first : first + size])
        for first in range(len(words))
        for size in range(fewest, min(most, len(words) - first) + 1)
    ]


def _check_offsets(offsets: IntArray, words: int) -> None:
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != words or np.any(np.diff(offsets) < 0):
        raise ValueError("offsets: expected ascending numbers from 0 to the number of words")
