"""A network as a file of any format, and what the format cannot hold."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec

from bayou.documents.model_documents import network_document
from bayou.models.network import Network
from bayou.server.messages import Message, plain
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
    "json": "application/json",
    "svg": "image/svg+xml",
    "html": "text/html; charset=utf-8",
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
        if request.format == "json":
            path.write_bytes(_as_json(net))
        elif request.format == "svg":
            net.to_svg(path)
        elif request.format == "html":
            net.to_html(path)
        else:
            net.save(path)
        return Export(path.read_bytes())


class WriteTask(Message):
    """Where a network is written; the ending names the format."""

    save_to: str


def write(net: Network, task: WriteTask) -> Losses:
    """Write a network to a file of the server."""
    net.save(task.save_to)
    return Losses(net.losses(Path(task.save_to).name))


def _as_json(net: Network) -> bytes:
    """All variables, arcs and tables as one document, in which names and states keep their types."""
    document = network_document(net)
    document["arcs"] = [{"parent": parent, "child": child} for parent, child in net.arcs]
    for variable in document["variables"]:
        variable.update(states=list(variable["states"] or ()), parents=list(variable["parents"]))
    return msgspec.json.format(msgspec.json.encode(plain(document)), indent=2)


def losses(net: Network, request: ExportRequest) -> Losses:
    """What would be lost by saving in this format; a picture holds no numbers."""
    if request.format == "json":
        return Losses(["what it shows, its counts and priors; programs read it, bayou does not"])
    if request.format == "svg":
        return Losses(["all tables: it is a picture to look at"])
    if request.format == "html":
        return Losses(["editing: the page shows and asks, and no program reads it as a network again"])
    return Losses(net.losses(f".{request.format}"))


EXPORT = Operation("export", "A network as a file", ExportRequest, Export, export)
LOSSES = Operation("losses", "What a format cannot hold", ExportRequest, Losses, losses)
WRITE = Operation("write", "Write a network to a file", WriteTask, Losses, write)
"""Operations for worker processes only: ``…/file``, ``…/losses`` and ``…/save`` are their addresses."""


def export_request(name: str | None) -> bytes:
    """The request for a format that a client named."""
    if name not in FORMATS:
        raise Problem(422, "unknown-format", f"Name a format: format={', '.join(FORMATS)}.")
    return msgspec.json.encode(ExportRequest(name))
