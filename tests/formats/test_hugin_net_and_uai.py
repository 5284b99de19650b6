"""Hugin NET and UAI: order and weights of the numbers, what is refused, and errors with their place."""

from __future__ import annotations

from pathlib import Path

import pytest

import bayou
from bayou.errors import BadFile
from bayou.formats.draft import NetworkDraft
from bayou.formats.hugin_net import parse_net
from bayou.formats.uai import parse_uai, parse_uai_evidence, read_uai_evidence, uai_text

A = 'node A { states = ("yes" "no"); } potential (A) { data = (10 90); }'
C = 'node C { label = "x"; states = ("u" "v" "w"); } '


def net(body: str) -> NetworkDraft:
    return parse_net(f"net {{ }}\n{body}", source="a.net")


def test_net_rows_are_weights_with_the_first_parent_slowest() -> None:
    draft = net(
        f"{A}{A.replace('A', 'B')}{C} potential (C | A B)"
        " { data = (((1 1 2) (3 0 0)) % first\n((0 5 0) (0 0 7))); }"
    )
    assert draft.tables["A"].tolist() == [0.1, 0.9]
    assert draft.parents["C"] == ("A", "B")
    assert draft.tables["C"].tolist() == [[[0.25, 0.25, 0.5], [1, 0, 0]], [[0, 1, 0], [0, 0, 1]]]
    assert draft.variables[2].name == "C"


def test_net_states_may_hold_anything_in_quotes() -> None:
    draft = net(
        'node A { states = ("50% {x}; (y)" "say \\"hi\\"" "C:\\\\dir" "日本"); }'
        " potential (A | ) { data = (1 1 1 1); }"
    )
    assert draft.variables[0].states == ("50% {x}; (y)", 'say "hi"', "C:\\dir", "日本")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "decision D { }",
            "a.net, line 2, column 1: 'decision' begins a decision; only discrete chance nodes",
        ),
        ("utility U { }", "'utility' begins a utility"),
        ("continuous node X { }", "'continuous' begins a continuous node"),
        ("function F { }", "'function' begins a function node"),
        ("graph G { }", "column 1: expected 'node' or 'potential', found 'graph'"),
        ("node A { states = (", "column 20: expected ')' or ';' in 'states', found the end of the file"),
        ("node A { states = (a));", "')' without its '('"),
        ('node A { states = ("a);', "column 20: this string is never closed"),
        (A.split(" potential")[0], "column 6: the node 'A' has no block 'potential (A ...)'"),
        ("potential (A) { data = (1); }", "column 12: there is no node 'A' for this potential"),
        ("node A { } potential (A) { data = (1); }", "the node 'A' has no list of states"),
        ("node A { states = (); } potential (A) { data = (); }", "'A' has no states"),
        (A + A.split(" potential")[0], "the node 'A' is declared twice"),
        (A + " potential (A) { data = (1 1); }", "'A' has a second potential"),
        (A.replace("(A)", "(A B)"), "or '|' after 'A' (a potential has one child), found 'B'"),
        (A.replace("data", "model_data"), "has no 'data'; its 'model_data' is not read"),
        (A.replace("90", "ninety"), "expected a number in 'data', found 'ninety'"),
        (A.replace("90", "--9"), "expected a number in 'data', found '--9'"),
        (A.replace("(10 90)", "(10 90))"), "')' without its '('"),
        (A.replace("(10 90)", ")10 90("), "')' without its '('"),
        (A.replace("90", '"90"'), "expected a number in 'data', found '90'"),
        (A.replace("(10 90)", "(0 0)"), "the row of P(A) sums to 0; expected more than 0"),
        (A.replace("10 90", "-10 110"), "has a negative number"),
        (A.replace("10 90", "1e308 1e308"), "sums to inf"),
        (A.replace("10 90", "10"), "the table of P(A) has 1 numbers; expected 2"),
        (A.replace("10 90", "1 2); data = (1 2"), "the potential of 'A' has a second 'data'"),
    ],
)
def test_an_error_in_net_says_its_place(body: str, expected: str) -> None:
    with pytest.raises(BadFile) as caught:
        net(body)
    assert expected in str(caught.value)


def test_a_class_and_bytes_that_are_not_utf8_are_refused() -> None:
    with pytest.raises(BadFile, match="'class' begins a class of an object-oriented network"):
        parse_net("class C { }")
    with pytest.raises(BadFile, match=r"a.net, line 2, column 8: the byte 0xe9 is not UTF-8"):
        parse_net(b"net { }\n% caf\x65 \xe9", source="a.net")


UAI = "BAYES\n3\n2 2 3\n3\n1 0\n1 1\n3 0 1 2\n2 .25 .75\n2 .5 .5\n12\n 1 0 0  .5 .5 0\n 0 1 0  0 0 1\n"


def test_uai_runs_over_the_last_variable_of_a_scope_fastest_and_the_first_slowest() -> None:
    draft = parse_uai(UAI)
    assert [variable.name for variable in draft.variables] == ["x0", "x1", "x2"]
    assert draft.variables[2].states == ("0", "1", "2")
    assert draft.parents["x2"] == ("x0", "x1")
    assert draft.tables["x2"].tolist() == [[[1, 0, 0], [0.5, 0.5, 0]], [[0, 1, 0], [0, 0, 1]]]
    assert "#" not in uai_text(draft)


def test_uai_functions_may_come_in_any_order() -> None:
    draft = parse_uai("BAYES 2  2 2  2  2 1 0  1 1  4 1 0 0 1  2 .25 .75")
    assert draft.parents == {"x0": ("x1",), "x1": ()}
    assert draft.tables["x1"].tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "a.uai, line 1, column 1: expected 'BAYES', found the end of the file"),
        ("# nothing\n", "line 2, column 1: expected 'BAYES', found the end of the file"),
        ("MARKOV 1 2 1 1 0 2 1 1", "is a MARKOV file"),
        ("FOO", "expected 'BAYES', found 'FOO'"),
        ("BAYES\n x", "line 2, column 2: expected the number of variables (a whole number), found 'x'"),
        ("BAYES\n999999999", "the number of variables is 999999999, but only 0 words follow"),
        ("BAYES\n" + "9" * 5000, "expected the number of variables (a whole number)"),
        (UAI.replace("2 2 3", "2 2 999999999999"), "has 12 entries; expected 3999999999996"),
        (UAI.replace("2 2 3", "2 2 0"), "has 12 entries; expected 0"),
        (UAI.replace("3 0 1 2", "3 0 1 5"), "line 7, column 7: there is no variable 5; the last is 2"),
        (UAI.replace("3 0 1 2", "3 0 2 1"), "variable 1 is the child (last variable) of two functions"),
        (UAI.replace("3\n1 0", "2\n1 0"), "expected a function for each of the 3 variables, found 2"),
        (UAI.replace("1 0\n1 1", "0\n1 1"), "function 0 has no variables"),
        (UAI.replace("3 0 1 2", "3 2 1 2"), "line 7, column 7: function 2 has a variable twice"),
        (UAI.replace("3 0 1 2", "3 0 0 2"), "function 2 has a variable twice"),
        (UAI.replace(".75", "nan"), "line 8, column 7: expected a number, found 'nan'"),
        (UAI.replace(".75", ".70"), "the row of P(x0) sums to 0.95"),
        (UAI + "7", "expected the end of the file after the last table"),
        (UAI[:-4], "the number of entries of the table of variable 2 is 12, but only 10 words follow"),
        (UAI + "# bayou 3 bayou_name text:a", "names a variable that is not in the file"),
        (UAI + "# bayou 0 bayou_states text:a", "the property bayou_states of 'x0' does not fit"),
        (UAI + "# bayou 0 bayou_name text:x1", "two variables have the same name"),
    ],
)
def test_an_error_in_uai_says_its_place(text: str, expected: str) -> None:
    with pytest.raises(BadFile) as caught:
        parse_uai(text, source="a.uai")
    assert expected in str(caught.value)


def test_evidence_of_both_kinds_is_read_with_the_names_of_the_draft(tmp_path: Path) -> None:
    draft = parse_uai(UAI + "# bayou 2 bayou_name text:the%20storm\n# bayou 2 bayou_states int:1 int:2 int:3")
    for text in ("2  0 1  2 2", "1\n2  0 1  2 2", "2 0 1 2 2 # comment"):
        assert parse_uai_evidence(text, draft) == {"x0": "1", "the storm": 3}
    for text in ("0", "1 0"):
        assert parse_uai_evidence(text, draft) == {}
    path = tmp_path / "a.uai.evid"
    path.write_text("1 1 1\n")
    assert read_uai_evidence(path, draft) == {"x1": "1"}


def test_evidence_is_read_for_a_loaded_network_by_the_numbers_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "child first.uai"
    path.write_text("BAYES 2  2 3  2  2 1 0  1 1  6 1 0 0.5 0.5 0 1  3 0.2 0.3 0.5")
    found = tmp_path / "child first.uai.evid"
    found.write_text("1  1 2\n")
    net = bayou.load(path)
    assert read_uai_evidence(found, net) == {"x1": "2"}
    assert net.query("x0", read_uai_evidence(found, net))["1"] == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "expected the number of findings, found the end of the file"),
        ("1 7 0", "there is no variable 7; the network has 3"),
        ("1 0 2", "variable 0 has 2 states; there is no state 2"),
        ("1 0 -1", "expected the number of a state of variable 0 (a whole number), found '-1'"),
        ("2 0 1 0 0", "variable 0 is observed in two states"),
        ("1 0 1 1 1", "expected the end of the file after the last finding"),
        ("2 1 0 1 1 0 1 0", "has 2 sets of findings"),
        ("999999999999 0 1", "expected the number of a variable, found the end of the file"),
    ],
)
def test_an_error_in_evidence_is_refused(text: str, expected: str) -> None:
    with pytest.raises(BadFile) as caught:
        parse_uai_evidence(text, parse_uai(UAI))
    assert expected in str(caught.value)
