"""Learning arcs: the families that a search over all of them finds, and those that data were drawn from."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayou
from bayou.errors import BadData, BadQuestion, BayouWarning, UnknownVariable
from bayou.sources.files import file_source
from bayou.statistics.rows import sequence_batch


def truth() -> bayou.DynamicNetwork:
    net = bayou.DynamicNetwork(
        "A -> A'; A -> B'; B -> C'; C -> C'; A -> D; C -> D; D -> D''",
        states={name: ["no", "yes"] for name in "ABCD"},
    )
    chance = np.random.default_rng(1)
    for table in net.tables:
        parents = len(net.parents(table))
        high = chance.permutation(np.linspace(0.08, 0.92, 2**parents)) if parents else np.array([0.5])
        net.set_cpt(table, np.stack([1 - high, high], axis=-1).reshape([2] * parents + [2]))
    return net


def test_finds_the_arcs_that_sequences_were_drawn_from() -> None:
    rows = truth().sample(300, sequences=20, seed=2)
    found = bayou.learn_dynamic_structure(rows, lags=2, forbid="D -> A; D -> C")
    assert set(found.arcs) == set(truth().arcs)
    assert found.learning.method == "count"


def bic(rows: list[dict[str, list[str]]], child: str, parents: tuple[str, ...]) -> float:
    """The score of a family whose parents are in the slice before, counted by hand."""
    counts: dict[tuple[str, ...], dict[str, int]] = {}
    n = 0
    for one in rows:
        for t in range(1, len(one[child])):
            cell = counts.setdefault(tuple(one[p][t - 1] for p in parents), {"no": 0, "yes": 0})
            cell[one[child][t]] += 1
            n += 1
    logs = sum(c * math.log(c / sum(cell.values())) for cell in counts.values() for c in cell.values() if c)
    return logs - math.log(n) / 2 * 2 ** len(parents)


def test_without_arcs_in_a_slice_every_family_is_the_best_of_all() -> None:
    rows = truth().sample(60, sequences=3, seed=4)
    found = bayou.learn_dynamic_structure(rows, within=False, method="exact")
    for child in "ABCD":
        every = [c for k in range(5) for c in itertools.combinations("ABCD", k)]
        best = max(every, key=lambda parents: bic(rows, child, parents))
        assert {parent for parent, other, lag in found.arcs if other == child} == set(best)
        assert all(lag == 1 for *_, lag in found.arcs)


def test_required_and_forbidden_arcs() -> None:
    rows = truth().sample(200, sequences=2, seed=3)
    found = bayou.learn_dynamic_structure(rows, require="D -> A'", forbid="A -> A'; C -> C'", max_parents=2)
    assert ("D", "A", 1) in found.arcs
    assert not {("A", "A", 1), ("C", "C", 1)} & set(found.arcs)
    with pytest.raises(BadQuestion, match="lags=2"):
        bayou.learn_dynamic_structure(rows, require="A -> A''")
    with pytest.raises(UnknownVariable, match="'Z'"):
        bayou.learn_dynamic_structure(rows, forbid="Z -> A'")
    with pytest.raises(BadData, match="more than 1 steps"):
        bayou.learn_dynamic_structure([{"A": [0]}, {"A": [1]}])
    with pytest.raises(BadData, match="real numbers"):
        bayou.learn_dynamic_structure({"A": [0.5, 1.25, 2.5]})


def test_gaps_and_columns_that_are_left_out() -> None:
    rows = truth().sample(400, sequences=4, seed=5)
    chance = np.random.default_rng(0)
    holes = [
        {n: [c if chance.random() < 0.95 else None for c in cells] for n, cells in one.items()}
        for one in rows
    ]
    with pytest.warns(BayouWarning, match="have gaps"):
        found = bayou.learn_dynamic_structure(holes, ignore="D")
    assert found.names == ("A", "B", "C")
    assert set(found.arcs) >= {("A", "A", 1), ("A", "B", 1), ("B", "C", 1), ("C", "C", 1)}
    assert found.learning.method == "em"


def with_places() -> tuple[bayou.DynamicNetwork, dict[str, list[Any]]]:
    net = bayou.DynamicNetwork(
        "Place -> Rain; Rain -> Rain'; Rain -> Umbrella",
        constant=["Place"],
        states={"Place": ["dry", "wet"], "Rain": ["no", "yes"], "Umbrella": ["no", "yes"]},
        tables={
            "Place": [0.5, 0.5],
            "Rain": [[0.9, 0.1], [0.4, 0.6]],
            "Rain'": [[[0.95, 0.05], [0.6, 0.4]], [[0.5, 0.5], [0.05, 0.95]]],
            "Umbrella": [[0.9, 0.1], [0.1, 0.9]],
        },
    )
    rows: dict[str, list[Any]] = {name: [] for name in ("id", "t", *net.names)}
    for k, one in enumerate(net.sample(40, sequences=60, seed=1)):
        rows["id"] += [k] * 40
        rows["t"] += range(40)
        for name in net.names:
            rows[name] += one[name]
    return net, rows


KEYS: dict[str, Any] = {"sequence": "id", "time": "t"}


def test_variables_with_one_value_a_sequence() -> None:
    net, rows = with_places()
    found = bayou.learn_dynamic_structure(rows, **KEYS, constant="Place", forbid="Umbrella -> Rain")
    assert set(found.arcs) == set(net.arcs)
    assert found.template.constant == {"Place"}
    with pytest.warns(BayouWarning, match=r"'Place' never changes.*constant=\['Place'\]"):
        bayou.learn_dynamic_structure(rows, **KEYS)
    # One cell of a sequence says the value of all its rows.
    once = dict(rows, Place=[p if t == 7 else None for p, t in zip(rows["Place"], rows["t"], strict=True)])
    assert bayou.learn_dynamic_structure(once, **KEYS, constant=["Place"]).arcs == found.arcs
    with pytest.raises(BadQuestion, match="'Place' is constant, so it has no parents"):
        bayou.learn_dynamic_structure(rows, **KEYS, constant="Place", require="Rain -> Place")
    with pytest.raises(BadData, match="'Rain' has one value for a whole sequence, but two in sequence 0"):
        bayou.learn_dynamic_structure(rows, **KEYS, constant="Rain")
    with pytest.raises(UnknownVariable, match="'Town' in constant"):
        bayou.learn_dynamic_structure(rows, **KEYS, constant="Town")
    with pytest.raises(BadQuestion, match="method='pc' is unknown"):
        bayou.learn_dynamic_structure(rows, **KEYS, method="pc")


def test_files_larger_than_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, rows = with_places()
    pl.DataFrame(rows).sample(fraction=1, shuffle=True, seed=1).write_parquet(tmp_path / "rows.parquet")
    whole = bayou.learn_dynamic_structure(rows, **KEYS, constant="Place")
    monkeypatch.setattr(sequence_batch, "ROWS_OF_PART", 300)
    monkeypatch.setattr(file_source, "LARGEST_WHOLE", -1)
    monkeypatch.setattr(file_source, "BATCH_ROWS", 123)
    found = bayou.learn_dynamic_structure(tmp_path / "rows.parquet", **KEYS, constant="Place")
    assert found.same_as(whole)
