"""Copy and paste of variables: a part of one network as text, and the edit that adds it to another."""

from __future__ import annotations

import base64
import binascii
import tempfile
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from bayou.errors import BadQuestion, BayouError
from bayou.loading import load
from bayou.models.network import Network
from bayou.schema import label
from bayou.server.edits.edit import Edit
from bayou.server.messages import Message, Value, known_name
from bayou.server.operations.operation import Operation
from bayou.typing import Name

_NOT_COPIED = "content: this is not what POST …/copy has answered. Copy the variables again."


class CopyRequest(Message):
    """The variables that are copied, with the arcs between them."""

    variables: Annotated[list[Value], Meta(min_length=1)]


class CopyAnswer(Message):
    """The variables as a text, which the edit ``paste`` takes."""

    content: str


def copied(net: Network, request: CopyRequest) -> CopyAnswer:
    """Pack variables with their tables, texts and notes; where their boxes stand is left out."""
    part = net.subnetwork([known_name(net, name) for name in request.variables])
    shown = part.appearance
    nodes = {name: replace(one, position=None) for name, one in shown.nodes.items()}
    part.show_as(replace(shown, nodes=nodes, title="", description="", texts=()))
    with tempfile.TemporaryDirectory(prefix="bayou-copy-") as folder:
        file = Path(folder, "copied.bayou")
        part.save(file)
        return CopyAnswer(base64.b64encode(file.read_bytes()).decode("ascii"))


COPY = Operation("copy", "Variables as a text that can be pasted", CopyRequest, CopyAnswer, copied)


class Paste(Edit, tag="paste"):
    """Copied variables are added; one whose name is taken gets a number behind it."""

    content: str

    def apply(self, net: Network) -> None:
        """Add them."""
        other = unpacked(self.content)
        taken = {*net.names, *net.sharing}
        names: dict[Name, Name] = {}
        for name in (*other.names, *other.sharing):
            if name in taken:
                names[name] = free_name(name, {*taken, *other.names, *names.values()})
        net.add_network(other, rename=names)


def unpacked(content: str) -> Network:
    """Return the network in a copied text; the text is never read as the name of a file."""
    try:
        packed = base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        raise BadQuestion(_NOT_COPIED) from None
    with tempfile.TemporaryDirectory(prefix="bayou-paste-") as folder:
        file = Path(folder, "copied.bayou")
        file.write_bytes(packed)
        try:
            found = load(file)
        except BayouError:
            raise BadQuestion(_NOT_COPIED) from None
    if not isinstance(found, Network):
        raise BadQuestion(_NOT_COPIED)
    return found


def free_name(name: Name, taken: Collection[Name]) -> str:
    """A name with the first number behind it that is free.

    >>> free_name("rain", {"rain", "rain 2"})
    'rain 3'
    """
    number = 2
    while f"{label(name)} {number}" in taken:
        number += 1
    return f"{label(name)} {number}"
