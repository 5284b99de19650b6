"""Ctrl-C while rows are read: it must stop the work, wherever it arrives.

Two things would lose it. duckdb asks for signals while a query runs, and raises an error of its own in place
of ``KeyboardInterrupt``. And where an iterator over batches is thrown away before its end, Python closes it
where no error can come out: what is raised there is printed and forgotten. Closing takes a while if duckdb is
at work, so whoever stops early closes what it reads (:class:`closed_after`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

S = TypeVar("S")
T = TypeVar("T")


def refuse_interrupted(problem: BaseException) -> None:
    """Raise ``KeyboardInterrupt`` if an error is what a library raises in its place.

    >>> refuse_interrupted(RuntimeError("no such column"))
    >>> try:
    ...     refuse_interrupted(RuntimeError("Query interrupted"))
    ... except KeyboardInterrupt:
    ...     print("stopped by Ctrl-C")
    stopped by Ctrl-C
    """
    said = str(problem)
    if type(problem) is RuntimeError and said == "Query interrupted":
        raise KeyboardInterrupt from None
    # Where duckdb calls Python for rows or their types, it tells what was raised there.
    if type(problem).__module__ in ("duckdb", "_duckdb") and "KeyboardInterrupt" in said:
        raise KeyboardInterrupt from None


class closed_after(Generic[T]):
    """Context manager that closes an iterator at the end of the block, if it can be closed.

    >>> with closed_after(letter for letter in "abc") as letters:
    ...     next(letters)
    'a'
    """

    def __init__(self, items: Iterator[T]) -> None:
        self._items = items

    def __enter__(self) -> Iterator[T]:
        return self._items

    def __exit__(self, *problem: object) -> None:
        close = getattr(self._items, "close", None)
        if close is not None:
            close()


def mapped(function: Callable[[S], T], items: Iterator[S]) -> Iterator[T]:
    """Yield the function of each item; whoever closes this closes the items, which ``map`` does not.

    >>> list(mapped(str.upper, iter("ab")))
    ['A', 'B']
    """
    with closed_after(items) as each:
        for item in each:
            yield function(item)
