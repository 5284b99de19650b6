"""The account of a decision as plain data: sums that stay sums, text and HTML that hold hostile names."""

from __future__ import annotations

import math

import pytest

from bayou.errors import BadQuestion
from bayou.explain.class_working import fraction, latex_number, number
from bayou.explain.ledger import Ledger, LedgerEntry
from bayou.explain.linear_weights import LinearWeights
from bayou.explain.smallest_change import Change, SmallestChange
from bayou.schema import Variable

HOSTILE = 'a <name> with "quotes", & signs,\na line break and ümlauts'


def ledger(*odds: float, total: float, additive: bool = False) -> Ledger:
    entries = tuple(LedgerEntry(k, f"value {k}", value) for k, value in enumerate(odds))
    return Ledger(
        "class", "a", "b", 0.5, ("1 of 2", "1 of 2"), entries, total, {"a": 0.6, "b": 0.4}, additive
    )


def test_the_remainder_makes_the_column_add_up() -> None:
    account = ledger(1.0, -0.25, total=2.0)
    assert account.remainder == pytest.approx(0.75)
    assert account.to_dict()["remainder"] == account.remainder
    assert ledger(1.0, total=1.5, additive=True).remainder == 0.0


def test_infinite_log_odds_leave_no_undefined_remainder() -> None:
    assert ledger(math.inf, 1.0, total=math.inf).remainder == 0.0
    assert ledger(0.0, 1.0, total=math.inf).remainder == math.inf
    assert "nan" not in str(ledger(math.inf, 0.0, total=math.inf))


def test_entries_by_size_put_what_is_left_out_last() -> None:
    account = ledger(0.1, -3.0, 2.0, total=0.0)
    gap = LedgerEntry("gap", None, 0.0, left_out="missing")
    account = Ledger("class", "a", "b", 0.0, ("", ""), (gap, *account.entries), 0.0, {"a": 0.5, "b": 0.5})
    assert [entry.name for entry in account.sorted("size").entries] == [1, 2, 0, "gap"]
    assert account.sorted("column") is account
    with pytest.raises(BadQuestion, match="use 'size'"):
        account.sorted("name")


def test_hostile_names_stay_on_their_line_and_out_of_the_markup() -> None:
    entry = LedgerEntry(HOSTILE, "<script>", 0.5, ("<1 of 2>", "2 of 2"))
    account = Ledger(HOSTILE, "<a>", "b", 0.0, ("", ""), (entry,), 0.5, {"<a>": 0.6, "b": 0.4})
    assert len(str(account).splitlines()) == 6
    html = account._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "<1 of 2>" not in html


def test_bars_grow_from_the_middle_to_the_side_of_their_class() -> None:
    html = ledger(2.0, -2.0, total=0.5)._repr_html_()
    assert "margin-left:50.00%;width:50.00%" in html
    assert "margin-left:0.00%;width:50.00%" in html


def test_an_account_without_any_finding_still_prints() -> None:
    text = str(Ledger("class", "a", "b", 0.0, ("", ""), (), 0.0, {"a": 0.5, "b": 0.5}))
    assert "prior" in text
    assert ledger(total=0.5).flip is None


def test_a_flip_tells_when_it_may_not_be_the_smallest() -> None:
    changes = (Change(HOSTILE, 1.5, 2.25), Change("b", "x", "y"))
    text = str(SmallestChange("no", "yes", changes, 1.0, (), exact=False))
    assert "with 2 changes" in text
    assert "1.5 → 2.25" in text
    assert "there may be a smaller set" in text


def test_numbers_of_any_size_are_written() -> None:
    assert [number(math.log(value)) for value in (0.5, 2e-9, 1236.0)] == ["0.5000", "2e-09", "1236"]
    assert number(-5000.0) == "3.37e-2172"
    assert number(5000.0) == "2.968e+2171"
    assert latex_number(-5000.0) == r"3.37 \cdot 10^{-2172}"
    assert fraction(2.5, 9, 0.5, 1.5)[0] == "(2.5+0.5)/(9+1.5)"


def test_a_linear_form_prints_and_gives_its_numbers() -> None:
    colour = Variable("colour", ["blue", "red", 1])
    unit = LinearWeights("a", "b", 0.25, {"colour": (colour, (0.5, -1.0, 2.0))}, {"x": 2.0}, {"x": -1.0})
    assert unit.log_odds({"colour": 1, "x": 3, "not known": 5}) == 0.25 + 2.0 + 5.0
    assert unit.log_odds({"colour": None, "x": float("nan")}) == 0.25
    assert unit.decide({"colour": "red"}) == "b"
    assert unit.to_dict()["weights"] == {"colour": {"blue": 0.5, "red": -1.0, 1: 2.0}}
    assert [line.split() for line in str(unit).splitlines()[-2:]] == [
        ["x", "per", "unit", "+2.0000"],
        ["x", "always", "-1.0000"],
    ]
