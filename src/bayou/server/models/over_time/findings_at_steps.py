"""Findings at steps as values and weights of the cells of a sequence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bayou.errors import BadQuestion, UnknownVariable
from bayou.schema import Variable, label
from bayou.server.messages import decoded
from bayou.server.models.over_time.forms import OverTimeRequest, StepFinding
from bayou.server.stated_findings import form_of
from bayou.typing import FloatArray, Name


@dataclass
class KnownCells:
    """What is known of a sequence: a value or None for each cell, and weights of states at some steps."""

    values: dict[Name, list[Any]]
    weights: dict[Name, dict[int, FloatArray]] = field(default_factory=dict)

    def likelihood(self) -> dict[Name, dict[int, list[float]]] | None:
        """The weights as ``likelihood=`` of the library's questions."""
        found = {
            name: {step: one.tolist() for step, one in own.items()} for name, own in self.weights.items()
        }
        return found or None


def known_cells(request: OverTimeRequest, variables: Mapping[Name, Variable]) -> KnownCells:
    """Return the findings of a request by cell; what the model does not have is refused.

    >>> finding = StepFinding("rain", step=1, state="yes")
    >>> request = OverTimeRequest(steps=3, findings=[finding])
    >>> known_cells(request, {"rain": Variable("rain", ["no", "yes"])}).values
    {'rain': [None, 'yes', None]}
    """
    found = KnownCells({name: [None] * request.steps for name in variables})
    for finding in request.findings:
        name = decoded(finding.variable)
        if name not in variables:
            raise UnknownVariable.named(name, tuple(variables), "at a step")
        if finding.step >= request.steps:
            raise BadQuestion(
                f"The finding for {name!r} is at step {finding.step}; the last of {request.steps} steps is "
                f"{request.steps - 1}. Ask about more steps, or leave the finding out."
            )
        _enter(found, variables[name], finding)
    return found


def _enter(found: KnownCells, variable: Variable, finding: StepFinding) -> None:
    form, name, step = form_of(finding), variable.name, finding.step
    if form == "do":
        raise BadQuestion(f"The finding for {name!r} at step {step} is do, which a strip over time has not.")
    if (form == "value") != variable.is_continuous:
        wanted = "a number (value)" if variable.is_continuous else "states (state, in, not or weights)"
        raise BadQuestion(f"{name!r} at step {step} needs {wanted}.")
    if form in ("state", "value"):
        if found.values[name][step] is not None:
            raise BadQuestion(f"There are two findings for {name!r} at step {step}: give one of them.")
        state = finding.value if form == "value" else decoded(finding.state)  # type: ignore[arg-type]
        if form == "state":
            variable.code(state)  # another state is refused
        found.values[name][step] = state
        return
    own = found.weights.setdefault(name, {})
    own[step] = own.get(step, np.ones(variable.cardinality)) * _weights(variable, finding, form)


def _weights(variable: Variable, finding: StepFinding, form: str) -> FloatArray:
    """A weight for each state; 0 for those that are excluded."""
    given: Any = getattr(finding, form)
    if form == "weights":
        weights = np.array(given, dtype=np.float64)
        if weights.shape != (variable.cardinality,) or not (weights >= 0).all() or not weights.any():
            raise BadQuestion(
                f"The weights of {variable.name!r} at step {finding.step} must be a number of at least 0 for "
                f"each of {', '.join(label(state) for state in variable.states)}, and not all 0."
            )
        return weights
    codes = [variable.code(decoded(state)) for state in given]
    weights = np.full(variable.cardinality, 1.0 if form == "excluded" else 0.0)
    weights[codes] = 1.0 - weights[0]
    if not weights.any():
        raise BadQuestion(f"No state is left for {variable.name!r} at step {finding.step}.")
    return weights
