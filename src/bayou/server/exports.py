"""A network as a file of any format, and what the format cannot hold."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec

from bayou.models.network import Network
from bayou.server.messages import Message
from bayou.server.operations.operation import Operation
from bayou.server.problems import Problem

FORMATS = {
    "bayou": "application/zip",
    "bif": "text/plain; charset=utf-8",
    "xmlbif": "application/xml",
    "net": "text/plain; charset=utf-8",
    "xdsl": "application/xml",
    "dsl": "text/plain; charset=utf-8",
    "uai": "text/plain; charset=utf-8",
    "dne": "text/plain; charset=utf-8",
    "svg": "image/svg+xml",
}
"""The formats of downloads, and the types of their content."""


class ExportRequest(Message):
    """The format of the file."""

    format: str


class Export(Message):
    """The bytes of a file."""

    content: bytes


class Losses(Message):
    """What the format cannot hold, in sentences."""

    losses: list[str]


def export(net: Network, request: ExportRequest) -> Export:
    """The network as a file."""
    with tempfile.TemporaryDirectory(prefix="bayou-export-") as folder:
        path = Path(folder, f"network.{request.format}")
        if request.format == "svg":
            net.to_svg(path)
        else:
            net.save(path)
        return Export(path.read_bytes())


def losses(net: Network, request: ExportRequest) -> Losses:
    """What would be lost by saving in this format; a picture holds no numbers."""
    if request.format == "svg":
        return Losses(["all tables: a picture is not a network any more"])
    return Losses(net.losses(f".{request.format}"))


EXPORT = Operation("export", "A network as a file", ExportRequest, Export, export)
LOSSES = Operation("losses", "What a format cannot hold", ExportRequest, Losses, losses)
"""Operations for worker processes only: ``GET …/file`` and ``GET …/losses`` are their addresses."""


def export_request(name: str | None) -> bytes:
    """The request for a format that a client named."""
    if name not in FORMATS:
        raise Problem(422, "unknown-format", f"Name a format: format={', '.join(FORMATS)}.")
    return msgspec.json.encode(ExportRequest(name))
