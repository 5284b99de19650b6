"""Exhaustive enumeration: the whole joint table. Slow, obvious, and the referee for everything else."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bayou.errors import BadQuestion, TooWide
from bayou.inference.question import Question
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray

LARGEST_JOINT = 2**24


def joint_table(network: FrozenNetwork, do: Mapping[object, object] | None = None) -> FloatArray:
    """The product of all tables, one axis a variable in the order of the schema."""
    shape = [variable.cardinality for variable in network.schema]
    if any(variable.is_continuous for variable in network.schema):
        raise BadQuestion("A network with continuous variables has no finite joint table.")
    cells = 1
    for size in shape:
        cells *= size
    if cells > LARGEST_JOINT:
        raise TooWide(
            f"The joint table has {cells:,} entries (at most {LARGEST_JOINT:,}): use variable elimination "
            "(the default engine) instead of enumeration."
        )
    joint: FloatArray = np.ones(shape)
    for name in network.dag.nodes:
        if do and name in do:
            continue
        axes = [network.schema.index(parent.name) for parent in network.parents(name)]
        axes.append(network.schema.index(name))
        table = np.transpose(network.table(name), np.argsort(axes))
        joint = joint * table.reshape([shape[k] if k in axes else 1 for k in range(len(shape))])
    return joint


def enumerate_query(network: FrozenNetwork, question: Question) -> tuple[FloatArray, float]:
    """P(targets | evidence) and log P(evidence), by adding up the cells of the joint that agree."""
    network.require(network.dag.nodes)
    joint = joint_table(network, question.do)
    for name, weights in question.likelihood.items():
        shape = [1] * joint.ndim
        shape[network.schema.index(name)] = -1
        joint = joint * weights.reshape(shape)
    index: list[slice | int] = [slice(None)] * joint.ndim
    for name, code in {**question.evidence, **question.do}.items():
        index[network.schema.index(name)] = int(code)
    agreeing = joint[tuple(index)]
    left = [k for k in range(joint.ndim) if isinstance(index[k], slice)]
    targets = [left.index(network.schema.index(name)) for name in question.targets]
    others = tuple(axis for axis in range(agreeing.ndim) if axis not in targets)
    table = np.transpose(agreeing.sum(axis=others), [sorted(targets).index(axis) for axis in targets])
    evidence = float(table.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        return table / evidence, float(np.log(evidence))
