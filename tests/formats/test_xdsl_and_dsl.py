"""The two GeNIe formats: names, kinds of nodes, and errors with their place."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

import bayou
from bayou.errors import BadFile, BadGraph
from bayou.formats.draft import NetworkDraft
from bayou.formats.genie.dsl import dsl_text, parse_dsl
from bayou.formats.genie.xdsl import parse_xdsl, xdsl_text
from bayou.formats.local_models import noisy_max_table
from bayou.schema import Variable

A = '<cpt id="A"><state id="yes"/><state id="no"/><probabilities>0.25 0.75</probabilities></cpt>'


def xdsl(nodes: str, extensions: str = "") -> NetworkDraft:
    return parse_xdsl(f'<smile id="n"><nodes>{nodes}</nodes>{extensions}</smile>', source="net.xdsl")


def dsl_node(
    name: str = "A",
    kind: str = "CPT",
    parents: str = "",
    shown: str = "",
    table: str = "PROBABILITIES = (0.25, 0.75)",
) -> str:
    header = f'HEADER = {{ ID = {name}; NAME = "{shown}"; }};' if shown else ""
    return (
        f"node {name} {{ TYPE = {kind}; {header} PARENTS = ({parents});"
        f" DEFINITION = {{ NAMESTATES = (yes, no); {table}; }}; }};"
    )


def shown(**names: str) -> str:
    nodes = "".join(f'<node id="{key}"><name>{name}</name></node>' for key, name in names.items())
    return f'<extensions><genie name="My net"><submodel id="s">{nodes}</submodel></genie></extensions>'


def test_the_names_that_genie_shows_are_used_where_they_differ() -> None:
    b = A.replace('"A"', '"B"').replace("<prob", "<parents>A</parents><prob").replace("0.75", "0.75 0 1")
    draft = xdsl(A + b, shown(A="the storm", B="Blitz & Donner".replace("&", "&amp;")))
    assert (draft.name, draft.parents) == ("My net", {"the storm": (), "Blitz & Donner": ("the storm",)})
    assert xdsl(A + b, shown(A="same", B="same")).parents == {"A": (), "B": ("A",)}
    assert xdsl(A + b, shown(A="B")).parents == {"A": (), "B": ("A",)}
    text = dsl_node(shown="the storm") + dsl_node("B")
    assert [variable.name for variable in parse_dsl(f"net n {{ {text} }};").variables] == ["the storm", "B"]


def test_a_deterministic_node_becomes_a_table() -> None:
    node = (
        A.replace("cpt", "deterministic").replace('"A"', '"D"').replace("<prob", "<parents>A</parents><prob")
    )
    node = node.replace("probabilities", "resultingstates").replace("0.25 0.75", "no yes")
    assert xdsl(A + node).tables["D"].tolist() == [[0, 1], [1, 0]]
    with pytest.raises(
        BadFile, match="<deterministic> 'D': expected one of the states yes, no, found 'maybe'"
    ):
        xdsl(A + node.replace("no yes", "no maybe"))
    text = dsl_node() + dsl_node("D", "TRUTHTABLE", "A", table="RESULTINGSTATES = (no, yes)")
    assert parse_dsl(f"net n {{ {text} }}").tables["D"].tolist() == [[0, 1], [1, 0]]
    with pytest.raises(BadFile, match="expected one of the states yes, no, found 'maybe'"):
        parse_dsl(f"net n {{ {text.replace('(no, yes)', '(no, maybe)')} }}")


def test_a_noisy_max_without_leak_is_the_strongest_effect_of_its_causes() -> None:
    random = np.random.default_rng(3)
    sizes, size = (2, 3), 3
    columns = random.dirichlet(np.ones(size), sum(sizes))
    leak = np.array([0.0, 0.0, 1.0])
    table = noisy_max_table(np.vstack([columns, leak]).reshape(-1), sizes, size).reshape(2, 3, 3)
    for first, second in itertools.product(range(2), range(3)):
        expected = np.zeros(size)
        for one, two in itertools.product(range(size), repeat=2):
            # The first state is the strongest, so the maximum is the smaller code.
            expected[min(one, two)] += columns[first, one] * columns[2 + second, two]
        np.testing.assert_allclose(table[first, second], expected, rtol=0, atol=1e-15)


NOISY = (
    '<noisymax id="N"><state id="on"/><state id="off"/><parents>A</parents><strengths>0 1</strengths>'
    "<parameters>0.8 0.2 0 1 0 1</parameters></noisymax>"
)


def test_a_noisy_max_node_is_read_where_its_meaning_is_certain() -> None:
    assert xdsl(A + NOISY).tables["N"].tolist() == [[0.8, 0.2], [0, 1]]
    for old, new, expected in (
        ("0 1</str", "1 1</str", "strengths that are no order of the states of each parent"),
        ("0 1</str", "1 0 2</str", "strengths that are no order of the states of each parent"),
        ("0 1</str", "1 x</str", "strengths that are no order of the states of each parent"),
        ("0.8 0.2 ", "", "has 4 parameters; expected 6"),
        ("0.8", "0.9", "not distributions"),
        ("0.8", "x", "expected only numbers in <parameters>"),
    ):
        with pytest.raises(BadFile, match=expected):
            xdsl(A + NOISY.replace(old, new))


B = (
    '<cpt id="B"><state id="low"/><state id="mid"/><state id="high"/>'
    "<probabilities>0.2 0.3 0.5</probabilities></cpt>"
)
TWO_CAUSES = (
    '<noisymax id="N"><state id="on"/><state id="off"/><parents>A B</parents>'
    "<strengths>1 0 2 1 0</strengths>"
    "<parameters>0.8 0.2 0 1 0.6 0.4 0.3 0.7 0 1 0 1</parameters></noisymax>"
)


def test_the_parameters_of_a_noisy_max_follow_the_strengths_of_its_parents_states(tmp_path: Path) -> None:
    assert xdsl(A + NOISY.replace("0 1</str", "1 0</str")).tables["N"].tolist() == [[0, 1], [0.8, 0.2]]
    table = xdsl(A + B + TWO_CAUSES).tables["N"]
    off = np.outer([1.0, 0.2], [1.0, 0.7, 0.4])  # 'no' is the strong state of A, 'high' of B
    np.testing.assert_allclose(table[..., 1], off, rtol=0, atol=1e-15)
    np.testing.assert_allclose(table.sum(axis=-1), 1, rtol=0, atol=1e-15)
    path = tmp_path / "one.xdsl"
    path.write_text(f'<smile id="n"><nodes>{A}{B}{TWO_CAUSES}</nodes></smile>')
    net = bayou.load(path)
    net.save(tmp_path / "two.xdsl")
    assert bayou.load(tmp_path / "two.xdsl").same_as(net)


def test_strengths_that_can_be_read_in_two_ways_are_refused_with_a_way_out() -> None:
    with pytest.raises(BadFile, match=r"in a circle.*turn it into a general chance node"):
        xdsl(A + B + TWO_CAUSES.replace("2 1 0</str", "1 2 0</str"))


def test_the_leak_of_a_noisy_max_is_one_more_cause_and_the_assumption_is_told() -> None:
    draft = xdsl(A + NOISY.replace("0 1 0 1<", "0 1 0.1 0.9<"))
    np.testing.assert_allclose(draft.tables["N"], [[0.82, 0.18], [0.1, 0.9]], rtol=0, atol=1e-15)
    assert any("1 <noisymax> node with a leak" in told and "Díez" in told for told in draft.unread)
    assert not any("leak" in told for told in xdsl(A + NOISY).unread)


def test_a_noisy_max_of_many_parents_is_refused_before_its_table_is_made() -> None:
    causes = [f"A{i}" for i in range(40)]
    nodes = "".join(A.replace('"A"', f'"{cause}"') for cause in causes)
    noisy = NOISY.replace(">A<", f">{' '.join(causes)}<").replace(">0 1<", f">{'0 1 ' * 40}<")
    noisy = noisy.replace("0.8 0.2 0 1 0 1", "0.8 0.2 0 1 " * 40 + "0 1")
    with pytest.raises(BadFile, match="stands for a table of more than"):
        xdsl(nodes + noisy)


@pytest.mark.parametrize("kind", ["decision", "utility", "mau", "equation", "noisyadder"])
def test_other_kinds_of_nodes_are_refused_by_name(kind: str) -> None:
    with pytest.raises(BadFile, match=f"line 1, column .*: the node 'A' is a <{kind}>; only chance nodes"):
        xdsl(A.replace("cpt", kind))
    with pytest.raises(BadFile, match=f"the node 'A' is of the type '{kind}'; only chance nodes"):
        parse_dsl(f"net n {{ {dsl_node(kind=kind)} }}")


def test_a_dynamic_network_is_refused() -> None:
    with pytest.raises(BadFile, match="is a dynamic network"):
        xdsl(A, "<dynamic numslices='3'/>")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<BIF/>", "expected the element <smile>, found <BIF>"),
        ("<smile><nodes><cpt/></nodes></smile>", "column 15: <cpt> has no attribute id"),
        (f"<smile><nodes>{A}{A}</nodes></smile>", "the variable 'A' is declared twice"),
        (
            f"<smile><nodes>{A.replace('probabilities', 'p')}</nodes></smile>",
            "<cpt> has 0 elements <PROBABILITIES>",
        ),
        (f"<smile><nodes>{A.replace('0.75', '0.7')}</nodes></smile>", "the row of P(A) sums to 0.95"),
    ],
)
def test_an_error_in_xdsl_says_its_place(text: str, expected: str) -> None:
    with pytest.raises(BadFile) as caught:
        parse_xdsl(text, source="net.xdsl")
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "net.dsl, line 1, column 1: expected 'net', found the end of the file"),
        ("graph n { }", "expected 'net', found 'graph'"),
        ("net n {\n node A {", "line 2, column 10: expected a key, 'node' or '}', found the end of the file"),
        ("net n { } }", "column 11: expected the end of the file, found '}'"),
        ("net n { A = (1; }", "column 15: expected ')' or ';' in 'A', found ';'"),
        ("net n { A = 1); }", "')' without its '('"),
        ('net n { A = "b; }', "column 13: this string is never closed"),
        (f"net n {{ {'A = { ' * 60}", "nested more than 50 deep"),
        (f"net n {{ {dsl_node().replace('TYPE = CPT;', '')} }}", "the node 'A' has no list TYPE"),
        (f"net n {{ {dsl_node().replace('DEFINITION', 'X')} }}", "the node 'A' has no block DEFINITION"),
        (
            f"net n {{ {dsl_node(table='PROBABILITIES = (0.5, nan)')} }}",
            "expected a number in PROBABILITIES, found 'nan'",
        ),
        (
            f"net n {{ {dsl_node(table='PROBABILITIES = (0.5)')} }}",
            "the table of P(A) has 1 numbers; expected 2",
        ),
        (f"net n {{ {dsl_node()} {dsl_node()} }}", "the variable 'A' is declared twice"),
        (f"net n {{ {dsl_node(parents='B')} }}", "There is no variable 'B'"),
    ],
)
def test_an_error_in_dsl_says_its_place(text: str, expected: str) -> None:
    with pytest.raises(BadFile) as caught:
        parse_dsl(text, source="net.dsl")
    assert expected in str(caught.value)


def test_a_net_of_an_odd_name_with_comments_is_read() -> None:
    draft = parse_dsl(f"net data\\insurance.bif\n{{\n// property software aGrUM\n{dsl_node()} }};")
    assert (draft.name, draft.tables["A"].tolist()) == ("data\\insurance.bif", [0.25, 0.75])


def test_parents_are_written_before_their_children_and_the_order_comes_back() -> None:
    pair = (Variable("child", ["a"]), Variable("parent", ["a"]))
    tables = {"child": np.ones((1, 1)), "parent": np.ones(1)}
    draft = NetworkDraft("n", pair, {"child": ("parent",), "parent": ()}, tables)
    for text, parse in ((xdsl_text(draft), parse_xdsl), (dsl_text(draft), parse_dsl)):
        assert text.index("parent") < text.index("child")
        assert parse(text).variables == pair
    circle = NetworkDraft(
        "n", pair, {"child": ("parent",), "parent": ("child",)}, {**tables, "parent": np.ones((1, 1))}
    )
    with pytest.raises(BadGraph, match="cycle"):
        xdsl_text(circle)
