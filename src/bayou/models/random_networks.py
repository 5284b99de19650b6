"""Random networks: for teaching, for tests, and to measure how well a search recovers a known structure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from bayou.arguments import is_whole, real_number, seed_or_random, whole_number
from bayou.errors import BadQuestion
from bayou.graphs import Dag
from bayou.memory import require_memory
from bayou.models.network import Network
from bayou.typing import Name

_PAIR_BYTES = 40
"""The approximate memory of one ordered pair of variables while arcs are drawn."""
_CELL_BYTES = 40
"""The approximate memory of one cell of a table while it is drawn."""


def random_network(
    variables: int | Iterable[Name] = 10,
    *,
    states: int | tuple[int, int] | Mapping[Any, int] = 2,
    arcs: int | None = None,
    max_parents: int = 3,
    concentration: float = 1.0,
    continuous: int | Iterable[Name] = (),
    seed: int | None = None,
) -> Network:
    """A network with random arcs and tables; the same seed gives the same network.

    ``variables`` is a number or a list of names; ``states`` the number of states, a range (least, most) or a
    mapping of names to numbers; ``arcs`` the number of arcs (default: 1.5 times the number of variables). A
    random order of the variables is drawn, then random pairs are joined in that order. Rows of tables are
    drawn from a symmetric Dirichlet distribution: ``concentration`` below 1 makes them extreme, above 1
    nearly uniform. ``continuous`` gives the names (or the number) of Gaussian variables, which are linear in
    their continuous parents and never have discrete children.

    Raises ``BadQuestion`` for sizes that no network has.

    >>> net = random_network(5, states=(2, 4), arcs=6, seed=1)
    >>> len(net.names), len(net.arcs), net.same_as(random_network(5, states=(2, 4), arcs=6, seed=1))
    (5, 6, True)
    """
    positive = real_number(
        "concentration", concentration, 0, above=True, expected="it must be a positive number"
    )
    chance = np.random.default_rng(seed_or_random(seed))
    parts = _RandomParts(chance, _names(variables), whole_number("max_parents", max_parents), positive)
    real = parts.continuous(continuous)
    cards = {name: card for name, card in parts.cardinalities(states).items() if name not in real}
    dag = parts.dag(arcs, real)
    _check_tables(dag, cards)
    labels = {name: [f"s{k}" for k in range(1, card + 1)] for name, card in cards.items()}
    net = Network(dag, states=labels, continuous=[name for name in dag.nodes if name in real])
    for name in dag.nodes:
        groups = tuple(cards[parent] for parent in dag.parents(name) if parent in cards)
        if name in real:
            slopes = [parent for parent in dag.parents(name) if parent in real]
            net.set_gaussian(name, parts.gaussian(groups, slopes))
        else:
            net.set_cpt(name, parts.table((*groups, cards[name])), normalise=True)
    return net


def _check_tables(dag: Dag, cards: Mapping[Name, int]) -> None:
    """Refuse tables that are too large before any is drawn."""
    for name, card in cards.items():
        cells = card * prod(cards[parent] for parent in dag.parents(name) if parent in cards)
        what = f"The table of {name!r} given its {len(dag.parents(name))} parents"
        require_memory(_CELL_BYTES * cells, what, "Ask for fewer states, or fewer parents (max_parents=…).")


def _names(variables: Any) -> tuple[Name, ...]:
    if isinstance(variables, str) or not (is_whole(variables) or isinstance(variables, Iterable)):
        raise BadQuestion(f"variables={variables!r}: give a number, or a list of names.")
    if is_whole(variables):
        what = f"A random network of {int(variables):,} variables"
        require_memory(_PAIR_BYTES * int(variables) ** 2, what, "Ask for fewer variables.")
    names = (
        tuple(variables)
        if isinstance(variables, Iterable)
        else tuple(f"X{k}" for k in range(1, int(variables) + 1))
    )
    if not names:
        raise BadQuestion(f"variables={variables!r}: a network needs at least one variable.")
    return names


@dataclass(frozen=True)
class _RandomParts:
    """Draws the parts of a random network from one generator."""

    random: np.random.Generator
    names: tuple[Name, ...]
    max_parents: int
    concentration: float

    def continuous(self, given: Any) -> set[Name]:
        """The names of the continuous variables, from names or from a number of them."""
        if is_whole(given):
            if not 0 <= given <= len(self.names):
                raise BadQuestion(f"continuous={given}: there are {len(self.names)} variables.")
            return {self.names[k] for k in self.random.permutation(len(self.names))[:given]}
        known = Dag(self.names, {})
        return set(known.select(given))

    def cardinalities(self, states: Any) -> dict[Name, int]:
        """The number of states of each variable."""
        if isinstance(states, Mapping):
            known = Dag(self.names, {})
            found = {known.only(name): whole_number("states", count) for name, count in states.items()}
            cards = {name: found.get(name, 2) for name in self.names}
        else:
            ends = (
                list(states) if isinstance(states, Sequence) and not isinstance(states, str) else [states] * 2
            )
            if len(ends) != 2:
                raise BadQuestion(f"states={states!r}: a range is (least, most).")
            low, high = (whole_number("states", end) for end in ends)
            if low > high:
                raise BadQuestion(f"states={states!r}: a range is (least, most).")
            drawn = self.random.integers(low, high, len(self.names), endpoint=True)
            cards = dict(zip(self.names, drawn.tolist(), strict=True))
        if min(cards.values()) < 1:
            raise BadQuestion(f"states={states!r}: a variable has at least one state.")
        return cards

    def dag(self, arcs: int | None, real: set[Name]) -> Dag:
        """Join random pairs along a random order; without ``arcs`` as many as fit, up to 1.5 per variable."""
        count = len(self.names)
        drawn = self.random.permutation(count)
        order = sorted(drawn.tolist(), key=lambda k: self.names[k] in real)  # continuous ones last
        pairs = [(order[i], order[j]) for i in range(count) for j in range(i + 1, count)]
        parents: dict[Name, list[int]] = {name: [] for name in self.names}
        most = (3 * count) // 2 if arcs is None else whole_number("arcs", arcs)
        made = 0
        for place in self.random.permutation(len(pairs)):
            start, end = pairs[place]
            child = self.names[end]
            if made < most and len(parents[child]) < self.max_parents:
                parents[child].append(start)
                made += 1
        if arcs is not None and made < arcs:
            raise BadQuestion(
                f"arcs={arcs}: {count} variables of these kinds have at most {made} arcs with at most "
                f"{self.max_parents} parents each. Ask for fewer, or raise max_parents."
            )
        named = {child: [self.names[k] for k in sorted(found)] for child, found in parents.items()}
        return Dag(self.names, named)

    def table(self, shape: tuple[int, ...]) -> Any:
        """Rows drawn from a symmetric Dirichlet distribution; entries are never 0."""
        rows = self.random.dirichlet([self.concentration] * shape[-1], size=shape[:-1] or None)
        return np.maximum(rows, np.finfo(np.float64).tiny)

    def gaussian(self, groups: tuple[int, ...], slopes: list[Name]) -> Any:
        """One line per states of the discrete parents; see :meth:`_line`."""
        keys = list(product(*([f"s{k}" for k in range(1, card + 1)] for card in groups)))
        lines = {key if len(key) > 1 else "".join(key): self._line(slopes) for key in keys}
        return lines if groups else lines[""]

    def _line(self, slopes: list[Name]) -> dict[str, Any]:
        """Standard normal intercept and slopes, and a log-uniform variance between 1/2 and 2."""
        mean, *others = self.random.standard_normal(1 + len(slopes)).tolist()
        variance = float(np.exp(self.random.uniform(-np.log(2), np.log(2))))
        return {"mean": mean, "variance": variance, "coefficients": dict(zip(slopes, others, strict=True))}
