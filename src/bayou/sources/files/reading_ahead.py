"""Reading the next batch while the one before it is used."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def reading_ahead(batches: Iterator[T]) -> Iterator[T]:
    """Yield the batches in order; from the second on, a thread makes the next one meanwhile.

    Who needs only the first batch does not wait for others. Errors come out where the batch would.

    >>> list(reading_ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    for first in batches:
        yield first
        break
    with ThreadPoolExecutor(max_workers=1) as reader:
        coming = reader.submit(_next, batches)
        while (batch := coming.result()) is not None:
            coming = reader.submit(_next, batches)
            yield batch[0]


def _next(batches: Iterator[T]) -> tuple[T] | None:
    """The next batch; None at the end."""
    for batch in batches:
        return (batch,)
    return None
