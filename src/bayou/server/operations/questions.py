"""Posteriors of chosen variables, most probable explanations, the working of a query."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, field

from bayou import inference
from bayou.documents.model_documents import posterior_document
from bayou.errors import BadQuestion
from bayou.models.network import Network
from bayou.server.messages import Finding, Message, Value, encoded, known_names
from bayou.server.operations.beliefs import states_given
from bayou.server.operations.operation import Operation
from bayou.server.stated_findings import stated
from bayou.typing import Name

_MOST_CELLS = 100_000


class QueryRequest(Message):
    """Variables whose joint posterior is asked for, and the findings."""

    targets: list[Value]
    findings: list[Finding] = field(default_factory=list)


class Cell(Message):
    """The probability of one combination of states, in the order of the targets."""

    states: list[Any]
    p: float


class QueryAnswer(Message, omit_defaults=True):
    """The posterior: a row per combination of states, or the moments of numbers."""

    targets: list[Any]
    log_probability: float
    probabilities: list[Cell] | None = None
    mean: Any = None
    std: float | None = None
    interval_95: list[float] | None = None
    covariance: list[list[float]] | None = None


def query(net: Network, request: QueryRequest) -> QueryAnswer:
    """P(targets | findings)."""
    names = known_names(net, request.targets)
    _refuse_large(net, names)
    found = posterior_document(net.query(names, **stated(request.findings)))
    cells = found.pop("probabilities", None)
    rows = cells and [Cell([encoded(state) for state in cell["states"]], cell["p"]) for cell in cells]
    log_probability = found.pop("log_evidence")
    found["targets"] = [encoded(name) for name in found["targets"]]
    return QueryAnswer(log_probability=log_probability, probabilities=rows, **found)


def quick_query(net: Network, request: QueryRequest) -> QueryAnswer | None:
    """The posterior of one variable given states; None for anything else, and for errors."""
    given = states_given(request.findings)
    if given is None or len(request.targets) != 1 or type(request.targets[0]) is not str:
        return None
    known = inference.plain_query(net.frozen, request.targets[0], given)
    if known is None:
        return None
    states = known.free[request.targets[0]].states
    cells = [Cell([encoded(s)], p) for s, p in zip(states, known.flat.tolist(), strict=True)]
    return QueryAnswer([*request.targets], known.log_evidence, cells)


class MostProbableRequest(Message):
    """The findings; ``targets`` are the variables to explain (none: all that are not given)."""

    findings: list[Finding] = field(default_factory=list)
    targets: list[Value] | None = None
    k: Annotated[int, Meta(ge=1, le=100)] = 1


class StatedVariable(Message):
    """A variable and its state."""

    variable: Any
    state: Any


class Explanation(Message):
    """One combination of states, with its probability given the findings."""

    states: list[StatedVariable]
    probability: float


class MostProbableAnswer(Message):
    """The most probable combinations of states, the best first."""

    explanations: list[Explanation]


def most_probable(net: Network, request: MostProbableRequest) -> MostProbableAnswer:
    """The k most probable joint states given the findings."""
    names = known_names(net, request.targets or ()) or None
    found = net.most_probable(targets=names, k=request.k, **stated(request.findings))
    rows = [
        Explanation(
            [StatedVariable(encoded(name), encoded(state)) for name, state in best.states.items()],
            best.probability,
        )
        for best in found
    ]
    return MostProbableAnswer(rows)


class WorkingRequest(Message):
    """A query whose calculation is shown."""

    targets: list[Value]
    findings: list[Finding] = field(default_factory=list)


class TextAnswer(Message):
    """A text in lines."""

    text: str


def working(net: Network, request: WorkingRequest) -> TextAnswer:
    """The calculation of a query, line by line."""
    names = known_names(net, request.targets)
    _refuse_large(net, names)
    return TextAnswer(str(net.working(names, **stated(request.findings))))


def _refuse_large(net: Network, names: list[Name]) -> None:
    if not names:
        raise BadQuestion("A query needs at least one target: name a variable in `targets`.")
    cells = 1
    for name in names:
        cells *= max(net.variables[name].cardinality, 1)
    if cells > _MOST_CELLS:
        raise BadQuestion(
            f"A query has at most {_MOST_CELLS:,} combinations of the states of its targets; these have "
            f"{cells:,}. Ask for fewer of them at once."
        )


QUESTIONS = (
    Operation("query", "P(targets | findings)", QueryRequest, QueryAnswer, query, quick_query),
    Operation(
        "most-probable",
        "The most probable states of variables given findings",
        MostProbableRequest,
        MostProbableAnswer,
        most_probable,
    ),
    Operation("working", "The calculation of a query in lines", WorkingRequest, TextAnswer, working),
)
