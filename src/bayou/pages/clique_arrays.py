"""The clique tree of a network as lists and numbers, for the page that computes without a server."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from bayou.errors import BadQuestion, TooWide, listed
from bayou.graphs import elimination_order
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

MOST_ENTRIES = 1_000_000
"""The most entries of all cliques together: above, a browser would take seconds for an answer."""


def clique_arrays(network: FrozenNetwork) -> dict[str, Any]:
    """Compile the clique tree of a network of tables, as a document of JSON values.

    Cliques stand before their parents; ``scopes`` are the axes of the tables, ``homes`` the cliques that
    they belong to, and ``numbers`` the entries of all tables (64 bits, lowest byte first, in base64).
    A Gaussian whose parents have states, and which has no children, is a variable of one state here; its
    means and variances for the states of its parents are in ``gaussians``.

    >>> from bayou.models.network import Network
    >>> coin, copied = [0.5, 0.5], [[0.5, 0.5], [0.1, 0.9]]
    >>> states = dict.fromkeys("ABC", ["no", "yes"])
    >>> net = Network("A -> B -> C", states=states, tables={"A": coin, "B": copied, "C": copied})
    >>> found = clique_arrays(net.frozen)
    >>> found["cliques"], found["parents"], found["homes"]
    ([[0, 1], [1, 2]], [1, -1], [0, 0, 1])
    """
    names = network.schema.names
    network.require(names)
    _refuse_numbers(network)
    index = network.schema.index
    cards = [1 if variable.is_continuous else variable.cardinality for variable in network.schema]
    scopes = [[index(member) for member in network.family(name).names] for name in names]
    cliques, parents = cliques_of(scopes, cards)
    _refuse_large(sum(prod(cards[member] for member in clique) for clique in cliques))
    tables = [_table(network, name) for name in names]
    return {
        "cards": cards,
        "cliques": cliques,
        "parents": parents,
        "scopes": scopes,
        "homes": [home_of(scope, cliques, cards) for scope in scopes],
        "numbers": _base64(tables),
        "gaussians": [_gaussian(network, name) for name in names if network.schema[name].is_continuous],
    }


def _table(network: FrozenNetwork, name: Name) -> FloatArray:
    if network.schema[name].is_continuous:
        return np.ones(network.gaussian(name).intercept.shape)
    return network.table(name)


def _gaussian(network: FrozenNetwork, name: Name) -> dict[str, Any]:
    found = network.gaussian(name)
    return {
        "variable": network.schema.index(name),
        "means": found.intercept.ravel().tolist(),
        "variances": found.variance.ravel().tolist(),
    }


def _refuse_numbers(network: FrozenNetwork) -> None:
    """Refuse continuous variables, but for Gaussians without children whose parents have states."""
    numbers = {variable.name for variable in network.schema if variable.is_continuous}
    bad = [name for name in network.schema.names if numbers.intersection(network.family(name).names[:-1])]
    bad = [*bad, *(name for name in numbers if name not in bad and not _is_plain(network, name))]
    if bad:
        raise BadQuestion(
            "The page in one file has variables with states, and Gaussians without children whose parents "
            f"have states; {listed(bad)} would be something else. Use `bayou explore` (or net.explore() "
            "where the kernel is on your own machine), where the library computes."
        )


def _is_plain(network: FrozenNetwork, name: Name) -> bool:
    gaussian = network.distribution(name).gaussian
    return gaussian is not None and bool(np.all(gaussian.variance > 0))


def _refuse_large(entries: int) -> None:
    if entries > MOST_ENTRIES:
        raise TooWide(
            f"The page in one file computes on cliques of at most {MOST_ENTRIES:,} entries in all; this "
            f"network needs {entries:,}. Use `bayou explore` (or net.explore() where the kernel is on your "
            "own machine), where the library computes, or make a page of a part of the network."
        )


def cliques_of(
    scopes: Sequence[Sequence[int]], cards: Sequence[int], last: int | None = None
) -> tuple[list[list[int]], list[int]]:
    """Return the cliques of an elimination order, each before its parent, and the parents (-1: none).

    Cliques inside a neighbour are left out. A root has the variable ``last``, if one is given.
    """
    order = list(elimination_order(scopes, dict(enumerate(cards))))
    if last is not None:
        order.remove(last)
        order.append(last)
    rank = {variable: place for place, variable in enumerate(order)}
    near: dict[int, set[int]] = {variable: set() for variable in order}
    for scope in scopes:
        for member in scope:
            near[member].update(scope)
    members: dict[int, set[int]] = {}
    receiver: dict[int, int] = {}
    for variable in order:
        rest = near[variable] - {variable}
        members[variable] = rest | {variable}
        for other in rest:
            near[other] |= rest
            near[other].discard(variable)
        if rest:
            receiver[variable] = min(rest, key=rank.__getitem__)
    merged = _merged(order, members, receiver)
    kept = [variable for variable in order if variable not in merged]
    place = {variable: number for number, variable in enumerate(kept)}
    parents = [place[receiver[variable]] if variable in receiver else -1 for variable in kept]
    return [sorted(members[variable]) for variable in kept], parents


def _merged(order: Sequence[int], members: dict[int, set[int]], receiver: dict[int, int]) -> set[int]:
    """Cliques whose parent lies inside them take its place: return those that are gone.

    The parent's number stays, with the members of the clique that was merged into it.
    """
    gone = set()
    for variable in order:
        parent = receiver.get(variable)
        if parent is not None and members[parent] <= members[variable]:
            members[parent] = members[variable]
            gone.add(variable)
            for other, target in receiver.items():
                if target == variable:
                    receiver[other] = parent
    return gone


def home_of(scope: Sequence[int], cliques: Sequence[Sequence[int]], cards: Sequence[int]) -> int:
    """The smallest clique that has all variables of a table."""
    having = [number for number, clique in enumerate(cliques) if set(scope) <= set(clique)]
    return min(having, key=lambda number: prod(cards[member] for member in cliques[number]))


def _base64(tables: Sequence[FloatArray]) -> str:
    flat = np.concatenate([np.ravel(table) for table in tables]).astype("<f8")
    return base64.b64encode(flat.tobytes()).decode("ascii")
