"""Groups of hidden real variables: given the findings, different groups are independent of each other.

In a conditional linear Gaussian network a real variable x with discrete parents d and real parents u is
Normal(a(d) + b(d) · u, σ²(d)), and no discrete variable has a real parent. For fixed states of all discrete
variables the real ones are jointly Gaussian, and findings cut this Gaussian into independent groups G. Let
B(G) be the *border* of a group: the hidden discrete parents of its members. Then

    P(findings, states) = P(states) · Π_G  N_G(findings about G; B(G)),

and each N_G, the density of the group's findings with its hidden numbers integrated out, is a factor over its
border alone. So one Gaussian for each combination of states of a *border* is enough, where the textbook's
strong junction tree would need one for each combination of a whole clique. The cost grows with the product of
the border's cardinalities; :func:`check_component` compares it with the limits.

Lauritzen (1992), Propagation of probabilities, means and variances in mixed graphical association models,
J. Am. Stat. Assoc. 87; Lauritzen and Jensen (2001), Stable local computation with conditional Gaussian
distributions, Statistics and Computing 11.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from bayou.distributions import DENSITY
from bayou.errors import TooWide
from bayou.memory import amount_text, current_limits
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.typing import Name

_SHOWN = 12
"""The most names listed in a message; the others are counted."""


@dataclass(frozen=True)
class Component:
    """Hidden real variables that depend on each other, given the findings.

    ``hidden`` are these variables; ``members`` are the hidden variables and their observed children, parents
    first; ``border`` are the hidden discrete parents of the members. For each of the ``combinations`` of the
    border's states the members are jointly Gaussian.
    """

    hidden: tuple[Name, ...]
    members: tuple[Name, ...]
    border: tuple[Name, ...]
    combinations: int

    @property
    def has_findings(self) -> bool:
        """Whether a member is observed; a group without findings integrates to 1 for every border state."""
        return len(self.members) > len(self.hidden)

    @property
    def work(self) -> float:
        """Estimated operations: one rotation of a covariance root for each finding."""
        size, found = len(self.hidden), len(self.members) - len(self.hidden)
        return float(self.combinations) * (size + 1) ** 2 * (found + 1)

    def bytes(self, targets: int) -> float:
        """Estimated peak memory: log densities and factors, and the moments of this number of targets."""
        moments = 20 + 4 * targets + 4 * targets**2 if targets else 0
        return 8.0 * (float(self.combinations) * (8 + moments) + 3 * len(self.hidden) ** 2)


def components(
    network: FrozenNetwork, names: Collection[Name], given: Collection[Name]
) -> tuple[list[Component], list[Name]]:
    """Return the groups among ``names``, and the observed real variables that have no hidden real parent.

    The latter are factors of their own. ``given`` are the variables that are observed or set by do; those
    set by do are not among ``names``. Hidden variables belong to one group when one is a parent of the other,
    or when both are parents of an observed variable. (An observed variable whose variance may be 0 becomes a
    group of its own, because only the code for groups handles a variance of 0.)
    """
    chosen = set(names)
    real = [n for n in network.dag.topological_order if n in chosen and network.schema[n].is_continuous]
    group: dict[Name, list[Name]] = {}
    alone: list[Name] = []
    for name in real:
        parents = [p.name for p in network.continuous_parents(name) if p.name not in given]
        if name in given and not parents:
            if may_be_constant(network, name):
                group[name] = [name]
            else:
                alone.append(name)
            continue
        if network.distribution(name).form == DENSITY:
            # A hidden leaf that is not Gaussian integrates to 1 whatever the states of its parents.
            continue
        joined: list[Name] = []
        for part in {id(group[parent]): group[parent] for parent in parents}.values():
            joined += part
        joined.append(name)
        for member in joined:
            group[member] = joined
    parts = {id(part): part for part in group.values()}.values()
    place = {name: k for k, name in enumerate(real)}
    return [_component(network, sorted(part, key=place.__getitem__), given) for part in parts], alone


def may_be_constant(network: FrozenNetwork, name: Name) -> bool:
    """Whether a Gaussian variable has variance 0 for some states of its parents: no density there."""
    gaussian = network.distribution(name).gaussian
    return gaussian is not None and not bool(np.all(gaussian.variance > 0))


def _component(network: FrozenNetwork, members: Sequence[Name], given: Collection[Name]) -> Component:
    parents = {p.name for name in members for p in network.discrete_parents(name) if p.name not in given}
    border = tuple(sorted(parents, key=network.schema.index))
    return Component(
        tuple(name for name in members if name not in given),
        tuple(members),
        border,
        prod(network.schema[name].cardinality for name in border),
    )


def check_component(component: Component, targets: int = 0) -> None:
    """Raise TooWide for a group that exceeds the limits, before anything is allocated."""
    problem = too_many_combinations(component, targets)
    if problem:
        raise TooWide(problem)


def too_many_combinations(component: Component, targets: int = 0) -> str | None:
    """Return why a group exceeds the current limits, or None if it does not."""
    allowed = current_limits()
    needed = component.bytes(targets)
    if needed <= allowed.memory and component.work <= allowed.work:
        return None
    return (
        f"The hidden real-valued variables {_listed(component.hidden)} depend on each other, and they need "
        f"one Gaussian for each of {float(component.combinations):.3g} combinations of the states of "
        f"{_listed(component.border)}: {amount_text(needed)} and about {component.work:.3g} steps (limits: "
        f"{amount_text(allowed.memory)} and {allowed.work:.3g}). Observe some of these variables (a "
        "real-valued one in the middle cuts the group in two), draw rows (net.sample(100_000)) and count "
        "those near the findings for an approximate answer, or raise the limits (with "
        "bayou.limits(memory=…, work=…))."
    )


def _listed(names: Sequence[Name]) -> str:
    shown = ", ".join(label(name) for name in names[:_SHOWN])
    return f"{shown} and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else shown
