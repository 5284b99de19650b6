"""Floor 5: exact answers to questions, log-probabilities of rows, and drawing new rows."""

from __future__ import annotations

from bayou.inference.asking import Answer, ask
from bayou.inference.drawing import draw
from bayou.inference.elimination import Step
from bayou.inference.enumeration import joint_table
from bayou.inference.hybrid import Mixture
from bayou.inference.question import Finding, Question, relevant
from bayou.inference.rows import log_probability

__all__ = [
    "Answer",
    "Finding",
    "Mixture",
    "Question",
    "Step",
    "ask",
    "draw",
    "joint_table",
    "log_probability",
    "relevant",
]
