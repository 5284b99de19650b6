"""For a table in files the fixes are options of reading it, which work when they are typed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bayou


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    towns = ("Ulm", "Bonn")
    lines = [
        f"c{k:03},{'n/a' if k % 5 == 0 else towns[k % 2]},{-999 if k % 7 == 0 else k % 9},{k % 2}"
        for k in range(90)
    ]
    path = tmp_path / "shop.csv"
    path.write_text("\n".join(["customer,city,age,left", *lines]), encoding="utf-8")
    return path


def test_columns_and_gaps_of_a_file_are_options_of_from_file(shop: Path) -> None:
    report = bayou.check(shop, "left")
    fixes = {finding.column: finding.fix for finding in report}
    start = f"data = bayou.from_file({str(shop)!r}"
    assert fixes["customer"] == f"{start}, ignore='customer')"
    assert fixes["city"] == f"{start}, na='n/a')"
    assert report.read_anew == f"{start}, na=['n/a', '-999'], ignore='customer')"
    assert report.read_anew in str(report)
    assert report.to_dict()["read_anew"] == report.read_anew
    names: dict[str, Any] = {"bayou": bayou}
    exec(report.read_anew, names)
    again = bayou.check(names["data"], "left")
    assert not again.warnings
    assert again.missing == {"city": 18, "age": 13}
    assert not again.read_anew


def test_what_was_said_of_a_file_is_kept(shop: Path) -> None:
    report = bayou.check(bayou.from_file(shop, sep=",", na="n/a"), "left")
    fix = next(finding.fix for finding in report if finding.column == "customer")
    assert fix.endswith(", sep=',', na='n/a', ignore='customer')")


def test_a_table_in_memory_has_fixes_in_its_own_language(shop: Path) -> None:
    pandas = pytest.importorskip("pandas")
    report = bayou.check(pandas.read_csv(shop, keep_default_na=False), "left")
    assert "data = data.drop(columns=['customer'])" in [finding.fix for finding in report]
    assert report.read_anew == ""


def test_a_small_number_is_not_made_a_gap_of_every_column(tmp_path: Path) -> None:
    path = tmp_path / "pressure.csv"
    path.write_text("pressure,n\n" + "".join(f"{0 if k < 5 else 100 + k},{k % 3}\n" for k in range(60)))
    (found,) = [finding for finding in bayou.check(path) if finding.column == "pressure"]
    assert found.fix.startswith("data['pressure'] = ")
