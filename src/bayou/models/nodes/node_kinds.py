"""Reading of ``nodes=``: which kind of distribution each variable is declared to have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bayou.distributions import (
    TEXTS,
    Declaration,
    DistributionKind,
    kind_from_declaration,
)
from bayou.errors import BadVariable, UnknownVariable
from bayou.models.nodes.node_spec import NodeSpec
from bayou.schema import Variable
from bayou.typing import Name


def node_kinds_from(nodes: Mapping[Any, Any], known: Sequence[Name]) -> dict[Name, DistributionKind]:
    """Read ``nodes={"Fever": NoisyOr}``: classes, or instances with options (``NoisyOr(present=…)``).

    Any kind of distribution is accepted: its class, or a declaration such as ``features.KernelFeature()``.
    """
    kinds: dict[Name, DistributionKind] = {}
    for name, given in nodes.items():
        if name not in known:
            raise UnknownVariable.named(name, known, "in nodes")
        node = given() if isinstance(given, type) and issubclass(given, NodeSpec | Declaration) else given
        if isinstance(node, NodeSpec):
            if getattr(node, "causes", None) or getattr(node, "leak", None):
                raise BadVariable(
                    f"nodes={{{name!r}: …}} says which kind of distribution is learned, and has no numbers: "
                    f"state them in tables={{{name!r}: {node!r}}}, or give {type(node).__name__} alone."
                )
            kinds[name] = node.kind
        elif isinstance(node, Declaration):
            kinds[name] = kind_from_declaration(node.declaration())  # as a saved file restores it
        elif hasattr(node, "needs") and hasattr(node, "estimate") and hasattr(node, "check_family"):
            kinds[name] = node
        else:
            raise BadVariable(
                f"nodes={{{name!r}: {given!r}}}: use NoisyOr, NoisyAnd, NoisyMax or Deterministic, or a kind "
                "of distribution such as features.PoissonFeature()."
            )
    return kinds


def text_variables(
    kinds: Mapping[Name, DistributionKind], declared: Mapping[Name, Variable]
) -> dict[Name, Variable]:
    """Return the variables whose kind of distribution is one of texts; none may be declared otherwise."""
    texts = [name for name, kind in kinds.items() if kind.values_are == TEXTS]
    for name in texts:
        if name in declared and not declared[name].is_text:
            raise BadVariable(
                f"nodes={{{name!r}: …}} declares texts, so {name!r} has neither states nor numbers: leave it "
                "out of states= and continuous=."
            )
    return {name: Variable(name, texts=True) for name in texts}
