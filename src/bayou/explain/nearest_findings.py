"""The fewest findings to release so that the others can occur together, and what these could be instead.

A set of findings that is impossible is a *conflict*, and a set whose release makes the rest possible must
have a member of every conflict: it is a hitting set of them. So the search branches on the members of one
conflict at a time. Where a set hits all conflicts known so far, it is tried; if the rest is still impossible,
the rest has a conflict that was not known, and the search goes on with its members. All sets of the least
size are found in this way without trying all sets of that size. Reiter (1987), A theory of diagnosis from
first principles, Artificial Intelligence 32.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from bayou.distributions import DENSITY
from bayou.errors import TooWide
from bayou.inference import Mixture, Question, ask, explanation, relevant
from bayou.inference.conflict import Key, finding_keys, minimal_conflict, with_only
from bayou.inference.query import is_possible
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

MOST_TRIALS = 4096
"""The most sets of findings that are tried. Beyond, one set is returned that cannot be made smaller."""


@dataclass(frozen=True, eq=False)
class FreedFinding:
    """One finding that is released, and the distribution of its variable given all findings that stay.

    ``table`` has the probabilities of its states, ``mixture`` the distribution of a number; both are None
    where the variable is still fixed by another finding, or has neither states nor a Gaussian distribution.
    """

    key: Key
    table: FloatArray | None = None
    mixture: Mixture | None = None


@dataclass(frozen=True, eq=False)
class ReleasedSet:
    """Findings whose release makes the others possible, and log P(the others).

    ``states`` are the most probable states of the released variables, all together, given the others.
    """

    freed: tuple[FreedFinding, ...]
    log_probability: float
    states: dict[Name, int]


@dataclass(frozen=True, eq=False)
class NearestPossible:
    """The sets of findings to release, the one that leaves the most probable others first.

    Empty if the findings are possible: then ``log_probability`` is that of all. ``is_complete`` says whether
    these are all sets of the least size.
    """

    sets: tuple[ReleasedSet, ...]
    log_probability: float
    is_complete: bool


def nearest_possible(network: FrozenNetwork, question: Question) -> NearestPossible:
    """Return the smallest sets of findings whose release makes the rest possible; its do stays."""
    question = replace(question, targets=())
    network.require(relevant(network, question))
    if is_possible(network, question):
        return NearestPossible((), ask(network, question).log_evidence, True)
    search = _Search(network, question)
    released = search.smallest()
    sets = [_released(network, question, search.keys, keys) for keys in released]
    sets.sort(key=lambda one: -one.log_probability)
    return NearestPossible(tuple(sets), -inf, search.is_complete)


class _TooManyTrials(Exception):
    """The search has tried as many sets as it may."""


class _Search:
    """The search for the smallest sets to release."""

    def __init__(self, network: FrozenNetwork, question: Question) -> None:
        self.network, self.question = network, question
        self.keys = finding_keys(question)
        self.conflicts: list[frozenset[Key]] = []
        self.found: list[frozenset[Key]] = []
        self.seen: set[frozenset[Key]] = set()
        self.is_complete = True
        self.tried: dict[tuple[frozenset[Name], frozenset[Name]], bool] = {}

    def smallest(self) -> list[frozenset[Key]]:
        """All sets of the least size, as far as the trials reach."""
        try:
            for size in range(1, len(self.keys) + 1):
                self.seen.clear()
                self._extend(frozenset(), size)
                if self.found:
                    break
        except _TooManyTrials:
            self.is_complete = False
        return self.found or [self._one_by_one()]

    def _extend(self, released: frozenset[Key], size: int) -> None:
        """Try a set that is released, or larger ones with a member of a conflict that it leaves."""
        if released in self.seen:
            return
        self.seen.add(released)
        left = next((one for one in self.conflicts if one.isdisjoint(released)), None)
        if left is None and self._suffices(released):
            self.found.append(released)
            return
        if len(released) == size:
            return
        if left is None:
            left = self._conflict_without(released)
            self.conflicts.append(left)
        for key in self.keys:
            if key in left:
                self._extend(released | {key}, size)

    def _rest(self, released: frozenset[Key]) -> list[Key]:
        return [key for key in self.keys if key not in released]

    def _suffices(self, released: frozenset[Key]) -> bool:
        """Whether the findings that stay are possible."""
        try:
            return self._possible(with_only(self.question, self._rest(released)))
        except TooWide:
            # This set cannot be tried: larger ones may be, and the least size is not certain.
            self.is_complete = False
            return False

    def _conflict_without(self, released: frozenset[Key]) -> frozenset[Key]:
        """A conflict among the findings that stay."""
        rest = self._rest(released)
        try:
            found = minimal_conflict(self.question, rest, self._possible)
            # Trials that are too much work may have left a set that is no conflict; the rest is one.
            return frozenset(rest if self._possible(with_only(self.question, found)) else found)
        except TooWide:
            return frozenset(rest)

    def _possible(self, trial: Question) -> bool:
        """Whether findings are possible; each set of them is tried once."""
        chosen = frozenset(trial.evidence), frozenset(trial.likelihood)
        if chosen not in self.tried:
            if len(self.tried) >= MOST_TRIALS:
                raise _TooManyTrials
            self.tried[chosen] = is_possible(self.network, trial)
        return self.tried[chosen]

    def _one_by_one(self) -> frozenset[Key]:
        """Findings that do not fit those before them: a set that cannot be made smaller."""
        kept: list[Key] = []
        for key in self.keys:
            try:
                fits = is_possible(self.network, with_only(self.question, [*kept, key]))
            except TooWide:
                fits = False
            kept += [key] if fits else []
        return frozenset(self.keys) - frozenset(kept)


def _released(
    network: FrozenNetwork, question: Question, keys: list[Key], released: frozenset[Key]
) -> ReleasedSet:
    """A set that is released, with what its variables could be instead."""
    rest = with_only(question, [key for key in keys if key not in released])
    freed = tuple(_freed(network, rest, key) for key in keys if key in released)
    states = list(dict.fromkeys(one.key[1] for one in freed if one.table is not None))
    best = explanation(network, replace(rest, targets=tuple(states)))[0] if states else {}
    return ReleasedSet(freed, ask(network, rest).log_evidence, best)


def _freed(network: FrozenNetwork, rest: Question, key: Key) -> FreedFinding:
    name = key[1]
    if name in rest.evidence or name in rest.do or network.distribution(name).form == DENSITY:
        return FreedFinding(key)
    answer = ask(network, replace(rest, targets=(name,)))
    return FreedFinding(key, answer.table, answer.mixture)
