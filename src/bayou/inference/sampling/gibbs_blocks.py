"""Which variables a Gibbs sampler draws together: as many as it can, and those that zeros tie together.

A block is drawn exactly given all others, by summing its variables out one by one and drawing them in the
reverse order; so it may be large, as long as its tables are small. If the tables of all variables are, there
is one block, and its draws are independent. Otherwise some variables are left out of the first block (a
cut-set: given these, the tables of the rest are small), a second block avoids leaving out the same ones, and
so on until every variable is in a block. Bidyuk and Dechter (2007), Cutset sampling for Bayesian networks,
J. Artificial Intelligence Research 28.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import inf, prod

from bayou.graphs.ordering import elimination_cost
from bayou.inference.sampling.factor_graph import FactorGraph
from bayou.inference.sampling.zero_ties import tied_variables

MOST_CELLS_IN_ALL = 2**20
"""Up to this many cells of all tables together there is one block: its tables are computed only once."""
MOST_CELLS = 2**16
"""The most cells of all tables of a block together, about, where there are several."""
LARGEST_TABLE, SMALLEST_LIMIT = 2**12, 16
"""The most cells of one table of a block, in networks of few and of many variables."""
MOST_BLOCKS = 3
"""The number of large blocks; variables that are in none of them are drawn one by one."""


@dataclass(frozen=True)
class GibbsBlocks:
    """Blocks as lists of variables in the order of summing out; whether every state can be reached."""

    blocks: tuple[tuple[int, ...], ...]
    is_proved: bool


def blocks_of(graph: FactorGraph, until: float = inf) -> GibbsBlocks:
    """Return blocks that cover all variables, and whether zeros are proved not to lock a chain in.

    The proof is given up at the time ``until``.
    """
    scopes, cards, order = (
        [factor.scope for factor in graph.factors],
        dict(enumerate(graph.cards)),
        graph.order,
    )
    if elimination_cost(scopes, cards, order)[1] <= MOST_CELLS_IN_ALL:
        return GibbsBlocks((order,), True)
    most = max(SMALLEST_LIMIT, min(LARGEST_TABLE, 4 * MOST_CELLS // len(cards)))
    blocks: list[tuple[int, ...]] = []
    missing: set[int] = set(cards)
    for _ in range(MOST_BLOCKS):
        block = _block(scopes, graph.cards, order, most, missing)
        if not missing & {*block}:
            break
        blocks.append(block)
        missing -= {*block}
    blocks += [(variable,) for variable in sorted(missing)]
    ties = tied_variables(graph, until)
    for tied in ties.groups:
        if not any({*tied} <= {*block} for block in blocks):
            blocks.append(tied)
    return GibbsBlocks(tuple(blocks), ties.is_proved)


def _block(
    scopes: Sequence[Collection[int]], cards: Sequence[int], order: Sequence[int], most: int, wanted: set[int]
) -> tuple[int, ...]:
    """Variables, in the order of summing out, whose tables have at most ``most`` cells given the others.

    Left out are, table by table, variables with many neighbours; those that are ``wanted`` only if need be.
    """
    near: dict[int, set[int]] = {variable: set() for variable in range(len(cards))}
    for scope in scopes:
        for variable in scope:
            near[variable] |= {*scope} - {variable}
    block: list[int] = []
    for variable in order:
        while variable in near and prod(cards[v] for v in (variable, *near[variable])) > most:
            left_out = max(
                (variable, *sorted(near[variable])), key=lambda v: (v not in wanted, len(near[v]), cards[v])
            )
            for other in near.pop(left_out):
                near[other].discard(left_out)
        if variable not in near:
            continue
        around = near.pop(variable)
        for other in around:
            near[other] = (near[other] | around) - {variable, other}
        block.append(variable)
    return tuple(block)
