"""Floor 5: exact answers to questions, log-probabilities of rows, and drawing new rows."""

from __future__ import annotations

from bayou.inference.answer import Answer, MarginalAnswers, SlicedTables
from bayou.inference.cross_check import Verification, verify
from bayou.inference.engines import DEFAULT_ENGINE
from bayou.inference.exact.elimination import EliminationStep, EliminationTrace, eliminate
from bayou.inference.exact.enumeration import joint_table
from bayou.inference.exact.factors import Factor
from bayou.inference.exact.k_best import Best, best
from bayou.inference.exact.pearl import Message, Propagation, propagate
from bayou.inference.exact.repeated_query import RepeatedAnswer, ask_again, marginals_again
from bayou.inference.expectation.expected_counts import expected_counts
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.inference.limits import current_limits, limits
from bayou.inference.mixtures import JointMixture, Mixture
from bayou.inference.query import ask, explanation, impossible, marginals
from bayou.inference.question import Finding, Question, evidence_columns, finding_text, relevant
from bayou.inference.rows.row_likelihood import log_probability
from bayou.inference.sampling.forward_sampling import draw

__all__ = [
    "DEFAULT_ENGINE",
    "Answer",
    "Best",
    "EliminationStep",
    "EliminationTrace",
    "Expectation",
    "Factor",
    "Finding",
    "JointMixture",
    "MarginalAnswers",
    "Message",
    "Mixture",
    "Propagation",
    "Question",
    "RepeatedAnswer",
    "SlicedTables",
    "Verification",
    "ask",
    "ask_again",
    "best",
    "current_limits",
    "draw",
    "eliminate",
    "evidence_columns",
    "expected_counts",
    "explanation",
    "finding_text",
    "impossible",
    "joint_table",
    "limits",
    "log_probability",
    "marginals",
    "marginals_again",
    "propagate",
    "relevant",
    "verify",
]
