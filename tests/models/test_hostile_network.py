"""One network whose every name, state and note means harm, on every way out of the library.

Where the result is HTML or SVG it must have the same elements and attributes as that of a twin with plain
names: then no name has become markup. On the explorer's page: ``tests/page/test_in_browser.py``.
"""

from __future__ import annotations

import csv
import io
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import bayou
from bayou.errors import BayouError
from bayou.text.latex import latex_text

HOSTILE = (
    "</script><script>alert(1)</script>",
    "\"'><img src=x onerror=alert(2)>",
    "=cmd|' /C calc'!A0",
    "\u202eright to left\u202c",
    r"\input{/etc/passwd}$%&#_{}~^",
    "two\nlines\r\tand a tab",
    "]]></svg><!-- & &lt; &#106;",
    "-2+3; DROP TABLE x; --",
)
PLAIN = tuple(f"plain{k}" for k in range(len(HOSTILE)))


def network(texts: tuple[str, ...]) -> bayou.Network:
    """A chain of as many variables; each has a text as its name, two as states, and notes."""
    names = [f"{text} {k}" for k, text in enumerate(texts)]
    states = {name: [text, f"{text}!"] for name, text in zip(names, texts, strict=True)}
    net = bayou.Network(list(pairwise(names)), states=states)
    for place, name in enumerate(names):
        row = [[0.25, 0.75], [0.5, 0.5]]
        net.set_cpt(name, row if place else row[0])
        net.describe(name, title=texts[place], description=texts[place - 1], table_note=texts[place - 2])
    net.describe(title=texts[0], description=texts[1])
    net.describe_arc(names[0], names[1], texts[0])
    return net


class Elements(HTMLParser):
    """The elements of a page with the names of their attributes, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _ in attrs)))

    def handle_comment(self, data: str) -> None:
        self.found.append(("comment", ()))


def first(net: bayou.Network) -> Any:
    return net.names[0]


def given(net: bayou.Network) -> dict[Any, Any]:
    return {net.names[2]: net.states(net.names[2])[0]}


WAYS = {
    "notebook": lambda net: net._repr_html_(),
    "query": lambda net: net.query(first(net), given(net))._repr_html_(),
    "marginals": lambda net: net.marginals(given(net))._repr_html_(),
    "table": lambda net: net.cpt(net.names[1])._repr_html_(),
    "separation": lambda net: net.d_separated(first(net), net.names[3])._repr_html_(),
    "report": lambda net: net.report(given=given(net)),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_name_becomes_markup(way: str) -> None:
    hostile, plain = (Elements(WAYS[way](network(texts))).found for texts in (HOSTILE, PLAIN))
    assert sorted(hostile) == sorted(plain)
    assert len(plain) > 3


def test_pictures_are_pictures() -> None:
    """Long names are broken into lines, so that elements may be more, but none of another kind."""
    hostile, plain = (ElementTree.fromstring(network(texts).to_svg()) for texts in (HOSTILE, PLAIN))
    assert {each.tag for each in hostile.iter()} <= {each.tag for each in plain.iter()}
    known = {name for each in plain.iter() for name in each.attrib}
    assert {name for each in hostile.iter() for name in each.attrib} <= known
    assert "alert(1)" in "".join(hostile.itertext())


def test_the_page_in_one_file_has_its_own_scripts_only(tmp_path: Path) -> None:
    pages = []
    for texts in (HOSTILE, PLAIN):
        network(texts).to_html(tmp_path / "page.html")
        pages.append(Elements((tmp_path / "page.html").read_text(encoding="utf-8")).found)
    assert sorted(pages[0]) == sorted(pages[1])


@pytest.mark.parametrize("text", HOSTILE)
def test_latex_means_nothing(text: str) -> None:
    written = latex_text(text)
    inside = written.removeprefix(r"\text{").removesuffix("}")
    for allowed in (r"\textbackslash{}", r"\textasciitilde{}", r"\textasciicircum{}"):
        inside = inside.replace(allowed, "")
    for sign in "&%$#_{}":
        inside = inside.replace("\\" + sign, "")
    assert not set(inside) & set("\\&%$#_{}~^\n\r")


def test_csv_gives_back_every_value() -> None:
    """The rule: cells are values, quoted where RFC 4180 asks for it, and never changed for spreadsheets."""
    from bayou.documents.csv_rows import csv_field, csv_header

    text = csv_header(HOSTILE) + ",".join(map(csv_field, HOSTILE)) + "\n"
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows == [list(HOSTILE), list(HOSTILE)]


@pytest.mark.parametrize("ending", ["bayou", "bif", "xdsl", "xmlbif", "net", "dsl", "dne"])
def test_files_keep_every_name_or_say_no(tmp_path: Path, ending: str) -> None:
    """A format that cannot hold a name refuses it by name; a file that was written is read as it was."""
    net, file = network(HOSTILE), tmp_path / f"net.{ending}"
    try:
        net.save(file)
    except BayouError:
        assert not file.exists()
        return
    again = bayou.load(file)
    assert again.names == net.names
    assert all(again.states(name) == net.states(name) for name in net.names)


def test_nothing_moves_the_cursor_of_a_terminal() -> None:
    net = network(HOSTILE)
    for shown in (str(net), repr(net), str(net.query(first(net), given(net))), str(net.marginals())):
        assert not {"\x1b", "\r", "\u202e", "\t"} & set(shown)
