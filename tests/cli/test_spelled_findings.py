"""Findings on the command line are spelled as in the table: money, shares in percent, dates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import bayou
from tests.cli.conftest import Run, RunJson


@pytest.fixture
def sales(folder: Path) -> Path:
    """A table of money, shares in percent and dates."""
    random = np.random.default_rng(3)
    lines = ["price,share,day,sold"]
    for row in range(120):
        sold = row % 2
        day = np.datetime64("2024-01-01") + int(60 * sold + 40 * random.random())
        price = 900 + 400 * sold + 200 * random.random()
        share = 20 + 30 * sold * random.random()
        lines.append(f'"${price:,.2f}",{share:.1f} %,{day},{"yes" if sold else "no"}')
    (folder / "sales.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("model", ["nb", "tan", "aode", "gaussian"])
def test_findings_of_explain_are_spelled_as_in_the_table(
    sales: Path, run: Run, run_json: RunJson, model: str
) -> None:
    run("fit", "sales.csv", "--target", "sold", "--model", model, "-o", "sales.bayou")
    spelled = ["--given", "price=$1,180.50", "--given", "share=31 %", "--given", "day=2024-02-10"]
    plain = ["--given", "price=1180.5", "--given", "share=0.31", "--given", "day=19763"]
    of = ["--of", "yes", "--against", "no"]
    found = run_json("explain", "sales.bayou", *spelled, *of)
    expected = run_json("explain", "sales.bayou", *plain, *of)
    assert found["ledger"]["total"] == expected["ledger"]["total"]
    assert found["row"] == {"price": "$1,180.50", "share": "31 %", "day": "2024-02-10"}
    with_library = bayou.load("sales.bayou").explain(found["row"], of="yes", against="no")
    assert with_library.total == found["ledger"]["total"]
    failed = run("explain", "sales.bayou", "--given", "price=many", exit_code=1).stderr
    assert "price" in failed


def test_queries_are_spelled_as_in_the_table(sales: Path, run: Run, run_json: RunJson) -> None:
    run("fit", "sales.csv", "--network", "sold -> price", "--continuous", "price", "-o", "sales.bayou")
    expected = run_json("query", "sales.bayou", "sold | price=1180.5")["posteriors"]
    assert run_json("query", "sales.bayou", "sold | price=$1,180.50")["posteriors"] == expected
    assert run_json("query", "sales.bayou", "sold", "--given", "price=$1,180.50")["posteriors"] == expected
