"""A network without parameters: arcs, declared variables, sharing and kinds of distributions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bayou import distributions
from bayou.errors import BadGraph, BadVariable
from bayou.graphs import Dag
from bayou.networks.frozen import FrozenNetwork
from bayou.networks.sharing import Sharing, same_domains, sharing_from_state, sharing_state
from bayou.schema import Schema, Variable
from bayou.schema.json_values import decode_value, encode_value
from bayou.typing import Name

if TYPE_CHECKING:
    from bayou.distributions import DistributionKind


@dataclass(frozen=True, eq=False)
class Structure:
    """Arcs and declarations. Variables that are not declared get their states from the data."""

    dag: Dag
    declared: Mapping[Name, Variable]
    sharing: Sharing
    kinds: Mapping[Name, DistributionKind] = field(default_factory=dict)
    """The declared kinds of distributions, of variables that have neither a plain table nor a Gaussian."""

    def __post_init__(self) -> None:
        if not self.sharing:
            return
        _require_same_kinds(self.sharing, self.kinds)
        declared = dict(self.declared)
        for group in same_domains(self.dag, self.sharing):
            known = [declared[name] for name in group if name in declared]
            for name in group:
                if known:
                    declared.setdefault(name, Variable(name, known[0].states, ordered=known[0].ordered))
            for other in known[1:]:
                _require_same_domain(known[0], other)
        object.__setattr__(self, "declared", declared)

    def slot(self, name: Name) -> Name:
        """The block that a variable uses: a shared one, or a block with the variable's own name."""
        return next((block for block, users in self.sharing.items() if name in users), name)

    @property
    def undeclared(self) -> tuple[Name, ...]:
        """The variables whose kind and states come from the data."""
        return tuple(name for name in self.dag.nodes if name not in self.declared)

    def frozen(self) -> FrozenNetwork:
        """The network without any parameters; all variables must be declared."""
        schema = Schema(self.declared[name] for name in self.dag.nodes)
        return FrozenNetwork(schema, self.dag, self.sharing, {}, self.kinds)

    # In a file

    def state(self) -> dict[str, Any]:
        """Arcs, declared variables, sharing and kinds as plain values, with variables as positions."""
        names = self.dag.nodes
        place = {name: position for position, name in enumerate(names)}
        return {
            "names": [encode_value(name) for name in names],
            "parents": [[place[parent] for parent in self.dag.parents(name)] for name in names],
            "declared": [variable.state() for variable in self.declared.values()],
            "sharing": sharing_state(self.sharing, place),
            "kinds": [{"variable": place[name], **kind.declaration()} for name, kind in self.kinds.items()],
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Structure:
        """The structure that :meth:`state` described."""
        names = [decode_value(name) for name in state["names"]]
        dag = Dag(names, {names[k]: [names[p] for p in own] for k, own in enumerate(state["parents"])})
        declared = [Variable.from_state(entry) for entry in state["declared"]]
        kinds = {
            names[entry["variable"]]: distributions.kind_from_declaration(entry) for entry in state["kinds"]
        }
        sharing = sharing_from_state(state["sharing"], names)
        return cls(dag, {variable.name: variable for variable in declared}, sharing, kinds)


def _require_same_kinds(sharing: Sharing, kinds: Mapping[Name, DistributionKind]) -> None:
    for block, users in sharing.items():
        declared = [_declaration(kinds[name]) if name in kinds else None for name in users]
        if any(other != declared[0] for other in declared[1:]):
            raise BadGraph(
                f"The users of the shared block {block!r} are of different kinds: declare the same kind "
                "(NoisyOr, …) for all of them."
            )


def _declaration(kind: DistributionKind) -> dict[str, Any]:
    """A kind with its options; which states are marked depends on the names, and is compared elsewhere."""
    options = {k: v for k, v in kind.declaration().items() if k not in ("marked", "everywhere")}
    return {**options, "title": kind.title}


def require_same_kind(variables: Sequence[Variable]) -> None:
    """Raise unless all variables are continuous or all are discrete, as a shared block requires."""
    for other in variables[1:]:
        if other.is_continuous != variables[0].is_continuous:
            real, states = (other, variables[0]) if other.is_continuous else (variables[0], other)
            raise BadVariable(
                f"{real.name!r} is continuous and {states.name!r} is discrete, so they cannot share "
                "parameters. Declare both alike (continuous=… or states=…), or take one out of share."
            )


def _require_same_domain(left: Variable, right: Variable) -> None:
    require_same_kind([left, right])
    if Variable("", left.states) != Variable("", right.states):
        raise BadVariable(
            f"{left.name!r} and {right.name!r} use a shared table, so they need the same states in the same "
            f"order, but have {list(left.states)} and {list(right.states)}."
        )
