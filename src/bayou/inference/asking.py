"""From a question to its answer: prune, choose the way, normalise, and say what is impossible."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bayou.errors import BadQuestion, ImpossibleEvidence, listed
from bayou.inference.compiled_query import all_marginals, joint_posterior, most_probable
from bayou.inference.conflict import conflict
from bayou.inference.elimination import eliminate
from bayou.inference.enumeration import enumerate_query
from bayou.inference.hybrid import (
    hybrid_marginals,
    hybrid_mixture,
    hybrid_mixtures,
    hybrid_table,
    lost,
    marginals_in_logs,
    table_in_logs,
)
from bayou.inference.mixtures import JointMixture, Mixture
from bayou.inference.pearl import messages_query
from bayou.inference.question import Question, evidence_columns, relevant
from bayou.networks import FrozenNetwork
from bayou.typing import FloatArray, Name


@dataclass(frozen=True)
class Answer:
    """A normalised table over the targets (or a mixture, for continuous ones) and log P(evidence)."""

    targets: tuple[Name, ...]
    table: FloatArray | None
    mixture: Mixture | None
    log_evidence: float
    joint: JointMixture | None = None


ENGINES = ("compiled", "elimination", "enumeration", "messages")


def ask(network: FrozenNetwork, question: Question, engine: str = "compiled") -> Answer:
    """Answer exactly, by one of :data:`ENGINES`; impossible evidence is an error."""
    if engine not in ENGINES:
        raise BadQuestion(f"There is no engine {engine!r}; use one of {listed(ENGINES)}.")
    names = relevant(network, question)
    network.require(names)
    answer = _answer(network, names, question, engine)
    if not np.isfinite(answer.log_evidence):
        raise impossible(network, question)
    return answer


def _answer(network: FrozenNetwork, names: list[Name], question: Question, engine: str) -> Answer:
    continuous = [name for name in question.targets if network.schema[name].is_continuous]
    if 0 < len(continuous) < len(question.targets):
        raise BadQuestion(
            f"{continuous[0]!r} is continuous and other targets are not: ask for the continuous variables on "
            "their own, and for the discrete ones on theirs."
        )
    if engine == "messages":
        table, log_evidence = messages_query(network, question)
        found = question.evidence or question.likelihood
        return Answer(question.targets, table, None, log_evidence if found else 0.0)
    if continuous:
        return _mixed(network, names, question)
    if any(network.schema[name].is_continuous for name in names):
        table, log_evidence = hybrid_table(network, names, question)
        found = question.evidence or question.likelihood
        return Answer(question.targets, table, None, log_evidence if found else 0.0)
    if engine == "enumeration":
        table, log_evidence = enumerate_query(network, question)
        return Answer(question.targets, table, None, log_evidence)
    if engine == "compiled":
        compiled_table, log_evidence = joint_posterior(network, names, question)
        if lost(network, names, question, log_evidence):
            compiled_table, log_evidence = table_in_logs(network, names, question)
        found = question.evidence or question.likelihood
        return Answer(question.targets, compiled_table, None, log_evidence if found else 0.0)
    return _by_elimination(network, names, question)


def _mixed(network: FrozenNetwork, names: list[Name], question: Question) -> Answer:
    """The posterior of continuous targets: of one a mixture of numbers, of several one of vectors."""
    joint, log_evidence = hybrid_mixture(network, names, question)
    found = question.evidence or question.likelihood
    return _mixture_answer(question.targets, joint, log_evidence if found else 0.0)


def _mixture_answer(targets: tuple[Name, ...], joint: JointMixture | None, log_evidence: float) -> Answer:
    if joint is None:
        return Answer(targets, None, None, -np.inf)
    if len(targets) > 1:
        return Answer(targets, None, None, log_evidence, joint.merged())
    return Answer(targets, None, joint.single(targets[0]), log_evidence)


def marginals(network: FrozenNetwork, question: Question) -> dict[Name, Answer]:
    """The posterior of every target: of the discrete ones in one pass, of the continuous ones one by one."""
    # Every variable is asked for, so none is irrelevant.
    names = [name for name in network.dag.nodes if name not in question.do]
    network.require(names)
    continuous = [name for name in question.targets if network.schema[name].is_continuous]
    if any(network.schema[name].is_continuous for name in names):
        discrete = [name for name in question.targets if name not in continuous]
        tables, log_evidence = hybrid_marginals(network, question, discrete)
    else:
        tables, log_evidence = all_marginals(network, names, replace(question, targets=()))
        if lost(network, names, question, log_evidence):
            tables, log_evidence = marginals_in_logs(network, names, question, question.targets)
    if not np.isfinite(log_evidence):
        raise impossible(network, question)
    mixtures = hybrid_mixtures(network, question, continuous)
    return {
        name: _mixture_answer((name,), mixtures[name], log_evidence)
        if name in mixtures
        else Answer((name,), tables[name], None, log_evidence)
        for name in question.targets
    }


def explanation(network: FrozenNetwork, question: Question) -> tuple[dict[Name, int], float]:
    """The most probable states of the targets given the findings, and log P(them | findings)."""
    names = relevant(network, question)
    network.require(names)
    if any(network.schema[name].is_continuous for name in question.targets):
        raise BadQuestion("The most probable states are found for discrete variables only.")
    states, log_joint = most_probable(network, names, question)
    if not np.isfinite(log_joint):
        raise impossible(network, question)
    return states, log_joint - ask(network, replace(question, targets=())).log_evidence


def _by_elimination(network: FrozenNetwork, names: list[Name], question: Question) -> Answer:
    done = eliminate(
        network, names, question.targets, evidence_columns(network, question), question.likelihood
    )
    values, total = done.values[0], float(done.values[0].sum())
    if total <= 0:
        return Answer(question.targets, None, None, -np.inf)
    found = question.evidence or question.likelihood
    log_evidence = float(done.log_scale[0] + np.log(total)) if found else 0.0
    return Answer(question.targets, values / total, None, log_evidence)


def impossible(network: FrozenNetwork, question: Question) -> ImpossibleEvidence:
    """The error that names the smallest set of these findings that can not occur together."""

    def possible(trial: Question) -> bool:
        answer = _answer(network, relevant(network, trial), trial, "compiled")
        return bool(np.isfinite(answer.log_evidence))

    return ImpossibleEvidence.conflict(conflict(network, question, possible))
