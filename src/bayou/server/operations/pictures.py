"""A network with findings to look at outside of the page: a picture, and a report to print."""

from __future__ import annotations

from msgspec import field

from bayou.models.network import Network
from bayou.server.messages import Finding, Message
from bayou.server.operations.operation import Operation
from bayou.server.stated_findings import stated


class PictureRequest(Message):
    """What is known; the beliefs that follow are drawn."""

    findings: list[Finding] = field(default_factory=list)


class PictureAnswer(Message):
    """The picture as SVG."""

    svg: str


class ReportAnswer(Message):
    """The report as HTML: a page of its own that loads nothing."""

    html: str


def picture(net: Network, request: PictureRequest) -> PictureAnswer:
    """The network as a picture with its beliefs."""
    return PictureAnswer(net.to_svg(**stated(request.findings)))


def report(net: Network, request: PictureRequest) -> ReportAnswer:
    """The picture, the findings and what follows from them, and all tables, for the printer."""
    return ReportAnswer(net.report(**stated(request.findings)))


PICTURES = (
    Operation("picture", "A picture of the network, given findings", PictureRequest, PictureAnswer, picture),
    Operation("report", "A report to print, given findings", PictureRequest, ReportAnswer, report),
)
