"""What a verb says where the network is too wide for it can be done: each argument that it names exists."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import bayou
from bayou.cli.terminal.wording import as_typed
from bayou.errors import BayouError, TooWide, without_warnings

SIDE = 30
FIRST, LAST, BESIDE = "v0_0", "v29_29", "v29_0"
FINDINGS = {LAST: "yes", BESIDE: "no"}
MARGINAL = {"v0_1": {"no": 0.5, "yes": 0.5}}


def _grid() -> bayou.Network:
    names = {(i, j): f"v{i}_{j}" for i in range(SIDE) for j in range(SIDE)}
    parents = {
        name: [names[at] for at in ((i - 1, j), (i, j - 1)) if at in names] for (i, j), name in names.items()
    }
    net = bayou.Network(parents, states={name: ["no", "yes"] for name in parents})
    random = np.random.default_rng(3)
    for name, above in parents.items():
        yes = random.uniform(0.1, 0.9, size=[2] * len(above))
        net.set_cpt(name, np.stack([1 - yes, yes], -1))
    return net


@pytest.fixture(scope="module")
def wide() -> bayou.Network:
    return _grid()


ASKED: dict[str, tuple[str, dict[str, Any]]] = {
    "one target": ("query", {"targets": LAST}),
    "elimination": ("query", {"targets": LAST, "engine": "elimination"}),
    "verified": ("query", {"targets": LAST, "verify": True}),
    "by Jeffrey's rule": ("query", {"targets": LAST, "marginal": MARGINAL}),
    "many targets": ("query", {"targets": [f"v{i}_0" for i in range(30)] + [f"v{i}_9" for i in range(30)]}),
    "all": ("marginals", {}),
    "all, by Jeffrey's rule": ("marginals", {"marginal": MARGINAL}),
    "evidence": ("log_evidence", {"given": FINDINGS}),
    "working": ("working", {"targets": LAST}),
    "joint": ("joint", {}),
    "a row": ("log_probability", {"data": FINDINGS}),
    "rows": ("log_likelihood", {"data": [FINDINGS]}),
    "posterior of rows": ("posterior", {"data": [FINDINGS], "targets": FIRST}),
    "predictions": ("predict", {"data": [FINDINGS], "target": FIRST}),
    "gaps": ("impute", {"data": {name: [state] for name, state in FINDINGS.items()} | {FIRST: [None]}}),
    "draws": ("sample", {"n": 3, "given": FINDINGS}),
    "all states": ("most_probable", {}),
    "some states": ("most_probable", {"targets": [FIRST, LAST], "k": 2}),
    "strength": ("finding_strength", {"target": FIRST, "given": FINDINGS}),
    "shares": ("finding_strength", {"target": FIRST, "given": FINDINGS, "shares": True}),
    "words": ("explain", {"target": FIRST, "given": FINDINGS}),
    "what next": ("what_to_ask", {"target": FIRST, "given": FINDINGS}),
    "conflict": ("conflict", {"given": FINDINGS}),
    "nearest": ("nearest_findings", {"given": FINDINGS}),
    "sensitivity": ("sensitivity", {"target": FIRST, "state": "yes", "given": FINDINGS, "table": LAST}),
    "tornado": ("tornado", {"target": FIRST, "state": "yes", "given": FINDINGS}),
    "arcs": ("arc_information", {"given": FINDINGS}),
    "beliefs": ("to_svg", {"given": FINDINGS}),
    "plot": ("plot", {"given": FINDINGS}),
    "a page": ("to_html", {}),
    "code": ("export", {"target": LAST, "inputs": [FIRST]}),
}


def _of(verb: str, arguments: dict[str, Any], net: bayou.Network) -> str:
    with pytest.raises(BayouError) as caught:
        getattr(net, verb)(**arguments)
    return str(caught.value)


def _calls(message: str) -> tuple[list[tuple[str, str]], str]:
    """The calls of other verbs in a message (``net.query(…, time=10)``), and the message without them."""
    pattern = re.compile(r"\b(?:net|bayou)\.(\w+)\(((?:[^()]|\([^()]*\))*)\)")
    return [(found[1], found[2]) for found in pattern.finditer(message)], pattern.sub("", message)


def _keywords(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w'{])([a-z_]+)=", re.sub(r"\{[^{}]*\}", "", text)))


@pytest.mark.parametrize("asked", ASKED)
def test_every_argument_that_a_refusal_names_is_one_of_its_verb(asked: str, wide: bayou.Network) -> None:
    verb, arguments = ASKED[asked]
    message = _of(verb, arguments, wide)
    calls, rest = _calls(message)
    for other, said in calls:
        known: Callable[..., Any] = bayou.limits if other == "limits" else getattr(wide, other)
        assert _keywords(said) <= set(inspect.signature(known).parameters), message
    assert _keywords(rest) <= set(inspect.signature(getattr(wide, verb)).parameters), message


def test_engines_that_estimate_are_not_offered_with_what_they_do_not_take(wide: bayou.Network) -> None:
    for asked, left_out in (
        ("verified", "leave verify=True out"),
        ("by Jeffrey's rule", "leave marginal= out"),
    ):
        assert left_out in _of(*ASKED[asked], wide)
    assert "leave" not in _of(*ASKED["one target"], wide)


def test_what_the_refusal_of_the_most_probable_states_offers_works(wide: bayou.Network) -> None:
    message = _of("most_probable", {"given": {LAST: "yes"}}, wide)
    assert "Give more findings" in message
    assert 'net.marginals(…, engine="auto", time=10)' in message
    with without_warnings():
        alone = wide.marginals({LAST: "yes"}, engine="auto", time=2)
    assert set(alone[FIRST].to_dict()) == {"no", "yes"}
    row = {f"v{i}_{j}": "yes" for i in range(SIDE) for j in range(SIDE) if i % 2}
    assert len(wide.most_probable(row).states) == SIDE * SIDE / 2


def test_on_the_command_line_the_remedies_are_commands(wide: bayou.Network) -> None:
    message = as_typed(_of("most_probable", {}, wide), None)
    assert "bayou query NETWORK --all --engine auto --time 10" in message
    message = as_typed(_of(*ASKED["words"], wide), None)
    assert "bayou query NETWORK QUESTION --engine auto --time 10" in message


def test_what_the_refusal_of_evidence_offers_works(wide: bayou.Network) -> None:
    assert "net.query(…" in _of("log_evidence", {"given": FINDINGS}, wide)
    with without_warnings():
        assert wide.query(FIRST, FINDINGS, engine="auto", time=2).log_evidence < 0


def test_joint_tables_name_what_a_wide_network_can_be_asked(wide: bayou.Network) -> None:
    with pytest.raises(TooWide, match=r"net\.query\(\[…\]\)"):
        wide.joint()
