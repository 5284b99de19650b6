"""A network as frozen data: variables, arcs, and parameters stored once per block. No verbs live here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bayou.distributions import (
    DISTRIBUTIONS,
    FunctionOfParents,
    LinearGaussian,
    LocalDistribution,
    MaxOfCauses,
    NodeKind,
    Table,
)
from bayou.errors import BadFile, BadGraph, BadTable, NotFitted
from bayou.graphs import Dag
from bayou.networks.sharing import Sharing, sharing_from_state, sharing_state, slots
from bayou.schema import Schema, Variable
from bayou.schema.values import decode_value, encode_value
from bayou.typing import FloatArray, Name


@dataclass(frozen=True, eq=False)
class FrozenNetwork:
    """Structure and parameters; a block may be missing until it is learned or stated.

    >>> from bayou.schema import Variable
    >>> rain = Variable("rain", ["no", "yes"])
    >>> net = FrozenNetwork(Schema([rain]), Dag.from_text("rain"), {}, {"rain": Table(np.array([0.8, 0.2]))})
    >>> net.table("rain").tolist()
    [0.8, 0.2]
    """

    schema: Schema
    dag: Dag
    sharing: Sharing
    blocks: Mapping[Name, LocalDistribution]
    kinds: Mapping[Name, NodeKind] = field(default_factory=dict)
    slots: Mapping[Name, Name] = field(init=False)
    _parents: dict[Name, tuple[Variable, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "slots", slots(self.dag, self.sharing))
        object.__setattr__(self, "_parents", {})
        any_numbers = any(variable.is_continuous for variable in self.schema)
        for name in self.dag.nodes:
            if any_numbers:
                self._check_kinds(name)
            if name in self.kinds:
                self.kinds[name].check(self.schema[name], self.parents(name))
            block = self.slots[name]
            if block in self.blocks:
                self._check_shape(name, self.blocks[block])

    def parents(self, name: Name) -> tuple[Variable, ...]:
        """The parents as variables, in the order of the table's axes."""
        found = self._parents.get(name)
        if found is None:
            found = self._parents[name] = tuple(self.schema[parent] for parent in self.dag.parents(name))
        return found

    def discrete_parents(self, name: Name) -> tuple[Variable, ...]:
        """The parents with states."""
        return tuple(parent for parent in self.parents(name) if not parent.is_continuous)

    def continuous_parents(self, name: Name) -> tuple[Variable, ...]:
        """The real-valued parents."""
        return tuple(parent for parent in self.parents(name) if parent.is_continuous)

    def distribution(self, name: Name) -> LocalDistribution:
        """The local distribution of a variable (perhaps shared with others)."""
        try:
            return self.blocks[self.slots[name]]
        except KeyError:
            raise NotFitted.missing([name]) from None

    def table(self, name: Name) -> FloatArray:
        """The probability table of a discrete variable, axes (parents …, the variable).

        Noisy nodes and functions are written out; one too wide for that is refused (TooWide).
        """
        distribution = self.distribution(name)
        if isinstance(distribution, MaxOfCauses | FunctionOfParents):
            return distribution.expanded
        if not isinstance(distribution, Table):
            raise BadTable(f"{name!r} is continuous: it has a Gaussian, not a table.")
        return distribution.values

    def gaussian(self, name: Name) -> LinearGaussian:
        """The Gaussian of a continuous variable."""
        distribution = self.distribution(name)
        if not isinstance(distribution, LinearGaussian):
            raise BadTable(f"{name!r} is discrete: it has a table, not a Gaussian.")
        return distribution

    def require(self, names: Iterable[Name]) -> None:
        """Raise unless all these variables have parameters."""
        lacking = [name for name in names if self.slots[name] not in self.blocks]
        if lacking:
            raise NotFitted.missing(lacking)

    def with_blocks(
        self, blocks: Mapping[Name, LocalDistribution], kinds: Mapping[Name, NodeKind] | None = None
    ) -> FrozenNetwork:
        """The same network with some blocks of parameters (and kinds) replaced; only these are checked."""
        changed = copy(self)
        object.__setattr__(changed, "blocks", {**self.blocks, **blocks})
        if kinds is not None:
            object.__setattr__(changed, "kinds", kinds)
        for name, block in self.slots.items():
            if block in blocks:
                if name in changed.kinds:
                    changed.kinds[name].check(self.schema[name], self.parents(name))
                changed._check_shape(name, blocks[block])
        return changed

    def _check_kinds(self, name: Name) -> None:
        if self.schema[name].is_continuous:
            return
        for parent in self.continuous_parents(name):
            raise BadGraph(
                f"{name!r} is discrete and has the continuous parent {parent.name!r}: such a network has no "
                f"exact answers. Turn the arc round, or make {parent.name!r} discrete (cut it into ranges)."
            )

    def _check_shape(self, name: Name, distribution: LocalDistribution) -> None:
        discrete = tuple(parent.cardinality for parent in self.discrete_parents(name))
        if isinstance(distribution, Table):
            found, wanted = distribution.values.shape, (*discrete, self.schema[name].cardinality)
        elif isinstance(distribution, MaxOfCauses | FunctionOfParents):
            found, wanted = distribution.shape, (*discrete, self.schema[name].cardinality)
        else:
            found = distribution.coefficients.shape
            wanted = (*discrete, len(self.continuous_parents(name)))
        if found != wanted or isinstance(distribution, LinearGaussian) != self.schema[name].is_continuous:
            raise BadTable(f"The parameters of {name!r} have shape {found}, expected {wanted}.")

    # In a file

    def state(self) -> dict[str, Any]:
        """Names, typed states, arcs, sharing and parameters; variables are named by their place."""
        names = self.dag.nodes
        place = {name: position for position, name in enumerate(names)}
        return {
            "variables": [self.schema[name].state() for name in names],
            "parents": [[place[parent] for parent in self.dag.parents(name)] for name in names],
            "sharing": sharing_state(self.sharing, place),
            "blocks": [
                {"block": encode_value(block), **distribution.state()}
                for block, distribution in self.blocks.items()
            ],
            "kinds": [{"variable": place[name], **kind.state()} for name, kind in self.kinds.items()],
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> FrozenNetwork:
        """The network that :meth:`state` described; each part is checked by its own class."""
        variables = [Variable.from_state(entry) for entry in state["variables"]]
        names = [variable.name for variable in variables]
        dag = Dag(names, {names[k]: [names[p] for p in own] for k, own in enumerate(state["parents"])})
        sharing = sharing_from_state(state["sharing"], names)
        blocks = dict(_block_from_state(entry) for entry in state["blocks"])
        # Files from before there were other kinds than tables and Gaussians do not speak of them.
        kinds = {names[entry["variable"]]: NodeKind.from_state(entry) for entry in state.get("kinds", [])}
        return cls(Schema(variables), dag, sharing, blocks, kinds)


def _block_from_state(entry: Mapping[str, Any]) -> tuple[Name, LocalDistribution]:
    block = decode_value(entry["block"])
    try:
        return block, DISTRIBUTIONS.find(entry["kind"]).from_state(entry)
    except BadFile as error:
        raise BadFile(f"the parameters of {block!r} can not be read: {error}") from None


def same_parameters(left: FrozenNetwork, right: FrozenNetwork) -> bool:
    """Whether two networks have the same variables, arcs, sharing and, to the last bit, parameters."""
    if (left.schema, left.dag, dict(left.sharing)) != (right.schema, right.dag, dict(right.sharing)):
        return False
    if set(left.blocks) != set(right.blocks):
        return False
    return all(_same(left.blocks[block], right.blocks[block]) for block in left.blocks)


def _same(left: LocalDistribution, right: LocalDistribution) -> bool:
    if isinstance(left, Table) and isinstance(right, Table):
        return np.array_equal(left.values, right.values)
    if isinstance(left, FunctionOfParents) and isinstance(right, FunctionOfParents):
        return left.states == right.states and np.array_equal(left.codes, right.codes)
    if isinstance(left, MaxOfCauses) and isinstance(right, MaxOfCauses):
        return left.identity == right.identity and all(
            np.array_equal(ours, theirs)
            for ours, theirs in zip((*left.links, left.leak), (*right.links, right.leak), strict=True)
        )
    if isinstance(left, LinearGaussian) and isinstance(right, LinearGaussian):
        return all(
            np.array_equal(getattr(left, part), getattr(right, part))
            for part in ("intercept", "coefficients", "variance")
        )
    return False
