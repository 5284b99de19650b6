"""The beliefs of all variables given some findings."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import UNSET, field

from bayou import inference
from bayou.errors import TooWide
from bayou.models.answers.continuous_posterior import ContinuousPosterior
from bayou.models.network import Network
from bayou.schema import Variable
from bayou.server.messages import Finding, Message, decoded, encoded
from bayou.server.operations.operation import Operation
from bayou.server.stated_findings import Findings, stated
from bayou.typing import Name

DENSITY_POINTS = 60
_PRIORS: WeakKeyDictionary[Any, dict[tuple[Name, Any], float]] = WeakKeyDictionary()
"""The logarithms of the prior of each network."""


class BeliefsRequest(Message):
    """The findings; without any the answer is the prior."""

    findings: list[Finding] = field(default_factory=list)


class Belief(Message, omit_defaults=True):
    """The distribution of one variable: of its states in order, or of a number."""

    variable: Any
    probabilities: list[float] | None = None
    mean: float | None = None
    deviation: float | None = None
    density: list[tuple[float, float]] | None = None


class BeliefsAnswer(Message):
    """The beliefs of all variables, and the natural logarithm of P(findings).

    ``surprise`` is the conflict of the findings in bits: above 0, they do not go together.
    """

    log_probability: float
    surprise: float | None
    beliefs: list[Belief]


def answer(net: Network, request: BeliefsRequest) -> BeliefsAnswer:
    """The beliefs of all variables; an observed state has probability 1."""
    findings = stated(request.findings)
    found = net.marginals(**findings)
    tables = found.to_arrays()
    beliefs = [
        Belief(encoded(name), tables[name].tolist())
        if name in tables
        else _belief(net.variables[name], found.get(name), findings)
        for name in net.names
    ]
    try:
        surprise = _surprise(net, found.log_evidence, request.findings)
    except TooWide:  # the findings make the network narrower than it is without them
        surprise = None
    return BeliefsAnswer(found.log_evidence, surprise, beliefs)


def quick(net: Network, request: BeliefsRequest) -> BeliefsAnswer | None:
    """The same for states of a small network of tables; None for anything else, and for errors."""
    given = states_given(request.findings)
    if given is None:
        return None
    known = inference.plain_marginals(net.frozen, given)
    if known is None:
        return None
    codes = dict(zip((variable.name for variable in known.observed), known.codes, strict=True))
    flat = known.flat.tolist()
    beliefs = []
    for variable in net.variables:
        name = variable.name
        if name in codes:
            shares = [0.0] * variable.cardinality
            shares[codes[name]] = 1.0
        else:
            shares = flat[known.places[name]]
        beliefs.append(Belief(encoded(name), shares))
    if not request.findings:  # what pages ask first: the second finding shall not wait for it
        prior_logs(net)
    try:
        surprise = _surprise(net, known.log_evidence, request.findings)
    except TooWide:
        return None
    return BeliefsAnswer(known.log_evidence, surprise, beliefs)


def _surprise(net: Network, log_probability: float, findings: Sequence[Finding]) -> float | None:
    """Jensen's measure of conflict in bits, Σ log2 P(finding) − log2 P(all); None for fewer than two states.

    The probabilities of single states are kept with the network, so that this takes no further pass.
    """
    if len(findings) < 2:
        return None
    prior = prior_logs(net)
    alone = 0.0
    for finding in findings:
        state = None if finding.state is UNSET else decoded(finding.state)
        known = prior.get((decoded(finding.variable), state))
        if known is None:
            return None
        alone += known
    return (alone - log_probability) / log(2)


def prior_logs(net: Network) -> dict[tuple[Name, Any], float]:
    """log P(state) of every state of every variable with states."""
    kept = _PRIORS.get(net.frozen)
    if kept is None:
        kept = {}
        for name, table in net.marginals().to_arrays().items():
            with np.errstate(divide="ignore"):
                logs = np.log(table).tolist()
            kept |= {(name, s): p for s, p in zip(net.states(name), logs, strict=True)}
        _PRIORS[net.frozen] = kept
    return kept


def states_given(findings: Sequence[Finding]) -> dict[Name, Any] | None:
    """The findings as states by name, if all of them are states of variables whose names are text."""
    given: dict[Name, Any] = {}
    for finding in findings:
        if type(finding.variable) is not str or type(finding.state) is not str or finding.has_more():
            return None
        given[finding.variable] = finding.state
    return given if len(given) == len(findings) else None


def _belief(variable: Variable, posterior: Any, findings: Findings) -> Belief:
    """The belief of a number, or of a variable whose state is known."""
    name = variable.name
    if isinstance(posterior, ContinuousPosterior):
        return _number(name, posterior)
    value = findings["do"].get(name, findings["given"].get(name))
    if variable.is_continuous:
        if isinstance(value, int | float):
            return Belief(encoded(name), mean=float(value), deviation=0.0)
        return Belief(encoded(name))  # a text, or a number whose moments are not computed
    shares = np.zeros(variable.cardinality)
    shares[variable.code(value)] = 1
    return Belief(encoded(name), shares.tolist())


def _number(name: Name, posterior: ContinuousPosterior) -> Belief:
    low, high = posterior.mean - 3.5 * posterior.std, posterior.mean + 3.5 * posterior.std
    points = np.linspace(low, high, DENSITY_POINTS) if high > low else np.array([])
    curve = list(zip(points.tolist(), posterior.density(points).tolist(), strict=True))
    return Belief(encoded(name), mean=posterior.mean, deviation=posterior.std, density=curve)


BELIEFS = Operation(
    "beliefs", "The beliefs of all variables given findings", BeliefsRequest, BeliefsAnswer, answer, quick
)
