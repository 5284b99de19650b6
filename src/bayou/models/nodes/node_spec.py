"""The base class of nodes as users write them: ``NoisyOr``, ``NoisyAnd``, ``NoisyMax``, ``Deterministic``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bayou.distributions import Distribution, NodeKind
    from bayou.networks import Structure
    from bayou.schema import Variable
    from bayou.typing import Name


class NodeSpec(ABC):
    """A node that ``set_cpt`` accepts besides tables and Gaussians; its states need not be known yet."""

    @property
    @abstractmethod
    def kind(self) -> NodeKind:
        """The declaration without the numbers."""

    @abstractmethod
    def bound(self, child: Variable, parents: Sequence[Variable]) -> Distribution:
        """Return the distribution, now that the states of the child and the parents are known."""


def kinds_with(structure: Structure, name: Name, node: NodeSpec | None) -> Structure:
    """Return the structure after a distribution was set by the user.

    A noisy or deterministic ``node`` becomes the kind that is learned; None (a table) removes the kind. Other
    variables that share the block get the same kind, with the parents matched by position.
    """
    block = structure.slot(name)
    kinds = dict(structure.kinds)
    own = (*structure.dag.parents(name), name)
    for user in structure.sharing.get(block, (name,)):
        kinds.pop(user, None)
        if node is not None:
            renamed = dict(zip(own, (*structure.dag.parents(user), user), strict=True))
            marked = {renamed.get(marked, marked): state for marked, state in node.kind.marked.items()}
            kinds[user] = replace(node.kind, marked=marked)
    return structure if kinds == structure.kinds else replace(structure, kinds=kinds)
