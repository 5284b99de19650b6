"""The number of parameters of a network, and of its full joint table."""

from __future__ import annotations

from dataclasses import dataclass

from bayou.errors import counted
from bayou.networks.frozen import FrozenNetwork


@dataclass(frozen=True)
class ParameterCount:
    """The number of parameters in all (``total``) and without those that follow from others (``free``).

    In a table the last entry of each row follows from the others, because rows sum to 1. ``joint_total`` and
    ``joint_free`` are the same for the full joint table (None with continuous variables). A shared block
    counts once.
    """

    total: int
    free: int
    joint_total: int | None
    joint_free: int | None

    def __str__(self) -> str:
        text = f"{counted(self.total, 'parameter')}, {self.free:,} free"
        if self.joint_total is None:
            return text
        return f"{text} (the full joint table: {_short(self.joint_total)}, {_short(self.joint_free)} free)"


def count_parameters(network: FrozenNetwork) -> ParameterCount:
    """Count the parameters, each block once; the network need not be fitted."""
    total = free = 0
    seen = set()
    for name in network.dag.nodes:
        if network.slots[name] in seen:
            continue
        seen.add(network.slots[name])
        block = network.blocks.get(network.slots[name])
        if block is None:
            entries, own = network.kind(name).count_parameters(network.family(name))
        else:
            entries, own = block.parameters, block.free_parameters
        total, free = total + entries, free + own
    joint: int | None = 1
    for variable in network.schema:
        joint = None if joint is None or variable.is_continuous else joint * variable.cardinality
    return ParameterCount(total, free, joint, None if joint is None else joint - 1)


def _short(value: int | None) -> str:
    if value is None:
        return "unknown"
    return f"{value:,}" if value < 10**9 else f"about 10^{len(str(value)) - 1}"
