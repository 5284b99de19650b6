"""The explorer as an answer: a frame in a notebook, with a sentence that says what is in it."""

from __future__ import annotations

import html
import sys
from typing import TYPE_CHECKING

from bayou.pages.local_explorer import LocalExplorer, can_serve
from bayou.pages.notebook import elsewhere, in_notebook
from bayou.pages.one_file import one_file

if TYPE_CHECKING:
    from bayou.models.network import Network

_FRAME = (
    'width="100%" height="{height}" style="border:1px solid #8888;border-radius:6px" title="bayou explorer"'
)


class ShownExplorer:
    """The explorer of a network: a notebook shows it as a frame; ``close()`` ends its server, if it has one.

    >>> import bayou
    >>> shown = ShownExplorer("It runs here.", frame="<iframe></iframe>")
    >>> shown, shown._repr_html_()
    (<It runs here.>, '<div><p>It runs here.</p><iframe></iframe></div>')
    """

    def __init__(self, sentence: str, frame: str = "", server: LocalExplorer | None = None) -> None:
        self.sentence, self._frame, self._server = sentence, frame, server

    @property
    def address(self) -> str | None:
        """The address of the page, if a server sends it."""
        return None if self._server is None else self._server.address

    def close(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.close()

    def __repr__(self) -> str:
        return f"<{self.sentence}>"

    def _repr_html_(self) -> str:
        return f"<div><p>{html.escape(self.sentence)}</p>{self._frame}</div>"


def explored(net: Network, height: int) -> ShownExplorer:
    """Show the network: in the browser, or in a notebook by a server or as one file."""
    if not in_notebook():
        return _in_browser(net)
    place = elsewhere()
    if place is not None:
        return _as_one_file(net, height, f"This kernel runs elsewhere ({place})")
    if not can_serve():
        return _as_one_file(
            net, height, "The extra 'explore' is not installed (pip install 'bayou[explore]')"
        )
    server = LocalExplorer(net, in_frame=True)
    source = html.escape(server.address, quote=True)
    frame = f'<iframe src="{source}/" {_FRAME.format(height=height)}></iframe>'
    return ShownExplorer("The explorer runs on this machine and ends with this kernel.", frame, server)


def _in_browser(net: Network) -> ShownExplorer:
    server = LocalExplorer(net, in_frame=False)
    shown = ShownExplorer(f"The explorer runs at {server.address} and ends with this program.", server=server)
    if not hasattr(sys, "ps1"):  # a script would end at once, and the explorer with it
        sys.stderr.write(f"{shown.sentence} Ctrl-C ends it.\n")
        server.wait()
    return shown


def _as_one_file(net: Network, height: int, reason: str) -> ShownExplorer:
    page = html.escape(one_file(net), quote=True)
    rules = f'sandbox="allow-scripts allow-forms" {_FRAME.format(height=height)}'
    sentence = f"{reason}: this is the page in one file, which shows and asks but does not edit."
    return ShownExplorer(sentence, f'<iframe srcdoc="{page}" {rules}></iframe>')
