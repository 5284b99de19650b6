"""Files of cases to and from the findings of the API."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, field

from bayou.models.cases.case import Case
from bayou.models.cases.case_files import cases_in, cases_text
from bayou.models.network import Network
from bayou.models.set_findings import Not
from bayou.server.messages import Finding, Message, encoded
from bayou.server.operations.operation import Operation
from bayou.server.stated_findings import stated
from bayou.typing import Name

Format = Literal["cas", "csv"]
_Weight = Annotated[float, Meta(ge=0)]


class NamedCase(Message):
    """Findings under a name; ``weight`` is how many such cases there are."""

    name: str
    findings: list[Finding] = field(default_factory=list)
    weight: _Weight = 1


class CaseFileRequest(Message):
    """The text of a file of cases."""

    text: str
    format: Format


class CasesAnswer(Message):
    """The cases of a file, and what was left out of it, in sentences."""

    cases: list[NamedCase]
    remarks: list[str]


class CasesRequest(Message):
    """Cases, and the format of the file that they go into."""

    cases: list[NamedCase]
    format: Format


class CaseFileAnswer(Message):
    """The text of a file of cases, and what it cannot hold, in sentences."""

    text: str
    losses: list[str]


def read_cases(net: Network, request: CaseFileRequest) -> CasesAnswer:
    """The cases in the text of a file."""
    found = cases_in(request.text, net, is_netica=request.format == "cas")
    cases = [NamedCase(case.name, findings_of(net, case), case.weight) for case in found]
    return CasesAnswer(cases, list(found.remarks))


def write_cases(net: Network, request: CasesRequest) -> CaseFileAnswer:
    """Cases as the text of a file."""
    cases = [Case(one.name, **stated(one.findings), weight=one.weight) for one in request.cases]
    return CaseFileAnswer(*cases_text(cases, net, is_netica=request.format == "cas"))


def findings_of(net: Network, case: Case) -> list[Finding]:
    """The findings of a case in the form of the API, in the order of the network's variables."""
    found: list[Finding] = []
    for name in net.names:
        if name in case.given:
            found.append(given_finding(net, name, case.given[name]))
        if name in case.likelihood:
            found.append(Finding(encoded(name), weights=[float(one) for one in case.likelihood[name]]))
        if name in case.do:
            found.append(Finding(encoded(name), do=encoded(case.do[name])))
    return found


def given_finding(net: Network, name: Name, value: Any) -> Finding:
    """What was observed of one variable as a finding of the API."""
    if isinstance(value, Not):
        return Finding(encoded(name), excluded=[encoded(state) for state in value.states])
    if isinstance(value, frozenset):
        variable = net.variables[name]
        ordered = sorted(value, key=variable.code)
        return Finding(encoded(name), among=[encoded(state) for state in ordered])
    if net.variables[name].is_continuous:
        return Finding(encoded(name), value=float(value))
    return Finding(encoded(name), state=encoded(value))


CASE_FILES = (
    Operation("read-cases", "The cases in a file of cases", CaseFileRequest, CasesAnswer, read_cases),
    Operation("write-cases", "A file of cases", CasesRequest, CaseFileAnswer, write_cases),
)
