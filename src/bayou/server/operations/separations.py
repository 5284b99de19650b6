"""Whether two variables are independent by the arcs alone, which trails are open, and what closes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, field

from bayou import graphs
from bayou.graphs import Dag
from bayou.models.network import Network
from bayou.schema import label
from bayou.server.messages import Finding, Message, Value, encoded, known_name
from bayou.server.operations.operation import Operation
from bayou.typing import Name


class SeparationRequest(Message):
    """Two variables, those that are observed, and findings; what is known of the two is left aside."""

    one: Value
    other: Value
    given: list[Value] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


class SeparationAnswer(Message):
    """Whether they are d-separated, the same in words, and the open trails, the shortest (``trail``) first.

    ``closed_by`` are variables that separate them if they are observed too; null if none can.
    """

    separated: bool
    trail: list[Any]
    text: str
    trails: list[list[Any]]
    closed_by: list[Any] | None


def separation(net: Network, request: SeparationRequest) -> SeparationAnswer:
    """Whether two variables are independent by the arcs alone, given others."""
    one, other = known_name(net, request.one), known_name(net, request.other)
    findings = [each for each in request.findings if known_name(net, each.variable) not in (one, other)]
    dag, observed = _with_findings(net, findings)
    given = dict.fromkeys([*(known_name(net, name) for name in request.given), *observed])
    found = graphs.separated(dag, [one], [other], list(given))
    trails = [[encoded(name) for name in trail] for trail in found.open_trails]
    closing = None if found.closed_by is None else [encoded(name) for name in found.closed_by]
    return SeparationAnswer(bool(found), trails[0] if trails else [], str(found), trails, closing)


def _with_findings(net: Network, findings: Sequence[Finding]) -> tuple[Dag, list[Name]]:
    """The graph in which the findings act, and what is observed in it.

    Arcs into what is set by hand are cut. An uncertain finding is an observed child of its variable: it opens
    common effects, and does not stop influence.
    """
    observed: list[Name] = []
    uncertain: dict[Name, str] = {}
    cut: list[Name] = []
    for finding in findings:
        name = known_name(net, finding.variable)
        if finding.do is not UNSET:
            cut.append(name)
        if finding.do is not UNSET or finding.state is not UNSET or finding.value is not UNSET:
            observed.append(name)
        else:
            uncertain[name] = f"the uncertain finding about {label(name)}"
    dag = net.dag.without_arcs_into(cut) if cut else net.dag
    if not uncertain:
        return dag, observed
    arcs = [*dag.arcs, *uncertain.items()]
    return Dag.from_arcs(arcs, [*dag.nodes, *uncertain.values()]), [*observed, *uncertain.values()]


SEPARATION = Operation(
    "separation", "Whether two variables are d-separated", SeparationRequest, SeparationAnswer, separation
)
