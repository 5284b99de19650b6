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
from bayou.inference.exact.plain_query import PlainAnswer, plain_marginals, plain_query
from bayou.inference.expectation.expected_counts import expected_counts
from bayou.inference.expectation.expected_statistics import Expectation
from bayou.inference.limits import current_limits, limits
from bayou.inference.mixtures import JointMixture, Mixture
from bayou.inference.query import ask, explanation, impossible, marginals
from bayou.inference.question import Finding, Question, evidence_columns, relevant
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
    "PlainAnswer",
    "Propagation",
    "Question",
    "SlicedTables",
    "Verification",
    "ask",
    "best",
    "current_limits",
    "draw",
    "eliminate",
    "evidence_columns",
    "expected_counts",
    "explanation",
    "impossible",
    "joint_table",
    "limits",
    "log_probability",
    "marginals",
    "plain_marginals",
    "plain_query",
    "propagate",
    "relevant",
    "verify",
]
