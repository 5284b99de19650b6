"""Floor 5: exact answers to questions, log-probabilities of rows, and drawing new rows."""

from __future__ import annotations

from bayou.inference.asking import Answer, ask, explanation, impossible, marginals
from bayou.inference.best import Best, best
from bayou.inference.drawing import draw
from bayou.inference.elimination import Step, Trace, eliminate
from bayou.inference.enumeration import joint_table
from bayou.inference.expected import Expected, compressed, expected_counts
from bayou.inference.expected_hybrid import ExpectedMoments, expected_moments
from bayou.inference.factors import Factor
from bayou.inference.jeffrey import ask_with_marginals
from bayou.inference.limits import current_limits, limits
from bayou.inference.mixtures import JointMixture, Mixture
from bayou.inference.pearl import Message, Propagation, propagate
from bayou.inference.question import Finding, Question, evidence_columns, relevant
from bayou.inference.rows import log_probability
from bayou.inference.verifying import Verification, verify

__all__ = [
    "Answer",
    "Best",
    "Expected",
    "ExpectedMoments",
    "Factor",
    "Finding",
    "JointMixture",
    "Message",
    "Mixture",
    "Propagation",
    "Question",
    "Step",
    "Trace",
    "Verification",
    "ask",
    "ask_with_marginals",
    "best",
    "compressed",
    "current_limits",
    "draw",
    "eliminate",
    "evidence_columns",
    "expected_counts",
    "expected_moments",
    "explanation",
    "impossible",
    "joint_table",
    "limits",
    "log_probability",
    "marginals",
    "propagate",
    "relevant",
    "verify",
]
