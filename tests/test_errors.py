"""What messages say: counted nouns, shortened quotations, the nearest numbers."""

from __future__ import annotations

import warnings

import pytest

import bayou
from bayou.errors import BadQuestion, UnknownState, UnknownVariable, counted, shortened, warn_user

LONG = "x" * 48_000


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0 rows"), (1, "1 row"), (1.0, "1 row"), (2, "2 rows"), (3e6, "3,000,000 rows"), (0.5, "0.5 rows")],
)
def test_counted_nouns(number: float, text: str) -> None:
    assert counted(number, "row") == text


def test_no_message_repeats_a_long_value() -> None:
    net = bayou.examples.storm()
    for ask in (
        lambda: net.query(LONG),
        lambda: net.query("Storm", {"Thunder": LONG}),
        lambda: net.query(f"Storm | Thunder={LONG}"),
        lambda: net.query("Storm", LONG),
        lambda: bayou.Network(f"{LONG} -> ->"),
        lambda: bayou.Network("A -> B", tables={"A": {LONG: "much", "b": 0.7}}),
        lambda: net.query("Storm", engine=LONG),
        lambda: net.query("Storm", {"Thunder": int("9" * 4_000)}),
    ):
        with pytest.raises(bayou.errors.BayouError) as raised:
            ask()
        assert len(str(raised.value)) < 1_500
        assert "…" in str(raised.value)


def test_warnings_are_shortened_too() -> None:
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        warn_user(f"The column {LONG!r} is constant.")
    assert str(given[0].message).endswith("…' (48,000 characters) is constant.")


def test_only_quotations_are_shortened() -> None:
    usual = "The network's table of 'Rain' has " + "no rows, and " * 20 + "that of 'Wet' is the parents' own."
    assert shortened(usual) == usual
    assert shortened(f"'a)', {'words ' * 40}and 'b'") == f"'a)', {'words ' * 40}and 'b'"


def test_unknown_numbers_are_answered_with_the_nearest() -> None:
    states = [*range(200), 204, 402]
    assert "Did you mean 199 or 204 (the nearest numbers)?" in str(UnknownState.of("age", 202, states))
    assert "Did you mean 402 (the nearest number)?" in str(UnknownState.of("age", 10**400, states))
    assert "Did you mean 0 (the nearest number)?" in str(UnknownState.of("age", -3.5, states))
    assert "Did you mean 4 (a int, not a str)?" in str(UnknownState.of("age", "4", states))
    assert "continuous=['age']" in str(UnknownState.of("age", 202, states))
    assert "Did you mean 'smoke'?" in str(UnknownVariable.named("smoek", ["smoke", "lung"]))
    assert "continuous" not in str(BadQuestion.choice("k", 7, [1, 2]))


def test_a_fitted_network_names_the_nearest_numbers_and_the_remedy() -> None:
    ages = [value for value in range(300) if value not in (202, 203)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        net = bayou.Network("age").fit({"age": ages})
    with pytest.raises(UnknownState, match="Did you mean 201 or 204"):
        net.query("age", {"age": 202})
