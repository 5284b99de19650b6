"""Tests in blocks of about a tenth of a second, so that the caller can check the clock between them."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TypeAlias, TypeVar

from bayou.learning.independence.separation_tests import (
    NOT_MADE,
    Pair,
    Question,
    SeparationResult,
    SeparationTests,
    questions_of,
)

Block: TypeAlias = list[tuple[Pair, SeparationResult]]
T = TypeVar("T")

FIRST = 256
"""The number of tests in the first block of each size of sets."""
SHORT, LONG = 0.03, 0.12
"""Blocks that take fewer seconds than the first number are doubled, more than the second halved."""


def separations_in_blocks(
    tests: SeparationTests, pairs: Sequence[Pair], neighbours: Sequence[Sequence[int]], size: int
) -> Iterator[Block]:
    """Yield blocks of pairs with their largest p-value; a pair with very many sets is in several blocks.

    The sizes of the blocks depend on the clock; the largest p-value of a pair over all blocks does not.
    """
    pace = _Pace(tests.least_at_once)
    some: list[Pair] = []
    waiting = 0
    for pair in pairs:
        sets = _sets_of(pair, neighbours, size)
        if some and waiting + sets > pace.tests:
            yield pace.timed(partial(_of_pairs, tests, some, neighbours, size))
            some, waiting = [], 0
        if sets <= pace.tests:
            some.append(pair)
            waiting += sets
            continue
        questions = questions_of(pair, neighbours, size)
        while part := list(islice(questions, pace.tests)):
            yield pace.timed(partial(_of_questions, tests, part))
    if some:
        yield pace.timed(partial(_of_pairs, tests, some, neighbours, size))


class _Pace:
    """The number of tests per block, adapted to the time that blocks take."""

    def __init__(self, least: int) -> None:
        self.least = least
        self.tests = max(least, FIRST)

    def timed(self, work: Callable[[], T]) -> T:
        began = time.perf_counter()
        result = work()
        seconds = time.perf_counter() - began
        if seconds < SHORT:
            self.tests *= 2
        elif seconds > LONG:
            self.tests = max(self.least, self.tests // 2)
        return result


def _of_pairs(
    tests: SeparationTests, pairs: Sequence[Pair], neighbours: Sequence[Sequence[int]], size: int
) -> Block:
    return list(zip(pairs, tests.separate(pairs, neighbours, size), strict=True))


def _of_questions(tests: SeparationTests, questions: Sequence[Question]) -> Block:
    """The block of one pair, from some of its questions."""
    best, made = NOT_MADE, 0
    for (_, _, given), outcome in zip(questions, tests.outcomes(questions), strict=True):
        if outcome is None:
            continue
        made += 1
        if outcome[0] > best.p_value:
            best = SeparationResult(given, *outcome, 0)
    return [(questions[0][:2], best._replace(tests=made))]


def _sets_of(pair: Pair, neighbours: Sequence[Sequence[int]], size: int) -> int:
    """An upper bound on the number of sets of a pair (sets of common neighbours are counted twice)."""
    x, y = pair
    return math.comb(len(neighbours[x]), size) + math.comb(len(neighbours[y]), size)
