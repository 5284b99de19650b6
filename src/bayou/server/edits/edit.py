"""The base of the forms of edits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayou.server.messages import Message

if TYPE_CHECKING:
    from bayou.models.network import Network


class Edit(Message, tag_field="edit"):
    """One change of a network."""

    def apply(self, net: Network) -> None:
        """Make the change; raises the library's errors, after which the network is as before."""
        raise NotImplementedError
