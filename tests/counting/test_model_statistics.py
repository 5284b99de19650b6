"""Statistics of parts: they add up to one fit on all rows, are saved, and go on when interrupted."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayou
from bayou.errors import (
    BadFile,
    BadGraph,
    BadPrior,
    BadQuestion,
    BadStatistics,
    BayouWarning,
    UnknownVariable,
)

ROWS = 800
ARCS = "ill -> smoke, visits; smoke -> pulse"


def table() -> pd.DataFrame:
    random = np.random.default_rng(11)
    ill = random.choice(["no", "yes"], ROWS)
    smoke = random.choice(["never", "once", "daily"], ROWS)
    return pd.DataFrame(
        {
            "smoke": smoke,
            "visits": random.integers(0, 4, ROWS) + (ill == "yes"),
            "pulse": random.normal(70, 8, ROWS) + 5 * (ill == "yes"),
            "ill": ill,
        }
    )


def net() -> bayou.Network:
    return bayou.Network(ARCS)


def same_network(found: bayou.Network, expected: bayou.Network) -> None:
    for name in ("ill", "smoke", "visits"):
        assert found.statistics[name] == expected.statistics[name]
        np.testing.assert_array_equal(found.frozen.table(name), expected.frozen.table(name))
    one, other = found.statistics["pulse"], expected.statistics["pulse"]
    np.testing.assert_allclose(one.mean, other.mean, rtol=1e-10)
    np.testing.assert_allclose(one.scatter, other.scatter, rtol=1e-10)


def test_two_hospitals_merge_without_exchanging_rows(tmp_path: Path) -> None:
    rows = table()
    for name, part in {"north": rows[:300], "south": rows[300:]}.items():
        bayou.count(part, net()).save(tmp_path / f"{name}.stats")
    north, south = (bayou.load(tmp_path / f"{name}.stats") for name in ("north", "south"))
    both = north + south
    assert both.rows == ROWS
    same_network(both.model(prior=0.5), net().fit(rows, prior=0.5))
    same_network((both - south).model(), net().fit(rows[:300]))
    same_network(sum([north, south]).model(), net().fit(rows))
    assert repr(both) == "Statistics of 800 rows for <Network of 4 variables and 3 arcs, not fitted>"


@pytest.mark.parametrize("model", [bayou.NaiveBayes(), bayou.GaussianBayes(), bayou.AODE()], ids=repr)
def test_classifiers_of_two_hospitals(model: Any, tmp_path: Path) -> None:
    rows = (
        table()[["pulse", "ill"]] if isinstance(model, bayou.GaussianBayes) else table().drop(columns="pulse")
    )
    for name, part in {"north": rows[:300], "south": rows[300:]}.items():
        bayou.count(part, model, target="ill").save(tmp_path / f"{name}.stats")
    both = bayou.load(tmp_path / "north.stats") + bayou.load(tmp_path / "south.stats")
    found, expected = both.model(), type(model)().fit(rows, "ill")
    np.testing.assert_allclose(found.predict_proba(rows), expected.predict_proba(rows), rtol=1e-10)
    found.save(tmp_path / "model.bayou")
    np.testing.assert_array_equal(bayou.load(tmp_path / "model.bayou").predict(rows), expected.predict(rows))
    assert not hasattr(model, "statistics_")


def test_a_part_may_have_one_class_only() -> None:
    rows = table().drop(columns="pulse")
    parts = [
        bayou.count(rows[rows["ill"] == state], bayou.NaiveBayes(), target="ill") for state in ("no", "yes")
    ]
    expected = bayou.NaiveBayes().fit(rows, "ill").predict_proba(rows)
    np.testing.assert_array_equal(sum(parts).model().predict_proba(rows), expected)


def test_cuts_are_lent_by_a_fitted_classifier() -> None:
    rows = table()
    first = bayou.TAN().fit(rows[:300], "ill")
    one, other = (bayou.count(part, first, target="ill") for part in (rows[:300], rows[300:]))
    expected = bayou.TAN().fit(rows[:300], "ill").partial_fit(rows[300:], "ill").predict_proba(rows)
    np.testing.assert_array_equal((one + other).model().predict_proba(rows), expected)
    own = bayou.count(rows[300:], bayou.TAN(), target="ill")
    with pytest.raises(BadQuestion, match="different cuts of 'pulse'"):
        one + own


def test_files_columns_and_weights(tmp_path: Path) -> None:
    rows = table().assign(w=np.arange(ROWS) % 3, id=np.arange(ROWS))
    rows[:300].to_csv(tmp_path / "one.csv", index=False)
    rows[300:].to_parquet(tmp_path / "two.parquet")
    files = [tmp_path / "one.csv", tmp_path / "two.parquet"]
    for checkpoint in (None, tmp_path / "part.stats"):
        found = bayou.count(files, net(), weights="w", checkpoint=checkpoint).model()
        np.testing.assert_allclose(
            found.frozen.table("visits"),
            net().fit(rows, weights=rows["w"]).frozen.table("visits"),
            rtol=1e-14,
        )
        counted = bayou.count(
            files, bayou.NaiveBayes(), target="ill", weights="w", ignore=["id"], checkpoint=checkpoint
        )
        kept = rows.drop(columns=["w", "id"])
        expected = bayou.NaiveBayes().fit(kept, "ill", sample_weight=rows["w"])
        np.testing.assert_array_equal(counted.model().predict_proba(kept), expected.predict_proba(kept))


def batches(stop: int | None = None, error: BaseException | None = None) -> Iterator[pd.DataFrame]:
    for number, start in enumerate(range(0, ROWS, 100)):
        if number == stop and error is not None:
            raise error
        yield table()[start : start + 100]


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), ConnectionError("lost"), BadFile("line 7 is malformed")]
)
@pytest.mark.parametrize("kind", ["network", "classifier"])
def test_an_interrupted_count_goes_on_where_it_stopped(
    kind: str, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, how = (net(), {}) if kind == "network" else (bayou.NaiveBayes(), {"target": "ill"})
    file = tmp_path / "so-far.stats"
    with pytest.raises(type(error)):
        bayou.count(bayou.from_batches(batches(4, error)), model, checkpoint=file, **how)
    kept = bayou.load(file)
    assert kept.rows == 400
    with pytest.raises(BadStatistics, match="interrupted count, so far of 400 rows"):
        kept.model()
    with pytest.raises(type(error)):  # a second interruption, while rows are skipped, loses nothing
        bayou.count(bayou.from_batches(batches(2, error)), model, checkpoint=file, **how)
    assert bayou.load(file).rows == 400
    found = bayou.count(bayou.from_batches(batches()), model, checkpoint=file, **how)
    assert not file.exists()
    if kind == "network":
        same_network(found.model(), net().fit(table()))
    else:
        expected = bayou.NaiveBayes().fit(table(), "ill")
        np.testing.assert_array_equal(found.model().predict_proba(table()), expected.predict_proba(table()))


def test_going_on_needs_the_same_data_and_the_same_model(tmp_path: Path) -> None:
    file = tmp_path / "so-far.stats"

    def interrupted() -> None:
        with pytest.raises(ConnectionError):
            bayou.count(bayou.from_batches(batches(3, ConnectionError())), net(), checkpoint=file)

    interrupted()
    changed = [part.assign(ill="no") if number == 2 else part for number, part in enumerate(batches())]
    for other in (changed, changed[:2]):
        with pytest.raises(BadFile, match=r"300 rows.* have changed since"):
            bayou.count(bayou.from_batches(other), net(), checkpoint=file)
    with pytest.raises(BadFile, match="counted with another network"):
        bayou.count(bayou.from_batches(batches()), bayou.Network("ill -> smoke"), checkpoint=file)
    table().to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(BadFile, match="interrupted count of BatchSource"):
        bayou.count(tmp_path / "rows.parquet", net(), checkpoint=file)
    net().fit(table()).save(tmp_path / "net.bayou")
    with pytest.raises(BadFile, match="not an interrupted count"):
        bayou.count(table(), net(), checkpoint=tmp_path / "net.bayou")
    same_network(
        bayou.count(bayou.from_batches(batches()), net(), checkpoint=file).model(), net().fit(table())
    )


def test_a_malformed_row_is_repaired_and_the_count_goes_on(tmp_path: Path) -> None:
    """In the second file: in one file duckdb may come upon it before it hands on the first rows."""
    good = pd.concat([table()] * 300, ignore_index=True)[["ill", "smoke"]]
    lines = good.to_csv(index=False).splitlines()
    parts, file = [tmp_path / "rows-1.csv", tmp_path / "rows-2.csv"], tmp_path / "so-far.stats"
    for part in parts:
        part.write_text("\n".join(lines) + "\n")
    parts[1].write_text("\n".join([*lines[:-5], "too,many,cells,here", *lines[-5:]]) + "\n")
    pair = bayou.Network("ill -> smoke")
    with pytest.raises(BadFile, match=r"rows-2\.csv, line"):
        bayou.count(parts, pair, checkpoint=file)
    assert len(good) <= bayou.load(file).rows < 2 * len(good)
    parts[1].write_text("\n".join(lines) + "\n")
    found = bayou.count(parts, pair, checkpoint=file)
    assert found.model().same_as(pair.copy().fit(pd.concat([good, good])))


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.stats"
    counted = bayou.count(table(), net())
    counted.save(file)
    before = file.read_bytes()

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("bayou.formats.file_content.put_in_place", full)
    with pytest.raises(BadFile, match="cannot be written: No space left on device"):
        (counted + counted).save(file)
    assert file.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.stats"]


def test_gaps_are_counted_by_family_and_told() -> None:
    rows = table().astype({"smoke": object})
    rows.loc[::7, "smoke"] = None
    with pytest.warns(BayouWarning, match="Some rows have gaps"):
        found = bayou.count(rows, net())
    same_network(found.model(), net().fit(rows, method="count"))


def test_what_does_not_add_says_why() -> None:
    rows = table()
    one = bayou.count(rows, net())
    with pytest.raises(BadGraph, match="these differ"):
        one + bayou.count(rows, bayou.Network("ill -> smoke"))
    with pytest.raises(BadStatistics, match="network and statistics for a classifier"):
        one + bayou.count(rows, bayou.NaiveBayes(), target="ill")
    with pytest.raises(BadStatistics, match="'pulse' was counted as states in one"):
        one + bayou.count(rows.assign(pulse=rows["pulse"].round().astype(int)), net())
    with pytest.raises(BadPrior, match="one of its settings"):
        bayou.count(rows, bayou.NaiveBayes(), target="ill").model(prior=2)
    with pytest.raises(BadQuestion, match="Name the column to predict"):
        bayou.count(rows, bayou.NaiveBayes())
    with pytest.raises(BadQuestion, match="for classifiers"):
        bayou.count(rows, net(), target="ill")
    with pytest.raises(BadQuestion, match="not a network or a classifier"):
        bayou.count(rows, bayou.HMM(2))
    with pytest.raises(UnknownVariable, match="'sick'"):
        bayou.count(rows, bayou.NaiveBayes(), target="sick")
    with pytest.raises(BadFile, match=r"end in \.stats"):
        one.save("a.csv")
    with pytest.raises(TypeError):
        one + 1


@pytest.mark.parametrize("model", [bayou.TAN(), bayou.AODE(), bayou.KDependence()], ids=repr)
def test_cuts_of_several_files_come_from_all_of_them(model: Any, tmp_path: Path) -> None:
    rows = table()
    rows[:100].sort_values("pulse").to_csv(tmp_path / "one.csv", index=False)
    rows[100:].to_parquet(tmp_path / "two.parquet")
    files = [tmp_path / "one.csv", tmp_path / "two.parquet"]
    expected = type(model)().fit(rows, "ill").predict_proba(rows)
    for checkpoint in (None, tmp_path / "so-far.stats"):
        found = bayou.count(files, model, target="ill", checkpoint=checkpoint)
        np.testing.assert_array_equal(found.model().predict_proba(rows), expected)


@pytest.mark.parametrize("model", [bayou.TAN, bayou.AODE])
def test_sites_agree_on_cuts_in_a_first_round(model: Any, tmp_path: Path) -> None:
    rows = table()
    sites = (rows[:300], rows[300:])
    values = sum(bayou.count(site, bayou.NaiveBayes("auto"), target="ill") for site in sites)
    values.save(tmp_path / "values.stats")
    cuts = bayou.load(tmp_path / "values.stats").cuts()
    assert list(cuts) == ["pulse"]  # the few whole numbers of visits are states
    both = sum(bayou.count(site, model(states=cuts), target="ill") for site in sites)
    expected = model().fit(rows, "ill").predict_proba(rows)
    np.testing.assert_array_equal(both.model().predict_proba(rows), expected)
    with pytest.raises(BadStatistics, match="no values of numbers"):
        both.cuts()
