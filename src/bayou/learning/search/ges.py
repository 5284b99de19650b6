"""Greedy equivalence search (GES): a search over classes of equivalent networks.

Edges are added to the class while the score gains, then deleted. In the limit of many rows this finds the
class of the network that generated the data (Chickering 2002). With fewer rows it may end in a local optimum,
so a third phase turns single arcs of one network of the class where that gains, and the phases are repeated
(after Hauser & Bühlmann 2012). The steps and gains are defined in :mod:`bayou.learning.search.ges_operators`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from bayou.distributions import BDeu
from bayou.errors import BadGraph, BadPrior, BayouError
from bayou.graphs.meek import Bits, EdgeBits, compelled, extend, set_bits
from bayou.learning.scores.available_case_scores import ScaledToAllRows
from bayou.learning.scores.local_scores import LocalScores
from bayou.learning.scores.scores import MarginalLikelihood
from bayou.learning.search.constraints import Constraints
from bayou.learning.search.ges_native import native_search
from bayou.learning.search.ges_operators import ClassStep, EquivalenceClass, slack_of
from bayou.learning.search.search_result import LEAST_GAIN, FoundStructure, Parents
from bayou.learning.time_budget import OutOfTime, TimeBudget
from bayou.progress import tracked


def ges(scores: LocalScores, constraints: Constraints, budget: TimeBudget) -> FoundStructure:
    """A network of the class that is reached by adding, then deleting, then turning edges.

    The phases are repeated while they gain. The score must be equal for equivalent networks (BIC, AIC, BDeu).
    Of the constraints, ``max_parents`` and pairs that are forbidden in both directions are supported.

    >>> from bayou.learning.scores.local_scores import SourceScores
    >>> from bayou.learning.scores.scores import BIC
    >>> from bayou.sources import open_source
    >>> source = open_source({"A": [0, 0, 1, 1] * 9, "B": [0, 1, 0, 1] * 9, "C": [0, 1, 1, 1] * 9})
    >>> scores = SourceScores(source, [source.variable(name) for name in "ABC"], BIC())
    >>> ges(scores, Constraints.none(3), TimeBudget()).parents
    ((), (), (0, 1))
    """
    problem = refusal(scores, constraints)
    if problem is not None:
        raise problem
    search = native_search(scores, constraints, budget) or _ClassSearch(scores, constraints, budget)
    finished = True
    try:
        for _ in tracked(search.steps(), "steps between classes of networks"):
            pass
    except (OutOfTime, KeyboardInterrupt):
        finished = False
    parents = search.parents
    return FoundStructure(parents, float(scores.families(list(enumerate(parents))).sum()), finished)


def refusal(scores: LocalScores, constraints: Constraints) -> BayouError | None:
    """The error to raise if these scores or constraints do not allow this search, else None."""
    score = scores.score
    if isinstance(score, ScaledToAllRows):
        return BadPrior(
            "Greedy equivalence search needs a score that is equal for equivalent networks; with "
            "missing='available' each family is scored on its own rows, so it is not. Use missing='em', or "
            "hill climbing."
        )
    if isinstance(score, MarginalLikelihood) and not isinstance(score.prior, BDeu):
        return BadPrior(
            f"Greedy equivalence search needs a score that is equal for equivalent networks, and "
            f"{score.prior!r} does not give one: use score='bic' or 'bdeu', or another search."
        )
    if len({variable.is_continuous for variable in scores.variables}) > 1:
        return BadPrior(
            "Greedy equivalence search needs variables that are all discrete or all continuous: where they "
            "are mixed, equivalent networks differ in score. Use hill climbing or the order-based search."
        )
    one_way = constraints.allowed != constraints.allowed.T
    if constraints.required.any() or one_way.any():
        arc = np.argwhere(constraints.required | (one_way & ~constraints.allowed))[0]
        names = [scores.variables[place].name for place in arc]
        return BadGraph(
            "Greedy equivalence search leaves directions open and can neither require nor forbid "
            f"{names[0]!r} -> {names[1]!r} alone. Use hill climbing, the order-based or the exact "
            "search; pairs that are forbidden in both directions are fine."
        )
    return None


class _ClassSearch:
    """The current class, one of its networks, and the insertions that gain, for each variable as the head."""

    def __init__(self, scores: LocalScores, constraints: Constraints, budget: TimeBudget) -> None:
        size = len(scores.variables)
        self._scores, self._most, self._budget = scores, constraints.max_parents, budget
        self._is_limited = budget.seconds is not None
        self._joinable: Bits = [sum(1 << int(p) for p in np.flatnonzero(row)) for row in constraints.allowed]
        self.network: Bits = [0] * size
        self._class = EquivalenceClass(EdgeBits([0] * size, [0] * size))
        self._families: dict[tuple[int, int], float] = {}
        self._gains: dict[tuple[int, int], list[tuple[float, int]]] = {}
        self._insertions: list[list[ClassStep]] = [[] for _ in range(size)]
        self._slack = LEAST_GAIN

    @property
    def parents(self) -> Parents:
        """The parents of each variable in the current network."""
        return tuple(tuple(set_bits(bits)) for bits in self.network)

    def steps(self) -> Iterator[ClassStep]:
        """Add edges while that gains, then delete, then turn; repeat until no step gains."""
        self._slack = slack_of(self._scores)
        self._renew(range(len(self.network)))
        moved = True
        while moved:
            moved = False
            for best in (self._best_insertion, self._best_deletion, self._best_turn):
                while (step := best()) is not None:
                    moved = True
                    yield step
                    self._require_time()

    def _require_time(self) -> None:
        # Called tens of thousands of times; most searches have no limit.
        if self._is_limited and self._budget.over:
            raise OutOfTime

    def _best_insertion(self) -> ClassStep | None:
        """Make the valid insertion that gains most; None if none gains."""
        ranked = sorted((steps[0].gain, head) for head, steps in enumerate(self._insertions) if steps)
        # An edge can often be added in both directions with gains that differ only by rounding. All steps
        # within rounding of the best are collected, so that rounding does not decide between them.
        good: list[ClassStep] = []
        least = 0.0
        for most, head in reversed(ranked):
            if most < least:
                break
            for step in self._insertions[head]:
                if step.gain < least:
                    break
                self._require_time()
                if self._class.admits_insertion(step) and self._fits(self._class.after_insertion(step)):
                    good.append(step)
                    least = max(least, step.gain - self._slack)
        best = self._first(good)
        return best and self._take(best, self._class.after_insertion(best))

    def _first(self, steps: Iterable[ClassStep]) -> ClassStep | None:
        """The step that gains most; of steps equal up to rounding, the one between the last variables."""
        ranked = sorted(steps, reverse=True)
        equal = [step for step in ranked if step.gain >= ranked[0].gain - self._slack]
        return max(equal, key=lambda step: step[1:], default=None)

    def _best_deletion(self) -> ClassStep | None:
        """Make the deletion that gains most; None if none gains."""
        fitting = (step for step in self._deletions() if self._fits(self._class.after_deletion(step)))
        best = self._first(fitting)
        return best and self._take(best, self._class.after_deletion(best))

    def _deletions(self) -> Iterator[ClassStep]:
        """The deletions that gain: of each edge, with each clique of shared neighbours."""
        now = self._class
        for head, up in enumerate(now.parents):
            for tail in set_bits(up | now.edges[head]):
                for clique in now.cliques(now.shared(tail, head)):
                    self._require_time()
                    without = (up | clique) & ~(1 << tail)
                    gain = self._family(head, without) - self._family(head, without | 1 << tail)
                    if gain > self._slack:
                        yield ClassStep(gain, tail, head, clique)

    def _best_turn(self) -> ClassStep | None:
        """Turn the arc of the network that gains most; None if none gains."""
        turned = {step: self._turned(step) for step in self._turns()}
        best = self._first(
            step
            for step, network in turned.items()
            if extend(EdgeBits(network, [0] * len(network))) is not None
        )
        return best and self._become(best, turned[best])

    def _turned(self, step: ClassStep) -> Bits:
        """The network with the arc head → tail replaced by tail → head."""
        network = list(self.network)
        network[step.tail] &= ~(1 << step.head)
        network[step.head] |= 1 << step.tail
        return network

    def _turns(self) -> Iterator[ClassStep]:
        """The turns that gain, including those that would close a cycle."""
        for child, up in enumerate(self.network):
            for parent in set_bits(up):
                more = self.network[parent] | 1 << child
                dropped = self._family(child, up & ~(1 << parent)) - self._family(child, up)
                gain = dropped + self._family(parent, more) - self._family(parent, self.network[parent])
                if gain > self._slack and more.bit_count() <= self._most:
                    yield ClassStep(gain, child, parent, 0)

    def _fits(self, marks: EdgeBits) -> bool:
        """Whether the network of a class respects the limit on parents."""
        if self._most >= len(self.network) - 1:
            return True
        parents = extend(marks)
        return parents is not None and max(bits.bit_count() for bits in parents) <= self._most

    def _take(self, step: ClassStep, marks: EdgeBits) -> ClassStep:
        """Go to the class of this partly directed graph."""
        network = extend(marks)
        assert network is not None, "a valid step leads to a class"
        return self._become(step, network)

    def _become(self, step: ClassStep, network: Bits) -> ClassStep:
        """Go to the class of this network, and renew the insertions of the variables that it concerns."""
        before = self._class
        self.network, self._class = network, EquivalenceClass(compelled(network))
        ends = 1 << step.tail | 1 << step.head
        self._renew(
            head
            for head, edges in enumerate(self._class.edges)
            if edges != before.edges[head]
            or self._class.parents[head] != before.parents[head]
            or edges & ends == ends
        )
        return step

    def _renew(self, heads: Iterable[int]) -> None:
        """Recompute the insertions at these heads, the best first."""
        for head in heads:
            up, near = self._class.parents[head], self._class.edges[head]
            steps = []
            for clique in self._class.cliques(near):
                # There are many cliques where the graph is dense.
                self._require_time()
                if (up | clique).bit_count() < self._most:
                    gains = self._gains_of(head, up | clique)
                    steps += [ClassStep(gain, tail, head, clique) for gain, tail in gains]
            self._insertions[head] = sorted(steps, reverse=True)

    def _gains_of(self, head: int, parents: int) -> list[tuple[float, int]]:
        """The positive gains of one more parent of the head, each with that parent."""
        if (head, parents) not in self._gains:
            tails = list(set_bits(self._joinable[head] & ~parents))
            values = self._scores.additions(head, tuple(set_bits(parents)), tails)
            gains = (values - self._family(head, parents)).tolist()
            kept = [(gain, tail) for gain, tail in zip(gains, tails, strict=True) if gain > self._slack]
            self._gains[head, parents] = kept
        return self._gains[head, parents]

    def _family(self, child: int, parents: int) -> float:
        if (child, parents) not in self._families:
            value = self._scores.families([(child, tuple(set_bits(parents)))])[0]
            self._families[child, parents] = float(value)
        return self._families[child, parents]
