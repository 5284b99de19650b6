"""Draw the pictures of docs/lookup/gallery.md by running the page: one for each block that makes a picture.

python docs/pictures/gallery.py
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl

HERE = Path(__file__).parent
PAGE = HERE.parent / "lookup" / "gallery.md"
STYLE: dict[str, Any] = {
    "svg.hashsalt": "bayou",
    "svg.fonttype": "none",
    "font.family": ["Helvetica", "Arial", "DejaVu Sans", "sans-serif"],
}
"""The type of the networks' pictures, so that all look alike."""


def main(folder: Path = HERE / "gallery") -> None:
    """Run the page from top to bottom, and write what each picture's block has made."""
    mpl.use("Agg")
    mpl.set_loglevel("error")  # a family that is not installed is no matter: the reader's is used
    folder.mkdir(exist_ok=True)
    known: dict[str, Any] = {}
    with mpl.rc_context(STYLE):
        for block in blocks(PAGE.read_text(encoding="utf-8")):
            for example in doctest.DocTestParser().get_examples(block):
                exec(compile(example.source, str(PAGE), "single"), known)
            if name := picture_of(block):
                write(known["picture"], folder / name)


def blocks(page: str) -> list[str]:
    """The parts of the page that end with a picture, and what is left after the last."""
    return re.split(r"(?<=\.svg\))\n", page)


def picture_of(block: str) -> str:
    """The file that a part shows; empty where it shows none."""
    found = re.search(r"\(\.\./pictures/gallery/([\w-]+\.svg)\)", block)
    return found[1] if found else ""


def write(picture: Any, path: Path) -> None:
    """Save a network's picture or matplotlib's axes."""
    if hasattr(picture, "svg"):
        path.write_text(picture.svg, encoding="utf-8")
    else:
        picture.figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
