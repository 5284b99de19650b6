"""Structural EM: rows with gaps are completed by the present network, then climbed on, then fitted again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bayou.inference.completing import GappyRows, fill_by_drawing
from bayou.learning.found import Budget, Found, Parents
from bayou.learning.local_scores import Family, LocalScores
from bayou.networks import FrozenNetwork
from bayou.progress import tracked
from bayou.schema import Variable
from bayou.statistics import Batch
from bayou.typing import FloatArray, IntArray

COMPLETIONS = 3
"""How often each row is completed, so that one unlucky draw decides nothing."""

TRIES = 2
"""So many rounds in a row may gain nothing before it ends."""


@dataclass(frozen=True)
class Fitted:
    """A structure with the parameters that the incomplete rows give it, and their penalised likelihood."""

    parents: Parents
    network: FrozenNetwork
    value: float


class MeanScores:
    """The mean of several scores of the same families: one for each completion of the rows."""

    def __init__(self, parts: Sequence[LocalScores]) -> None:
        self.parts = parts
        self.variables: tuple[Variable, ...] = parts[0].variables
        self.score = parts[0].score

    def families(self, wanted: Sequence[Family]) -> FloatArray:
        """The mean score of each family."""
        return np.asarray(np.mean([part.families(wanted) for part in self.parts], axis=0))

    def additions(
        self, child: int, parents: tuple[int, ...], candidates: Sequence[int] | IntArray
    ) -> FloatArray:
        """The mean score with one more parent, for each candidate."""
        return np.asarray(
            np.mean([part.additions(child, parents, candidates) for part in self.parts], axis=0)
        )


def completed(network: FrozenNetwork, rows: Batch, seed: int) -> Batch:
    """The rows, each gap filled by a draw given what the row has; impossible rows keep theirs."""
    names = [*rows.codes, *rows.numbers]
    gaps = {name: rows.missing(name) for name in names}
    gaps = {name: where for name, where in gaps.items() if where.any()}
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
class Means:
    """What each round needs: scores of complete rows, a search from a structure, a fit to incomplete rows."""

    score: Callable[[Batch], LocalScores]
    climb: Callable[[LocalScores, Parents | None], Found]
    fit: Callable[[Parents], Fitted]


class StructuralEM:
    """Rounds of completing, climbing and fitting; ``best`` and ``trace`` grow with them.

    A structure is taken over only where the likelihood of the incomplete rows, less the price of its
    parameters, is higher than before.
    """

    def __init__(self, rows: Batch, means: Means, budget: Budget, seed: int = 0) -> None:
        self.rows, self.means, self.budget, self.seed = rows, means, budget, seed
        self.best: Fitted | None = None
        self.trace: list[float] = []
        self._known: dict[Parents, Fitted] = {}

    def run(self, start: Parents | None, guess: Parents | None) -> Found:
        """Begin with a structure, or else with what is climbed on rows that a first guess completes.

        The score of what is returned is the last of the trace.
        """
        finished = False
        first = self.means.fit(start) if start is not None else self._climbed_from(guess)
        self._take(first)
        try:
            for _ in tracked(self._rounds(), self._told):
                pass
            finished = not self.budget.over
        except KeyboardInterrupt:
            pass
        assert self.best is not None
        return Found(self.best.parents, self.best.value, finished)

    def scores(self, done: int) -> MeanScores:
        """Scores of the rows as the best network completes them, by other draws in every round."""
        assert self.best is not None
        return self._completed_scores(self.best.network, done + 1)

    def _climbed_from(self, guess: Parents | None) -> Fitted:
        assert guess is not None
        scores = self._completed_scores(self.means.fit(guess).network, 0)
        return self._fitted(self.means.climb(scores, None).parents)

    def _completed_scores(self, network: FrozenNetwork, done: int) -> MeanScores:
        seeds = [self.seed + done * COMPLETIONS + k for k in range(COMPLETIONS)]
        return MeanScores([self.means.score(completed(network, self.rows, seed)) for seed in seeds])

    def _rounds(self) -> Iterator[int]:
        done = idle = 0
        while idle < TRIES and not self.budget.over:
            assert self.best is not None
            found = self._fitted(self.means.climb(self.scores(done), self.best.parents).parents)
            gained = found.value > self.best.value + 1e-9 * abs(self.best.value)
            if gained:
                self._take(found)
            idle = 0 if gained else idle + 1
            done += 1
            yield done

    def _fitted(self, parents: Parents) -> Fitted:
        if parents not in self._known:
            self._known[parents] = self.means.fit(parents)
        return self._known[parents]

    def _take(self, found: Fitted) -> None:
        self.best = found
        self.trace.append(found.value)

    def _told(self) -> str:
        return f"structural EM: penalised log-likelihood {self.trace[-1]:,.2f}"
