"""From a question to its answer: prune variables, choose the engine, report impossible findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.errors import BadQuestion, ImpossibleEvidence, TooWide, listed
from bayou.inference.answer import Answer, MarginalAnswers
from bayou.inference.engines import Engine, engine_named, suited
from bayou.inference.exact.compiled_query import most_probable
from bayou.inference.exact.plain_query import run_codes
from bayou.inference.exact.plan_cache import plans_of
from bayou.inference.question import DEFAULT_ENGINE, Finding, Question, finding_text, relevant
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name

if TYPE_CHECKING:
    from bayou.inference.engine_options import EngineOptions

LARGEST_ESTIMATED = 2**22
"""The most cells of a joint posterior that engines estimate from random draws."""
FARTHEST = 1e150
"""The squares of larger numbers of standard deviations leave the range of floating-point numbers."""
LONGEST_LINE = 400
"""A query that would be a longer line is not written into an error."""


def ask(
    network: FrozenNetwork,
    question: Question,
    engine: str = DEFAULT_ENGINE,
    options: EngineOptions | None = None,
) -> Answer:
    """Answer with one of :data:`bayou.inference.engines.ENGINES`.

    ``options`` are for engines that estimate. Raises ImpossibleEvidence if P(findings) = 0.
    """
    chosen = engine_named(engine, options)
    names = relevant(network, question)
    if not plans_of(network).is_complete:
        network.require(names)
    try:
        answer = _answer(chosen, network, names, question)
    except TooWide as error:
        raise TooWide(f"{error}{_line_to_paste(network, question)}") from None
    if not answer.is_possible:
        if chosen.is_exact and engine != DEFAULT_ENGINE and is_possible(network, question):
            raise too_small(
                f"engine={engine!r}", f"Use engine={DEFAULT_ENGINE!r}, whose numbers may be of any size."
            )
        raise impossible_evidence(network, question)
    return answer


def too_small(what: str, remedy: str) -> BadQuestion:
    """The error for findings that can occur, but with a probability that is too small for a calculation."""
    return BadQuestion(
        f"This can occur, but with a probability below 1e-308 (or nearly so): too small for {what}. {remedy}"
    )


def ask_codes(network: FrozenNetwork, target: Name, codes: Mapping[Name, int]) -> tuple[FloatArray, float]:
    """Return P(target | findings) and log P(findings) of a discrete network, for codes of states."""
    again = run_codes(network, target, codes)
    if again is not None:
        return again.flat, again.log_evidence
    answer = ask(network, Question((target,), codes))
    assert answer.table is not None
    return answer.table, answer.log_evidence


def _answer(engine: Engine, network: FrozenNetwork, names: list[Name], question: Question) -> Answer:
    if len(question.targets) > 1:
        _refuse_mixed_targets(network, question)
    return suited(engine, network, names).answer(network, names, question)


def _refuse_mixed_targets(network: FrozenNetwork, question: Question) -> None:
    continuous = [name for name in question.targets if network.schema[name].is_continuous]
    if 0 < len(continuous) < len(question.targets):
        raise BadQuestion(
            f"{continuous[0]!r} is continuous and other targets are not: ask for the continuous variables "
            "and for the discrete ones in separate queries."
        )


def marginals(
    network: FrozenNetwork,
    question: Question,
    engine: str = DEFAULT_ENGINE,
    options: EngineOptions | None = None,
) -> MarginalAnswers:
    """Return the posterior of every target on its own.

    Left out are targets whose distribution is neither discrete nor Gaussian: they have no exact posterior.
    """
    # Every variable may be a target, so none is irrelevant.
    names = [name for name in network.dag.nodes if name not in question.do]
    if not plans_of(network).is_complete:
        network.require(names)
    try:
        answers = suited(engine_named(engine, options), network, names).marginals(network, names, question)
    except TooWide as error:
        raise TooWide(f"{error}{_line_to_paste(network, question, 'marginals')}") from None
    if answers.log_evidence == -np.inf:
        raise impossible_evidence(network, question)
    return answers


def explanation(network: FrozenNetwork, question: Question) -> tuple[dict[Name, int], float]:
    """Return the most probable joint states of the targets given the findings, and their log probability.

    The log probability is log P(these states | findings); all other variables are summed out.
    """
    names = relevant(network, question)
    network.require(names)
    if any(network.schema[name].is_continuous for name in question.targets):
        raise BadQuestion("The most probable states can be found for discrete variables only.")
    states, log_joint = most_probable(network, names, question)
    if not np.isfinite(log_joint):
        raise impossible_evidence(network, question)
    return states, log_joint - ask(network, replace(question, targets=())).log_evidence


def _line_to_paste(network: FrozenNetwork, question: Question, method: str = "query") -> str:
    """The same query for an engine that estimates, as a call that can be pasted; empty if it is not one."""
    cells = prod(max(network.schema[name].cardinality, 1) for name in question.targets)
    estimable = method != "query" or 0 < cells <= LARGEST_ESTIMATED
    if not question.targets or question.likelihood or question.shown or not estimable:
        return ""

    def stated(findings: Mapping[Name, Finding]) -> dict[Name, Any]:
        schema = network.schema
        return {n: v if schema[n].is_continuous else schema[n].states[int(v)] for n, v in findings.items()}

    targets: Any = question.targets[0] if len(question.targets) == 1 else list(question.targets)
    arguments = [repr(targets)] if method == "query" else []
    arguments += [f"given={stated(question.evidence)!r}"] if question.evidence else []
    arguments += [f"do={stated(question.do)!r}"] if question.do else []
    arguments += ['engine="auto"', "time=10"]
    line = f" For example: net.{method}({', '.join(arguments)})"
    return line if len(line) <= LONGEST_LINE else ""


def is_possible(network: FrozenNetwork, question: Question) -> bool:
    """Whether the findings of a question can occur together."""
    engine = engine_named(DEFAULT_ENGINE)
    return _answer(engine, network, relevant(network, question), question).is_possible


def impossible_evidence(network: FrozenNetwork, question: Question) -> ImpossibleEvidence | BadQuestion:
    """Return the error that names the smallest set of these findings that cannot occur together.

    It is another one where numbers are so far from the others that the squares of distances overflow: no
    number is impossible under a Gaussian.
    """
    from bayou.inference.conflict import conflict

    found = conflict(network, question, partial(is_possible, network))
    far = [text for text in _far_numbers(network, question) if text in found]
    if far:
        return BadQuestion(
            f"{listed(far)}: this is more than {FARTHEST:g} standard deviations from what the network "
            "expects, too large for a calculation with its square. Correct it, or leave "
            "it out."
        )
    return ImpossibleEvidence.conflict(found)


def _far_numbers(network: FrozenNetwork, question: Question) -> list[str]:
    """The findings of Gaussian variables that are too large beside a standard deviation, as text."""
    findings = {
        name: value for name, value in question.evidence.items() if network.schema[name].is_continuous
    }
    variances = [getattr(network.blocks.get(network.slots[name]), "variance", None) for name in findings]
    positive = [v[v > 0] for v in variances if v is not None]
    deviation = min((float(np.sqrt(v.min())) for v in positive if v.size), default=1.0)
    return [
        finding_text(network.schema[name], value)
        for (name, value), variance in zip(findings.items(), variances, strict=True)
        if variance is not None and abs(float(value)) / FARTHEST > min(deviation, 1.0)
    ]
