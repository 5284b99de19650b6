"""Noisy-OR, noisy-AND and noisy-MAX: independent causes propose states of the child, the strongest wins.

With the states ordered by strength, P(y | x₁ … xₙ) = Π_i F_i(y) − Π_i F_i(y − 1), where F_i(y) is the
probability that cause i, in state xᵢ, proposes at most y (i = 0 is the leak). Díez (1993), Parameter
adjustment in Bayes networks: the generalized noisy OR-gate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from bayou._native import sample_categorical
from bayou.distributions.family import Codes, Family, FamilyRows, RandomStream
from bayou.distributions.finite import FiniteDistribution
from bayou.distributions.noisy.noisy_em import fit_causes, normalised_lines
from bayou.distributions.noisy.noisy_expectation import proposals_of_chain, proposals_of_table
from bayou.distributions.priors import Prior
from bayou.distributions.table import require_distributions, weighted_logs
from bayou.distributions.unbounded import Unbounded, logits, softmax, softmax_gradient
from bayou.errors import BadTable, TooWide
from bayou.statistics import DistinctRows, ProposalCounts, Proposals, RowCounts
from bayou.typing import CodeArray, FloatArray

SMALL_TABLE = 64
"""A noisy node whose full table has at most this many cells is cheaper as a table than as factors."""
LARGEST_EXPANDED = 2**24
"""The most cells of a full table that is made of a noisy node (128 MiB)."""


@dataclass(frozen=True, eq=False)
class MaxOfCauses(FiniteDistribution):
    """Every parent, and the leak, proposes a state of the child at random; the strongest proposal wins.

    ``links`` has one array (parent's states, child's states) per parent, ``leak`` is a single row.
    ``strength`` lists the child's codes from weakest to strongest. ``neutral`` is each parent's state that
    always proposes the weakest (-1: no state does); its row is not a parameter.

    >>> flu = np.array([[1.0, 0.0], [0.2, 0.8]])
    >>> node = MaxOfCauses((flu, flu), np.array([0.9, 0.1]), (0, 1), (0, 0), "or")
    >>> node.free_parameters, node.table[1, 1].round(4).tolist()
    (3, [0.036, 0.964])
    """

    kind: ClassVar[str] = "causes"
    uses_prior: ClassVar[bool] = True
    is_tabled: ClassVar[bool] = False
    links: tuple[FloatArray, ...]
    leak: FloatArray
    strength: tuple[int, ...]
    neutral: tuple[int, ...]
    logic: str

    def __post_init__(self) -> None:
        size = len(self.leak)
        sound = (
            sorted(self.strength) == list(range(size))
            and self.leak.shape == (size,)
            and len(self.neutral) == len(self.links)
            and all(link.ndim == 2 and link.shape[1] == size for link in self.links)
            and all(-1 <= k < len(link) for k, link in zip(self.neutral, self.links, strict=True))
        )
        if not sound:
            raise BadTable(
                "The links, leak, strengths and neutral states of a noisy node do not fit together."
            )

    @classmethod
    def needs(cls, family: Family) -> DistinctRows:
        """The distinct rows of the family: a table of all combinations would be too wide."""
        return DistinctRows(family.names)

    @classmethod
    def expects(cls, family: Family) -> ProposalCounts:
        """The expected proposals of each cause."""
        return ProposalCounts(family.names)

    @classmethod
    def estimate(cls, answer: RowCounts, family: Family, prior: Prior) -> MaxOfCauses:
        """Estimate a noisy-MAX whose first states are neutral; ``NodeKind`` declares other nodes."""
        codes = tuple(range(family.child.cardinality))
        return cls.learned(answer, family, prior, codes, (0,) * len(family.parents), "max")

    @classmethod
    def learned(
        cls,
        rows: RowCounts,
        family: Family,
        prior: Prior,
        strength: tuple[int, ...],
        neutral: tuple[int, ...],
        logic: str,
        trace: list[float] | None = None,
    ) -> MaxOfCauses:
        """Estimate by EM over the hidden proposals: maximum likelihood, or a posteriori with pseudocounts.

        ``trace`` collects the objective after each step; it never decreases.
        """
        links, leak = fit_causes(rows, prior, strength, neutral, trace)
        return cls(tuple(links), leak, strength, neutral, logic)

    @classmethod
    def from_proposals(
        cls,
        proposed: Proposals,
        family: Family,
        prior: Prior,
        strength: tuple[int, ...],
        neutral: tuple[int, ...],
        logic: str,
    ) -> MaxOfCauses:
        """The M-step of EM: normalise the expected proposals of each cause plus pseudocounts.

        >>> from bayou.distributions import Laplace
        >>> from bayou.schema import Variable
        >>> rain, wet = Variable("Rain", ["no", "yes"]), Variable("Wet", ["no", "yes"])
        >>> counts = Proposals((np.array([[5.0, 0.0], [1.0, 2.0]]),), np.array([7.0, 1.0]))
        >>> node = MaxOfCauses.from_proposals(counts, Family(wet, (rain,)), Laplace(1), (0, 1), (0,), "or")
        >>> node.links[0].tolist(), node.leak.tolist()
        ([[1.0, 0.0], [0.4, 0.6]], [0.8, 0.2])
        """
        estimated = []
        for counts, parent, code in zip(proposed.links, family.parents, neutral, strict=True):
            link = normalised_lines(counts + prior.pseudocounts(family.child, [parent]))
            if code >= 0:
                link[code] = np.eye(len(proposed.leak))[strength[0]]
            estimated.append(link)
        leak = normalised_lines((proposed.leak + prior.pseudocounts(family.child, []))[None])[0]
        return cls(tuple(estimated), leak, strength, neutral, logic)

    @classmethod
    def count_parameters(cls, family: Family) -> tuple[int, int]:
        """One row per state of each parent except the neutral one, and the leak."""
        rows = 1 + sum(parent.cardinality - 1 for parent in family.parents)
        count = rows * (family.child.cardinality - 1)
        return count, count

    @classmethod
    def warn_about(cls, answer: Proposals, family: Family, prior: Prior) -> None:
        """Do nothing: every cause has expected proposals."""

    @property
    def free_parameters(self) -> int:
        """A noisy-OR of n two-state parents has n + 1: neutral rows are not parameters."""
        rows = 1 + sum(len(link) - (code >= 0) for link, code in zip(self.links, self.neutral, strict=True))
        return rows * (len(self.leak) - 1)

    @property
    def printed_cells(self) -> int:
        """One line per state of a parent that is not neutral, and one for the leak."""
        return 1 + sum(len(link) - (k >= 0) for link, k in zip(self.links, self.neutral, strict=True))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape that the full table would have."""
        return (*(len(link) for link in self.links), len(self.leak))

    def _lines(self, parents: Sequence[Codes], n: int) -> FloatArray:
        """P(child | these parents' codes), one row per row of codes."""
        order = list(self.strength)
        below: FloatArray = np.repeat(np.cumsum(self.leak[order])[None], n, axis=0)
        for link, codes in zip(self.links, parents, strict=True):
            below *= np.cumsum(link[:, order], axis=1)[np.asarray(codes, dtype=np.int64)]
        result = np.empty_like(below)
        result[:, order] = np.diff(below, axis=1, prepend=0.0)
        return result

    def probability(self, rows: FamilyRows) -> FloatArray:
        """P(child | parents) of each row, without making the full table."""
        lines = self._lines(rows.codes, rows.rows)
        picked: FloatArray = lines[np.arange(rows.rows), rows.observed.astype(np.int64)]
        return picked

    def sample(self, rows: FamilyRows, stream: RandomStream) -> CodeArray:
        """Draw a code for each row; the same seed gives the same draws however the rows are split."""
        cumulative = np.cumsum(self._lines(rows.codes, rows.rows), axis=1)
        each = np.arange(rows.rows, dtype=np.uint32)
        return sample_categorical(stream.seed, stream.stream, stream.first_row, each, cumulative, rows.rows)

    @cached_property
    def table(self) -> FloatArray:
        """The full table (parents …, child); raises TooWide where it would be too large."""
        cells = 1
        for size in self.shape:
            cells *= size
        if cells > LARGEST_EXPANDED:
            raise TooWide(
                f"As a full table, this noisy node with {len(self.links)} parents has {cells:,} cells "
                f"(at most {LARGEST_EXPANDED:,}). Use the compiled engine, which keeps it factored, and save "
                "it as .bayou."
            )
        order = list(self.strength)
        below = np.cumsum(self.leak[order])
        for link in reversed(self.links):
            steps = np.cumsum(link[:, order], axis=1)
            below = steps.reshape(len(link), *[1] * (below.ndim - 1), -1) * below[None]
        result = np.empty_like(below)
        result[..., order] = np.diff(below, axis=-1, prepend=0.0)
        return result

    @property
    def is_factored(self) -> bool:
        """Whether it is a chain of factors: always, unless there is one parent or the table is small."""
        cells = 1
        for size in self.shape:
            cells *= size
        return len(self.links) > 1 and cells > SMALL_TABLE

    @property
    def auxiliary_sizes(self) -> list[int]:
        """One auxiliary variable after each parent except the last: the strongest proposal so far."""
        return [len(self.leak)] * max(len(self.links) - 1, 0)

    def factors(self, order: Sequence[int]) -> list[tuple[list[int], FloatArray]]:
        """The chain of the strongest proposal so far, with the parents in this order; never the full table.

        The axes of a factor are (strongest before, parent, strongest after); the last "after" is the child.
        """
        child = len(self.links)
        strongest = [*(child + 1 + k for k in range(child - 1)), child]
        return [
            ([*([strongest[k - 1]] if k else []), *([order[k]] if child else []), strongest[k]], table)
            for k, table in enumerate(self.chain(order))
        ]

    def split_finding(self, code: int) -> tuple[list[FloatArray], float] | None:
        """Only the weakest state splits: each cause, and the leak, must have proposed it."""
        if code != self.strength[0]:
            return None
        return [np.ascontiguousarray(link[:, code]) for link in self.links], float(self.leak[code])

    def distribute_counts(
        self, counts: Sequence[FloatArray], order: Sequence[int], family: Family
    ) -> Proposals:
        """The expected proposals of each cause, from expected counts of the chain."""
        return proposals_of_chain(self, order, counts)

    def distribute_table(self, counts: FloatArray, family: Family) -> Proposals:
        """The expected proposals of each cause, from expected counts of the full table."""
        return proposals_of_table(self, counts)

    def chain(self, order: Sequence[int]) -> list[FloatArray]:
        """Tables whose product, summed over the strongest so far, is the full table; parents in this order.

        The first is P(strongest₁ | parent₁), the next P(strongestₖ | strongestₖ₋₁, parentₖ); the strongest
        after the last parent is the child. Their entries are probabilities, never negative.
        """
        ranks = list(self.strength)
        size = len(ranks)
        tables = []
        before = self.leak[ranks][None]
        for place, position in enumerate(order):
            link = self.links[position][:, ranks]
            table = _strongest(link)
            if place == 0:
                table = np.einsum("m,mxn->xn", before[0], table)
            if place == len(order) - 1:
                by_code = np.empty_like(table)
                by_code[..., ranks] = table
                table = by_code
            tables.append(np.ascontiguousarray(table))
        return tables if tables else [self.leak.reshape(size)]

    def estimated_again(self, answer: RowCounts, family: Family, prior: Prior) -> MaxOfCauses:
        """Estimate again with the same marked states."""
        return self.learned(answer, family, prior, self.strength, self.neutral, self.logic)

    # Learned with gaps

    def maximised(self, answer: Proposals, family: Family, prior: Prior) -> MaxOfCauses:
        """The M-step: each cause from its expected proposals."""
        return self.from_proposals(answer, family, prior, self.strength, self.neutral, self.logic)

    def prior_records(self, family: Family, prior: Prior, before: Any) -> list[FloatArray]:
        """The pseudocounts of each link (0 in neutral rows), and of the leak."""
        records = []
        for link, parent, neutral in zip(self.links, family.parents, self.neutral, strict=True):
            pseudo = np.array(np.broadcast_to(prior.pseudocounts(family.child, [parent]), link.shape))
            if neutral >= 0:
                pseudo[neutral] = 0.0
            records.append(pseudo)
        return [*records, np.broadcast_to(prior.pseudocounts(family.child, []), self.leak.shape)]

    def log_prior(self, records: list[FloatArray]) -> float:
        """Σ pseudocount · log θ over the links and the leak."""
        return sum(map(weighted_logs, records, (*self.links, self.leak)))

    def unbounded(self, answer: Proposals, records: list[FloatArray], family: Family) -> Unbounded:
        """Each row of a link, and the leak, is the softmax of free numbers; neutral rows are fixed."""
        lines = np.concatenate([*self.links, self.leak[None]])
        edges = np.cumsum([len(link) for link in self.links]).astype(np.int64)
        pseudo = np.concatenate([np.atleast_2d(part) for part in records])
        starts = np.concatenate([[0], edges[:-1]]).astype(np.int64)
        fixed = [int(s) + k for s, k in zip(starts, self.neutral, strict=False) if k >= 0]

        def chances(free: FloatArray) -> FloatArray:
            rows = softmax(free.reshape(lines.shape))
            rows[fixed] = lines[fixed]
            return rows

        def made(free: FloatArray) -> MaxOfCauses:
            *links, leak = np.split(chances(free), edges)
            return replace(self, links=tuple(links), leak=leak[0])

        def gradient(free: FloatArray, answer: Proposals) -> FloatArray:
            counts = np.concatenate([*answer.links, answer.leak[None]]) + pseudo
            result = softmax_gradient(counts, chances(free))
            result[fixed] = 0.0
            return result.ravel()

        return Unbounded(logits(lines).ravel(), made, gradient)

    # In a file

    def state(self) -> dict[str, Any]:
        """The links, the leak, the order of strength and the neutral states."""
        return {
            "kind": self.kind,
            "logic": self.logic,
            "links": list(self.links),
            "leak": self.leak,
            "strength": list(self.strength),
            "neutral": list(self.neutral),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> MaxOfCauses:
        """Read :meth:`state`; raise BadFile if a row does not hold probabilities that sum to 1."""
        links, strength, neutral = (tuple(state[part]) for part in ("links", "strength", "neutral"))
        for rows in (*links, state["leak"]):
            require_distributions(rows)
        return cls(links, state["leak"], strength, neutral, state["logic"])


def _strongest(link: FloatArray) -> FloatArray:
    """P(max(m, proposal) | m, x), axes (m, x, result), all by strength."""
    states, size = link.shape
    table = np.zeros((size, states, size))
    for m in range(size):
        table[m, :, m] = link[:, : m + 1].sum(axis=1)
        table[m, :, m + 1 :] = link[:, m + 1 :]
    return table
