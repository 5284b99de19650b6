"""Why a state became more or less probable: in words, by finding, and along which trails."""

from __future__ import annotations

from typing import Any

from msgspec import field

from bayou.errors import TooWide
from bayou.explain import ShapleyShares
from bayou.explain.influence.influences import Influence
from bayou.explain.influence.sentences import IN_PERCENT, sentences_of
from bayou.graphs.trails import written
from bayou.models.answers.answer_explanation import AnswerExplanation
from bayou.models.network import Network
from bayou.server.messages import Finding, Message, Value, decoded, encoded, known_name, plain
from bayou.server.operations.operation import Operation
from bayou.server.stated_findings import Findings, stated
from bayou.typing import Name

_MOST_SHARED = 8
"""Shapley shares are told for at most this many findings: 256 posteriors."""


class ExplainRequest(Message):
    """A variable, the state of it that is explained (none: the one that rose most), and the findings.

    With ``percent`` the sentences have percentages, and the shares are those of the change in probability.
    """

    target: Value
    state: Value | None = None
    findings: list[Finding] = field(default_factory=list)
    percent: bool = False


class ExplainedFinding(Message):
    """One finding: P(state) with it alone and without it, its weights (log odds), its Shapley share.

    Numbers that are infinite or not defined are null; ``share`` also where there is one finding or many.
    ``separated_by`` are the known variables that keep it from the target; null if it reaches it.
    """

    variable: Any
    text: str
    intervention: bool
    alone: float | None
    weight_alone: float | None
    without: float | None
    weight: float | None
    direction: str
    chance: float | None
    separated_by: list[Any] | None
    share: float | None


class Trail(Message):
    """The open trail along which a finding acts most: variables from the finding to the target."""

    finding: Any
    names: list[Any]
    text: str


class MovedNode(Message):
    """A variable on a trail before all findings and after them; of a number (no state) the mean."""

    variable: Any
    state: Any
    before: float
    after: float


class ExplainedAway(Message):
    """A finding that explains a known effect in another way, so that the target became less probable."""

    finding: str
    cause: Any
    effect: str
    state: Any
    before: float
    after: float


class ExplainAnswer(Message):
    """The probability before and after, sentences, and the findings, trails and variables behind them.

    ``share_unit`` is what the shares add up to: the change in "log odds", or in "probability".
    """

    target: Any
    state: Any
    before: float
    after: float
    text: str
    sentences: list[str]
    findings: list[ExplainedFinding]
    share_unit: str | None
    trails: list[Trail]
    nodes: list[MovedNode]
    explained_away: list[ExplainedAway]
    log_chance: float | None
    conflict: float | None


def explain(net: Network, request: ExplainRequest) -> ExplainAnswer:
    """Why a state became more or less probable."""
    state = None if request.state is None else decoded(request.state)
    target, findings = known_name(net, request.target), stated(request.findings)
    found = net.explain(target, state=state, **findings)
    shares = _shares(net, found, findings, "probability" if request.percent else "log odds")
    return ExplainAnswer(
        target=encoded(found.target),
        state=encoded(found.state),
        before=found.before,
        after=found.after,
        text=found.text,
        sentences=_sentences(found) if request.percent else list(found.sentences),
        findings=[_finding(one, shares) for one in found.findings],
        share_unit=None if shares is None else shares.unit,
        trails=[_trail(found, name, trail) for name, trail in found.trails.items()],
        nodes=[
            MovedNode(encoded(one.name), plain(one.state), one.before, one.after) for one in found.changes
        ],
        explained_away=[
            ExplainedAway(
                one.finding,
                None if one.through is None else encoded(one.through.name),
                one.effect,
                encoded(one.state),
                one.before,
                one.after,
            )
            for one in found.explained_away
        ],
        log_chance=plain(found.reasons.log_chance),
        conflict=plain(found.reasons.conflict),
    )


def _sentences(found: AnswerExplanation) -> list[str]:
    first, further = sentences_of(found.dag, found.reasons, IN_PERCENT)
    return [*first, *further]


def _shares(net: Network, found: AnswerExplanation, findings: Findings, unit: str) -> ShapleyShares | None:
    """The Shapley shares of a few findings; None for one, for many, and where they are too hard."""
    count = len({*findings["given"], *findings["likelihood"]})
    if not 2 <= count <= _MOST_SHARED:
        return None
    try:
        return net.finding_strength(found.target, state=found.state, shares=unit, **findings).shares
    except TooWide:
        return None


def _finding(one: Influence, shares: ShapleyShares | None) -> ExplainedFinding:
    direction = "none" if not one.has_weight else "for" if one.weight > 0 else "against"
    apart = None if one.separated_by is None else [encoded(name) for name in one.separated_by]
    known = shares is not None and one.name in shares.names
    return ExplainedFinding(
        variable=encoded(one.name),
        text=one.text,
        intervention=one.is_intervention,
        alone=plain(one.alone),
        weight_alone=plain(one.weight_alone),
        without=plain(one.without),
        weight=plain(one.weight),
        direction=direction,
        chance=one.chance,
        separated_by=apart,
        share=plain(shares[one.name]) if known and shares is not None else None,
    )


def _trail(found: AnswerExplanation, finding: Name, trail: tuple[Name, ...]) -> Trail:
    names = [encoded(name) for name in trail]
    return Trail(encoded(finding), names, written(found.dag, trail))


EXPLAIN = Operation(
    "explain", "Why a state became more or less probable", ExplainRequest, ExplainAnswer, explain
)
