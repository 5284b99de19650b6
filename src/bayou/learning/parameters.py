"""Learning parameters: request → collect → pool → estimate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from typing import Any

from bayou.distributions import (
    DEFAULT_PRIOR,
    GAUSSIAN,
    Distribution,
    DistributionKind,
    Family,
    Prior,
    default_kind,
    prior_from,
)
from bayou.errors import BadGraph, BadPrior, UnknownVariable, listed
from bayou.networks import FrozenNetwork, Structure, require_same_kind, same_domains
from bayou.schema import Schema, Variable
from bayou.statistics import Request, Source, Statistics
from bayou.statistics.labels import union
from bayou.typing import Name


@dataclass(frozen=True)
class PriorChoice:
    """A default prior, and other priors for some variables or shared blocks by name."""

    default: Prior = DEFAULT_PRIOR
    by_name: Mapping[Name, Prior] | None = None

    @classmethod
    def from_user(cls, given: object, known: tuple[Name, ...]) -> PriorChoice:
        """Read ``prior=``: anything that :func:`prior_from` takes, or a mapping from names to such values."""
        if not isinstance(given, Mapping):
            return cls(prior_from(given))
        for name in given:
            if name not in known:
                raise UnknownVariable.named(name, known, "in prior")
        return cls(DEFAULT_PRIOR, {name: prior_from(prior) for name, prior in given.items()})

    def of(self, block: Name, users: tuple[Name, ...]) -> Prior:
        """The prior of one block: the one under its own name or a user's name, else the default."""
        chosen = self.by_name
        if not chosen:
            return self.default
        found = [chosen[name] for name in dict.fromkeys((block, *users)) if name in chosen]
        if any(prior != found[0] for prior in found[1:]):
            raise BadPrior(f"The shared block {block!r} has two different priors; give only one.")
        return found[0] if found else self.default


def requests_for(structure: Structure, variables: Mapping[Name, Variable]) -> dict[Name, Request]:
    """The statistic that each variable's distribution is estimated from."""
    needed: dict[Name, Request] = {}
    for name in structure.dag.nodes:
        kind = structure.kinds.get(name) or default_kind(variables[name])
        family = Family(variables[name], tuple(variables[parent] for parent in structure.dag.parents(name)))
        if name in structure.kinds and variables[name].is_continuous:
            kind.check_family(family)
        needed[name] = kind.needs(family)
    return needed


def collect(structure: Structure, source: Source, known: Mapping[Name, Variable] | None = None) -> Statistics:
    """Collect all statistics that the parameters of this structure are estimated from.

    ``known`` holds variables whose states are given although the structure does not declare them.
    """
    variables = {
        name: structure.declared.get(name) or (known or {}).get(name) or source.variable(name)
        for name in structure.dag.nodes
    }
    # This refuses continuous parents of discrete variables before anything is read.
    replace(structure, declared=variables, sharing={}, kinds={}).frozen()
    for group in same_domains(structure.dag, structure.sharing):
        require_same_kind([variables[name] for name in group])
    return source.collect(list(dict.fromkeys(requests_for(structure, variables).values())))


def estimate(structure: Structure, statistics: Statistics, priors: PriorChoice) -> FrozenNetwork:
    """Estimate parameters from statistics: add those of shared blocks, add the prior, normalise."""
    variables = domains(structure, statistics)
    network = FrozenNetwork(
        Schema(variables[name] for name in structure.dag.nodes),
        structure.dag,
        structure.sharing,
        {},
        structure.kinds,
    )
    requests = {name: network.kind(name).needs(network.family(name)) for name in network.dag.nodes}
    blocks: dict[Name, Distribution] = {}
    for block, names in users_of(network).items():
        prior = priors.of(block, tuple(names))
        refuse_prior_without_effect(priors, network.kind(names[0]), (block, *names))
        blocks[block] = estimate_block(network, statistics, requests, names, prior)
    return network.with_blocks(blocks)


def users_of(network: FrozenNetwork) -> dict[Name, list[Name]]:
    """The variables that use each block of parameters."""
    users: dict[Name, list[Name]] = {}
    for name, block in network.slots.items():
        users.setdefault(block, []).append(name)
    return users


def domains(structure: Structure, *statistics: Statistics) -> dict[Name, Variable]:
    """Every variable with its states: as declared, else all states in the statistics."""
    seen = _seen_axes(statistics)
    variables: dict[Name, Variable] = dict(structure.declared)
    for group in same_domains(structure.dag, structure.sharing):
        if all(name in variables for name in group):
            continue
        axes = [axis for name in group for axis in seen.get(name, [Variable(name)])]
        domain = reduce(union, axes if len(group) == 1 else map(_nameless, axes))
        variables.update({name: _named(name, domain) for name in group})
    return variables


def _nameless(axis: Variable) -> Variable:
    return Variable("", axis.states, ordered=axis.ordered)


def _named(name: Name, domain: Variable) -> Variable:
    return domain if domain.name == name else Variable(name, domain.states, ordered=domain.ordered)


def _seen_axes(statistics: Iterable[Statistics]) -> dict[Name, list[Variable]]:
    """For each name the labelled axes that the statistics have for it."""
    seen: dict[Name, list[Variable]] = {}
    for result in chain.from_iterable(one.values() for one in statistics):
        for axis in result.labels:
            seen.setdefault(axis.name, []).append(axis)
    return seen


def refuse_prior_without_effect(priors: PriorChoice, kind: DistributionKind, names: tuple[Name, ...]) -> None:
    """Refuse a prior for a variable (or shared block) whose distribution is learned without one."""
    for name in names if priors.by_name else ():
        given = (priors.by_name or {}).get(name)
        fits = kind.form == GAUSSIAN and getattr(given, "for_gaussians", False)
        if given is not None and not kind.uses_prior and not fits:
            raise BadPrior(
                f"The prior for {name!r} would have no effect: its {kind.title} distribution is learned "
                "without pseudocounts. Leave it out of prior=."
            )


def estimate_block(
    network: FrozenNetwork,
    statistics: Statistics,
    requests: Mapping[Name, Request],
    users: list[Name],
    prior: Prior,
) -> Distribution:
    """Estimate one block of parameters from the statistics of all its users."""
    first = users[0]
    if first in network.kinds:
        _require_one_meaning(network, users)
    answer = pooled_answer(network, users, {name: statistics[requests[name]] for name in users})
    return network.kind(first).estimate(answer, network.family(first), prior)


def pooled_answer(network: FrozenNetwork, users: Sequence[Name], answers: Mapping[Name, Any]) -> Any:
    """The sum of the statistics of all users of a block, with the names and states of the first user."""
    family = network.family(users[0])
    found = answers[users[0]]
    for user in users[1:]:
        names = dict(zip(network.family(user).names, family.names, strict=True))
        found = found + answers[user].renamed(names)
    return found.with_states({variable.name: variable for variable in family.variables})


def _require_one_meaning(network: FrozenNetwork, users: list[Name]) -> None:
    """Check that all users of a block agree on its meaning: which states of a noisy node are present."""
    meanings = {network.kinds[name].meaning(network.family(name)) for name in users}
    if len(meanings) > 1:
        raise BadGraph(f"{listed(users)} share a noisy node: mark the same states as present in all of them.")
