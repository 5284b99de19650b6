"""Tests in blocks of about a tenth of a second, so that somebody can look at the clock between them."""

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
"""So many tests are in the first block of a level."""
SHORT, LONG = 0.03, 0.12
"""Blocks grow while they take fewer seconds than the one, and shrink when they take more than the other."""


def separations_in_blocks(
    tests: SeparationTests, pairs: Sequence[Pair], neighbours: Sequence[Sequence[int]], size: int
) -> Iterator[Block]:
    """For each pair the best of its sets; a pair with very many sets comes several times, for some each.

    How the blocks are cut depends on the clock, the best of all blocks does not.
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
    """How many tests are in a block."""

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
    """All are about one pair."""
    best, made = NOT_MADE, 0
    for (_, _, given), outcome in zip(questions, tests.outcomes(questions), strict=True):
        if outcome is None:
            continue
        made += 1
        if outcome[0] > best.p_value:
            best = SeparationResult(given, *outcome, 0)
    return [(questions[0][:2], best._replace(tests=made))]


def _sets_of(pair: Pair, neighbours: Sequence[Sequence[int]], size: int) -> int:
    """How many sets there are, those of both counted twice."""
    x, y = pair
    return math.comb(len(neighbours[x]), size) + math.comb(len(neighbours[y]), size)
