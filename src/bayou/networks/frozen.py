"""A network as frozen data: variables, arcs, and parameters stored once per block."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayou import distributions
from bayou.distributions import (
    DENSITY,
    DISTRIBUTIONS,
    Distribution,
    Family,
    FiniteDistribution,
    default_kind,
)
from bayou.errors import BadFile, BadGraph, BadTable, NotFitted, listed
from bayou.graphs import Dag
from bayou.networks.sharing import Sharing, sharing_from_state, sharing_state, slots
from bayou.schema import Schema, Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.distributions import DistributionKind, LinearGaussian


@dataclass(frozen=True, eq=False)
class FrozenNetwork:
    """Structure and parameters; a block may be missing until it is learned or set.

    >>> import numpy as np
    >>> from bayou.distributions import Table
    >>> from bayou.schema import Variable
    >>> rain = Variable("rain", ["no", "yes"])
    >>> net = FrozenNetwork(Schema([rain]), Dag.from_text("rain"), {}, {"rain": Table(np.array([0.8, 0.2]))})
    >>> net.table("rain").tolist()
    [0.8, 0.2]
    """

    schema: Schema
    dag: Dag
    sharing: Sharing
    blocks: Mapping[Name, Distribution]
    kinds: Mapping[Name, DistributionKind] = field(default_factory=dict)
    slots: Mapping[Name, Name] = field(init=False)
    _families: dict[Name, Family] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "slots", slots(self.dag, self.sharing))
        object.__setattr__(self, "_families", {})
        any_numbers = any(variable.is_continuous for variable in self.schema)
        for name in self.dag.nodes:
            if any_numbers or name in self.kinds:
                self._check_kind(name)
            block = self.slots[name]
            if block in self.blocks:
                self.blocks[block].check_shape(self.family(name))

    def family(self, name: Name) -> Family:
        """A variable and its parents, in the order of the axes of its parameters."""
        found = self._families.get(name)
        if found is None:
            parents = tuple(self.schema[parent] for parent in self.dag.parents(name))
            found = self._families[name] = Family(self.schema[name], parents)
        return found

    def parents(self, name: Name) -> tuple[Variable, ...]:
        """The parents as variables, in the order of the table's axes."""
        return self.family(name).parents

    def discrete_parents(self, name: Name) -> tuple[Variable, ...]:
        """The discrete parents."""
        return self.family(name).discrete

    def continuous_parents(self, name: Name) -> tuple[Variable, ...]:
        """The continuous parents."""
        return self.family(name).continuous

    def kind(self, name: Name) -> DistributionKind:
        """The kind of a variable's distribution: as declared, else a table or a Gaussian."""
        return self.kinds.get(name) or default_kind(self.schema[name])

    def distribution(self, name: Name) -> Distribution:
        """The local distribution of a variable (perhaps shared with others)."""
        try:
            return self.blocks[self.slots[name]]
        except KeyError:
            raise NotFitted.missing([name]) from None

    def finite(self, name: Name) -> FiniteDistribution:
        """The distribution of a discrete variable."""
        distribution = self.distribution(name)
        finite = distribution.finite
        if finite is None:
            raise BadTable(f"{name!r} is continuous: it has a {_word(distribution)}, not a table.")
        return finite

    def table(self, name: Name) -> FloatArray:
        """The probability table of a discrete variable, axes (parents …, the variable).

        Noisy nodes and functions are expanded to a table; TooWide is raised if it would be too large.
        """
        return self.finite(name).table

    def gaussian(self, name: Name) -> LinearGaussian:
        """The Gaussian of a continuous variable."""
        distribution = self.distribution(name)
        gaussian = distribution.gaussian
        if gaussian is None:
            has = "is discrete: it has a table" if distribution.finite else f"has a {_word(distribution)}"
            raise BadTable(f"{name!r} {has}, not a Gaussian.")
        return gaussian

    def require(self, names: Iterable[Name]) -> None:
        """Raise unless all these variables have parameters."""
        lacking = [name for name in names if self.slots[name] not in self.blocks]
        if lacking:
            raise NotFitted.missing(lacking)

    def with_blocks(
        self, blocks: Mapping[Name, Distribution], kinds: Mapping[Name, DistributionKind] | None = None
    ) -> FrozenNetwork:
        """The same network with some blocks of parameters (and kinds) replaced; only these are checked."""
        changed = copy(self)
        object.__setattr__(changed, "blocks", {**self.blocks, **blocks})
        if kinds is not None:
            object.__setattr__(changed, "kinds", kinds)
        for name, block in self.slots.items():
            if block in blocks:
                if name in changed.kinds:
                    changed._check_kind(name)
                blocks[block].check_shape(self.family(name))
        return changed

    def _check_kind(self, name: Name) -> None:
        kind = self.kind(name)
        kind.check_family(self.family(name))
        children = self.dag.children(name) if kind.form == DENSITY else ()
        if children:
            raise BadGraph(
                f"{name!r} has a {kind.title} distribution and the child {children[0]!r}: such a variable "
                "can only be a leaf. Drop the arc, or declare another kind."
            )

    # In a file

    def state(self) -> dict[str, Any]:
        """The network as plain values: names, typed states, arcs, sharing, parameters.

        Variables are referred to by their position; blocks stand in the order of the variables that use them,
        so that equal networks have equal states.
        """
        names = self.dag.nodes
        place = {name: position for position, name in enumerate(names)}
        owners = {name: block for block, users in self.sharing.items() for name in users}
        ordered = dict.fromkeys(owners.get(name, name) for name in names)
        shared = {block: self.sharing[block] for block in ordered if block in self.sharing}
        return {
            "variables": [self.schema[name].state() for name in names],
            "parents": [[place[parent] for parent in self.dag.parents(name)] for name in names],
            "sharing": sharing_state(shared, place),
            "blocks": [
                {"block": encode_value(block), **self.blocks[block].state()}
                for block in ordered
                if block in self.blocks
            ],
            "kinds": [
                {"variable": place[name], **self.kinds[name].declaration()}
                for name in names
                if name in self.kinds
            ],
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> FrozenNetwork:
        """The network that :meth:`state` described; each part is checked by its own class."""
        variables = [Variable.from_state(entry) for entry in state["variables"]]
        names = [variable.name for variable in variables]
        dag = Dag(names, {names[k]: [names[p] for p in own] for k, own in enumerate(state["parents"])})
        sharing = sharing_from_state(state["sharing"], names)
        blocks = dict(_block_from_state(entry) for entry in state["blocks"])
        known = {*names, *sharing}
        strays = [block for block in blocks if block not in known]
        if strays:
            raise BadFile(
                f"it has parameters of {listed(strays)}, which is none of its variables ({listed(names)}): a "
                "name must be the same wherever it stands."
            )
        # Files written when there were only tables and Gaussians have no entry for kinds.
        kinds = {
            names[entry["variable"]]: distributions.kind_from_declaration(entry)
            for entry in state.get("kinds", [])
        }
        return cls(Schema(variables), dag, sharing, blocks, kinds)


def _block_from_state(entry: Mapping[str, Any]) -> tuple[Name, Distribution]:
    block = decode_value(entry["block"])
    try:
        return block, DISTRIBUTIONS.find(entry["kind"]).from_state(entry)
    except BadFile as error:
        raise BadFile(f"the parameters of {block!r} cannot be read: {error}") from None


def _word(distribution: Distribution) -> str:
    return "Gaussian" if distribution.gaussian else f"{distribution.title} distribution"


def same_parameters(left: FrozenNetwork, right: FrozenNetwork) -> bool:
    """Whether two networks have the same variables, arcs, sharing and exactly the same parameters."""
    if (left.schema, left.dag, dict(left.sharing)) != (right.schema, right.dag, dict(right.sharing)):
        return False
    if set(left.blocks) != set(right.blocks):
        return False
    return all(left.blocks[block].same_as(right.blocks[block]) for block in left.blocks)
