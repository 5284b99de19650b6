"""The methods of a network that make pages of it (``pages``)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayou.errors import BadFile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bayou.formats.file_content import FilePath
    from bayou.models.evidence import Given
    from bayou.models.network import Network
    from bayou.pages.shown_explorer import ShownExplorer


class NetworkPages:
    """A network as a page for a browser; :class:`~bayou.Network` inherits it."""

    def to_html(self: Network, path: FilePath | None = None) -> str:  # type: ignore[misc]
        """Return the explorer's page with this network in it, and write it to a file if a path is given.

        The file needs no server and no connection: it shows beliefs, takes findings (also uncertain ones,
        sets of states, and do()), finds the most probable explanation and compares two scenarios. Its answers
        are those of :meth:`query` to 12 digits. Numbers may be Gaussians without children whose parents have
        states. Other numbers, and cliques of more than a million entries in all, are refused.

        Raises ``BadFile`` for a path that does not end in ``.html`` or cannot be written to, ``NotFitted``
        without tables, and ``BadQuestion`` for a network that the page cannot compute.

        >>> import bayou
        >>> page = bayou.examples.asia().to_html()
        >>> page[:15], len(page) < 400_000
        ('<!doctype html>', True)
        """
        from bayou.pages.one_file import one_file

        _require_html(path)
        return _written(one_file(self, "" if path is None else Path(path).stem), path)

    def report(  # type: ignore[misc]
        self: Network,
        path: FilePath | None = None,
        given: Given | None = None,
        *,
        likelihood: Mapping[Any, Any] | None = None,
        do: Given | None = None,
    ) -> str:
        """Return a report to print, as HTML, and write it to a file if a path is given.

        It has the network's title and description, its picture, the findings and what follows from them
        (beliefs, the most probable explanation), and all variables with their tables.

        Raises ``BadFile`` for a path that does not end in ``.html`` or cannot be written to,
        ``UnknownVariable`` for a name that no variable has, ``UnknownState`` for a value that is no state,
        ``ImpossibleEvidence`` for findings of probability 0, and ``NotFitted`` without tables.

        >>> import bayou
        >>> text = bayou.examples.storm().report(given={"Thunder": "yes"})
        >>> "Most probable explanation" in text
        True
        """
        from bayou.models.verbs.report import report_of

        _require_html(path)
        known = {"given": given, "likelihood": likelihood, "do": do}
        return _written(report_of(self, known), path)

    def explore(self: Network, *, height: int = 640) -> ShownExplorer:  # type: ignore[misc]
        """Open the explorer: belief bars to click, in the browser or, in a notebook, below the cell.

        In a notebook whose kernel is on this machine a server of its own (on the loopback address, at an
        address that nobody can guess) sends the page to a frame of ``height`` pixels, and ends with the
        kernel. Elsewhere (JupyterHub, Colab and others, where a browser does not reach the kernel) the frame
        has the page in one file, :meth:`to_html`. The answer says which. Outside of notebooks the browser is
        opened, as by ``bayou explore``; a script waits until Ctrl-C.

        Raises ``NotFitted`` without tables.

        >>> import bayou
        >>> shown = bayou.examples.asia().explore()  # doctest: +SKIP
        >>> shown.close()  # doctest: +SKIP
        """
        from bayou.pages.shown_explorer import explored

        return explored(self, height)


def _require_html(path: FilePath | None) -> None:
    if path is not None and not os.fspath(path).lower().endswith((".html", ".htm")):
        raise BadFile.at(path, "the page is HTML; give the file a name that ends in .html.")


def _written(text: str, path: FilePath | None) -> str:
    from bayou.formats.file_content import write_bytes

    if path is not None:
        write_bytes(path, text.encode())
    return text
