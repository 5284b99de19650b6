"""What the doctor says of the target, and of columns that know it."""

from __future__ import annotations

from typing import Any

import pandas
import polars
import pytest
from tests.data_checks.tables import CLASSES, GOOD, N, cured, found, healthy, with_column

from bayou.data_checks import check


@pytest.mark.parametrize(
    "values",
    [
        [{"ja": 7, "nein": 9}[c] for c in CLASSES],
        [f"{c} {k % 6}" for k, c in enumerate(CLASSES)],
        [(10.0 if c == "ja" else 0.0) + GOOD[k] for k, c in enumerate(CLASSES)],
        [None if c == "ja" else "ab"[k % 2] for k, c in enumerate(CLASSES)],
    ],
    ids=["renamed", "several values", "two clouds", "gaps"],
)
def test_a_column_that_knows_the_target_is_a_suspect(values: list[Any]) -> None:
    data = pandas.DataFrame(with_column(values))
    (finding,) = found(check(data, "klasse"), "leakage suspect")
    assert finding.column == "die Spalte"
    assert "die Spalte" not in cured(data, finding)
    assert not found(check(data, "side"), "leakage suspect")


def test_no_suspicion_without_evidence() -> None:
    lopsided = {**healthy(), "klasse": ["ja"] * (N - 1) + ["nein"]}
    assert not found(check(lopsided, "klasse"), "leakage suspect")
    many_values = with_column([f"v{k // 2}" for k in range(N)])
    assert not found(check(many_values, "klasse"), "leakage suspect")


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_the_target_s_own_ailments(frame: Any) -> None:
    labels = [None if k in (2, 5) else "selten" if k < 4 else CLASSES[k] for k in range(N)]
    data = frame({**healthy(), "klasse": labels})
    report = check(data, "klasse")
    (gaps,), (small,) = found(report, "target missing"), found(report, "small classes")
    assert gaps.rows == (2, 5)
    assert "'selten' 3" in small.what
    assert not found(check(cured(data, gaps), "klasse"), "target missing")
    assert not found(check(cured(data, small), "klasse"), "small classes")
    (one,) = check({**healthy(), "klasse": ["ja"] * N}, "klasse").errors
    assert one.check == "one class"
    (measured,) = found(check(data, "Größe in m"), "target not classes")
    assert not found(check(cured(data, measured), "Größe in m"), "target not classes")


@pytest.mark.parametrize(
    "labels",
    [
        ["ja", "nein", "ja", "nein"],
        ["ja"] * 90 + ["nein"] * 3,
        ["ja"] * 20,
        ["ja"] * 80 + ["?"] * 20,
        ["ja"] * 10 + [None] * 30,
    ],
    ids=["two small classes", "one small class", "one class", "a class and a sign", "mostly gaps"],
)
def test_no_fix_leaves_less_than_two_classes(labels: list[Any]) -> None:
    data = pandas.DataFrame({"klasse": labels, "x": range(len(labels))})
    told = [finding for finding in check(data, "klasse") if finding.column == "klasse"]
    assert told
    for finding in told:
        if finding.fix:
            left = cured(data.copy(), finding)
            assert left["klasse"].nunique() == min(2, data["klasse"].nunique())
    small = found(check(data, "klasse"), "small classes")
    assert all("more rows are needed" in finding.what for finding in small)


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_gaps_that_tell_the_class(frame: Any) -> None:
    telling = ["a" if c == "ja" or k % 2 else None for k, c in enumerate(CLASSES)]
    telling = [value if k % 3 else "b" for k, value in enumerate(telling)]
    data = frame(with_column(telling))
    (finding,) = found(check(data, "klasse"), "telling gaps")
    assert "where klasse is 'nein'" in finding.what
    assert "die Spalte is missing" in cured(data, finding).columns
    blind = ["a" if k % 4 else None for k in range(N)]
    assert not found(check(with_column(blind), "klasse"), "telling gaps")
    many = {f"m{k}": telling for k in range(6)}
    (finding,) = found(check(frame({**many, **healthy()}), "klasse"), "telling gaps")
    assert finding.column is None
    assert "and 2 more" in finding.what
