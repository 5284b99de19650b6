"""Reading BIF text: spellings that are accepted, and errors with their place."""

from __future__ import annotations

import numpy as np
import pytest

from bayou.errors import BadFile, BayouError
from bayou.formats.bif.bif_reader import parse_bif
from bayou.formats.draft import NetworkDraft

TWO = "variable X { type discrete [ 2 ] { a, b }; }\n"
THREE = "variable Y { type discrete [ 3 ] { u, v, w }; }\n"
ROOT = "probability ( X ) { table 0.25, 0.75; }\n"


def one_table(values: str, count: int = 2) -> NetworkDraft:
    states = ", ".join(f"s{i}" for i in range(count))
    return parse_bif(
        f"network n {{ }} variable X {{ type discrete [ {count} ] {{ {states} }}; }}"
        f" probability ( X ) {{ table {values}; }}"
    )


def child_of(parents: str, body: str) -> NetworkDraft:
    """Y with the parents X (a, b) and Z (p, q) as far as they are named."""
    other = "variable Z { type discrete [ 2 ] { p, q }; } probability ( Z ) { table .5 .5; }"
    return parse_bif(f"network n {{ }} {TWO}{other}{THREE}{ROOT} probability ( Y {parents} ) {{ {body} }}")


def problem_of(text: str | bytes) -> str:
    with pytest.raises(BadFile) as caught:
        parse_bif(text, source="net.bif")
    return str(caught.value)


def test_states_and_tables_keep_the_order_of_the_file() -> None:
    draft = child_of("| X, Z", "(a,p) .1,.2,.7; (b,p) .2,.3,.5; (a,q) 1,0,0; (b,q) 0,0,1;")
    assert [variable.name for variable in draft.variables] == ["X", "Z", "Y"]
    assert draft.parents == {"X": (), "Z": (), "Y": ("X", "Z")}
    expected = [[[0.1, 0.2, 0.7], [1, 0, 0]], [[0.2, 0.3, 0.5], [0, 0, 1]]]
    assert draft.tables["Y"].tolist() == expected


def test_a_table_with_parents_runs_over_the_child_slowest_and_the_last_parent_fastest() -> None:
    draft = child_of("| X, Z", "table .1 .2 .3 .4   .2 .3 .4 .5   .7 .5 .3 .1;")
    assert draft.tables["Y"][0, 1].tolist() == [0.2, 0.3, 0.5]
    assert draft.tables["Y"][1, 0].tolist() == [0.3, 0.4, 0.3]


def test_a_table_ordered_with_the_child_fastest_is_refused_with_the_remedy() -> None:
    with pytest.raises(
        BadFile, match=r"the table of P\(Y \| X\) is ordered with 'Y' fastest; BIF has it slowest"
    ):
        child_of("| X", "table .1 .2 .7   .2 .3 .5;")


def test_a_default_row_fills_only_the_rows_that_are_not_given() -> None:
    draft = child_of("| X", "default 0.5 0.25 0.25; (b) 0 0 1;")
    assert draft.tables["Y"].tolist() == [[0.5, 0.25, 0.25], [0, 0, 1]]


@pytest.mark.parametrize("head", ["| X, Z", ", X, Z", "X Z", "| X Z", "| X | Z", "|X,Z"])
def test_child_and_parents_may_be_parted_in_several_ways(head: str) -> None:
    draft = child_of(head, "default 0 0 1;")
    assert draft.parents["Y"] == ("X", "Z")
    assert draft.tables["Y"].shape == (2, 2, 3)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1", 1.0),
        (".5", 0.5),
        ("1e-3", 0.001),
        ("1E-05", 1e-05),
        ("0.", 0.0),
        ("0.9", 0.9),
        ("-0.0", 0.0),
        ("1e-400", 0.0),
        ("0.1000000000000000055511151231257827", 0.1),
        ("0." + "0" * 400 + "1", 0.0),
    ],
)
def test_a_number_is_read_to_the_exact_float(written: str, value: float) -> None:
    rest = 1 - value
    table = one_table(f"{written} {rest!r}").tables["X"]
    assert table.tolist() == [value, rest]
    assert not np.signbit(table).any()


@pytest.mark.parametrize(
    "written", ["inf", "nan", "-0.5", "1e999", "0x1", "1,5e", "1.5_to_2", "--1", "yes", '"1"', "-nan"]
)
def test_what_is_no_probability_is_refused(written: str) -> None:
    with pytest.raises(BadFile, match=r"line 1, column (88|90): expected a (number|probability)"):
        one_table(f"{written} 0.5")


def test_a_row_off_by_rounding_is_divided_by_its_sum() -> None:
    table = one_table("0.333, 0.333, 0.333", count=3).tables["X"]
    total = 0.333 + 0.333 + 0.333
    assert table.tolist() == [0.333 / total] * 3


def test_a_row_that_sums_to_one_but_for_float_rounding_is_kept_bit_for_bit() -> None:
    values = [0.1] * 10
    assert sum(values) != 1
    assert one_table(" ".join(map(repr, values)), count=10).tables["X"].tolist() == values


def test_a_row_off_by_more_than_rounding_is_refused_with_its_states_and_sum() -> None:
    with pytest.raises(BadFile, match=r"the row \(X=b, Z=p\) of P\(Y \| X, Z\) sums to 0\.998; expected 1"):
        child_of("| X, Z", "(b, p) 0.2 0.3 0.498; default 0 0 1;")


def test_odd_names_comments_and_line_ends_are_read() -> None:
    text = (
        '\ufeff/* made\r\nby hand */ network "my net" { property a = "x;y" ; // note\r\n'
        " property url //host/p;\r\n}\r\n"
        'variable "Größe, {cm}" { // 4 values\r\n'
        ' type discrete[4] { <7.5 Asy/Patch "12+" "say \\"hi\\" \\\\ \\n" };\r\n'
        " property position = (73, 165) ; }\r\n"
        "variable 7 { type discrete[3] {0-5, 1.5_to_2, 日本} ; }\r\n"
        'probability(7|"Größe, {cm}"){(<7.5)1 0 0;(Asy/Patch)0 1 0;(12+)0 0 1//end\r\n;'
        '("say \\"hi\\" \\\\ \\n") 0.5 0.5 0;}\r\n'
        'probability("Größe, {cm}"){property why = guess;table 0.25/**/0.25,0.25,0.25;}'
    )
    draft = parse_bif(text)
    assert draft.name == "my net"
    assert [variable.name for variable in draft.variables] == ["Größe, {cm}", "7"]
    assert draft.variables[0].states == ("<7.5", "Asy/Patch", "12+", 'say "hi" \\ \n')
    assert draft.variables[1].states == ("0-5", "1.5_to_2", "日本")
    assert draft.tables["7"].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0]]
    assert draft.properties == {
        None: ('a = "x;y"', "url //host/p"),
        "Größe, {cm}": ("why = guess",),
    }
    assert draft.appearance.node("Größe, {cm}").position == (73, 165)


def test_a_probability_block_may_come_before_its_variables() -> None:
    draft = parse_bif(
        "network n { } probability ( Y | X ) { property p = {; (b) 0 1 0; default 0 0 1; }"
        + ROOT
        + THREE
        + TWO
    )
    assert [variable.name for variable in draft.variables] == ["Y", "X"]
    assert draft.tables["Y"].tolist() == [[0, 0, 1], [0, 1, 0]]


def test_bytes_and_text_read_alike_and_keywords_may_be_names() -> None:
    text = (
        "network network { } variable variable { type discrete [ 2 ] { table, default }; }"
        "probability ( variable ) { table 0 1; }"
    )
    for draft in (parse_bif(text), parse_bif(text.encode())):
        assert draft.variables[0].states == ("table", "default")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "net.bif, line 1, column 1: expected 'network', found the end of the file"),
        ("\n  graph n {", "line 2, column 3: expected 'network', found 'graph'"),
        ("network n { } network m { }", "column 15: a second 'network' block"),
        ("network n { } node X { }", "column 15: expected 'variable' or 'probability', found 'node'"),
        ("network n { property a", "column 22: expected ';' at the end of this property"),
        ("network n { /* never", "column 13: this comment is never closed"),
        ('network "n\n" { }', "line 1, column 9: this quoted name is not closed on its line"),
        ("network n { } variable X { }", "column 24: the variable 'X' has no 'type discrete"),
        ("network n { } variable X { type continuous; }", "column 33: expected 'discrete'"),
        ("network n { } variable X { type discrete [ 0 ] { }; }", "column 48: 'X' has no states"),
        ("network n { } variable X { type discrete [ 3 ] { a, b }; }", "column 44: the number in brackets"),
        ("network n { } variable X { type discrete [ 999999999999 ] { a, b }; }", "which is 2"),
        (
            "network n { } variable X { type discrete [ 2 ] { a, a }; }",
            "column 53: 'X' has the state 'a' twice",
        ),
        (
            "network n { } variable X { type discrete [ 2 ] { a, b } }",
            "column 57: expected ';' after the list",
        ),
        (
            f"network n {{ }}\n{TWO}",
            "line 2, column 10: the variable 'X' has no block 'probability ( X ... )'",
        ),
        (f"network n {{ }}\n{TWO}{TWO}", "line 3, column 10: the variable 'X' is declared twice"),
        (f"network n {{ }}\n{TWO}{ROOT}{ROOT}", "line 4, column 15: 'X' has a second probability block"),
        (f"network n {{ }}\n{TWO}probability ( X | X ) {{", "line 3, column 19: 'X' is its own parent"),
        (f"network n {{ }}\n{TWO}probability ( X ) {{ }}", "line 3, column 13: P(X) lacks its row"),
        (f"network n {{ }}\n{TWO}probability ( X ) {{ rows", "line 3, column 21: expected '(', 'table'"),
        (f"network n {{ }}\n{TWO}probability ( X ) {{ table 0.5", "found the end of the file"),
        (
            f"network n {{ }}\n{TWO}probability ( X ) {{ table 0.5 }}",
            "column 31: expected a number or ';' in the table",
        ),
        (
            f"network n {{ }}\n{TWO}probability ( x ) {{ table 1 0; }}",
            "There is no variable 'x'. Did you mean 'X'?",
        ),
        (
            f"network n {{ }}\n{TWO}probability ( X ) {{ default 1; }}",
            "the default row of P(X) has 1 numbers; expected 2",
        ),
        (
            "network ä { } variäble",
            "line 1, column 15: expected 'variable' or 'probability', found 'variäble'",
        ),
    ],
)
def test_an_error_says_where_and_what_was_expected(text: str, expected: str) -> None:
    assert expected in problem_of(text)


@pytest.mark.parametrize(
    ("parents", "body", "expected"),
    [
        ("| X, Z, X", "default 1 0 0;", "'X' is a parent of 'Y' twice"),
        ("| X", "(a) 1 0 0; (a) 1 0 0; (b) 1 0 0;", "the row (X=a) of P(Y | X) is given twice"),
        ("| X", "(a) 1 0 0; table 1 0 0 1 0 0;", "the row (X=a) of P(Y | X) is given twice"),
        ("| X", "(a) 1 0 0;", "P(Y | X) lacks the row (X=b)"),
        ("| X, Z", "(a, p) 1 0 0;", "lacks the row (X=a, Z=q) and 2 more"),
        ("| X", "(A) 1 0 0;", "'A' is not a state of 'X'. Did you mean 'a'? Its states are: 'a', 'b'."),
        ("| X", "(a, b) 1 0 0;", "has 1 parents, but this row names more states"),
        ("| X, Z", "(a) 1 0 0;", "this row names 1 states; expected one for each of 2 parents"),
        ("| X", "(a) 1 0 0 0;", "the row (X=a) of P(Y | X) has 4 numbers; expected 3"),
        ("| X", "(a) 1 0;", "the row (X=a) of P(Y | X) has 2 numbers; expected 3"),
        ("| X", "default 1 0 0; default 1 0 0;", "has a second 'default'"),
        ("| X, | Z", "default 1 0 0;", "expected a parent's name or ')', found '|'"),
    ],
)
def test_an_error_in_a_table_names_the_family_and_the_row(parents: str, body: str, expected: str) -> None:
    with pytest.raises(BadFile) as caught:
        child_of(parents, body)
    assert expected in str(caught.value)


def test_a_cycle_is_refused_and_walked_through() -> None:
    names = ["Storm", "Fire", "Bus"]
    text = "network n { }" + "".join(
        f"variable {name} {{ type discrete [ 1 ] {{ s }}; }}\nprobability ( {name} | {parent} ) {{ (s) 1; }}"
        for name, parent in zip(names, ["Bus", "Storm", "Fire"], strict=True)
    )
    assert "the arcs make a cycle: 'Storm' -> 'Fire' -> 'Bus' -> 'Storm'" in problem_of(text)


def test_a_table_that_the_file_can_not_hold_is_refused_before_it_is_made() -> None:
    names = [f"P{i}" for i in range(40)]
    declared = "".join(
        f"variable {name} {{ type discrete [ 10 ] {{ 0 1 2 3 4 5 6 7 8 9 }}; }}"
        f"probability ( {name} ) {{ default .1 .1 .1 .1 .1 .1 .1 .1 .1 .1; }}"
        for name in names
    )
    text = f"network n {{ }} {TWO} {declared} probability ( X | {', '.join(names)} ) {{ default 1 0; }}"
    assert "needs more numbers than the file can hold" in problem_of(text)


def test_many_tables_filled_by_default_share_one_bound() -> None:
    axes = "".join(
        f"variable P{i} {{ type discrete [ 100 ] {{ {' '.join(map(str, range(100)))} }}; }}"
        f"probability ( P{i} ) {{ default 1 {'0 ' * 99}; }}"
        for i in range(3)
    )
    wide = "".join(
        f"variable C{i} {{ type discrete [ 1 ] {{ s }}; }} probability ( C{i} | P0 P1 P2 ) {{ default 1; }}"
        for i in range(18)
    )
    assert "P(C16 | P0, P1, P2) needs more numbers" in problem_of(f"network n {{ }} {axes} {wide}")


@pytest.mark.parametrize(
    "bad", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf5\x80\x80\x80", b"\xf0\x80\x80\x80"]
)
def test_a_name_that_is_not_utf8_is_refused_with_its_place(bad: bytes) -> None:
    text = b"network n { }\nvariable a" + bad + b" { type discrete [ 1 ] { s }; }"
    assert "net.bif, line 2, column 11: this byte is not UTF-8" in problem_of(text)
    assert "line 1, column 10: this byte is not UTF-8" in problem_of(b'network "' + bad + b'" { }')


def test_text_with_half_a_surrogate_pair_is_refused() -> None:
    assert "UTF-8" in problem_of("network \ud800 { }")


def test_every_refusal_is_one_of_the_projects_own_errors() -> None:
    with pytest.raises(BayouError):
        parse_bif("network")
    with pytest.raises(ValueError, match=r"expected '\{' after the network's name"):
        parse_bif("network")
