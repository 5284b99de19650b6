"""The printed ledger: the weight is shown, the lines add up, long ones are short; results print in a REPL."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import bayou


def table(rows: int = 400) -> dict[str, list[Any]]:
    """Two equal columns, so that the evidence weight is below 1."""
    random = np.random.default_rng(3)
    ill = random.random(rows) < 0.3
    fever = np.where(random.random(rows) < 0.8, ill, ~ill)
    words = ["yes" if one else "no" for one in fever]
    return {"fever": words, "again": list(words), "ill": ["yes" if one else "no" for one in ill]}


def numbers_of(printed: str, line: str) -> list[float]:
    """The signed numbers of one line."""
    found = next(text for text in printed.splitlines() if text.startswith(line))
    return [float(number) for number in re.findall(r"[+-]\d+\.\d+", found)]


def test_the_weight_is_printed_and_the_lines_add_up() -> None:
    data = table()
    model = bayou.NaiveBayes().fit(data, "ill")
    assert model.evidence_weight_ != 1
    ledger = model.explain({"fever": "yes", "again": "yes"}, of="yes", against="no")
    printed = str(ledger)
    assert f"= prior + {model.evidence_weight_:.4g} × evidence" in printed
    both = [sum(f == "yes" == i for f, i in zip(data["fever"], data["ill"], strict=True))]
    both.append(sum(f == "yes" and i == "no" for f, i in zip(data["fever"], data["ill"], strict=True)))
    ill = data["ill"].count("yes")
    by_hand = math.log((both[0] + 1) / (ill + 2)) - math.log((both[1] + 1) / (400 - ill + 2))
    evidence, weighed = numbers_of(printed, "fever=yes")
    assert evidence == pytest.approx(by_hand, abs=5e-5)
    assert weighed == pytest.approx(model.evidence_weight_ * by_hand, abs=5e-5)
    parts = numbers_of(printed, "prior") + 2 * [weighed]
    assert sum(parts) == pytest.approx(numbers_of(printed, "sum")[0], abs=3e-4)
    assert ledger.to_dict()["weight"] == model.evidence_weight_
    assert f"<th>× {model.evidence_weight_:.4g}</th>" in ledger._repr_html_()


def test_without_a_weight_there_is_one_column_of_log_odds() -> None:
    model = bayou.NaiveBayes(evidence_weight=1).fit(table(), "ill")
    printed = str(model.explain({"fever": "yes", "again": "no"}))
    assert "evidence" not in printed
    assert len(numbers_of(printed, "fever=yes")) == 1


def test_other_class_probabilities_keep_a_ledger_exact() -> None:
    model = bayou.NaiveBayes().fit(table(), "ill")
    row = {"fever": "yes", "again": "yes"}
    usual, shifted = model.explain(row), model.with_class_prior("uniform").explain(row, of="yes")
    assert shifted.additive
    assert shifted.prior == pytest.approx(0)
    assert shifted.total == pytest.approx(sum(entry.log_odds for entry in shifted.entries))
    assert abs(usual.entries[0].log_odds) == pytest.approx(abs(shifted.entries[0].log_odds))


def test_a_long_ledger_adds_up_what_it_does_not_show() -> None:
    random = np.random.default_rng(0)
    columns = {f"c{k}": random.integers(0, 2, 60).astype(bool).tolist() for k in range(100)}
    model = bayou.NaiveBayes("table").fit(columns, random.integers(0, 2, 60).tolist())
    ledger = model.explain({name: values[0] for name, values in columns.items()})
    lines = repr(ledger).splitlines()
    assert len(lines) < 50
    rest = numbers_of(repr(ledger), "60 more findings, together")
    assert rest[0] == pytest.approx(sum(entry.log_odds for entry in ledger.entries[40:]), abs=5e-5)
    assert len(ledger.entries) == 100


def test_results_are_shown_as_text_in_a_repl() -> None:
    model = bayou.NaiveBayes("table").fit(table(), "ill")
    row = {"fever": "yes", "again": "yes"}
    net = bayou.examples.storm()
    for result in (
        model.explain(row),
        model.smallest_change(row),
        model.working(row),
        net.d_separated("Storm", "Thunder", given="Lightning"),
        net.working("Storm | Thunder=yes"),
        net.marginals({"Storm": "yes"}),
    ):
        assert repr(result) == str(result)
        assert "\n" in repr(result)
        assert "\\n" not in repr(result)


def test_a_number_is_printed_as_it_was_given() -> None:
    net = bayou.Network("links -> price", continuous=["links", "price"])
    net.fit({"links": [1, 2, 3, 4.5], "price": [1.0, 2.5, 3.0, 5.0]})
    assert str(net.query("price", given={"links": 2})).startswith("P(price | links=2)\n")
    assert str(net.query("price", given={"links": 2.5})).startswith("P(price | links=2.5)\n")
    assert str(net.marginals({"links": 2})).startswith("given links=2\n")
