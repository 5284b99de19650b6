"""Where long words and code in the cells of a table may end a line, so that tables fit into their page."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from markdown_it.token import Token

_LONG = 9
"""Characters that stay together on a line."""
_BREAKS = re.compile(
    r"(?<=[(,=/|_])(?=[^\s,)\]}=|])"  # after a mark of punctuation
    r"|(?<=[A-Za-z)\]]\.)(?=[A-Za-z])"  # after the dot before an attribute, but not within a number
    r"|(?<=[a-z])(?=[A-Z])"  # before a capital within a name
)


def with_soft_breaks(tokens: Sequence[Token]) -> None:
    """Let the cells of tables break where a reader expects it; nothing is added to what is copied."""
    inside = False
    for token in tokens:
        if token.type in ("table_open", "table_close"):
            inside = token.type == "table_open"
        elif inside and token.type == "inline":
            for child in token.children or []:
                _break(child)


def _break(token: Token) -> None:
    if token.type not in ("text", "code_inline"):
        return
    pieces = re.split(r"(\s+)", token.content)
    if all(len(piece) <= _LONG for piece in pieces):
        return
    broken = "".join("<wbr>".join(map(html.escape, _BREAKS.split(piece))) for piece in pieces)
    broken = broken.replace("-&gt;", '<span class="whole">-&gt;</span>')
    token.content = f"<code>{broken}</code>" if token.type == "code_inline" else broken
    token.type = "html_inline"
