"""Jeffrey's rule: the posterior in which some variables have exactly the marginals given by the user.

With P the distribution given the findings and q(y) the required marginal of one variable y,

    P'(x) = Σ_y P(x | y) · q(y),

that is, P weighted by q(y) / P(y). Several marginals are fitted in turn: the weight of each variable is
multiplied by q(y) / P'(y) until all marginals agree (iterative proportional fitting). The limit is the
distribution with these marginals that has the least relative entropy to P.

Jeffrey (1965), The Logic of Decision; Csiszár (1975), I-divergence geometry of probability distributions and
minimization problems, Annals of Probability 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bayou.errors import BadQuestion, ImpossibleEvidence, NoConvergence, listed
from bayou.inference.answer import Answer
from bayou.inference.query import ask, is_possible, too_small
from bayou.inference.question import DEFAULT_ENGINE, Question
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.typing import FloatArray, Name

TOLERANCE = 1e-12
"""The largest difference between a fitted marginal and the required one, after the last sweep."""
MOST_SWEEPS = 10_000
LARGEST_TABLE = 2**20
SMALLEST = float(np.finfo(np.float64).tiny)
"""Smaller probabilities have lost digits, so that nothing can be divided by them."""

RequiredMarginals = Mapping[Name, FloatArray]
_Fit = Callable[[Sequence[FloatArray], int], FloatArray]
"""Called with weights for all variables and a position: the marginal of the variable at that position."""


def ask_with_marginals(
    network: FrozenNetwork, question: Question, required: RequiredMarginals, engine: str = DEFAULT_ENGINE
) -> Answer:
    """Answer under the distribution nearest to P(· | findings) that has all the ``required`` marginals.

    "Nearest" means least relative entropy to P(· | findings); findings include likelihood evidence. One
    marginal takes one step: P'(x) = Σ_y P(x | y, findings) · required(y). Several are fitted in turn
    (iterative proportional fitting) until each agrees to 1e-12; their order does not matter. The answer's
    ``log_evidence`` is that of the findings alone: a required marginal has no probability of its own.
    """
    answer = ask(network, with_marginals(network, question, required, engine), engine)
    found = ask(network, replace(question, targets=()), engine)
    return replace(answer, log_evidence=found.log_evidence)


def with_marginals(
    network: FrozenNetwork, question: Question, required: RequiredMarginals, engine: str = DEFAULT_ENGINE
) -> Question:
    """The question with likelihood findings that give these variables the ``required`` marginals."""
    _check(network, question, required, engine)
    likelihood, shown = dict(question.likelihood), dict(question.shown)
    for name, weight in _fitted(network, question, required, engine).items():
        shown[name] = f"marginal of {label(name)}"
        if name in likelihood:
            before = question.shown.get(name, f"likelihood of {label(name)}")
            shown[name] = f"{before}, {shown[name]}"
        likelihood[name] = likelihood.get(name, 1.0) * weight
    return replace(question, likelihood=likelihood, shown=shown)


def _check(network: FrozenNetwork, question: Question, required: RequiredMarginals, engine: str) -> None:
    """Refuse a marginal of a variable whose state is fixed, or with weight on an impossible state."""
    for name, marginal in required.items():
        if name in question.evidence or name in question.do:
            raise BadQuestion(
                f"marginal={{{name!r}: …}}: the state of this variable is already fixed by evidence or do; "
                "give only one of the two."
            )
        now = ask(network, replace(question, targets=(name,)), engine).table
        assert now is not None
        excluded = [k for k in range(len(marginal)) if marginal[k] > 0 and now[k] < SMALLEST]
        if any(_can_occur(network, question, name, k) for k in excluded):
            raise too_small(
                f"marginal={{{name!r}: …}}, which divides by them",
                "Give the state as evidence, or drop a finding.",
            )
        if excluded:
            states = network.schema[name].states
            raise ImpossibleEvidence(
                f"marginal={{{name!r}: …}} gives weight to {listed(states[k] for k in excluded)}, whose "
                "probability is 0 given the findings: no evidence can raise it. Give these states weight 0, "
                "or drop a finding."
            )


def _can_occur(network: FrozenNetwork, question: Question, name: Name, code: int) -> bool:
    """Whether a state can occur with the findings, however small its probability."""
    return is_possible(network, replace(question, targets=(), evidence={**question.evidence, name: code}))


def _fitted(
    network: FrozenNetwork, question: Question, required: RequiredMarginals, engine: str
) -> RequiredMarginals:
    """Weights for the states of each variable: P times all of them has every required marginal."""
    names = tuple(required)
    cells = float(np.prod([float(len(required[name])) for name in names]))
    if cells <= LARGEST_TABLE:
        joint = ask(network, replace(question, targets=names), engine).table
        assert joint is not None
        fit = _on_table(joint)
    else:
        fit = _by_asking(network, question, names, engine)
    weights: list[FloatArray] = [np.ones(len(required[name])) for name in names]
    gap = np.inf
    for _ in range(MOST_SWEEPS):
        gap = 0.0
        for position, name in enumerate(names):
            now = fit(weights, position)
            gap = max(gap, float(np.abs(now - required[name]).max()))
            weights[position] = _step(weights[position], now, required[name], names)
        if gap <= TOLERANCE or len(names) == 1:
            return dict(zip(names, weights, strict=True))
    raise NoConvergence(
        f"marginal=: after {MOST_SWEEPS:,} rounds a marginal of {listed(names)} is still off by {gap:.3g}. "
        "Either no distribution has all these marginals, or only one that gives probability 0 to some "
        "combinations of states that the network allows; give fewer marginals."
    )


def _step(weight: FloatArray, now: FloatArray, required: FloatArray, names: Sequence[Name]) -> FloatArray:
    """The weights of one variable after one step: multiplied by required / now, the largest set to 1."""
    if np.any((required > 0) & ~(now > 0)):
        together = ", ".join(label(name) for name in names)
        raise NoConvergence(
            f"marginal=: no distribution has the marginals given for {together} all at once: under the "
            "others some state with a positive weight has probability 0. Give fewer of them."
        )
    moved: FloatArray = weight * np.divide(required, now, out=np.zeros_like(now), where=now > 0)
    # Only ratios matter; a largest weight of 1 keeps the scale from drifting.
    scaled: FloatArray = moved / moved.max()
    return scaled


def _on_table(joint: FloatArray) -> _Fit:
    """Marginals from the joint table of all variables that have a required marginal."""

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
    """Marginals by one query each, with the weights as likelihoods; for joint tables that are too large."""

    def marginal(weights: Sequence[FloatArray], position: int) -> FloatArray:
        likelihood = dict(question.likelihood)
        for name, weight in zip(names, weights, strict=True):
            likelihood[name] = likelihood.get(name, 1.0) * weight
        asked = replace(question, targets=(names[position],), likelihood=likelihood)
        table = ask(network, asked, engine).table
        assert table is not None
        return table

    return marginal
