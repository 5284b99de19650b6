"""Why an answer is what it is, what to ask next, and which numbers it hangs on."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, field

from bayou.models.answers.outcomes import Outcomes
from bayou.models.network import Network
from bayou.server.messages import Finding, Message, Value, decoded, encoded, known_name, plain
from bayou.server.operations.operation import Operation
from bayou.server.stated_findings import stated

_ASKED_FIRST = 5
"""How many of the best variables are told with what each of their states would change."""


class ExplainRequest(Message):
    """A variable, the state of it that is explained (none: the one that rose most), and the findings."""

    target: Value
    state: Value | None = None
    findings: list[Finding] = field(default_factory=list)


class ExplainAnswer(Message):
    """The probability before and after, sentences, and the findings, trails and variables behind them."""

    target: Any
    state: Any
    before: float
    after: float
    text: str
    sentences: list[str]
    findings: list[Any]
    trails: list[Any]
    nodes: list[Any]
    explained_away: list[Any]
    log_chance: float | None
    conflict: float | None


def explain(net: Network, request: ExplainRequest) -> ExplainAnswer:
    """Why a state became more or less probable."""
    state = None if request.state is None else decoded(request.state)
    found = net.explain(known_name(net, request.target), state=state, **stated(request.findings))
    return ExplainAnswer(**plain(found.to_dict()))


class Cost(Message):
    """What asking for a variable costs."""

    variable: Value
    cost: float


class AskRequest(Message):
    """The variable that matters, what is known, what asking costs, what could be asked for (none: all)."""

    target: Value
    findings: list[Finding] = field(default_factory=list)
    costs: list[Cost] = field(default_factory=list)
    among: list[Value] = field(default_factory=list)


class Outcome(Message):
    """A state that could be found, its probability, and what the target's probabilities would become."""

    state: Any
    probability: float
    target: list[float | None]


class Ask(Message, omit_defaults=True):
    """A variable that could be asked for: expected bits, their share of the uncertainty, cost, outcomes."""

    variable: Any
    bits: float
    share: float
    cost: float | None = None
    outcomes: list[Outcome] | None = None


class AskAnswer(Message):
    """What to ask next in a sentence, the bits of uncertainty, and the variables, the best first."""

    sentence: str
    entropy: float
    asks: list[Ask]


def what_to_ask(net: Network, request: AskRequest) -> AskAnswer:
    """Which variable is worth asking for next."""
    costs = {decoded(each.variable): each.cost for each in request.costs} or None
    among = [known_name(net, name) for name in request.among] or None
    target = known_name(net, request.target)
    found = net.what_to_ask(target, costs=costs, among=among, **stated(request.findings))
    asks = []
    for place, one in enumerate(found.ranked):
        told = _outcomes(found.outcomes(one.name)) if place < _ASKED_FIRST else None
        asks.append(Ask(encoded(one.name), one.bits, one.share, one.cost, told))
    return AskAnswer(found.advice, found.entropy, asks)


def _outcomes(found: Outcomes) -> list[Outcome]:
    rows = zip(found.variable.states, found.probabilities.tolist(), found.posteriors.tolist(), strict=True)
    return [Outcome(encoded(state), p, plain(after)) for state, p, after in rows]


class SensitivityRequest(Message):
    """A state of a variable, the findings, how far entries are changed, and how many are told."""

    target: Value
    state: Value
    findings: list[Finding] = field(default_factory=list)
    change: Annotated[float, Meta(gt=0, le=1)] = 0.1
    most: Annotated[int, Meta(ge=1, le=1000)] = 20


class SensitivityAnswer(Message):
    """The probability, the entries of tables that change it most, and where the decision turns."""

    asked: str
    probability: float
    change: float
    decision: Any
    turning_point: Any
    sentence: str | None
    entries: list[Any]
    without_effect: list[Any]
    without_entries: list[Any]


def sensitivity(net: Network, request: SensitivityRequest) -> SensitivityAnswer:
    """Which entries of which tables the answer hangs on."""
    found = net.tornado(
        known_name(net, request.target),
        decoded(request.state),
        change=request.change,
        **stated(request.findings),
    )
    return SensitivityAnswer(**plain(found.to_dict(request.most)))


REASONS = (
    Operation("explain", "Why a state became more or less probable", ExplainRequest, ExplainAnswer, explain),
    Operation("what-to-ask", "What to ask for next", AskRequest, AskAnswer, what_to_ask),
    Operation(
        "sensitivity", "Which numbers the answer hangs on", SensitivityRequest, SensitivityAnswer, sensitivity
    ),
)
