"""Learning parameters: request → collect → pool → estimate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain

from bayou.distributions import (
    FunctionOfParents,
    Laplace,
    LinearGaussian,
    LocalDistribution,
    MaxOfCauses,
    Prior,
    Table,
    prior_from,
)
from bayou.errors import BadGraph, BadPrior, UnknownVariable, listed
from bayou.networks import FrozenNetwork, Structure, require_same_kind, same_domains
from bayou.schema import Schema, Variable
from bayou.statistics import (
    Counts,
    CountTable,
    DistinctRows,
    GroupMoments,
    Moments,
    Request,
    RowCounts,
    Source,
    Statistics,
    pool_counts,
    pool_moments,
    pool_rows,
)
from bayou.statistics.labels import union
from bayou.typing import Name

_LAPLACE = Laplace(1.0)


@dataclass(frozen=True)
class PriorChoice:
    """One prior for all tables, and others for the variables (or shared blocks) that are named."""

    default: Prior = _LAPLACE
    by_name: Mapping[Name, Prior] | None = None

    @classmethod
    def from_user(cls, given: object, known: tuple[Name, ...]) -> PriorChoice:
        """Read ``prior=``: anything :func:`prior_from` takes, or a mapping of names to such things."""
        if not isinstance(given, Mapping):
            return cls(prior_from(given))
        for name in given:
            if name not in known:
                raise UnknownVariable.named(name, known, "in prior")
        return cls(Laplace(1.0), {name: prior_from(prior) for name, prior in given.items()})

    def of(self, block: Name, users: tuple[Name, ...]) -> Prior:
        """The prior of one block: by its own name, by that of a user, or the default."""
        chosen = self.by_name or {}
        found = [chosen[name] for name in dict.fromkeys((block, *users)) if name in chosen]
        if any(prior != found[0] for prior in found[1:]):
            raise BadPrior(f"The shared block {block!r} has two different priors; state one.")
        return found[0] if found else self.default


def requests_for(structure: Structure, variables: Mapping[Name, Variable]) -> dict[Name, Request]:
    """What each variable's local distribution needs to know of the data."""
    needed: dict[Name, Request] = {}
    for name in structure.dag.nodes:
        parents = [variables[parent] for parent in structure.dag.parents(name)]
        kind = _kind_of(structure, variables[name])
        needed[name] = kind.needs(variables[name], parents)
    return needed


def _kind_of(structure: Structure, variable: Variable) -> type[LocalDistribution]:
    if variable.name not in structure.kinds:
        return LinearGaussian if variable.is_continuous else Table
    if variable.is_continuous:
        structure.kinds[variable.name].check(variable, [])
    return FunctionOfParents if structure.kinds[variable.name].logic == "function" else MaxOfCauses


def collect(structure: Structure, source: Source, known: Mapping[Name, Variable] | None = None) -> Statistics:
    """Ask the source for everything that the parameters of this structure need."""
    variables = {
        name: structure.declared.get(name) or (known or {}).get(name) or source.variable(name)
        for name in structure.dag.nodes
    }
    # Refuses continuous parents of discrete variables before anything is read.
    replace(structure, declared=variables, sharing={}, kinds={}).frozen()
    for group in same_domains(structure.dag, structure.sharing):
        require_same_kind([variables[name] for name in group])
    return source.collect(list(dict.fromkeys(requests_for(structure, variables).values())))


def estimate(structure: Structure, statistics: Statistics, priors: PriorChoice) -> FrozenNetwork:
    """Turn statistics into parameters: pool what is shared, add the prior, normalise."""
    variables = domains(structure, statistics)
    requests = requests_for(structure, variables)
    network = FrozenNetwork(
        Schema(variables[name] for name in structure.dag.nodes),
        structure.dag,
        structure.sharing,
        {},
        structure.kinds,
    )
    blocks: dict[Name, LocalDistribution] = {}
    for block, names in users_of(network).items():
        prior = priors.of(block, tuple(names))
        if network.schema[names[0]].is_continuous:
            refuse_prior_without_effect(priors, (block, *names))
        blocks[block] = estimate_block(network, statistics, requests, names, prior)
    return network.with_blocks(blocks)


def users_of(network: FrozenNetwork) -> dict[Name, list[Name]]:
    """The variables that use each block of parameters."""
    users: dict[Name, list[Name]] = {}
    for name, block in network.slots.items():
        users.setdefault(block, []).append(name)
    return users


def domains(structure: Structure, *statistics: Statistics) -> dict[Name, Variable]:
    """Every variable with its states: as declared, else the union of what the data showed."""
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
    seen: dict[Name, list[Variable]] = {}
    for result in chain.from_iterable(one.values() for one in statistics):
        for axis in result.labels:
            seen.setdefault(axis.name, []).append(axis)
    return seen


def refuse_prior_without_effect(priors: PriorChoice, names: tuple[Name, ...]) -> None:
    """Refuse a prior that was stated for a Gaussian (or the block of several)."""
    for name in names:
        if name in (priors.by_name or {}):
            raise BadPrior(
                f"The prior for {name!r} would have no effect: it is continuous, and its Gaussian is learned "
                "by maximum likelihood. Leave it out of prior=."
            )


def estimate_block(
    network: FrozenNetwork,
    statistics: Statistics,
    requests: Mapping[Name, Request],
    users: list[Name],
    prior: Prior,
) -> LocalDistribution:
    """One block of parameters from the statistics of all its users."""
    first = users[0]
    discrete = network.discrete_parents(first)
    if network.schema[first].is_continuous:
        names = (*(parent.name for parent in network.continuous_parents(first)), first)
        results = [_moments(statistics, requests[name]) for name in users]
        pooled = pool_moments(results, names, [parent.name for parent in discrete])
        return LinearGaussian.estimate(pooled.aligned(discrete), network.schema[first])
    axes = (*discrete, network.schema[first])
    if first in network.kinds:
        return _estimate_factored(network, statistics, requests, users, prior)
    tables = [_counts(statistics, requests[name]) for name in users]
    counts = tables[0] if len(tables) == 1 else pool_counts(tables, [axis.name for axis in axes])
    return Table.estimate(counts.aligned(axes), prior)


def _estimate_factored(
    network: FrozenNetwork,
    statistics: Statistics,
    requests: Mapping[Name, Request],
    users: list[Name],
    prior: Prior,
) -> LocalDistribution:
    """A noisy node or a function, from the distinct rows of its family."""
    axes = (*network.parents(users[0]), network.schema[users[0]])
    results = [_rows(statistics, requests[name]) for name in users]
    rows = pool_rows(results, [axis.name for axis in axes]).aligned(axes)
    kind = network.kinds[users[0]]
    if kind.logic == "function":
        return FunctionOfParents.estimate(rows)
    meanings = {
        (kind.strength(network.schema[name]), tuple(map(kind.neutral, network.parents(name))))
        for name, kind in ((name, network.kinds[name]) for name in users)
    }
    if len(meanings) > 1:
        raise BadGraph(f"{listed(users)} share a noisy node: mark the same states as present in all of them.")
    return MaxOfCauses.estimate(rows, prior, kind)


def _rows(statistics: Statistics, request: Request) -> RowCounts:
    assert isinstance(request, DistinctRows)
    return statistics[request]


def _counts(statistics: Statistics, request: Request) -> Counts:
    assert isinstance(request, CountTable)
    return statistics[request]


def _moments(statistics: Statistics, request: Request) -> GroupMoments:
    assert isinstance(request, Moments)
    return statistics[request]
