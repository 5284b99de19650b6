"""All graphs whose arcs point at whole blocks, and their scores, by brute force."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain, combinations, product
from typing import Any

import numpy as np

import bayou

Graph = dict[str, tuple[str, ...]]
"""The parents of each variable."""


Table = dict[str, Any]


Blocks = tuple[tuple[str, ...], ...]


ONE: Blocks = (("G",), ("R1", "R2"), ("X",), ("Y",))


TWO: Blocks = (("G",), ("R1", "R2"), ("S1", "S2"))


THREE_USERS: Blocks = (("G",), ("R1", "R2", "R3"), ("X",))


def shared(blocks: Blocks) -> dict[str, list[str]]:
    return {"p_" + users[0][0]: list(users) for users in blocks if len(users) > 1}


def ratings(seed: int, blocks: Blocks, rows: int = 60) -> Table:
    """Columns that depend on one or two others at random; users of a block have the same states."""
    random = np.random.default_rng(seed)
    table: dict[str, Any] = {}
    for users in blocks:
        states = int(random.integers(2, 4))
        before = [table[name] for name in random.permutation(sorted(table))[: random.integers(0, 3)]]
        for name in users:
            noise = random.integers(0, states, rows)
            signal = sum(before, np.zeros(rows, dtype=int)) % states
            table[name] = np.where(random.random(rows) < 0.4, noise, signal)
            table[name][:states] = range(states)
    return {name: [f"s{value}" for value in column] for name, column in table.items()}


@cache
def tied_graphs(blocks: Blocks) -> tuple[Graph, ...]:
    names = [name for users in blocks for name in users]
    choices = []
    for users in blocks:
        others = [name for name in names if name not in users]
        choices.append(list(chain.from_iterable(combinations(others, k) for k in range(len(others) + 1))))
    graphs = (
        {name: own for users, own in zip(blocks, chosen, strict=True) for name in users}
        for chosen in product(*choices)
    )
    return tuple(graph for graph in graphs if is_acyclic(graph))


def is_acyclic(graph: Graph) -> bool:
    left = dict(graph)
    while left:
        free = [name for name, parents in left.items() if not any(parent in left for parent in parents)]
        if not free:
            return False
        for name in free:
            del left[name]
    return True


def counted(table: Table, users: Sequence[str], parents: Sequence[str]) -> dict[Any, Counter[Any]]:
    """The pooled counts of all users, for each combination of the parents' states."""
    found: dict[Any, Counter[Any]] = {}
    for user in users:
        for *given, value in zip(*(table[parent] for parent in parents), table[user], strict=True):
            found.setdefault(tuple(given), Counter())[value] += 1
    return found


def penalised(price: Callable[[float], float]) -> Callable[[Table, Sequence[str], Sequence[str]], float]:
    def score(table: Table, users: Sequence[str], parents: Sequence[str]) -> float:
        counts = counted(table, users, parents)
        fit = sum(n * math.log(n / own.total()) for own in counts.values() for n in own.values())
        states = len({value for user in users for value in table[user]})
        free = (states - 1) * math.prod(len(set(table[parent])) for parent in parents)
        return fit - price(sum(own.total() for own in counts.values())) * free

    return score


def marginal(table: Table, users: Sequence[str], parents: Sequence[str]) -> float:
    """K2: the probability of the pooled counts under a uniform prior of each row of the table."""
    states = len({value for user in users for value in table[user]})
    return sum(
        math.lgamma(states)
        - math.lgamma(states + own.total())
        + sum(math.lgamma(1 + n) for n in own.values())
        for own in counted(table, users, parents).values()
    )


SCORES = {
    "bic": penalised(lambda cases: 0.5 * math.log(cases)),
    "aic": penalised(lambda cases: 1.0),
    "k2": marginal,
}


def scored_by_hand(table: Table, blocks: Blocks, score: str) -> Callable[[Graph], float]:
    known = cache(lambda users, parents: SCORES[score](table, users, parents))
    return lambda graph: sum(known(users, tuple(sorted(graph[users[0]]))) for users in blocks)


def graph_of(net: bayou.Network) -> Graph:
    return {name: tuple(sorted(net.parents(name))) for name in net.names}


def check_tied(net: bayou.Network, blocks: Blocks) -> None:
    for users in blocks:
        assert len({graph_of(net)[user] for user in users}) == 1
        assert not set(graph_of(net)[users[0]]) & set(users)
    assert net.sharing == {block: tuple(users) for block, users in shared(blocks).items()}


def one_change_away(graph: Graph, blocks: Blocks) -> list[Graph]:
    """The tied graphs in which one parent of one block or variable is added or taken away."""
    near = []
    for other in tied_graphs(blocks):
        changed = [set(other[users[0]]) ^ set(graph[users[0]]) for users in blocks]
        if sum(map(len, changed)) == 1:
            near.append(other)
    return near
