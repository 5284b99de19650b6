"""Sequences that stay where they are, such as on the workers of a cluster: functions travel to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.typing import IntArray

T = TypeVar("T")


class RemoteSequences(ABC):
    """Sequences of which only the lengths are in memory; they are numbered in the order of their keys."""

    has_long = False
    """Whether a sequence is too long to be read at once."""
    weights = None
    """Every sequence counts once."""

    @property
    @abstractmethod
    def lengths(self) -> IntArray:
        """The number of rows of each sequence."""

    @abstractmethod
    def map(self, kernel: Callable[[SequenceBatch], T]) -> T:
        """The sum of a function's results over all sequences, some whole ones at a time, where they are."""

    @abstractmethod
    def whole_parts(self) -> Iterator[SequenceBatch]:
        """All sequences, some at a time, brought here; in any order."""

    @abstractmethod
    def only(self, which: IntArray, most: int | None = None) -> SequenceBatch:
        """Some sequences by number, brought here; of each the first ``most`` rows (None: all)."""

    @property
    def starts(self) -> IntArray:
        """Where each sequence would start if all stood one after the other, and the end."""
        return np.concatenate([[0], np.cumsum(self.lengths)]).astype(np.int64)

    @property
    def count(self) -> int:
        """The number of sequences."""
        return len(self.lengths)

    @property
    def rows(self) -> int:
        """The number of rows of all sequences."""
        return int(self.lengths.sum())

    def row_parts(self) -> Iterator[SequenceBatch]:
        """All rows, some at a time."""
        return self.whole_parts()

    def parts(self) -> Iterator[SequenceBatch]:
        """All sequences, some at a time."""
        return self.whole_parts()
