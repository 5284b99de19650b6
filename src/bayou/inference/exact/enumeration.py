"""Exhaustive enumeration of the whole joint table: slow and simple, the reference for the other engines."""

from __future__ import annotations

from collections.abc import Container
from math import prod

import numpy as np

from bayou.errors import BadQuestion, TooWide, listed
from bayou.inference.answer import Answer
from bayou.inference.engines import Engine
from bayou.inference.question import Question
from bayou.memory import count_text
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

LARGEST_JOINT = 2**24


def joint_table(
    network: FrozenNetwork, do: Container[Name] = (), left_out: Container[Name] = (), *, logs: bool = False
) -> FloatArray:
    """Return the product of all tables, with one axis per variable in the order of the schema.

    Variables in ``left_out`` have an axis of size 1; the tables of variables in ``do`` are not multiplied.
    With ``logs`` it is the log of the product, in which nothing underflows.
    """
    included = [variable for variable in network.schema if variable.name not in left_out]
    real = [variable.name for variable in included if variable.is_continuous]
    if real:
        raise BadQuestion(f"There is no finite joint table: {listed(real)} can be any real number.")
    shape = [1 if variable.name in left_out else variable.cardinality for variable in network.schema]
    cells = prod(shape)
    if cells > LARGEST_JOINT:
        raise TooWide(
            f"The joint table has {count_text(cells)} entries (at most {LARGEST_JOINT:,}): use the engine "
            '"compiled" (the default) or "elimination" instead of enumeration.'
        )
    joint: FloatArray = np.zeros(shape) if logs else np.ones(shape)
    for name in network.dag.nodes:
        if name in do or name in left_out:
            continue
        axes = [network.schema.index(parent.name) for parent in network.parents(name)]
        axes.append(network.schema.index(name))
        table = np.transpose(network.table(name), np.argsort(axes))
        sides = [shape[k] if k in axes else 1 for k in range(len(shape))]
        joint = _times(joint, table.reshape(sides), logs)
    return joint


def enumerate_query(network: FrozenNetwork, question: Question) -> tuple[FloatArray, float]:
    """Return P(targets | evidence) and log P(evidence), by summing the joint's cells that agree with it."""
    # Discrete variables have no real parents, so real variables do not affect these probabilities.
    left_out = {variable.name for variable in network.schema if variable.is_continuous}
    network.require([name for name in network.dag.nodes if name not in left_out])
    logs = False
    try:
        with np.errstate(under="raise"):
            joint = _weighed(joint_table(network, question.do, left_out), network, question)
    except FloatingPointError:
        logs = True
        joint = _weighed(joint_table(network, question.do, left_out, logs=True), network, question, logs=True)
    index: list[slice | int] = [slice(None)] * joint.ndim
    for name, code in {**question.evidence, **question.do}.items():
        index[network.schema.index(name)] = 0 if name in left_out else int(code)
    agreeing, scale = np.asarray(joint[tuple(index)]), 0.0
    if logs:
        scale = float(agreeing.max(initial=-np.inf))
        agreeing = np.exp(agreeing - scale) if np.isfinite(scale) else np.zeros_like(agreeing)
    left = [k for k in range(joint.ndim) if isinstance(index[k], slice)]
    targets = [left.index(network.schema.index(name)) for name in question.targets]
    others = tuple(axis for axis in range(agreeing.ndim) if axis not in targets)
    table = np.transpose(agreeing.sum(axis=others), [sorted(targets).index(axis) for axis in targets])
    evidence = float(table.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        return table / evidence, scale + float(np.log(evidence))


def _weighed(
    joint: FloatArray, network: FrozenNetwork, question: Question, *, logs: bool = False
) -> FloatArray:
    """The joint table times the likelihoods of the question; with ``logs`` the joint table is one of logs."""
    for name, weights in question.likelihood.items():
        shape = [1] * joint.ndim
        shape[network.schema.index(name)] = -1
        joint = _times(joint, weights.reshape(shape), logs)
    return joint


def _times(joint: FloatArray, factor: FloatArray, logs: bool) -> FloatArray:
    if not logs:
        return joint * factor
    with np.errstate(divide="ignore"):
        added: FloatArray = joint + np.log(factor)
    return added


class EnumerationEngine(Engine):
    """Sums over the whole joint table: slow and simple, the reference for the other engines."""

    def answer(self, network: FrozenNetwork, names: list[Name], question: Question) -> Answer:
        """Add up the cells of the joint table that agree with the findings."""
        table, log_evidence = enumerate_query(network, question)
        return Answer(question.targets, table, None, log_evidence)
