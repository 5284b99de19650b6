"""What each variable would tell about a target: expected information, and expected gain in utility.

With findings e, a target T and a variable X whose state is not known,

    I(T; X | e) = Σ_x Σ_t P(t, x | e) log2 [P(x | t, e) / P(x | e)]   bits

is the expected fall of the entropy of T when X becomes known. With utilities u(a, t) of actions a, it is
worth

    Σ_x P(x | e) max_a Σ_t P(t | x, e) u(a, t) − max_a Σ_t P(t | e) u(a, t) ≥ 0

to know X before acting. One pass for each state t of the target gives P(x | t, e) of every X, and log P(t, e)
with it, so the number of passes does not grow with the number of variables that could be asked for.

Shannon (1948), A mathematical theory of communication, Bell System Technical Journal 27; Howard (1966),
Information value theory, IEEE Trans. Systems Science and Cybernetics 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from bayou.errors import BadQuestion
from bayou.inference import DEFAULT_ENGINE, Question, impossible_evidence, relevant
from bayou.inference.engines import engine_named, suited
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, IntArray, Name

LEAST_BITS = 1e-14
"""Less information than this cannot be told from the rounding of its terms: it is 0."""


@dataclass(frozen=True, eq=False)
class VariableValue:
    """One variable that could be asked for: the bits it is expected to tell, and what these are worth.

    ``joint`` is P(its state, state of the target | findings), one row per state of the variable. ``gain`` is
    the expected gain in utility, before any cost; None without utilities.
    """

    name: Name
    bits: float
    gain: float | None
    joint: FloatArray


@dataclass(frozen=True, eq=False)
class ValueOfInformation:
    """P(target | findings), its entropy in bits, and what each variable would tell about it.

    ``expected_utility`` is that of the best action before anything is asked; None without utilities.
    """

    posterior: FloatArray
    entropy: float
    expected_utility: float | None
    variables: tuple[VariableValue, ...]


def value_of_asking(
    network: FrozenNetwork, question: Question, names: Sequence[Name], utilities: FloatArray | None = None
) -> ValueOfInformation:
    """Return what each of these discrete variables would tell about the single target of the question.

    ``utilities`` has one row per action and one column per state of the target; -inf forbids an action where
    that state is possible.
    """
    if len(question.targets) != 1 or network.schema[question.targets[0]].is_continuous:
        raise BadQuestion("The value of information is computed for one target with states.")
    sizes = [network.schema[name].cardinality for name in names]
    starts: IntArray = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    posterior, conditional = _passes(network, question, names, sum(sizes))
    joint: FloatArray = conditional * posterior
    bits = _information(joint, conditional, starts)
    entropy = _entropy(posterior)
    gains: list[float | None] = [None] * len(names)
    now = None
    if utilities is not None:
        now = float(_best_utility(posterior[None, :], utilities)[0])
        gains = [*_gains(joint, starts, utilities, now).tolist()]
    parts = np.split(joint, starts[1:])
    values = zip(names, bits.tolist(), gains, parts, strict=True)
    # Rounding may carry the information past its limits, 0 and the entropy of the target.
    variables = tuple(
        VariableValue(name, min(told, entropy) if told > LEAST_BITS else 0.0, gain, part)
        for name, told, gain, part in values
    )
    return ValueOfInformation(posterior, entropy, now, variables)


def _passes(
    network: FrozenNetwork, question: Question, names: Sequence[Name], cells: int
) -> tuple[FloatArray, FloatArray]:
    """P(t | e), and P(x | t, e) for the states x of all variables (rows) and each state t (columns).

    A state that the findings rule out has a column of zeros.
    """
    target = question.targets[0]
    needed = relevant(network, replace(question, targets=(target, *names)))
    network.require(needed)
    engine = suited(engine_named(DEFAULT_ENGINE), network, needed)
    states = network.schema[target].cardinality
    logs = np.full(states, -np.inf)
    conditional = np.zeros((cells, states))
    for code in range(states):
        known = replace(question, targets=tuple(names), evidence={**question.evidence, target: code})
        answers = engine.marginals(network, needed, known)
        logs[code] = answers.log_evidence
        if logs[code] > -np.inf:
            conditional[:, code] = np.concatenate([answers.tables[name] for name in names])
    if not np.isfinite(logs.max()):
        raise impossible_evidence(network, question)
    weights = np.exp(logs - logs.max())
    return weights / weights.sum(), conditional


def _information(joint: FloatArray, conditional: FloatArray, starts: IntArray) -> FloatArray:
    """I(T; X | e) in bits of each variable; its states are the rows from one start to the next."""
    outcome = joint.sum(axis=1, keepdims=True)
    possible = joint > 0
    ratio = np.divide(conditional, outcome, out=np.ones_like(joint), where=possible)
    terms: FloatArray = np.where(possible, joint * np.log2(ratio), 0.0)
    return np.add.reduceat(terms.sum(axis=1), starts)


def _entropy(posterior: FloatArray) -> float:
    alive = posterior[posterior > 0]
    return max(0.0, float(-(alive * np.log2(alive)).sum()))


def _gains(joint: FloatArray, starts: IntArray, utilities: FloatArray, now: float) -> FloatArray:
    """The expected utility after each variable is known, minus that of acting now; at least 0."""
    informed = np.add.reduceat(_best_utility(joint, utilities), starts)
    if now == -np.inf:
        # Where even then a forbidden action must be taken, nothing is gained.
        return np.where(np.isneginf(informed), 0.0, np.inf)
    return np.maximum(informed - now, 0.0)


def _best_utility(weights: FloatArray, utilities: FloatArray) -> FloatArray:
    """max_a Σ_t weight(t) u(a, t) of each row; -inf counts only where its state has a weight above 0."""
    forbidden = np.isneginf(utilities)
    expected: FloatArray = weights @ np.where(forbidden, 0.0, utilities).T
    if forbidden.any():
        expected[(weights > 0).astype(np.float64) @ forbidden.T.astype(np.float64) > 0] = -np.inf
    best: FloatArray = expected.max(axis=1)
    return best
