"""What parameters mean: in the docstring of the call, in that of its class, or in the page of shared ones."""

from __future__ import annotations

import re
from functools import cache

from docs.builder.page import DOCS
from docs.builder.reference.public_names import Public

SHARED = DOCS / "lookup" / "parameters.md"


@cache
def shared() -> dict[str, str]:
    """The parameters that the page tells, with the heading below which they stand."""
    found, heading = {}, ""
    for line in SHARED.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:]
        elif line.startswith("- `"):
            names = line.split(": ")[0]
            found |= dict.fromkeys(re.findall(r"`(\w+)`", names), heading)
    return found


def told_by(doc: str, name: str) -> bool:
    """Whether the words of a docstring speak of a parameter."""
    words = doc.split(">>>")[0] + " ".join(re.findall(r"\n\n(?! *>>>)([^\n].*)", doc))
    return bool(re.search(rf"``\*{{0,2}}{re.escape(name)}\b|\b{re.escape(name)}=", words))


def told_elsewhere(public: Public, of_class: str = "") -> tuple[list[str], list[str]]:
    """The parameters that the docstring does not tell: those of the shared page, and those told nowhere."""
    found = public.signature
    names = [name for name in found.parameters if not name.startswith("_")] if found else []
    open_ones = [name for name in names if not told_by(public.doc, name) and not told_by(of_class, name)]
    known = shared()
    return [name for name in open_ones if name in known], [name for name in open_ones if name not in known]
