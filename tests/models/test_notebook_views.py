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
    "sub",
    "sup",
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
    assert html.unescape(shown._repr_html_()).startswith(f'<pre style="white-space:pre-wrap">{shown}</pre>')
    working = bayou.examples.storm().working("Storm | Thunder=yes")
    page = Tags()
    page.feed(working._repr_html_())
    assert all(line.strip().replace("Σ_", "Σ") in page.said for line in working.splitlines())


def test_what_is_printed_below_a_table_stands_below_it_in_a_notebook_too() -> None:
    for shown in (
        decisions.reliability([0, 0, 1, 1], [0.1, 0.2, 0.7, 0.9]),
        bayou.examples.casino().filter([6, 1] * 20),
    ):
        last = str(shown).splitlines()[-1]
        assert shown._repr_html_().endswith(f"</table><p>{last}</p>")


def test_a_verdict_of_separation_is_drawn_with_its_trail() -> None:
    shown = bayou.examples.storm().d_separated("Storm", "BusTourGroup", given="Campfire")
    page = shown._repr_html_()
    assert page.count("<svg") == 1
    assert page.count('stroke-width="3.00"') == len(shown.trail) - 1
    assert "observed</text>" in page
    blocked = bayou.examples.storm().d_separated("Storm", "Thunder", given="Lightning")
    assert "Every trail is blocked</text>" in blocked._repr_html_()
    assert 'stroke-width="3.00"' not in blocked._repr_html_()


def test_of_a_large_graph_the_part_around_the_verdict_is_drawn() -> None:
    net = bayou.random_network(120, seed=3)
    first, last = net.names[0], net.names[-1]
    root = net.d_separated(first, last).to_svg()
    assert root.count("<g>") <= 42
    assert f">{first}</text>" in root


def test_a_network_with_parameters_is_shown_with_its_beliefs() -> None:
    assert bayou.examples.asia()._repr_html_().count(" %</text>") == 16
    without = bayou.Network("A -> B", states={"A": [0, 1], "B": [0, 1]})._repr_html_()
    assert "<svg" in without
    assert " %</text>" not in without


def test_a_network_too_wide_to_be_asked_is_drawn_without_beliefs() -> None:
    names = [f"cause {k}" for k in range(30)]
    net = bayou.Network(
        {**{name: [] for name in names}, "effect": names},
        nodes={"effect": bayou.NoisyOr},
        states={name: ["no", "yes"] for name in [*names, "effect"]},
    )
    assert "<svg" in net._repr_html_()
