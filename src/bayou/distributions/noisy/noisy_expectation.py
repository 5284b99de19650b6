"""The E-step of noisy nodes: the expected proposals of each cause, from expected counts.

A noisy node is the strongest of independent proposals y = max(z₀, z₁, …, zₙ): z₀ the leak, zᵢ that of parent
i given its state. As a chain m₀ = z₀, mᵢ = max(mᵢ₋₁, zᵢ), y = mₙ each factor P(mᵢ | mᵢ₋₁, xᵢ) has one parent,
and the expected counts of these small factors give those of the proposals:

    zᵢ = mᵢ                                  where mᵢ > mᵢ₋₁,
    P(zᵢ = z | mᵢ = mᵢ₋₁ = m, xᵢ) = P(z | xᵢ) / P(zᵢ ≤ m | xᵢ)   for z ≤ m otherwise.

Díez (1993), Parameter adjustment in Bayes networks: the generalized noisy OR-gate; Heckerman and Breese
(1996), Causal independence for probability assessment and inference using Bayesian networks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from bayou.statistics import Proposals
from bayou.typing import FloatArray, IntArray

if TYPE_CHECKING:
    from bayou.distributions.noisy.noisy_max import MaxOfCauses

_BLOCK = 2**16
"""The number of table cells processed at once."""


def proposals_of_chain(node: MaxOfCauses, order: Sequence[int], counts: Sequence[FloatArray]) -> Proposals:
    """Return the expected proposals of the causes, from the expected counts of the node's chain."""
    ranks, size = list(node.strength), len(node.leak)
    if not order:
        return Proposals((), counts[0].reshape(size).copy())
    links = [np.zeros_like(link) for link in node.links]
    leak = np.zeros(size)
    for place, position in enumerate(order):
        link = node.links[position][:, ranks]
        piece = counts[place].reshape(-1, len(link), size)
        if place == len(order) - 1:
            piece = piece[..., ranks]
        if place == 0:
            piece = _with_leak(piece[0], node.leak[ranks], link)
            leak[ranks] = piece.sum(axis=(1, 2))
        links[position][:, ranks] = _proposed(piece, link)
    return Proposals(tuple(links), leak)


def proposals_of_table(node: MaxOfCauses, counts: FloatArray) -> Proposals:
    """Return the expected proposals of the causes, from expected counts of the full table (parents …, child).

    >>> from bayou.distributions import MaxOfCauses
    >>> half = np.array([[1.0, 0.0], [0.5, 0.5]])
    >>> node = MaxOfCauses((half,), np.array([0.5, 0.5]), (0, 1), (0,), "or")
    >>> proposals_of_table(node, np.array([[0.0, 0.0], [0.0, 3.0]])).links[0].round(9).tolist()
    [[0.0, 0.0], [1.0, 2.0]]
    """
    cells = np.nonzero(counts)
    links, leak = [np.zeros_like(link) for link in node.links], np.zeros_like(node.leak)
    for start in range(0, len(cells[0]), _BLOCK):
        some = tuple(axis[start : start + _BLOCK] for axis in cells)
        _add_proposals(node, some, counts[some], [*links, leak[None]])
    return Proposals(tuple(links), leak)


def _add_proposals(
    node: MaxOfCauses, cells: tuple[IntArray, ...], counts: FloatArray, sums: Sequence[FloatArray]
) -> None:
    """Add the expected proposals in some cells of the table (those with counts) to ``sums``."""
    ranks = list(node.strength)
    result = np.argsort(ranks)[cells[-1]]
    states = [*cells[:-1], np.zeros_like(cells[-1])]
    lines = [
        table[:, ranks][codes] for table, codes in zip((*node.links, node.leak[None]), states, strict=True)
    ]
    for total, codes, own, others in zip(sums, states, lines, _beside(lines), strict=True):
        proposed = np.zeros_like(total)
        np.add.at(proposed, codes, _proposed_beside(own, others, result, counts))
        total[:, ranks] += proposed


def _beside(lines: Sequence[FloatArray]) -> Iterator[FloatArray]:
    """For each cause the distribution of the strongest proposal of all other causes."""
    nothing = np.eye(lines[0].shape[1])[0]
    after = [nothing]
    for line in lines[:0:-1]:
        after.append(_strongest(after[-1], line))
    before = nothing
    for line in lines:
        yield np.broadcast_to(_strongest(before, after.pop()), line.shape)
        before = _strongest(before, line)


def _strongest(one: FloatArray, other: FloatArray) -> FloatArray:
    """The distribution of the stronger of two proposals, computed without subtraction."""
    return np.asarray(one * np.cumsum(other, axis=-1) + _before(one) * other)


def _before(chances: FloatArray) -> FloatArray:
    """The sums of all entries before each."""
    return np.concatenate([np.zeros_like(chances[..., :1]), np.cumsum(chances, axis=-1)[..., :-1]], axis=-1)


def _proposed_beside(own: FloatArray, others: FloatArray, result: IntArray, counts: FloatArray) -> FloatArray:
    """The expected proposals (last axis) of a cause in each cell: the result, or weaker if others made it."""
    at, states = (np.arange(len(result)), result), np.arange(own.shape[1])
    upto = np.cumsum(others, axis=-1)[at]
    total = own[at] * upto + _before(own)[at] * others[at]
    share = np.divide(counts, total, out=np.zeros_like(total), where=total > 0)
    made_it = np.where(states == result[:, None], (share * upto)[:, None], 0.0)
    left_it = np.where(states < result[:, None], (share * others[at])[:, None], 0.0)
    return np.asarray(own * (made_it + left_it))


def _with_leak(piece: FloatArray, leak: FloatArray, link: FloatArray) -> FloatArray:
    """The counts (x, result) of the first factor, divided among the leak's proposals: (leak, x, result)."""
    upto = np.cumsum(link, axis=1)
    size = len(leak)
    below, equal = np.tril(np.ones((size, size)), -1), np.eye(size)
    # The cause proposed the result and the leak was weaker, or the leak did and the cause was not stronger.
    share = np.einsum("m,xn,nm->mxn", leak, link, below) + np.einsum("m,xm,mn->mxn", leak, upto, equal)
    total = share.sum(axis=0)
    spread: FloatArray = share * np.divide(piece, total, out=np.zeros_like(piece), where=total > 0)
    return spread


def _proposed(piece: FloatArray, link: FloatArray) -> FloatArray:
    """A cause's proposals (x, z) from counts (strongest before, x, strongest after), all by strength."""
    states, size = link.shape
    result = np.zeros((states, size))
    for before in range(size):
        result[:, before + 1 :] += piece[before, :, before + 1 :]
        # Nothing stronger was proposed: any state up to `before`, in proportion to the link.
        upto = link[:, : before + 1]
        total = upto.sum(axis=1)
        stayed = np.divide(piece[before, :, before], total, out=np.zeros(states), where=total > 0)
        result[:, : before + 1] += upto * stayed[:, None]
    return result
