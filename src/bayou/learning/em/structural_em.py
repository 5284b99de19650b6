"""Structural EM (Friedman 1997): learn a structure from rows with missing values.

Each round completes the rows by draws from the current network, searches a structure on the completed rows,
and fits it to the incomplete rows by EM. The new structure replaces the current one only if the likelihood of
the incomplete rows, minus the penalty for parameters, is higher.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bayou.errors import BadData, NoConvergence, TooWide
from bayou.inference.rows.imputation import GappyRows, fill_by_drawing
from bayou.inference.sampling.gibbs_imputation import gibbs_completed
from bayou.learning.scores.local_scores import FamilyNumbers, LocalScores
from bayou.learning.scores.scores import Score
from bayou.learning.search.search_result import FoundStructure, Parents
from bayou.learning.time_budget import TimeBudget
from bayou.memory import current_limits, limits
from bayou.networks import FrozenNetwork
from bayou.progress import tracked
from bayou.schema import Variable
from bayou.statistics import Batch
from bayou.typing import BoolArray, FloatArray, IntArray, Name

COMPLETIONS = 3
"""The number of completions of each row, so that no single draw decides."""

MOST_WORK, MOST_MEMORY = 2.0**38, 2.0**26
"""Limits of exact completion: table entries visited for all rows (64 rows at a time), and bytes."""

TRIES = 2
"""The search ends after this many rounds in a row without a gain."""


@dataclass(frozen=True)
class FittedStructure:
    """A structure, its network fitted to the incomplete rows, and the penalised log-likelihood (``value``).

    ``finished`` is False if the time limit or the user ended the fit; the value is still that of the network.
    """

    parents: Parents
    network: FrozenNetwork
    value: float
    finished: bool = True


class MeanScores:
    """The mean of several scores of the same families: one for each completion of the rows.

    Families in ``unfit`` (their parents determine a continuous child), and the same with more parents, score
    −∞: random completions would hide that they have no density.
    """

    def __init__(self, parts: Sequence[LocalScores], unfit: Iterable[FamilyNumbers] = ()) -> None:
        self.parts = parts
        self.variables: tuple[Variable, ...] = parts[0].variables
        self._unfit: dict[int, list[set[int]]] = {}
        for child, parents in unfit:
            self._unfit.setdefault(child, []).append(set(parents))

    @property
    def score(self) -> Score:
        """The score that is computed on every completion."""
        return self.parts[0].score

    def families(self, wanted: Sequence[FamilyNumbers]) -> FloatArray:
        """The mean score of each family."""
        return self._mean([part.families(wanted) for part in self.parts], wanted)

    def additions(
        self, child: int, parents: tuple[int, ...], candidates: Sequence[int] | IntArray
    ) -> FloatArray:
        """The mean score with one more parent, for each candidate."""
        wanted = [(child, (*parents, int(candidate))) for candidate in candidates]
        return self._mean([part.additions(child, parents, candidates) for part in self.parts], wanted)

    def _mean(self, values: Sequence[FloatArray], wanted: Sequence[FamilyNumbers]) -> FloatArray:
        mean = np.asarray(np.mean(values, axis=0))
        if not self._unfit:
            return mean
        unfit = [
            any(some.issubset(parents) for some in self._unfit.get(child, ())) for child, parents in wanted
        ]
        return np.where(unfit, -np.inf, mean)


def completed_rows(network: FrozenNetwork, rows: Batch, seed: int) -> Batch:
    """The rows with each missing value drawn given the row's observed values; impossible rows are unchanged.

    Draws are exact, or made by Gibbs sampling if exact inference would take too long.
    """
    names = [*rows.codes, *rows.numbers]
    gaps = {name: rows.missing(name) for name in names}
    gaps = {name: where for name, where in gaps.items() if where.any()}
    if rows.numbers or not gaps:
        return _drawn(network, rows, gaps, seed)
    allowed = current_limits()
    work = min(allowed.work, MOST_WORK / (rows.rows * len(gaps)))
    try:
        with limits(memory=min(allowed.memory, MOST_MEMORY), work=work):
            return _drawn(network, rows, gaps, seed)
    except TooWide:
        return gibbs_completed(network, rows, seed)


def _drawn(network: FrozenNetwork, rows: Batch, gaps: Mapping[Name, BoolArray], seed: int) -> Batch:
    done = fill_by_drawing(network, GappyRows(rows.rows, rows.codes, rows.numbers, gaps), seed)
    codes, numbers = dict(rows.codes), dict(rows.numbers)
    for name, where in gaps.items():
        values = np.asarray(done.values[name], dtype=np.float64)
        known = ~np.isnan(values)
        places = np.flatnonzero(where)[known]
        if name in codes:
            codes[name] = codes[name].copy()
            codes[name][places] = values[known].astype(codes[name].dtype)
        else:
            numbers[name] = numbers[name].copy()
            numbers[name][places] = values[known]
    return replace(rows, codes=codes, numbers=numbers)


@dataclass(frozen=True)
class RoundFunctions:
    """The functions that each round needs: a search on completed rows, and a fit to incomplete rows.

    ``climb`` takes the rows in each of their completions, families that have no density, and a structure to
    start from. ``fit`` keeps to its budget, except for its first iteration. ``without_density`` takes a
    structure that cannot be fitted and one that can, and returns the families of the first that are the
    cause.
    """

    climb: Callable[[Sequence[Batch], Iterable[FamilyNumbers], Parents | None], FoundStructure]
    fit: Callable[[Parents, TimeBudget], FittedStructure]
    without_density: Callable[[Parents, Parents], Sequence[FamilyNumbers]] = lambda parents, fitted: ()


class _Stopped(Exception):
    """The time is up, or the user has interrupted a fit or a search."""


class StructuralEM:
    """Rounds of completing, searching and fitting.

    ``best`` is the best structure so far, ``trace`` the values of all structures that were the best in turn.
    """

    def __init__(self, rows: Batch, means: RoundFunctions, budget: TimeBudget, seed: int = 0) -> None:
        self.rows, self.means, self.budget, self.seed = rows, means, budget, seed
        self.best: FittedStructure | None = None
        self.trace: list[float] = []
        self._known: dict[Parents, FittedStructure] = {}
        self._guess: FittedStructure | None = None
        self._unfit: set[FamilyNumbers] = set()

    def run(self, start: Parents | None, guess: Parents | None, least: Parents) -> FoundStructure:
        """Search from the structure ``start``, or from one found on rows completed by a first ``guess``.

        The score of the result is the last value of the trace. ``least`` is a structure that satisfies the
        constraints; it is returned if the search is stopped before a better one is known.
        """
        finished = False
        try:
            self._begin(start, guess)
            for _ in tracked(self._rounds(), self._told):
                pass
            finished = not self.budget.over
        except _Stopped:
            pass
        except KeyboardInterrupt:
            if self.best is None and self._guess is None:
                raise
        if not finished:
            self._fall_back(least)
        assert self.best is not None
        return FoundStructure(self.best.parents, self.best.value, finished)

    def _begin(self, start: Parents | None, guess: Parents | None) -> None:
        if start is not None:
            self._consider(start)
            return
        assert guess is not None
        first = self._guess = self._fitted(guess)
        if not first.finished:
            raise _Stopped
        while self.best is None:
            found = self._climbed(first.network, 0, None)
            if not found.finished:
                self._take(self._briefly(found.parents))
                raise _Stopped
            self._consider(found.parents)

    def _climbed(self, network: FrozenNetwork, done: int, start: Parents | None) -> FoundStructure:
        """Search on rows completed by draws from a network; each round ``done`` has its own draws."""
        parts = []
        for seed in range(self.seed + done * COMPLETIONS, self.seed + (done + 1) * COMPLETIONS):
            if self.budget.over:
                raise _Stopped
            parts.append(completed_rows(network, self.rows, seed))
        return self.means.climb(parts, self._unfit, start)

    def _rounds(self) -> Iterator[int]:
        done = idle = 0
        while idle < TRIES and not self.budget.over:
            assert self.best is not None
            done += 1
            found = self._climbed(self.best.network, done, self.best.parents)
            if not found.finished:
                raise _Stopped
            unfit = len(self._unfit)
            if self._consider(found.parents):
                idle = 0
            elif len(self._unfit) == unfit:
                idle += 1
            yield done

    def _consider(self, parents: Parents) -> bool:
        """Fit a structure and take it if it is better; return whether it is. Without a density it is not."""
        try:
            found = self._fitted(parents)
        except (BadData, NoConvergence):
            if not self._blamed(parents):
                raise
            return False
        better = self.best is None or found.value > self.best.value + 1e-9 * abs(self.best.value)
        if better:
            self._take(found)
        if not found.finished:
            raise _Stopped
        return better

    def _blamed(self, parents: Parents) -> bool:
        """Record the families that make this structure unfit; return whether any of them is new."""
        fitted = self.best or self._guess
        causes = () if fitted is None else self.means.without_density(parents, fitted.parents)
        known = len(self._unfit)
        self._unfit.update(causes)
        return len(self._unfit) > known

    def _fitted(self, parents: Parents) -> FittedStructure:
        """The fit of a structure; finished fits are remembered."""
        known = self._known.get(parents)
        if known is None:
            known = self.means.fit(parents, self.budget)
            if known.finished:
                self._known[parents] = known
        return known

    def _fall_back(self, least: Parents) -> None:
        """After a stop: take the first guess if it is ``least`` and better; without a best, ``least``."""
        guess = self._guess
        if guess is not None and guess.parents == least:
            if self.best is None or guess.value > self.best.value:
                self._take(guess)
        elif self.best is None:
            self._take(self._briefly(least))

    def _briefly(self, parents: Parents) -> FittedStructure:
        """A remembered fit of the structure, or a fit of one iteration, for use after the time is up."""
        return self._known.get(parents) or self.means.fit(parents, TimeBudget(0.0))

    def _take(self, found: FittedStructure) -> None:
        self.best = found
        self.trace.append(found.value)

    def _told(self) -> str:
        return f"structural EM: penalised log-likelihood {self.trace[-1]:,.2f}"
