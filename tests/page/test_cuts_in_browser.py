"""Variables that were cut into ranges show the ranges as labels, and can be observed."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

import bayou
from tests.page.browsing import bar, choose, findings


def test_ranges_are_labels_and_findings(page: Page, tmp_path: Path) -> None:
    rows = {
        "age": [25, 41, 44, 52, 58, 61, 35, 70],
        "ill": ["no", "no", "yes", "yes", "no", "yes", "no", "yes"],
    }
    net = bayou.Network([("ill", "age")], states={"age": bayou.Cuts(30, 50)}).fit(rows)
    net.save(tmp_path / "ages.bayou")
    choose(page, tmp_path / "ages.bayou")
    for label in ("up to 30", "30 to 50", "over 50"):
        expect(bar(page, f"age = {label}")).to_be_visible()
    bar(page, "age = 30 to 50").click()
    expect(findings(page)).to_have_text(re.compile("age is 30 to 50|age = 30 to 50"))
    expected = net.query("ill", {"age": 42})["yes"]
    said = re.compile(f"^ill = yes: {100 * expected:.1f}%")
    expect(bar(page, "ill = yes")).to_have_attribute("aria-label", said)
