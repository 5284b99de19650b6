"""A question as a formula: P(lung | smoke=yes, do(asia=no))."""

from __future__ import annotations

from collections.abc import Callable

from bayou.inference import Question, finding_text
from bayou.networks import FrozenNetwork
from bayou.schema import label


def question_title(
    network: FrozenNetwork, question: Question, spelled: Callable[[str], str] = str, bar: str = " | "
) -> str:
    """Return the question as text: targets before the bar, findings and interventions after it.

    ``spelled`` writes names and findings.
    """
    found = [finding_text(network.schema[name], value) for name, value in question.evidence.items()]
    found += [question.shown.get(name, f"likelihood of {label(name)}") for name in question.likelihood]
    found += [f"do({finding_text(network.schema[name], value)})" for name, value in question.do.items()]
    targets = ", ".join(label(name) for name in question.targets) or "each variable"
    known = bar + ", ".join(map(spelled, found)) if found else ""
    return f"P({spelled(targets)}{known})"
