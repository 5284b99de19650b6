"""Batches come in order, errors where the batch would, and nothing is read that nobody asked for."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from bayou.sources.files.reading_ahead import reading_ahead


def _logged(log: list[int], stop: int = 10, fail_at: int | None = None) -> Iterator[int]:
    for number in range(stop):
        if number == fail_at:
            raise ValueError(f"batch {number}")
        log.append(number)
        yield number


def test_all_batches_in_order() -> None:
    assert list(reading_ahead(_logged([]))) == list(range(10))
    assert list(reading_ahead(_logged([], stop=0))) == []
    assert list(reading_ahead(_logged([], stop=1))) == [0]


def test_the_first_batch_alone_reads_nothing_else() -> None:
    log: list[int] = []
    assert next(reading_ahead(_logged(log))) == 0
    assert log == [0]


def test_the_next_batch_is_read_meanwhile_and_no_more() -> None:
    log: list[int] = []
    batches = reading_ahead(_logged(log))
    next(batches), next(batches)
    batches.close()  # type: ignore[attr-defined]  # waits for the batch that is being read
    assert log == [0, 1, 2]


@pytest.mark.parametrize("fail_at", [0, 1, 5])
def test_an_error_comes_after_the_batches_before_it(fail_at: int) -> None:
    batches = reading_ahead(_logged([], fail_at=fail_at))
    assert [next(batches) for _ in range(fail_at)] == list(range(fail_at))
    with pytest.raises(ValueError, match=f"batch {fail_at}"):
        next(batches)


def test_no_thread_is_left() -> None:
    before = threading.active_count()
    batches = reading_ahead(_logged([]))
    next(batches), next(batches)
    del batches
    assert threading.active_count() == before
