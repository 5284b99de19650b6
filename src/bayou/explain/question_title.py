"""A question as a formula: P(lung | smoke=yes, do(asia=no))."""

from __future__ import annotations

from bayou.inference import Finding, Question
from bayou.networks import FrozenNetwork
from bayou.schema import label
from bayou.typing import Name


def question_title(network: FrozenNetwork, question: Question) -> str:
    """Return the question as text: targets before the bar, findings and interventions after it."""
    found = [finding_text(network, name, value) for name, value in question.evidence.items()]
    found += [f"likelihood of {label(name)}" for name in question.likelihood]
    found += [f"do({finding_text(network, name, value)})" for name, value in question.do.items()]
    targets = ", ".join(label(name) for name in question.targets) or "each variable"
    return f"P({targets}{' | ' + ', '.join(found) if found else ''})"


def finding_text(network: FrozenNetwork, name: Name, value: Finding) -> str:
    """Return a variable and its state (or number) as ``name=state``."""
    variable = network.schema[name]
    shown = f"{value:g}" if variable.is_continuous else label(variable.states[int(value)])
    return f"{label(name)}={shown}"
