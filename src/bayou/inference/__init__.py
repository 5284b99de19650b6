"""Floor 5: answers to questions, log-probabilities of rows, and drawing new rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.lazy_names import on_first_use

if TYPE_CHECKING:
    from bayou.inference.answer import Answer as Answer
    from bayou.inference.answer import MarginalAnswers as MarginalAnswers
    from bayou.inference.answer import SlicedTables as SlicedTables
    from bayou.inference.bounds.bounds import Bounds as Bounds
    from bayou.inference.cross_check import Verification as Verification
    from bayou.inference.cross_check import verify as verify
    from bayou.inference.engine_options import EngineOptions as EngineOptions
    from bayou.inference.engines import require_exact as require_exact
    from bayou.inference.exact.elimination import EliminationStep as EliminationStep
    from bayou.inference.exact.elimination import EliminationTrace as EliminationTrace
    from bayou.inference.exact.elimination import eliminate as eliminate
    from bayou.inference.exact.enumeration import joint_table as joint_table
    from bayou.inference.exact.factors import Factor as Factor
    from bayou.inference.exact.k_best import Assignment as Assignment
    from bayou.inference.exact.k_best import best as best
    from bayou.inference.exact.pearl import Message as Message
    from bayou.inference.exact.pearl import Propagation as Propagation
    from bayou.inference.exact.pearl import propagate as propagate
    from bayou.inference.exact.plain_query import PlainAnswer as PlainAnswer
    from bayou.inference.exact.plain_query import plain_marginals as plain_marginals
    from bayou.inference.exact.plain_query import plain_query as plain_query
    from bayou.inference.expectation.expected_counts import expected_counts as expected_counts
    from bayou.inference.expectation.expected_statistics import Expectation as Expectation
    from bayou.inference.mixtures import JointMixture as JointMixture
    from bayou.inference.mixtures import Mixture as Mixture
    from bayou.inference.query import ask as ask
    from bayou.inference.query import explanation as explanation
    from bayou.inference.query import impossible_evidence as impossible_evidence
    from bayou.inference.query import is_possible as is_possible
    from bayou.inference.query import marginals as marginals
    from bayou.inference.query import too_small as too_small
    from bayou.inference.question import DEFAULT_ENGINE as DEFAULT_ENGINE
    from bayou.inference.question import Finding as Finding
    from bayou.inference.question import Question as Question
    from bayou.inference.question import evidence_columns as evidence_columns
    from bayou.inference.question import finding_text as finding_text
    from bayou.inference.question import relevant as relevant
    from bayou.inference.rows.row_likelihood import log_probability as log_probability
    from bayou.inference.sampling.conditional_rows import ConditionalRows as ConditionalRows
    from bayou.inference.sampling.estimate import Estimate as Estimate
    from bayou.inference.sampling.forward_sampling import draw as draw
    from bayou.memory import current_limits as current_limits

_WHERE = {
    "Answer": "bayou.inference.answer",
    "Assignment": "bayou.inference.exact.k_best",
    "Bounds": "bayou.inference.bounds.bounds",
    "ConditionalRows": "bayou.inference.sampling.conditional_rows",
    "DEFAULT_ENGINE": "bayou.inference.question",
    "EliminationStep": "bayou.inference.exact.elimination",
    "EliminationTrace": "bayou.inference.exact.elimination",
    "EngineOptions": "bayou.inference.engine_options",
    "Estimate": "bayou.inference.sampling.estimate",
    "Expectation": "bayou.inference.expectation.expected_statistics",
    "Factor": "bayou.inference.exact.factors",
    "Finding": "bayou.inference.question",
    "JointMixture": "bayou.inference.mixtures",
    "MarginalAnswers": "bayou.inference.answer",
    "Message": "bayou.inference.exact.pearl",
    "Mixture": "bayou.inference.mixtures",
    "PlainAnswer": "bayou.inference.exact.plain_query",
    "Propagation": "bayou.inference.exact.pearl",
    "Question": "bayou.inference.question",
    "SlicedTables": "bayou.inference.answer",
    "Verification": "bayou.inference.cross_check",
    "ask": "bayou.inference.query",
    "best": "bayou.inference.exact.k_best",
    "current_limits": "bayou.memory",
    "draw": "bayou.inference.sampling.forward_sampling",
    "eliminate": "bayou.inference.exact.elimination",
    "evidence_columns": "bayou.inference.question",
    "expected_counts": "bayou.inference.expectation.expected_counts",
    "explanation": "bayou.inference.query",
    "finding_text": "bayou.inference.question",
    "impossible_evidence": "bayou.inference.query",
    "is_possible": "bayou.inference.query",
    "too_small": "bayou.inference.query",
    "joint_table": "bayou.inference.exact.enumeration",
    "log_probability": "bayou.inference.rows.row_likelihood",
    "marginals": "bayou.inference.query",
    "plain_marginals": "bayou.inference.exact.plain_query",
    "plain_query": "bayou.inference.exact.plain_query",
    "propagate": "bayou.inference.exact.pearl",
    "relevant": "bayou.inference.question",
    "require_exact": "bayou.inference.engines",
    "verify": "bayou.inference.cross_check",
}

__all__ = list(_WHERE)
__getattr__, __dir__ = on_first_use(__name__, _WHERE)
