"""Trees of large data: the tables of pairs serve the fit and the report, whose numbers stay the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas
import pytest

import bayou
from bayou.sources.table_source import TableSource
from bayou.statistics import CachedSource, CountTable, PairCounts, Request, Statistics


def rows(number: int = 400) -> dict[str, np.ndarray]:
    random = np.random.default_rng(5)
    y = random.integers(0, 2, number)
    a = (random.random(number) < 0.2 + 0.6 * y).astype(int)
    b = np.where(random.random(number) < 0.8, a, random.integers(0, 3, number))
    c = np.where(random.random(number) < 0.7, b, random.integers(0, 3, number))
    d = (random.random(number) < 0.3 + 0.2 * y + 0.2 * (c > 0)).astype(int)
    return {"y": y, "a": a, "b": b, "c": c, "d": d}


def learned(method: str, data: object, **options: object) -> bayou.Network:
    target = {"target": "y"} if method == "tan" else {}
    return bayou.learn_structure(data, method=method, **target, **options)


@pytest.mark.parametrize("method", ["chow-liu", "tan"])
@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_the_report_is_that_of_the_rows(method: str, score: str, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = learned(method, rows(), score=score)
    expected = usual.learned_structure.to_dict()
    monkeypatch.setattr("bayou.fitting.structure_search.LARGEST_KEPT", 0)
    large = learned(method, rows(), score=score)
    assert large.same_as(usual)
    found = large.learned_structure.to_dict()
    assert [arc["runner_up"] for arc in found["arcs"]] == [arc["runner_up"] for arc in expected["arcs"]]
    for ours, theirs in zip(found["arcs"], expected["arcs"], strict=True):
        assert (ours["parent"], ours["child"]) == (theirs["parent"], theirs["child"])
        assert ours["gain"] == pytest.approx(theirs["gain"], rel=1e-9)
        assert ours["behind"] == pytest.approx(theirs["behind"], rel=1e-9, abs=1e-9)
    assert found["value"] == pytest.approx(expected["value"], rel=1e-12)


@pytest.mark.parametrize("method", ["chow-liu", "tan"])
def test_rows_are_asked_only_for_tables_that_the_pairs_do_not_hold(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[Request]] = []
    collect = TableSource.collect

    def recorded(self: TableSource, requests: Sequence[Request]) -> Statistics:
        asked.append(list(requests))
        return collect(self, requests)

    monkeypatch.setattr(TableSource, "collect", recorded)
    monkeypatch.setattr("bayou.fitting.structure_search.LARGEST_KEPT", 0)
    learned(method, rows())
    (start,) = [k for k, some in enumerate(asked) if any(isinstance(one, PairCounts) for one in some)]
    after = [request for some in asked[start + 1 :] for request in some]
    assert len([some for some in asked[start + 1 :] if some]) == 1
    # A table of pairs holds two variables (and the class): what is left has three others.
    assert after
    for request in after:
        assert isinstance(request, CountTable)
        assert len(set(request.variables) - ({"y"} if method == "tan" else set())) >= 3


def test_a_file_gives_the_same_and_gaps_are_counted_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = rows()
    pandas.DataFrame(data).to_csv(tmp_path / "rows.csv", index=False)
    monkeypatch.setattr("bayou.fitting.structure_search.LARGEST_KEPT", 0)
    from_file = learned("tan", tmp_path / "rows.csv")
    assert from_file.same_as(learned("tan", data))
    gaps = {name: column.astype(object) for name, column in data.items()}
    gaps["b"][:9] = None
    with pytest.warns(bayou.BayouWarning, match="gaps"):
        few = learned("tan", gaps)
    monkeypatch.undo()
    with pytest.warns(bayou.BayouWarning, match="gaps"):
        again = learned("tan", gaps)
    assert (
        str(few.learned_structure.to_table()).splitlines()[1:]
        == (str(again.learned_structure.to_table()).splitlines()[1:])
    )


def test_pairs_answer_for_tables_only_if_no_row_was_left_out() -> None:
    from bayou.sources import open_source

    whole = CachedSource(open_source(rows()))
    whole.collect([PairCounts(("a", "b", "c"), ("y",))])
    before = whole.asked
    tables = [CountTable(names) for names in (("b", "y", "a"), ("c",), ("y",), ("c", "a"))]
    found = whole.collect(tables)
    assert whole.asked == before
    plain = open_source(rows()).collect(tables)
    for request in tables:
        np.testing.assert_array_equal(found[request].values, plain[request].values)
    whole.collect([CountTable(("a", "b", "c"))])
    assert whole.asked == before + 1
    gaps = {name: column.astype(object) for name, column in rows().items()}
    gaps["c"][0] = None
    source = CachedSource(open_source(gaps))
    source.collect([PairCounts(("a", "b", "c"), ("y",))])
    source.collect([CountTable(("a",))])
    assert source.asked == 2
