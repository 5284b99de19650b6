"""Independent causes, the strongest of which wins: noisy-OR, noisy-AND and noisy-MAX."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np

from bayou._native import sample_categorical
from bayou.distributions.node_kind import NodeKind
from bayou.distributions.noisy_em import fit_causes, normalised_lines
from bayou.distributions.priors import Prior
from bayou.distributions.table import require_distributions
from bayou.errors import BadTable, TooWide
from bayou.schema import Variable
from bayou.statistics import DistinctRows, RowCounts
from bayou.typing import CodeArray, FloatArray, IntArray

Codes: TypeAlias = CodeArray | IntArray
LARGEST_EXPANDED = 2**24
"""The most cells of a full table that a noisy node is written out to (128 MiB)."""


@dataclass(frozen=True, eq=False)
class MaxOfCauses:
    """Every parent, and the leak, proposes a state of the child at random; the strongest proposal wins.

    ``links`` has an array (parent's states, child's states) for each parent, ``leak`` one row.
    ``strength`` lists the child's codes from weakest to strongest; ``neutral`` is each parent's state that
    always proposes the weakest (-1: none is), which is no parameter.

    >>> flu = np.array([[1.0, 0.0], [0.2, 0.8]])
    >>> node = MaxOfCauses((flu, flu), np.array([0.9, 0.1]), (0, 1), (0, 0), "or")
    >>> node.free_parameters, node.expanded[1, 1].round(4).tolist()
    (3, [0.036, 0.964])
    """

    kind: ClassVar[str] = "causes"
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
            raise BadTable("The links, leak, strengths and neutral states of a noisy node do not fit.")

    @staticmethod
    def needs(child: Variable, parents: Sequence[Variable]) -> DistinctRows:
        """The statistic that this distribution is estimated from."""
        return DistinctRows((*(parent.name for parent in parents), child.name))

    @classmethod
    def estimate(
        cls, rows: RowCounts, prior: Prior, kind: NodeKind, trace: list[float] | None = None
    ) -> MaxOfCauses:
        """Maximum likelihood (with pseudocounts: maximum a posteriori) by EM over the unseen proposals.

        ``trace`` collects the objective after each step; it never falls.
        """
        *parents, child = rows.axes
        kind.check(child, parents)
        strength = kind.strength(child)
        neutral = tuple(kind.neutral(parent) for parent in parents)
        links, leak = fit_causes(rows, prior, strength, neutral, trace)
        return cls(tuple(links), leak, strength, neutral, kind.logic)

    @classmethod
    def from_expected(
        cls,
        links: Sequence[FloatArray],
        leak: FloatArray,
        child: Variable,
        parents: Sequence[Variable],
        prior: Prior,
        like: NodeKind | MaxOfCauses,
    ) -> MaxOfCauses:
        """The M-step of EM: from how often each cause is expected to have proposed each state.

        ``links`` and ``leak`` are shaped like a node's own; ``like`` is its kind, or the node as it was.

        >>> from bayou.distributions import Laplace
        >>> rain, wet = Variable("Rain", ["no", "yes"]), Variable("Wet", ["no", "yes"])
        >>> counts = [np.array([[5.0, 0.0], [1.0, 2.0]])], np.array([7.0, 1.0])
        >>> node = MaxOfCauses.from_expected(*counts, wet, [rain], Laplace(1), NodeKind("or"))
        >>> node.links[0].tolist(), node.leak.tolist()
        ([[1.0, 0.0], [0.4, 0.6]], [0.8, 0.2])
        """
        if isinstance(like, NodeKind):
            strength, neutral = like.strength(child), tuple(like.neutral(parent) for parent in parents)
        else:
            strength, neutral = like.strength, like.neutral
        estimated = []
        for counts, parent, code in zip(links, parents, neutral, strict=True):
            link = normalised_lines(counts + prior.pseudocounts(child, [parent]))
            if code >= 0:
                link[code] = np.eye(len(leak))[strength[0]]
            estimated.append(link)
        leak_line = normalised_lines((leak + prior.pseudocounts(child, []))[None])[0]
        return cls(tuple(estimated), leak_line, strength, neutral, like.logic)

    @property
    def free_parameters(self) -> int:
        """A noisy-OR of n two-state parents has n + 1: the neutral rows are no parameters."""
        rows = 1 + sum(len(link) - (code >= 0) for link, code in zip(self.links, self.neutral, strict=True))
        return rows * (len(self.leak) - 1)

    parameters = free_parameters

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape that the full table would have."""
        return (*(len(link) for link in self.links), len(self.leak))

    @property
    def identity(self) -> tuple[object, ...]:
        """All that is no number: two nodes that differ here are different models."""
        return (self.shape, self.strength, self.neutral, self.logic)

    def rows(self, parents: Sequence[Codes], n: int) -> FloatArray:
        """P(child | these parents' codes), a row each."""
        order = list(self.strength)
        below: FloatArray = np.repeat(np.cumsum(self.leak[order])[None], n, axis=0)
        for link, codes in zip(self.links, parents, strict=True):
            below *= np.cumsum(link[:, order], axis=1)[np.asarray(codes, dtype=np.int64)]
        result = np.empty_like(below)
        result[:, order] = np.diff(below, axis=1, prepend=0.0)
        return result

    def probability(self, parents: Sequence[Codes], codes: Codes) -> FloatArray:
        """P(child = codes | parents), row by row."""
        picked: FloatArray = self.rows(parents, len(codes))[np.arange(len(codes)), codes.astype(np.int64)]
        return picked

    def sample(self, parents: Sequence[Codes], n: int, seed: int, stream: int, first_row: int) -> CodeArray:
        """Draw a code for each row; the same seed gives the same draws however the rows are split."""
        cumulative = np.cumsum(self.rows(parents, n), axis=1)
        return sample_categorical(seed, stream, first_row, np.arange(n, dtype=np.uint32), cumulative, n)

    @cached_property
    def expanded(self) -> FloatArray:
        """The full table (parents …, child), refused where it would be large."""
        cells = 1
        for size in self.shape:
            cells *= size
        if cells > LARGEST_EXPANDED:
            raise TooWide(
                f"Written out as a full table, this node with {len(self.links)} parents has {cells:,} cells "
                f"(at most {LARGEST_EXPANDED:,}). Ask the compiled engine, which keeps it factored, and save "
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

    def chain(self, order: Sequence[int]) -> list[FloatArray]:
        """Tables that multiply to the full one: the strongest so far, parent by parent in this order.

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

    def state(self) -> dict[str, Any]:
        """The links, the leak, and what is no number."""
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
        """Rows of probabilities for each cause and the leak."""
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
