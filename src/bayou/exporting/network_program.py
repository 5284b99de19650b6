"""A question about a network of tables as a program: only what matters to it, as a tree of cliques."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from bayou.errors import BadQuestion, listed
from bayou.exporting.programs import Clique, Input, TreeProgram
from bayou.networks import FrozenNetwork
from bayou.pages.clique_arrays import cliques_of, home_of
from bayou.typing import Name

MOST_ENTRIES = 1_000_000
"""The most entries of all cliques together."""


def network_program(
    network: FrozenNetwork, target: Name, inputs: Sequence[Name], unknown: str
) -> TreeProgram:
    """Compile P(target | any of the inputs).

    >>> from bayou.models.network import Network
    >>> coin, copied = [0.5, 0.5], [[0.5, 0.5], [0.1, 0.9]]
    >>> states = dict.fromkeys("ABC", ["no", "yes"])
    >>> net = Network("A -> B -> C", states=states, tables={"A": coin, "B": copied, "C": copied})
    >>> program = network_program(net.frozen, "A", ["B"], "error")
    >>> program.scopes, program.cliques
    (((0,), (0, 1)), (Clique(variables=(0, 1), tables=(0, 1), parent=-1, kept=(0,)),))
    """
    names = _needed(network, [target, *inputs])
    _refuse_numbers(network, names)
    number = {name: place for place, name in enumerate(names)}
    cards = [network.schema[name].cardinality for name in names]
    scopes = [tuple([number[member] for member in network.family(name).names]) for name in names]
    cliques, parents = cliques_of(scopes, cards, last=number[target])
    entries = sum(prod(cards[member] for member in clique) for clique in cliques)
    if entries > MOST_ENTRIES:
        raise BadQuestion(
            f"The tree of cliques for P({target} | …) has {entries:,} entries; at most {MOST_ENTRIES:,} are "
            "written. Name fewer inputs (inputs=[…]), which leaves out what they do not need, or ask the "
            "library, where nothing is written down."
        )
    network.require(names)
    homes = [home_of(scope, cliques, cards) for scope in scopes]
    return TreeProgram(
        network.schema[target],
        tuple([Input(network.schema[name], unknown) for name in inputs]),
        tuple([str(name) for name in names]),
        tuple(cards),
        number[target],
        tuple([number[name] for name in inputs]),
        tuple(scopes),
        tuple([network.table(name) for name in names]),
        tuple(_tree(cliques, parents, homes, number[target])),
        tuple(homes),
    )


def _tree(
    cliques: Sequence[Sequence[int]], parents: Sequence[int], homes: Sequence[int], aim: int
) -> Iterable[Clique]:
    for place, members in enumerate(cliques):
        own = tuple([variable for variable, home in enumerate(homes) if home == place])
        shared = set(cliques[parents[place]]) if parents[place] >= 0 else {aim}
        kept = tuple([member for member in members if member in shared])
        yield Clique(tuple(members), own, parents[place], kept)


def _needed(network: FrozenNetwork, asked: Iterable[Name]) -> list[Name]:
    """What is asked for or given, and all its ancestors, in the network's order: the rest sums to 1."""
    needed: set[Name] = set()
    waiting = list(asked)
    while waiting:
        name = waiting.pop()
        if name not in needed:
            needed.add(name)
            waiting.extend(network.dag.parents(name))
    return [name for name in network.schema.names if name in needed]


def _refuse_numbers(network: FrozenNetwork, names: Sequence[Name]) -> None:
    bad = [name for name in names if network.schema[name].is_continuous]
    if bad:
        raise BadQuestion(
            f"Networks of tables are exported; {listed(bad)} would be numbers. Leave them out of inputs=[…] "
            "if nothing asked for depends on them, cut them into ranges, or use a classifier (NaiveBayes, "
            "GaussianBayes), whose densities are exported."
        )
