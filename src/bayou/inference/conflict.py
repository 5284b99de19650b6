"""Which findings contradict each other: the smallest set of them that has probability 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import combinations
from math import comb
from typing import Any

from bayou.errors import TooWide
from bayou.inference.question import Question, finding_text, relevant
from bayou.memory import current_limits, limits
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.typing import Name

MOST_TRIALS = 4096
"""The most sets of findings that the search for the smallest conflict tries."""
MOST_WORK = 2.0**31
"""The most table entries that each part of the search may go through: some tens of seconds at worst."""
_BISECTIONS = 64

Possible = Callable[[Question], bool]
Key = tuple[str, Name]
"""A finding: the part of the question it stands in, and its variable."""


def conflict(network: FrozenNetwork, question: Question, possible: Possible) -> list[str]:
    """Return the smallest set of findings that cannot occur together, each as text such as "Wet=yes".

    Bisection first finds a minimal set: no finding can be removed from it, but a smaller set elsewhere may
    conflict too. Then all smaller sets of discrete findings are tried by increasing size, up to
    :data:`MOST_TRIALS` sets and :data:`MOST_WORK` table entries; if that is not enough, the minimal set is
    returned. (Where even a single trial is too much work, the set may hold a finding that is not needed.)
    """
    keys = finding_keys(question)
    smallest = minimal_conflict(question, keys, possible)
    smallest = _searched(network, question, keys, len(smallest), possible) or smallest
    return _in_words(network, with_only(question, smallest))


def finding_keys(question: Question) -> list[Key]:
    """All findings of a question: evidence first, then likelihoods."""
    keys: list[Key] = [("evidence", name) for name in question.evidence]
    return keys + [("likelihood", name) for name in question.likelihood]


def minimal_conflict(question: Question, keys: Sequence[Key], possible: Possible) -> list[Key]:
    """Return a minimal conflicting set: repeatedly add the finding that completes a conflict."""
    needed: list[Key] = []
    rest = list(keys)
    while not _conflicting(question, needed, possible):
        # Bisect for the shortest prefix of `rest` that conflicts with `needed`: its last finding is needed.
        low, high = 0, len(rest)
        while high - low > 1:
            middle = (low + high) // 2
            if _conflicting(question, [*needed, *rest[:middle]], possible):
                high = middle
            else:
                low = middle
        if high == 0:
            break
        needed.append(rest[high - 1])
        rest = rest[: high - 1]
    return [key for key in keys if key in needed]


def _conflicting(question: Question, keys: Sequence[Key], possible: Possible) -> bool:
    """Whether these findings alone are impossible; False where that would be too much work."""
    try:
        with _bounded(_BISECTIONS):
            return not possible(with_only(question, keys))
    except TooWide:
        # Fewer findings may need larger tables: a set that cannot be tried does not count as a conflict.
        return False


def _bounded(trials: int) -> AbstractContextManager[object]:
    """Limits under which this number of trials takes at most :data:`MOST_WORK` together."""
    return limits(work=min(current_limits().work, MOST_WORK / max(trials, 1)))


def with_only(question: Question, keys: Sequence[Key]) -> Question:
    """The question without targets and with only these findings; its do stays."""
    chosen: dict[str, dict[Name, Any]] = {"evidence": {}, "likelihood": {}}
    for part, name in keys:
        chosen[part][name] = getattr(question, part)[name]
    return Question((), chosen["evidence"], chosen["likelihood"], question.do)


def _searched(
    network: FrozenNetwork, question: Question, keys: Sequence[Key], below: int, possible: Possible
) -> list[Key] | None:
    """Return the first impossible set of fewer than ``below`` findings, by increasing size.

    Returns None if there is none, or if the search exceeds its limits.
    """
    discrete = [key for key in keys if not network.schema[key[1]].is_continuous]
    tried = 0
    for size in range(1, below):
        tried += comb(len(discrete), size)
        if tried > MOST_TRIALS:
            return None
        try:
            with _bounded(tried):
                for chosen in combinations(discrete, size):
                    if not possible(with_only(question, chosen)):
                        return list(chosen)
        except TooWide:
            return None
    return None


def _in_words(network: FrozenNetwork, found: Question) -> list[str]:
    needed = relevant(network, found)
    causes = {parent for name in needed for parent in network.dag.parents(name)} | set(found.likelihood)
    return [
        *(finding_text(network.schema[name], value) for name, value in found.evidence.items()),
        *(f"the likelihood of {label(name)}" for name in found.likelihood),
        *(
            f"do({finding_text(network.schema[name], value)})"
            for name, value in found.do.items()
            if name in causes
        ),
    ]
