"""The lessons as Jupyter notebooks to hand out, made from the same Markdown.

Text becomes Markdown cells, examples become code cells without outputs: each ends where the page shows a
result. Pictures are put into the file. A link to another lesson leads to its notebook; other pages are named
only, as nobody knows where a notebook will be opened. A fold becomes folded text, and code cells that are
closed at first.
"""

from __future__ import annotations

import base64
import doctest
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docs.builder.shelves import Shelf

FOLDER = "notebooks"
GROUP = "Five lessons"
"""The group of a shelf whose pages are lessons."""
_BLOCK = re.compile(r"^```pycon\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_FOLD = re.compile(r"<details>\n<summary>(.*?)</summary>\n(.*?)</details>\n", re.DOTALL)
_PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)]+\.svg)\)")
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#]+?\.md)?(#[^)]*)?\)")
_COMMENT = re.compile(r"<!--.*?-->\n+", re.DOTALL)


def lessons(shelves: list[Shelf]) -> list[Path]:
    """The pages that become notebooks."""
    return [entry.source for shelf in shelves for entry in shelf.groups.get(GROUP, ())]


def notebook_url(source: Path) -> str:
    """Where the notebook of a lesson is in the site."""
    return f"{FOLDER}/{source.stem}.ipynb"


def with_notebook_link(text: str, source: Path) -> str:
    """The Markdown of a lesson with a link to its notebook below the title."""
    title = re.search(r"^# .*\n", text, re.MULTILINE)
    end = title.end() if title else 0
    return f"{text[:end]}\n[This lesson as a notebook](site:{notebook_url(source)})\n{text[end:]}"


def notebook(source: Path, others: list[Path]) -> dict[str, Any]:
    """A lesson as a notebook (format 4.5); ``others`` are all lessons."""
    text = _COMMENT.sub("", source.read_text(encoding="utf-8"))
    cells = [{"id": f"cell-{at}", **cell} for at, cell in enumerate(_cells(text, source, others))]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def notebook_text(source: Path, others: list[Path]) -> str:
    """The file."""
    return json.dumps(notebook(source, others), ensure_ascii=False, indent=1) + "\n"


def _cells(text: str, source: Path, others: list[Path]) -> Iterator[dict[str, Any]]:
    end = 0
    for fold in _FOLD.finditer(text):
        yield from _open_cells(text[end : fold.start()], source, others)
        yield from _folded_cells(fold[1], fold[2], source, others)
        end = fold.end()
    yield from _open_cells(text[end:], source, others)


def _open_cells(text: str, source: Path, others: list[Path]) -> Iterator[dict[str, Any]]:
    for is_code, part in _parts(text):
        yield _code(part, {}) if is_code else _markdown(part, source, others)


def _folded_cells(title: str, text: str, source: Path, others: list[Path]) -> Iterator[dict[str, Any]]:
    """Jupyter folds within a cell only, so that every piece of text is a fold of its own."""
    parts = list(_parts(text))
    if parts and parts[0][0]:
        yield _markdown(f"**{title}**", source, others)
    for is_code, part in parts:
        if is_code:
            yield _code(part, {"jupyter": {"source_hidden": True, "outputs_hidden": True}, "collapsed": True})
        else:
            fold = f"<details>\n<summary>{title}</summary>\n\n{part}\n\n</details>"
            yield _markdown(fold, source, others)


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """(is it code?, text): pieces of Markdown, and of code up to each result."""
    end = 0
    for block in _BLOCK.finditer(text):
        if before := text[end : block.start()].strip():
            yield False, before
        yield from ((True, code) for code in code_cells(block[1]))
        end = block.end()
    if rest := text[end:].strip():
        yield False, rest


def code_cells(block: str) -> list[str]:
    """The statements of a block, those without a result together with the next one that has one."""
    cells, waiting = [], ""
    for example in doctest.DocTestParser().get_examples(block):
        waiting += example.source
        if example.want:
            cells.append(waiting.rstrip("\n"))
            waiting = ""
    return [*cells, waiting.rstrip("\n")] if waiting else cells


def _code(source: str, metadata: dict[str, Any]) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": metadata,
        "outputs": [],
        "source": source.splitlines(keepends=True),
    }


def _markdown(text: str, source: Path, others: list[Path]) -> dict[str, Any]:
    attached: dict[str, dict[str, str]] = {}

    def picture(found: re.Match[str]) -> str:
        file = source.parent / found[2]
        attached[file.name] = {"image/svg+xml": base64.b64encode(file.read_bytes()).decode("ascii")}
        return f"![{found[1]}](attachment:{file.name})"

    def link(found: re.Match[str]) -> str:
        file = (source.parent / (found[2] or source.name)).resolve()
        if file == source.resolve() or file not in [other.resolve() for other in others]:
            return found[1]
        return f"[{found[1]}]({file.stem}.ipynb)"

    told = _LINK.sub(link, _PICTURE.sub(picture, text))
    cell: dict[str, Any] = {"cell_type": "markdown", "metadata": {}, "source": told.splitlines(keepends=True)}
    return {**cell, "attachments": attached} if attached else cell
