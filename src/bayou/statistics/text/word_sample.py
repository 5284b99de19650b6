"""A sample of documents as counts of words, which adds: those whose contents have the smallest hashes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bayou.errors import BadFile, BadStatistics
from bayou.schema.json_values import decode_value, encode_value
from bayou.statistics.rows.row_sample import Hashes, hash_states, mixed, sums_by_place, weights_left
from bayou.typing import CountArray, FloatArray, IntArray, State

SIZE = 1024


@dataclass(frozen=True, eq=False)
class WordSample:
    """At most ``size`` distinct documents: hashes ascending, weights, classes, and the words of each.

    Document k has the words ``words[numbers[j]]``, ``times[j]`` times each, for j from ``starts[k]`` up to
    ``starts[k + 1]``.

    >>> from collections import Counter
    >>> def one(text: str, label: str) -> WordSample:
    ...     counted = [Counter(text.split())]
    ...     return WordSample.of(hash_states([text]), [label], np.ones(1), lambda rows: counted)
    >>> both = one("buy buy now", "spam") + one("see you now", "ham") + one("buy buy now", "spam")
    >>> sorted(zip(both.labels, both.weights.tolist())), sorted(both.words)
    ([('ham', 1.0), ('spam', 2.0)], ['buy', 'now', 'see', 'you'])
    """

    size: int
    hashes: Hashes
    weights: FloatArray
    labels: tuple[State, ...]
    words: tuple[str, ...]
    starts: IntArray
    numbers: IntArray
    times: CountArray

    @classmethod
    def of(
        cls, contents: Hashes, labels: Sequence[State], weights: FloatArray, counted: Any, size: int = SIZE
    ) -> WordSample:
        """The sample of many documents; ``counted(rows)`` gives the count of each word in some of them."""
        hashes = mixed(contents ^ hash_states(labels)) if len(labels) else contents
        distinct, first, back = np.unique(hashes, return_index=True, return_inverse=True)
        sums = sums_by_place(back, weights, len(distinct))
        kept = first[:size].tolist()
        return cls._from_counts(
            size, distinct[:size], sums[:size], tuple(labels[row] for row in kept), counted(kept)
        )

    @classmethod
    def _from_counts(
        cls,
        size: int,
        hashes: Hashes,
        weights: FloatArray,
        labels: tuple[State, ...],
        counted: Sequence[Mapping[str, float]],
    ) -> WordSample:
        words = sorted({word for each in counted for word in each})
        places = {word: place for place, word in enumerate(words)}
        starts = np.cumsum([0, *map(len, counted)], dtype=np.int64)
        numbers = np.array([places[word] for each in counted for word in each], dtype=np.int64)
        times = np.array([often for each in counted for often in each.values()])
        return cls(size, hashes, weights, labels, tuple(words), starts, numbers, times.astype(np.float64))

    def _counts(self, row: int) -> dict[str, float]:
        some = slice(int(self.starts[row]), int(self.starts[row + 1]))
        pairs = zip(self.numbers[some].tolist(), self.times[some].tolist(), strict=True)
        return {self.words[number]: often for number, often in pairs}

    def _taken(self, rows: IntArray, weights: FloatArray) -> WordSample:
        counted = [self._counts(row) for row in rows.tolist()]
        labels = tuple(self.labels[row] for row in rows.tolist())
        return self._from_counts(self.size, self.hashes[rows], weights, labels, counted)

    def __add__(self, other: WordSample) -> WordSample:
        if self.size != other.size:
            raise BadStatistics("Samples of documents of different sizes cannot be added.")
        both = np.concatenate([self.hashes, other.hashes])
        distinct, first, back = np.unique(both, return_index=True, return_inverse=True)
        sums = sums_by_place(back, np.concatenate([self.weights, other.weights]), len(distinct))
        mine = len(self.hashes)
        counted, labels = [], []
        for row in first[: self.size].tolist():
            whose, place = (self, row) if row < mine else (other, row - mine)
            counted.append(whose._counts(place))
            labels.append(whose.labels[place])
        kept = distinct[: self.size], sums[: self.size]
        return self._from_counts(self.size, *kept, tuple(labels), counted)

    def __sub__(self, other: WordSample) -> WordSample:
        """Subtract the weights of documents; those that were dropped from a full sample are not restored."""
        return self._taken(*weights_left(self, other))

    def __mul__(self, weight: float) -> WordSample:
        return replace(self, weights=self.weights * weight)

    def state(self) -> dict[str, Any]:
        """All documents; hashes as signed integers, because files have no unsigned ones."""
        return {
            "size": self.size,
            "hashes": self.hashes.view(np.int64),
            "weights": self.weights,
            "labels": [encode_value(label) for label in self.labels],
            "words": list(self.words),
            "starts": self.starts,
            "numbers": self.numbers,
            "times": self.times,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> WordSample:
        """Read :meth:`state`; raise BadFile unless every document has a hash, a weight, a class and words."""
        labels, words = tuple(map(decode_value, state["labels"])), tuple(map(str, state["words"]))
        hashes, weights, starts = state["hashes"], state["weights"], state["starts"]
        numbers, times = state["numbers"], state["times"]
        rows = len(labels)
        fits = (
            np.shape(hashes) == np.shape(weights) == (rows,)
            and np.shape(starts) == (rows + 1,)
            and np.shape(numbers) == np.shape(times) == (int(starts[-1]),)
            and starts[0] == 0
            and not np.any(np.diff(starts) < 0)
            and (not len(numbers) or (numbers.min() >= 0 and numbers.max() < len(words)))
        )
        if not fits or hashes.dtype != np.int64 or type(state["size"]) is not int or rows > state["size"]:
            raise BadFile("the documents of a sample do not have a weight, a class and counts of words.")
        return cls(state["size"], hashes.view(np.uint64), weights, labels, words, starts, numbers, times)
