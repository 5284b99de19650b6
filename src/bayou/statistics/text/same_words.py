"""Counts of words on the union of their words and classes, which can be added and subtracted."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from bayou.errors import BadStatistics, listed
from bayou.schema import Variable
from bayou.statistics.labels import codes_in, union
from bayou.typing import CountArray, IntArray

if TYPE_CHECKING:
    from bayou.statistics.text.token_counts import TokenCounts

_ROUNDING = 1e-9


def with_axes(counts: TokenCounts, words: tuple[str, ...], rows: IntArray, classes: Variable) -> TokenCounts:
    """The same counts on other axes: word k goes to row ``rows[k]``."""
    per_class = counts.per_class.aligned([classes])
    columns = codes_in(counts.classes, classes)
    kept = np.flatnonzero(columns >= 0)
    moved = []
    for cells in (counts.occurrences, counts.documents):
        target = np.zeros((len(words), classes.cardinality), dtype=cells.dtype)
        if np.array_equal(columns, np.arange(classes.cardinality)):
            target[rows] = cells
        else:
            target[np.ix_(rows, columns[kept])] = cells[:, kept]
        moved.append(target)
    return replace(counts, words=words, per_class=per_class, occurrences=moved[0], documents=moved[1])


def on_same_words(left: TokenCounts, right: TokenCounts) -> tuple[TokenCounts, TokenCounts]:
    """Both on the union of their words and classes."""
    if left.classes.name != right.classes.name:
        raise BadStatistics(
            f"Words counted by {left.classes.name!r} and by {right.classes.name!r} cannot be added."
        )
    classes = union(left.classes, right.classes)
    if left.words == right.words:
        return left.aligned([classes]), right.aligned([classes])
    if left.declared or right.declared:
        different = sorted(set(left.words) ^ set(right.words))
        if different:
            raise BadStatistics(
                "Words counted with different vocabularies cannot be added; only one of them has "
                f"{listed(different)}."
            )
        rows = np.array([left.numbers[word] for word in right.words], dtype=np.int64)
        return left.aligned([classes]), with_axes(right, left.words, rows, classes)
    words, left_rows, right_rows = _merged(left, right)
    whole = left.aligned([classes]) if words is left.words else with_axes(left, words, left_rows, classes)
    return whole, with_axes(right, words, right_rows, classes)


def _merged(left: TokenCounts, right: TokenCounts) -> tuple[tuple[str, ...], IntArray, IntArray]:
    """Merge two sorted lists of words; also return the new positions of the words of each.

    The words of a batch are looked up among those so far; only new ones need a place in their order.
    """
    known = np.fromiter(map(left.numbers.get, right.words, repeat(-1)), np.int64, len(right.words))
    new = np.flatnonzero(known < 0)
    if not len(new):
        return left.words, np.arange(len(left.words)), known
    added = [right.words[row] for row in new.tolist()]
    places = np.fromiter((bisect_left(left.words, word) for word in added), np.int64, len(added))
    left_rows = np.arange(len(left.words))
    left_rows += np.searchsorted(places, left_rows, side="right")
    right_rows = np.empty(len(right.words), dtype=np.int64)
    right_rows[new] = places + np.arange(len(new))
    right_rows[known >= 0] = left_rows[known[known >= 0]]
    return tuple(sorted([*left.words, *added])), left_rows, right_rows  # two sorted runs: sorted in one pass


def counts_left(whole: TokenCounts, left: CountArray, right: CountArray) -> CountArray:
    rest = left - right
    if rest.dtype.kind == "f":
        rest = np.where(np.abs(rest) <= _ROUNDING * np.maximum(left, 1), 0.0, rest)
    if rest.size and rest.min() < 0:
        row, column = np.unravel_index(int(rest.argmin()), rest.shape)
        raise BadStatistics(
            f"Cannot subtract more than was counted: the word {whole.words[row]!r} in class "
            f"{whole.classes.states[column]!r} would become {rest[row, column]:g}. Only documents that were "
            "added before can be forgotten."
        )
    return rest
