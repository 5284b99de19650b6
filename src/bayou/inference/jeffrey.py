"""Jeffrey's rule: the posterior in which some variables have exactly the distributions that were stated."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bayou.errors import BadQuestion, ImpossibleEvidence, NoConvergence, listed
from bayou.inference.answer import Answer
from bayou.inference.query import ask
from bayou.inference.question import Question
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.typing import FloatArray, Name

TOLERANCE = 1e-12
"""How far a fitted marginal may be from the stated one."""
MOST_SWEEPS = 10_000
LARGEST_TABLE = 2**20

Marginals = Mapping[Name, FloatArray]
_Fit = Callable[[Sequence[FloatArray], int], FloatArray]
"""The marginal of the variable at a position under these weights."""


def ask_with_marginals(
    network: FrozenNetwork, question: Question, stated: Marginals, engine: str = "compiled"
) -> Answer:
    """Answer under the distribution nearest to P(· | findings) that has all the stated marginals.

    One variable takes one step: P'(x) = Σ_y P(x | y, findings) · stated(y). Several are fitted in turns
    (iterative proportional fitting) until each is right to 1e-12; the limit is the distribution with these
    marginals of least relative entropy to P(· | findings), so their order does not matter. The answer's
    ``log_evidence`` is that of the findings alone: a stated marginal has no probability of its own.
    """
    _check(network, question, stated, engine)
    weights = _fitted(network, question, stated, engine)
    likelihood = dict(question.likelihood)
    for name, weight in weights.items():
        likelihood[name] = likelihood.get(name, 1.0) * weight
    answer = ask(network, replace(question, likelihood=likelihood), engine)
    found = ask(network, replace(question, targets=()), engine)
    return replace(answer, log_evidence=found.log_evidence)


def _check(network: FrozenNetwork, question: Question, stated: Marginals, engine: str) -> None:
    for name, marginal in stated.items():
        if name in question.evidence or name in question.do:
            raise BadQuestion(f"marginal={{{name!r}: …}}: its state is given already; choose one of the two.")
        now = ask(network, replace(question, targets=(name,)), engine).table
        assert now is not None
        excluded = [k for k in range(len(marginal)) if marginal[k] > 0 and now[k] == 0]
        if excluded:
            states = network.schema[name].states
            raise ImpossibleEvidence(
                f"marginal={{{name!r}: …}} gives weight to {listed(states[k] for k in excluded)}, whose "
                "probability is 0 given the findings: no evidence can raise it. Give such "
                "states 0, or drop a finding."
            )


def _fitted(network: FrozenNetwork, question: Question, stated: Marginals, engine: str) -> Marginals:
    """A factor for the states of each variable; all together they give every stated marginal."""
    names = tuple(stated)
    cells = float(np.prod([float(len(stated[name])) for name in names]))
    if cells <= LARGEST_TABLE:
        joint = ask(network, replace(question, targets=names), engine).table
        assert joint is not None
        fit = _on_table(joint)
    else:
        fit = _by_asking(network, question, names, engine)
    weights: list[FloatArray] = [np.ones(len(stated[name])) for name in names]
    gap = np.inf
    for _ in range(MOST_SWEEPS):
        gap = 0.0
        for position, name in enumerate(names):
            now = fit(weights, position)
            gap = max(gap, float(np.abs(now - stated[name]).max()))
            weights[position] = _step(weights[position], now, stated[name], names)
        if gap <= TOLERANCE or len(names) == 1:
            return dict(zip(names, weights, strict=True))
    raise NoConvergence(
        f"marginal=: after {MOST_SWEEPS:,} rounds a marginal of {listed(names)} is still off by {gap:.3g}. "
        "No distribution, or only one at the edge of what is possible, has all of them; state fewer."
    )


def _step(weight: FloatArray, now: FloatArray, wanted: FloatArray, names: Sequence[Name]) -> FloatArray:
    if np.any((wanted > 0) & ~(now > 0)):
        together = ", ".join(label(name) for name in names)
        raise NoConvergence(
            f"marginal=: no distribution has the marginals stated for {together} all at once: under the "
            "others some state with a positive weight has probability 0. State fewer of them."
        )
    moved: FloatArray = weight * np.divide(wanted, now, out=np.zeros_like(now), where=now > 0)
    # Only ratios count; the scale is kept from drifting off.
    scaled: FloatArray = moved / moved.max()
    return scaled


def _on_table(joint: FloatArray) -> _Fit:
    def marginal(weights: Sequence[FloatArray], position: int) -> FloatArray:
        weighed = joint
        for axis, weight in enumerate(weights):
            weighed = weighed * weight.reshape([-1 if k == axis else 1 for k in range(joint.ndim)])
        others = tuple(axis for axis in range(joint.ndim) if axis != position)
        summed: FloatArray = weighed.sum(axis=others)
        total = float(summed.sum())
        return summed / total if total > 0 else summed

    return marginal


def _by_asking(network: FrozenNetwork, question: Question, names: Sequence[Name], engine: str) -> _Fit:
    def marginal(weights: Sequence[FloatArray], position: int) -> FloatArray:
        likelihood = dict(question.likelihood)
        for name, weight in zip(names, weights, strict=True):
            likelihood[name] = likelihood.get(name, 1.0) * weight
        asked = replace(question, targets=(names[position],), likelihood=likelihood)
        table = ask(network, asked, engine).table
        assert table is not None
        return table

    return marginal
