"""What to ask next, and which numbers an answer hangs on."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, field

from bayou.errors import BadQuestion
from bayou.models.answers.findings.outcomes import Outcomes
from bayou.models.network import Network
from bayou.server.messages import Finding, Message, Value, decoded, encoded, known_name, plain
from bayou.server.operations.operation import Operation
from bayou.server.stated_findings import stated
from bayou.typing import Name, State

_ASKED_FIRST = 10
"""How many of the best variables are told with what each of their states would change."""


class Cost(Message):
    """What asking for a variable costs."""

    variable: Value
    cost: float


class ActionUtilities(Message):
    """An action, and its utility in each state of the target, in order."""

    action: str
    utilities: list[float]


class AskRequest(Message):
    """The variable that matters, what is known, what asking costs, what could be asked for (none: all).

    With ``utilities`` of actions the variables are ranked by expected utility, else by expected information.
    """

    target: Value
    findings: list[Finding] = field(default_factory=list)
    costs: list[Cost] = field(default_factory=list)
    utilities: list[ActionUtilities] = field(default_factory=list)
    among: list[Value] = field(default_factory=list)


class Outcome(Message, omit_defaults=True):
    """A state that could be found, its probability, what the target would become, the best action then."""

    state: Any
    probability: float
    target: list[float | None]
    action: str | None = None


class Ask(Message, omit_defaults=True):
    """A variable that could be asked for: expected bits, their share of the uncertainty, cost, outcomes.

    With utilities ``gain`` is the expected gain from acting after it is known, ``net`` what the cost leaves.
    """

    variable: Any
    bits: float
    share: float
    cost: float | None = None
    gain: float | None = None
    net: float | None = None
    outcomes: list[Outcome] | None = None


class AskAnswer(Message, omit_defaults=True):
    """What to ask next in a sentence, the bits of uncertainty, and the variables, the best first.

    With utilities also the best action as things are, and its expected utility.
    """

    sentence: str
    entropy: float
    asks: list[Ask]
    best_action: str | None = None
    expected_utility: float | None = None


def what_to_ask(net: Network, request: AskRequest) -> AskAnswer:
    """Which variable is worth asking for next."""
    costs = {decoded(each.variable): each.cost for each in request.costs} or None
    among = [known_name(net, name) for name in request.among] or None
    target = known_name(net, request.target)
    utilities = utilities_by_state(net, target, request.utilities)
    found = net.what_to_ask(target, costs=costs, among=among, utilities=utilities, **stated(request.findings))
    asks = []
    for place, one in enumerate(found.ranked):
        told = _outcomes(found.outcomes(one.name)) if place < _ASKED_FIRST else None
        asks.append(Ask(encoded(one.name), one.bits, one.share, one.cost, one.gain, one.net, told))
    return AskAnswer(found.advice, found.entropy, asks, found.best_action, found.expected_utility)


def utilities_by_state(
    net: Network, target: Name, utilities: list[ActionUtilities]
) -> dict[str, dict[State, float]] | None:
    """The utilities as the library takes them; None if there are none."""
    states = net.variables[target].states
    for each in utilities:
        if len(each.utilities) != len(states):
            raise BadQuestion(
                f"The action {each.action!r} needs a utility for each of the {len(states)} states of "
                f"{target!r}; it has {len(each.utilities)}."
            )
    if len({each.action for each in utilities}) < len(utilities):
        raise BadQuestion("Two actions have the same name: give each its own.")
    return {each.action: dict(zip(states, each.utilities, strict=True)) for each in utilities} or None


def _outcomes(found: Outcomes) -> list[Outcome]:
    states = found.variable.states
    actions = (None,) * len(states) if found.actions is None else found.actions
    rows = zip(states, found.probabilities.tolist(), found.posteriors.tolist(), actions, strict=True)
    return [
        Outcome(encoded(state), p, plain(after), None if action is None else str(action))
        for state, p, after, action in rows
    ]


class SensitivityRequest(Message):
    """A state of a variable, the findings, how far entries are changed, and how many are told.

    The decision that may turn is the most probable state, or the best action by ``utilities``.
    With ``percent`` the numbers of the sentence are percentages.
    """

    target: Value
    state: Value
    findings: list[Finding] = field(default_factory=list)
    utilities: list[ActionUtilities] = field(default_factory=list)
    change: Annotated[float, Meta(gt=0, le=1)] = 0.1
    most: Annotated[int, Meta(ge=1, le=1000)] = 20
    percent: bool = False


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
    target = known_name(net, request.target)
    found = net.tornado(
        target,
        decoded(request.state),
        change=request.change,
        utilities=utilities_by_state(net, target, request.utilities),
        **stated(request.findings),
    )
    told = plain(found.to_dict(request.most))
    if request.percent:
        told["sentence"] = found.told(percent=True)
    return SensitivityAnswer(**told)


REASONS = (
    Operation("what-to-ask", "What to ask for next", AskRequest, AskAnswer, what_to_ask),
    Operation(
        "sensitivity", "Which numbers the answer hangs on", SensitivityRequest, SensitivityAnswer, sensitivity
    ),
)
