"""Two tables compared: what is found, against scipy's tests, and what is left alone."""

from __future__ import annotations

from typing import Any

import numpy
import pandas
import polars
import pytest
from scipy import stats
from tests.data_checks.tables import found, healthy

from bayou.data_checks import check
from bayou.data_checks.compare_tables import chance_of_distance, chance_of_same
from bayou.data_checks.counted_numbers import largest_distance
from bayou.errors import BadQuestion


def changed(**columns: Any) -> dict[str, Any]:
    return {**healthy(), **columns}


def test_the_same_table_and_other_rows_of_the_same_kind_have_no_findings() -> None:
    report = check(healthy(), "klasse", other=healthy())
    assert report.findings == ()
    assert "compared with 200 rows of a second table" in str(report)
    rng = numpy.random.default_rng(5)
    first = {"x": rng.normal(size=500), "z": rng.choice(list("abc"), 500).tolist(), "id": range(500)}
    second = {"x": rng.normal(size=300), "z": rng.choice(list("abc"), 300).tolist(), "id": range(500, 800)}
    kinds = {finding.check for finding in check(first, other=second)}
    assert kinds == {"id-like column"}
    unlabelled = {name: column for name, column in healthy().items() if name != "klasse"}
    assert check(healthy(), "klasse", other=unlabelled).findings == ()


@pytest.mark.parametrize("frame", [dict, pandas.DataFrame, polars.DataFrame])
def test_each_difference_is_found(frame: Any) -> None:
    first = frame(healthy())
    assert found(check(first, other=frame({"side": healthy()["side"]})), "missing column")
    (finding,) = found(check(first, other=frame(changed(neu=[1] * 200))), "extra columns")
    assert "'neu'" in finding.what
    new = ["up" if k < 3 else side for k, side in enumerate(healthy()["side"])]
    (finding,) = found(check(first, other=frame(changed(side=new))), "unseen values")
    assert (finding.examples, finding.rows) == (("up",), (0, 1, 2))
    (finding,) = found(check(first, other=frame(changed(side=["left"] * 200))), "drift")
    assert "the shares differ by 50 %" in finding.what
    higher = [value + 1 for value in healthy()["Größe in m"]]
    (finding,) = found(check(first, other=frame({**healthy(), "Größe in m": higher})), "drift")
    assert finding.column == "Größe in m"
    gappy = [None if k % 3 == 0 else side for k, side in enumerate(healthy()["side"])]
    assert found(check(first, other=frame(changed(side=gappy))), "other gaps")
    (finding,) = found(check(first, other=frame(changed(side=[1.5] * 200))), "other type")
    assert finding.severity == "warning"


def test_values_that_differ_only_by_their_type_are_a_note() -> None:
    first, second = {"a": ["0", "1"] * 50}, {"a": [0, 1] * 50}
    (finding,) = found(check(first, other=second), "other type")
    assert finding.severity == "note"
    assert not found(check(first, other=second), "unseen values")


def test_the_chances_are_those_of_scipy() -> None:
    rng = numpy.random.default_rng(0)
    one, two = numpy.sort(rng.normal(size=300)), numpy.sort(rng.normal(0.25, 1, size=200))
    expected = stats.ks_2samp(one, two)
    distance = largest_distance(one, numpy.ones(300, dtype=int), two, numpy.ones(200, dtype=int))
    assert distance == pytest.approx(expected.statistic)
    assert chance_of_distance(distance, 300, 200) == pytest.approx(expected.pvalue, rel=0.1)
    counts = numpy.array([[30, 50, 20], [60, 40, 45]])
    assert chance_of_same(counts) == pytest.approx(stats.chi2_contingency(counts, correction=False).pvalue)


def test_a_table_in_place_of_the_target_is_explained() -> None:
    with pytest.raises(BadQuestion, match=r"bayou\.check\(data, other=table\)"):
        check(pandas.DataFrame(healthy()), pandas.DataFrame(healthy()))
