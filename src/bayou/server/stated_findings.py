"""The findings of a request as arguments of the questions of a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from msgspec import UNSET

from bayou.errors import BadQuestion, BayouError
from bayou.models.network import Network
from bayou.models.set_findings import Not
from bayou.server.messages import Finding, decoded
from bayou.typing import Name

_FORMS = ("state", "value", "among", "excluded", "weights", "do")


class Findings(TypedDict):
    """The findings of a question, as ``net.query`` and its like take them."""

    given: dict[Name, Any]
    likelihood: dict[Name, list[float]]
    do: dict[Name, Any]


def stated(findings: Sequence[Finding]) -> Findings:
    """Return the findings of a request by kind; two of one kind for a variable are refused.

    >>> stated([Finding("smoke", state="yes"), Finding("xray", weights=[0.2, 0.9])])["given"]
    {'smoke': 'yes'}
    """
    result = Findings(given={}, likelihood={}, do={})
    for finding in findings:
        name, form = decoded(finding.variable), form_of(finding)
        where: dict[Name, Any] = result["given"]
        if form == "weights":
            where = result["likelihood"]
        elif form == "do":
            where = result["do"]
        if name in where:
            raise BadQuestion(f"There are two findings for {name!r}: give one of them.")
        where[name] = _value(finding, form)
    return result


def releases(net: Network, findings: Sequence[Finding]) -> list[list[Finding]]:
    """For findings that cannot occur together: the smallest sets of them to release, the best first."""
    if not isinstance(net, Network):  # a model of sequences, whose message names the step
        return []
    by_name = {decoded(finding.variable): finding for finding in findings if finding.do is UNSET}
    try:
        found = net.nearest_findings(**stated(findings))
    except BayouError:
        return []
    return [[by_name[name] for name in each.names if name in by_name] for each in found]


def form_of(finding: Finding) -> str:
    """The member of a finding that says something; none and several are refused."""
    found = [form for form in _FORMS if getattr(finding, form) is not UNSET]
    if len(found) != 1:
        name = decoded(finding.variable)
        raise BadQuestion(
            f"The finding for {name!r} needs exactly one of state, value, in, not, weights and do; "
            f"it has {len(found)} of them."
        )
    return found[0]


def _value(finding: Finding, form: str) -> Any:
    value = getattr(finding, form)
    if form == "among":
        return frozenset(decoded(state) for state in value)
    if form == "excluded":
        return Not(*(decoded(state) for state in value))
    return value if form in ("value", "weights") else decoded(value)
