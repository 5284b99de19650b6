"""What an edit works on: the parts of a network as frozen data, as far as they are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from bayou.distributions import Distribution, DistributionKind, Family
from bayou.errors import BadGraph, listed
from bayou.graphs import Dag
from bayou.networks import FrozenNetwork, Sharing, Structure
from bayou.schema import Schema, Variable
from bayou.typing import Name


@dataclass(frozen=True, eq=False)
class NetworkContent:
    """Graph, states, sharing, kinds and parameters; states and parameters may be unknown for some variables.

    ``declared`` are the variables whose states are declared; those of others come from data.
    """

    dag: Dag
    variables: Mapping[Name, Variable]
    declared: frozenset[Name]
    sharing: Sharing
    kinds: Mapping[Name, DistributionKind]
    blocks: Mapping[Name, Distribution]
    network: FrozenNetwork | None = None
    """The network that this was read from, with its compiled plans; None after a change."""

    @classmethod
    def of(
        cls, structure: Structure, frozen: FrozenNetwork | None, pending: Mapping[Name, Distribution]
    ) -> NetworkContent:
        """Return the content of a network, whose states are all known (``frozen``) or not."""
        known = dict(structure.declared)
        if frozen is not None:
            known = {variable.name: variable for variable in frozen.schema}
        blocks = pending if frozen is None else frozen.blocks
        declared = frozenset(structure.declared)
        return cls(structure.dag, known, declared, structure.sharing, structure.kinds, blocks, frozen)

    def changed(self, **parts: Any) -> NetworkContent:
        """Return the content with some parts replaced."""
        return replace(self, network=None, **parts)

    def slot(self, name: Name) -> Name:
        """The block of parameters that a variable uses."""
        return self._slots.get(name, name)

    @cached_property
    def _slots(self) -> dict[Name, Name]:
        return {name: block for block, users in self.sharing.items() for name in users}

    def users(self, name: Name) -> tuple[Name, ...]:
        """The variables that use the same block as this one."""
        return self.sharing.get(self.slot(name), (name,))

    def distribution(self, name: Name) -> Distribution | None:
        """The parameters of a variable; None if it has none yet."""
        return self.blocks.get(self.slot(name))

    def family(self, name: Name) -> Family:
        """A variable with its parents; the states of all of them must be known."""
        parents = tuple(self.variables[parent] for parent in self.dag.parents(name))
        return Family(self.variables[name], parents)

    def known_family(self, name: Name) -> bool:
        """Whether the states of a variable and of its parents are known."""
        return all(member in self.variables for member in (*self.dag.parents(name), name))

    def is_real(self, name: Name) -> bool:
        """Whether a variable is known to hold real numbers or texts."""
        return name in self.variables and self.variables[name].is_continuous

    @cached_property
    def frozen(self) -> FrozenNetwork | None:
        """The network as frozen data, checked; None while the states of a variable are unknown."""
        if self.network is not None:
            return self.network
        if any(name not in self.variables for name in self.dag.nodes):
            return None
        schema = Schema(self.variables[name] for name in self.dag.nodes)
        return FrozenNetwork(schema, self.dag, self.sharing, self.blocks, self.kinds)

    @cached_property
    def structure(self) -> Structure:
        """The structure; while the states of a variable are unknown, those of all others are declared."""
        kept = self.declared if self.frozen is not None else set(self.variables)
        declared = {name: self.variables[name] for name in self.variables if name in kept}
        return Structure(self.dag, declared, self.sharing, self.kinds)

    def ancestors_of(self, names: Iterable[Name]) -> FrozenNetwork | None:
        """A network that has these variables and their ancestors; None if one has no states or parameters."""
        needed = self.dag.with_ancestors(names)
        if any(n not in self.variables or self.slot(n) not in self.blocks for n in needed):
            return None
        if self.frozen is not None:
            return self.frozen
        blocks = {name: self.blocks[self.slot(name)] for name in needed}
        kinds = {name: kind for name, kind in self.kinds.items() if name in blocks}
        schema = Schema(self.variables[name] for name in needed)
        return FrozenNetwork(schema, self.dag.subgraph(needed), {}, blocks, kinds)

    def with_block(self, name: Name, distribution: Distribution | None) -> dict[Name, Distribution]:
        """The blocks, with that of one variable replaced (None: as it was)."""
        return dict(self.blocks) if distribution is None else {**self.blocks, self.slot(name): distribution}

    def require_own_block(self, name: Name, what: str) -> None:
        """Raise BadGraph if other variables use the same parameters; ``what`` is the edit in a few words."""
        users = self.users(name)
        if len(users) > 1:
            others = listed(user for user in users if user != name)
            raise BadGraph(
                f"{what}: {name!r} shares its parameters {self.slot(name)!r} with {others}, which would no "
                f"longer fit. Give it parameters of its own first: net.unshare({name!r})."
            )
