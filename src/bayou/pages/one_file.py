"""The explorer's page with a network in it as one HTML file, which needs no server and loads nothing."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayou.pages.bundle import bundled
from bayou.pages.clique_arrays import clique_arrays
from bayou.pages.drawn_network import drawn_network

if TYPE_CHECKING:
    from bayou.models.network import Network

PAGE = Path(__file__).parent.parent / "server" / "page"
"""The files of the explorer's page: the server sends them one by one, here they become one file."""
START = "one_file.js"
_STYLE = re.compile(r'href="page/VERSION/(style/\w+\.css)"')
_DIGITS = 32
_OUTSIDE = ("</script", "<script", "<!--", "</style")
"""What must not stand inside of an element of a script or a style."""


def one_file(net: Network, name: str = "") -> str:
    """Return the text of a page that shows the network and answers questions about it by itself.

    ``name`` is shown where the network has no title of its own.
    """
    tree = clique_arrays(net.frozen)
    drawn = {"kind": "network", "remarks": [], **drawn_network(net)}
    revision = hashlib.sha256(_json([drawn, tree]).encode()).hexdigest()[:_DIGITS]
    content = _json({"name": name, "model": {"revision": revision, **drawn}, "tree": tree})
    title = html.escape(net.appearance.title or name or "Network").encode("utf-8", "replace").decode()
    script, style, icon = _script(), _style(), _icon()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f'<title>{title} · bayou</title>\n<link rel="icon" href="{icon}">\n<style>{style}</style>\n</head>\n'
        "<body>\n<noscript>This page draws a network with JavaScript: switch it on.</noscript>\n"
        f'<script type="application/json" id="network">{content}</script>\n'
        f'<script type="module">{script}</script>\n</body>\n</html>\n'
    )


@cache
def _script() -> str:
    return _plain(bundled(START, lambda path: (PAGE / path).read_text(encoding="utf-8")))


@cache
def _style() -> str:
    index = (PAGE / "index.html").read_text(encoding="utf-8")
    return _plain("".join((PAGE / path).read_text(encoding="utf-8") for path in _STYLE.findall(index)))


@cache
def _icon() -> str:
    content = base64.b64encode((PAGE / "icon.svg").read_bytes()).decode("ascii")
    return f"data:image/svg+xml;base64,{content}"


def _plain(text: str) -> str:
    """The text of a script or a style, if it can stand in a page as it is."""
    for sign in _OUTSIDE:
        if sign in text.lower():
            raise ValueError(f"A file of the page has {sign!r}, which would end or confuse its element.")
    return text


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


def _json(document: Any) -> str:
    """JSON that can stand in an element of a page: whatever names are called, they stay data."""
    text = json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
