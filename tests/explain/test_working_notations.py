"""The working in LaTeX and HTML says what the text says, and names in it stay data."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

import bayou

HOSTILE = ["</p><script>alert(1)</script>", "$x_1^2$ & 50% #{}~\\", 'a"\nb']


def hostile_network() -> bayou.Network:
    first, second, third = HOSTILE
    net = bayou.Network(
        {first: [], second: [first], third: [second]},
        states={first: ["<b>", "no"], second: ["$", "&"], third: ["\\", "%"]},
    )
    net.set_cpt(first, [0.25, 0.75])
    net.set_cpt(second, [[0.9, 0.1], [1e-9, 1 - 1e-9]])
    net.set_cpt(third, [[0.5, 0.5], [0.125, 0.875]])
    return net


class Text(HTMLParser):
    """The text of each paragraph, and the tags."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.paragraphs: list[str] = []
        self.tags: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.tags.add(tag)
        if tag == "p":
            self.paragraphs.append("")

    def handle_data(self, data: str) -> None:
        self.paragraphs[-1] += data


def plain_lines(working: Any) -> list[str]:
    return [line.strip().replace("Σ_", "Σ") for line in str(working).splitlines()]


@pytest.mark.parametrize(
    "ask",
    [
        lambda net: net.working("lung", {"xray": "yes", "asia": "no"}),
        lambda net: net.working("dysp", likelihood={"smoke": [1, 3]}, do={"bronc": "yes"}),
        lambda net: net.working(["lung", "bronc"]),
    ],
)
def test_html_says_what_the_text_says(ask: Any) -> None:
    working = ask(bayou.examples.asia())
    found = Text(working.to_html())
    assert found.paragraphs == plain_lines(working)
    assert found.tags <= {"div", "p", "sub"}
    assert working._repr_html_() == working.to_html()


def test_latex_has_the_numbers_of_the_text() -> None:
    working = bayou.examples.asia().working("lung", {"xray": "yes"})
    latex = working.to_latex()
    decimals = r"\d+\.\d+(?:e-\d+)?"
    assert re.findall(decimals, latex) == re.findall(decimals, str(working))
    assert latex.startswith("\\begin{align*}\n&P(\\text{lung} \\mid \\text{xray=yes})")
    assert r"\sum_{\text{" in latex
    assert r"\tau_{1}" in latex
    assert len(latex.splitlines()) == len(str(working).splitlines()) + 2
    assert working._repr_latex_().startswith("$$\\begin{aligned}")


def test_hostile_names_stay_data() -> None:
    net = hostile_network()
    working = net.working(HOSTILE[0], {HOSTILE[2]: "%"})
    found = Text(working.to_html())
    assert found.tags <= {"div", "p", "sub"}
    assert any("</p><script>" in line for line in found.paragraphs)
    latex = re.sub(r"\\[\\%$&#_{}]", "", working.to_latex())
    assert latex.count("{") == latex.count("}")
    names = re.sub(r"\\(?:begin|end)\{align\*\}|^&", "", latex, flags=re.M)
    assert not set("%#$&~") & set(names)
    assert "10^{-9}" in working.to_latex()


def test_a_classifier_has_all_three_too() -> None:
    model = bayou.NaiveBayes().fit({"<i>": ["a", "<b>"]}, ["u", "</p>"])
    working = model.working({"<i>": "<b>"})
    assert working.to_latex() == working.latex
    assert "&lt;b&gt;" in working.to_html()
    assert not {"i", "b"} & Text("<p>" + working.to_html()).tags
    assert working._repr_html_() == working.to_html()


def test_a_working_can_be_copied_and_pickled() -> None:
    import copy
    import pickle

    working = bayou.examples.asia().working("lung")
    for made in (copy.copy(working), pickle.loads(pickle.dumps(working))):
        assert made == working
        assert made.to_latex() == working.to_latex()
