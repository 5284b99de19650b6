"""Results in a notebook: each has an HTML view in which hostile names are text, never HTML."""

from __future__ import annotations

import html
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

import bayou
from bayou import decisions

EVIL = "<script>alert('&')</script>"
OTHER = '"><img src=x onerror=alert(1)>'
YES, NO = "<b>yes</b>", "<i>no</i>"
ROWS: dict[str, Any] = {
    EVIL: [YES, NO, YES, NO, YES, NO] * 4,
    OTHER: [YES, YES, YES, NO, NO, NO] * 4,
    "third": [YES, NO, NO, NO, YES, NO] * 4,
}
GAPS = {**ROWS, OTHER: [None, *ROWS[OTHER][1:]]}


def network() -> bayou.Network:
    return bayou.Network({EVIL: [], OTHER: [EVIL], "third": [OTHER]}).fit(ROWS)


def classifier(**options: Any) -> bayou.NaiveBayes:
    return bayou.NaiveBayes("table", **options).fit(ROWS, "third")


ROW = {EVIL: YES, OTHER: NO}
RESULTS: dict[str, Callable[[], Any]] = {
    "d-separated": lambda: network().d_separated(EVIL, "third", given=OTHER),
    "not d-separated": lambda: network().d_separated(EVIL, "third"),
    "smallest change": lambda: classifier().smallest_change(ROW),
    "ledger": lambda: classifier().explain(ROW),
    "linear weights": lambda: classifier().linear_weights(NO, YES),
    "learning by counting": lambda: network().learning,
    "learning by EM": lambda: bayou.Network({EVIL: [], OTHER: [EVIL]}).fit(GAPS, restarts=2).learning,
    "never observed": lambda: (
        bayou.Network({EVIL: [], OTHER: [EVIL]}, states={EVIL: [YES, NO]}).fit({OTHER: ROWS[OTHER]}).learning
    ),
    "structure report": lambda: bayou.learn_structure(ROWS, require=[(EVIL, OTHER)]).learned_structure,
    "structure": lambda: bayou.learn_structure(ROWS),
    "working": lambda: network().working(EVIL, given={"third": YES}),
    "summary of a network": lambda: network().summary(),
    "summary of a classifier": lambda: classifier().summary(),
    "summary of AODE": lambda: bayou.AODE().fit(ROWS, "third").summary(),
    "posterior": lambda: network().query(EVIL, {"third": YES}, interval=0.9),
    "marginals": lambda: network().marginals(),
    "most probable": lambda: network().most_probable(k=2),
    "table": lambda: network().cpt(OTHER),
    "counts": lambda: network().statistics[OTHER],
    "network": network,
    "new class shares": lambda: decisions.estimate_priors(
        [[0.9, 0.1], [0.2, 0.8]], [0.5, 0.5], classes=[EVIL, OTHER]
    ),
    "evaluation": lambda: bayou.evaluate("nb", ROWS, "third", folds=2),
    "check": lambda: bayou.check({**ROWS, "constant<br>": [YES] * 24}),
}
HARMLESS = {
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "caption",
    "p",
    "br",
    "b",
    "div",
    "pre",
    "code",
    "span",
}
PICTURE = {
    "svg",
    "g",
    "path",
    "line",
    "text",
    "title",
    "ellipse",
    "rect",
    "polygon",
    "marker",
    "defs",
    "style",
}


class Tags(HTMLParser):
    """The tags and attributes of a piece of HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.said = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.said += data


@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
@pytest.mark.parametrize("name", RESULTS)
def test_names_are_text_in_a_notebook(name: str) -> None:
    shown = RESULTS[name]()
    page = Tags()
    page.feed(shown._repr_html_())
    page.close()
    assert page.tags <= HARMLESS | PICTURE, page.tags - HARMLESS - PICTURE
    assert not any(attribute.startswith("on") for attribute in page.attributes)
    assert "<i>" not in shown._repr_html_()
    if name not in ("learning by counting", "learning by EM"):
        assert any(word in page.said for word in (EVIL, OTHER, YES, NO)), page.said
    assert html.unescape(page.said).strip()


def test_lines_stay_lines() -> None:
    shown = bayou.examples.storm().d_separated("Storm", "BusTourGroup", given="Campfire")
    assert html.unescape(shown._repr_html_()) == f'<pre style="white-space:pre-wrap">{shown}</pre>'
    working = bayou.examples.storm().working("Storm | Thunder=yes")
    assert working in html.unescape(working._repr_html_())


def test_what_is_printed_below_a_table_stands_below_it_in_a_notebook_too() -> None:
    for shown in (
        decisions.reliability([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9]),
        bayou.examples.casino().filter([6, 1] * 20),
    ):
        last = str(shown).splitlines()[-1]
        assert shown._repr_html_().endswith(f"</table><p>{last}</p>")
