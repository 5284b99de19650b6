"""K2: the time is checked between parents, and the parents found so far are kept."""

from __future__ import annotations

from typing import ClassVar

import pytest
from tests.learning.search.every_network import made

from bayou.learning.search.constraints import Constraints
from bayou.learning.search.k2_search import k2_search
from bayou.learning.time_budget import TimeBudget


class Looks(TimeBudget):
    """A budget that is over after a given number of checks."""

    left_of_them: ClassVar = [0]

    @property
    def over(self) -> bool:
        self.left_of_them[0] -= 1
        return self.left_of_them[0] < 0


def test_time_is_looked_at_after_every_parent_and_those_found_so_far_are_kept() -> None:
    scores = made(5, 5, 400)
    whole = k2_search(scores, range(5), Constraints.none(5))
    looks = 5 + sum(map(len, whole.parents))
    assert whole.finished
    assert looks > 7
    for most in range(looks + 1):
        Looks.left_of_them[0] = most
        part = k2_search(scores, range(5), Constraints.none(5), Looks())
        assert part.finished == (most == looks)
        assert all(set(some) <= set(every) for some, every in zip(part.parents, whole.parents, strict=True))
        assert part.score == pytest.approx(scores.families(list(enumerate(part.parents))).sum())
