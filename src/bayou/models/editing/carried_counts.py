"""What a network has learned, carried over an edit that changes names and orders only.

Counts are kept where they still describe the tables: then the tables estimated from them are those that the
network has. Where that is not so for one family (or not known), nothing is kept, and the network counts as
stated by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bayou.distributions import BDeu, Dirichlet, Laplace, MEstimate, Prior
from bayou.distributions.gaussian.virtual_rows import VirtualRows
from bayou.errors import BayouError
from bayou.fitting.fitted_parameters import FittedParameters
from bayou.learning import PriorChoice
from bayou.models.editing.state_change import StateChange
from bayou.networks import FrozenNetwork
from bayou.schema import Variable
from bayou.schema.states import state_key
from bayou.statistics import Counts, GroupMoments, Request, Result, RowCounts, Statistics
from bayou.typing import Name, State


def carried(
    learned: FittedParameters,
    network: FrozenNetwork,
    names: Mapping[Name, Name],
    changes: Mapping[Name, StateChange],
) -> FittedParameters | None:
    """Return what was learned for the network after new names (old → new), states or orders; None: lost."""
    move = _Move(learned.network, network, names, changes)
    results: dict[Request, Result] = {}
    for request, result in learned.statistics.items():
        moved = move.answer(request, result)
        if moved is None:
            return None
        results[moved[0]] = moved[1]
    priors = move.priors(learned.priors)
    if priors is None:
        return None
    return replace(
        learned, network=network, statistics=Statistics(results, learned.statistics.rows), priors=priors
    )


def carried_without(
    learned: FittedParameters, network: FrozenNetwork, kept: Sequence[Name]
) -> FittedParameters | None:
    """Return what was learned about some variables, whose families and parameters are as before.

    Nothing is kept if a block of parameters was learned from variables that are gone, too.
    """
    before, left = learned.network, set(kept)
    for users in before.sharing.values():
        if 0 < len(left.intersection(users)) < len(users):
            return None
    requests = {before.kind(name).needs(before.family(name)) for name in kept}
    requests |= {before.kind(name).expects(before.family(name)) for name in kept}
    statistics = learned.statistics.only(requests)
    blocks = {*left, *(block for block, users in before.sharing.items() if left.intersection(users))}
    chosen = {name: prior for name, prior in (learned.priors.by_name or {}).items() if name in blocks}
    priors = replace(learned.priors, by_name=chosen or None)
    return replace(learned, network=network, statistics=statistics, priors=priors)


@dataclass(frozen=True)
class _Move:
    """From one network to the same one with other names, states and orders."""

    before: FrozenNetwork
    after: FrozenNetwork
    names: Mapping[Name, Name]
    changes: Mapping[Name, StateChange]
    _axes: dict[Name, Variable] = field(default_factory=dict)

    def name(self, old: Name) -> Name:
        return self.names.get(old, old)

    def axis(self, old: Name) -> Variable:
        """The old variable with new names of itself and its states, still in the old order."""
        found = self._axes.get(old)
        if found is None:
            variable, change = self.before.schema[old], self.changes.get(old)
            states: list[State] = list(variable.states)
            if change is not None:
                places = [change.place(code) for code in range(variable.cardinality)]
                states = [change.new.states[place] for place in places if place is not None]
            found = self._axes[old] = Variable(self.name(old), states, ordered=variable.ordered)
        return found

    def answer(self, request: Any, result: Any) -> tuple[Request, Result] | None:
        """The request and its answer after the move; None if this kind of answer cannot follow."""
        if isinstance(result, Counts | RowCounts):
            moved = self._table(result)
            return moved.request, moved
        if isinstance(result, GroupMoments):
            moments = self.moments(result)
            return moments.request, moments
        own = tuple(getattr(request, "variables", ()))
        if self.changes or any(self._reordered(name) for name in own if name in self.before.dag):
            return None
        try:
            moved_names = tuple(self.name(name) for name in own)
            again = replace(request, variables=moved_names) if own else None
            renamed = result.renamed(self.names)
        except (BayouError, TypeError):
            return None
        return None if again is None else (again, renamed)

    def _reordered(self, name: Name) -> bool:
        """Whether the parents of a variable are in another order."""
        old = tuple(self.name(parent) for parent in self.before.dag.parents(name))
        return old != self.after.dag.parents(self.name(name))

    def _table(self, result: Counts | RowCounts) -> Counts | RowCounts:
        aligned = result.with_states({v.name: v for v in self.before.schema})
        axes = tuple(self.axis(axis.name) for axis in aligned.axes)
        child = aligned.axes[-1].name
        family = self.after.family(self.name(child)).names
        order = family if {*family} == {axis.name for axis in axes} else [axis.name for axis in axes]
        return replace(aligned, axes=axes).aligned([self.after.schema[name] for name in order])

    def moments(self, result: GroupMoments) -> GroupMoments:
        """Moments with new names; groups and variables in the order of the parents."""
        aligned = result.with_states({v.name: v for v in self.before.schema})
        groups = tuple(self.axis(axis.name) for axis in aligned.groups)
        variables = tuple(self.name(name) for name in aligned.variables)
        family = self.after.family(variables[-1])
        numbers = [v.name for v in family.continuous]
        order = [*numbers, variables[-1]] if {*numbers} == {*variables[:-1]} else list(variables)
        places = [variables.index(name) for name in order]
        discrete = [v.name for v in family.discrete]
        by = discrete if {*discrete} == {axis.name for axis in groups} else [axis.name for axis in groups]
        moved = GroupMoments(
            tuple(order),
            groups,
            aligned.n,
            aligned.mean[..., places],
            aligned.scatter[..., places, :][..., places],
            None if aligned.doubt is None else aligned.doubt[..., places],
        )
        return moved.aligned([self.after.schema[name] for name in by])

    # Priors

    def priors(self, given: PriorChoice) -> PriorChoice | None:
        """The priors under the new names and for the new orders; None if one of them cannot follow."""
        chosen: dict[Name, Prior] = {}
        for name, prior in (given.by_name or {}).items():
            moved = self._prior(prior, self.before.sharing.get(name, (name,))[0])
            if moved is None:
                return None
            chosen[self.name(name)] = moved
        for name in self.before.dag.nodes:
            if not self.before.kind(name).uses_prior:
                continue
            slot = self.before.slots[name]
            users = self.before.sharing.get(slot, (name,))
            if given.by_name and any(each in given.by_name for each in (slot, *users)):
                continue
            moved = self._prior(given.default, name)
            if moved is None:
                return None
            if moved != given.default:
                chosen[self.name(slot)] = moved
        return PriorChoice(given.default, chosen or None)

    def _prior(self, prior: Prior, name: Name) -> Prior | None:
        """One prior of the block that a variable uses."""
        if isinstance(prior, Laplace | BDeu):
            return prior
        if isinstance(prior, VirtualRows):
            return VirtualRows(self.moments(prior.moments))
        if isinstance(prior, MEstimate):
            return prior if prior.p is None else MEstimate(prior.m, self._by_state(prior.p, name))
        if not isinstance(prior, Dirichlet):
            return None
        if isinstance(prior.alpha, Mapping):
            return Dirichlet(self._by_state(prior.alpha, name))
        alpha = np.asarray(prior.alpha)
        family = self.before.family(name).variables
        axes = family if alpha.ndim == len(family) else family[-1:]
        if alpha.ndim == 0 or alpha.shape != tuple(axis.cardinality for axis in axes):
            return prior
        moved = Counts(tuple(self.axis(axis.name) for axis in axes), alpha)
        after = self.after.family(self.name(name)).variables
        return Dirichlet(moved.aligned(after if len(axes) == len(family) else after[-1:]).values)

    def _by_state(self, given: Mapping[State, float], name: Name) -> dict[State, float]:
        """A mapping of states with their new names."""
        old, new = self.before.schema[name], self.axis(name)
        names = {state_key(old.states[k]): state for k, state in enumerate(new.states)}
        return {names.get(state_key(state), state): value for state, value in given.items()}
