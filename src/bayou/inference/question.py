"""A question to a network, in codes: its targets, its findings and its interventions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from bayou.distributions import DENSITY
from bayou.errors import BadQuestion
from bayou.networks import FrozenNetwork
from bayou.schema import Variable, label
from bayou.typing import ColumnArray, FloatArray, Name

Finding = int | float | str
"""The code of a state, the value of a continuous variable, or a text."""
DEFAULT_ENGINE = "compiled"
"""The engine that answers a question that names none; see ``engines.py``."""


@dataclass(frozen=True)
class Question:
    """P(targets | evidence), with likelihood evidence and interventions.

    ``evidence`` and ``do`` hold codes of states (or values of continuous variables). ``likelihood`` holds
    one weight per state, proportional to P(uncertain observation | state): the joint probability of the
    network is multiplied by it (Pearl's virtual evidence), and only ratios of weights affect a posterior.
    ``shown`` has texts for findings in ``likelihood`` that were said in another form, such as ``Rain≠no``.
    """

    targets: tuple[Name, ...]
    evidence: Mapping[Name, Finding] = field(default_factory=dict)
    likelihood: Mapping[Name, FloatArray] = field(default_factory=dict)
    do: Mapping[Name, Finding] = field(default_factory=dict)
    shown: Mapping[Name, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.evidence if self.do else ():
            if name in self.do:
                raise BadQuestion(f"{name!r} is both observed and set by do; give only one of the two.")
        if len(set(self.targets)) < len(self.targets):
            twice = next(name for name in self.targets if self.targets.count(name) > 1)
            raise BadQuestion(f"{twice!r} is asked for twice.")
        for name in self.targets:
            if name in self.evidence or name in self.do:
                raise BadQuestion(f"{name!r} is both asked for and given; leave it out of one of them.")

    @property
    def has_findings(self) -> bool:
        """Whether there is evidence or a likelihood; without findings log P(findings) is 0."""
        return bool(self.evidence or self.likelihood)


def refuse_densities(network: FrozenNetwork, names: Iterable[Name]) -> None:
    """Raise BadQuestion if one of these variables is neither discrete nor Gaussian."""
    for name in names:
        if network.distribution(name).form == DENSITY:
            raise BadQuestion(
                f"{name!r} has a {network.distribution(name).title} distribution: its posterior is neither a "
                "table nor a mixture of Gaussians. Ask for its parents (a value of it can be a finding), or "
                "draw rows (net.sample)."
            )


def relevant(network: FrozenNetwork, question: Question) -> list[Name]:
    """Return the variables that can affect the answer: targets, findings and their ancestors.

    Arcs into variables set by do are cut first. All other variables sum to 1 (barren nodes). The order is
    that of the network; variables set by do are left out.
    """
    if not question.do:
        return network.dag.with_ancestors((*question.targets, *question.evidence, *question.likelihood))
    dag = network.dag.without_arcs_into(question.do)
    found = {*question.targets, *question.evidence, *question.likelihood} - set(question.do)
    return [name for name in dag.with_ancestors(found) if name not in question.do]


def finding_text(variable: Variable, value: Finding) -> str:
    """Return a finding as ``name=state``, ``name=number`` or ``name=text``.

    >>> finding_text(Variable("Rain", ["no", "yes"]), 1)
    'Rain=yes'
    """
    found = value if variable.is_continuous else variable.states[int(value)]
    is_real = variable.is_continuous and not variable.is_text
    return f"{label(variable.name)}={format(found, 'g') if is_real else label(found)}"


def evidence_columns(network: FrozenNetwork, question: Question) -> dict[Name, ColumnArray]:
    """Return the evidence and the values set by do as columns with a single row."""
    given: dict[Name, Finding] = {**question.evidence, **question.do}
    return {name: _one_row(network.schema[name], value) for name, value in given.items()}


def _one_row(variable: Variable, value: Finding) -> ColumnArray:
    if variable.is_text:
        return np.array([value], dtype=object)
    return np.array([value], dtype=np.float64 if variable.is_continuous else np.int64)
