"""More rows than an ensemble keeps: the structure of a sample stays, all rows are counted into it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from tests.estimators.pooled.test_bayes_ensemble import table

import bayou
from bayou import BayesEnsemble
from bayou.errors import BadQuestion, BadStatistics, without_warnings
from bayou.estimators.pooled import bayes_ensemble
from bayou.estimators.pooled.frozen.ensemble_statistics import counts_request
from bayou.estimators.pooled.frozen.structure_counts import CountStructure

KEPT = 256


@pytest.fixture(autouse=True)
def few_kept_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bayes_ensemble, "MOST_ROWS", KEPT)


def small(rows: Any, y: Any, **how: Any) -> BayesEnsemble:
    return BayesEnsemble("small").fit(rows, y, **how)


def counts(model: BayesEnsemble) -> Any:
    request = counts_request(model.statistics_)
    assert request is not None
    return model.statistics_[request].aligned([model._class_variable]).settled()


def assert_same_counts(one: BayesEnsemble, other: BayesEnsemble) -> None:
    left, right = counts(one), counts(other)
    for a, b in zip((left.by_class, *left.cells), (right.by_class, *right.cells), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9)
    np.testing.assert_array_equal(left.nodes.places, right.nodes.places)
    np.testing.assert_allclose(left.nodes.counts, right.nodes.counts)


@pytest.fixture(scope="module")
def new() -> pandas.DataFrame:
    return table(200, seed=9)[0]


def test_counts_of_the_tables_are_those_of_all_rows(new: pandas.DataFrame) -> None:
    rows, y = table(1500)
    model = small(rows, y)
    found, members = counts(model), model._model.members
    assert found.by_class.tolist() == [(y == name).sum() for name in model.classes_]
    # The counts of one table, made by pandas from the codes of all rows.
    member = members.tables.dependences.members[1]
    with without_warnings():
        fine = members.prepared.coded(bayes_ensemble_table(model, rows))
    codes = pandas.DataFrame(members.prepared.of_member(1, fine).T)
    for column, parents in enumerate(member.parents.tolist()):
        of = [column, *(parent for parent in parents if parent >= 0)]
        known = (codes[of] != 255).all(axis=1).to_numpy()
        expected = codes[known].groupby([*of, y[known]]).size()
        assert set(expected.to_numpy()) <= set(cells_of(model, 1, column).ravel().tolist())
        assert cells_of(model, 1, column).sum() == known.sum()
    # Every tree has each row in one node.
    assert found.nodes.counts.sum() == 40 * len(y)
    better = small(rows[: KEPT - 1], y[: KEPT - 1])
    loss = [log_loss(each) for each in (model, better)]
    assert loss[0] < loss[1]


def bayes_ensemble_table(model: BayesEnsemble, rows: pandas.DataFrame) -> Any:
    from bayou.estimators.input.table_input import read_features

    return read_features(model, rows, reset=False)


def cells_of(model: BayesEnsemble, number: int, column: int) -> Any:
    member = model._model.members.tables.dependences.members[number]
    sizes = [
        int(card) * int(np.prod([member.cards[parent] for parent in own if parent >= 0]))
        for card, own in zip(member.cards, member.parents.tolist(), strict=True)
    ]
    start = sum(sizes[:column])
    return counts(model).cells[number][start : start + sizes[column]]


def log_loss(model: BayesEnsemble) -> float:
    rows, y = table(2000, seed=8)
    logs = model.predict_log_proba(rows)
    return float(-logs[np.arange(len(y)), np.searchsorted(model.classes_, y)].mean())


def test_order_threads_and_sources_change_nothing(new: pandas.DataFrame, tmp_path: Path) -> None:
    rows, y = table(900)
    expected = small(rows, y).predict_proba(new)
    order = np.random.default_rng(0).permutation(len(y))
    np.testing.assert_array_equal(small(rows.iloc[order], y[order]).predict_proba(new), expected)
    with bayou.threads(1):
        np.testing.assert_array_equal(small(rows, y).predict_proba(new), expected)
    whole = rows.assign(target=y)
    whole.to_csv(tmp_path / "rows.csv", index=False)
    whole.to_parquet(tmp_path / "rows.parquet")
    parts = [whole[:90], whole[90:400], whole[400:]]
    sources = {
        "csv": tmp_path / "rows.csv",
        "parquet": tmp_path / "rows.parquet",
        "streamed": bayou.sources.FileSource(tmp_path / "rows.parquet", largest_whole=0),
        "batches": bayou.from_batches(lambda: iter(parts)),
        "kept batches": bayou.from_batches(iter(parts), keep=True),
    }
    for name, source in sources.items():
        found = BayesEnsemble("small").fit(source, "target").predict_proba(new)
        np.testing.assert_array_equal(found, expected, err_msg=name)


def test_a_database_gives_the_same(new: pandas.DataFrame) -> None:
    duckdb = pytest.importorskip("duckdb")
    rows, y = table(700)
    whole, new = rows.drop(columns="day").assign(target=y), new.drop(columns="day")
    expected = BayesEnsemble("small").fit(whole, "target").predict_proba(new)
    connection = duckdb.connect()
    connection.register("t", whole)
    source = bayou.from_sql("select * from t", connection)
    found = BayesEnsemble("small").fit(source, "target").predict_proba(new)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("n", [600, 700])
def test_a_weight_of_2_is_the_row_twice_and_0_is_absent(n: int, new: pandas.DataFrame) -> None:
    rows, y = table(n)
    weights = np.random.default_rng(5).integers(0, 4, n)
    places = np.repeat(np.arange(n), weights)
    repeated = small(rows.iloc[places].reset_index(drop=True), y[places])
    weighted = small(rows, y, sample_weight=weights)
    assert hasattr(weighted, "structure_")
    np.testing.assert_allclose(weighted.predict_proba(new), repeated.predict_proba(new), rtol=1e-9)


def test_many_repeated_rows_fit_into_the_sample(new: pandas.DataFrame) -> None:
    rows, y = table(120)
    many = pandas.concat([rows] * 5, ignore_index=True), np.tile(y, 5)
    with without_warnings():
        model = small(*many)
    assert not hasattr(model, "structure_")
    with without_warnings():  # of weights that count no rows
        weighted = small(rows, y, sample_weight=np.full(120, 5))
    np.testing.assert_allclose(model.predict_proba(new), weighted.predict_proba(new), rtol=1e-9)


def test_the_call_that_overflows_is_fit_on_all_rows_so_far(new: pandas.DataFrame) -> None:
    rows, y = table(900)
    first = small(rows[:100], y[:100]).partial_fit(rows[100:200], y[100:200])
    assert not hasattr(first, "structure_")
    np.testing.assert_array_equal(first.predict_proba(new), small(rows[:200], y[:200]).predict_proba(new))
    first.partial_fit(rows[200:], y[200:])
    np.testing.assert_array_equal(first.predict_proba(new), small(rows, y).predict_proba(new))


def test_later_rows_are_counted_in_any_split_and_order(new: pandas.DataFrame) -> None:
    rows, y = table(600)
    more, z = table(500, seed=4)
    start = small(rows, y)
    at_once = start.copy().partial_fit(more, z)
    halves = start.copy().partial_fit(more[230:], z[230:]).partial_fit(more[:230], z[:230])
    np.testing.assert_array_equal(halves.predict_proba(new), at_once.predict_proba(new))
    assert at_once.structure_ is start.structure_
    assert counts(at_once).total == 1100
    assert_same_counts(at_once.copy().forget(more, z), start)
    assert not np.array_equal(at_once.predict_proba(new), start.predict_proba(new))


def test_batches_that_are_read_once_are_all_counted(new: pandas.DataFrame) -> None:
    rows, y = table(900)
    whole = rows.assign(target=y)
    model = BayesEnsemble("small").fit(iter([whole[:400], whole[400:]]), "target")
    np.testing.assert_array_equal(
        model.predict_proba(new),
        small(rows[:400], y[:400]).partial_fit(rows[400:], y[400:]).predict_proba(new),
    )
    assert counts(model).total == 900


def test_a_class_first_seen_later_has_counts_and_a_chance(new: pandas.DataFrame) -> None:
    rows, y = table(600)
    model = small(rows, y)
    later, z = table(80, seed=6)
    later, z = later.assign(x=later["x"] + 9.0), np.array(["hier"] * 80)
    one = small(rows, y).partial_fit(later[:1], z[:1])
    assert one.classes_.tolist() == ["hier", "ja", "nein", "offen"]
    assert (one.predict_proba(new) > 0).all()
    model.partial_fit(later, z)
    proba = model.predict_proba(later.assign(x=later["x"] + 0.01))
    assert proba[:, 0].mean() > 0.5 > 0.05 > model.predict_proba(new)[:, 0].mean() > 0
    assert counts(model).by_class[0] == 80
    for of, against in (("hier", "ja"), ("ja", "nein"), ("ja", "hier")):
        ledger = model.explain(new.iloc[[3]], of=of, against=against)
        logs = dict(zip(model.classes_, model.predict_log_proba(new.iloc[[3]])[0], strict=True))
        parts = ledger.prior + sum(entry.log_odds for entry in ledger.entries)
        assert abs(parts - (logs[of] - logs[against])) < 1e-9
    back = model.copy().forget(later, z)
    assert back.classes_.tolist() == ["ja", "nein", "offen"]
    assert_same_counts(back, small(rows, y))


def test_a_class_all_of_whose_rows_are_forgotten_is_dropped(new: pandas.DataFrame) -> None:
    rows, y = table(600)
    gone = y == "offen"
    model = small(rows, y).forget(rows[gone], y[gone])
    assert model.classes_.tolist() == ["ja", "nein"]
    np.testing.assert_allclose(model.predict_proba(new).sum(axis=1), 1.0)


def test_new_states_and_gaps_of_later_rows_are_left_out(new: pandas.DataFrame) -> None:
    rows, y = table(600)
    more, z = table(300, seed=4)
    strange = more.assign(kind="neu", x=np.nan, flag=None)
    model = small(rows, y).partial_fit(strange, z)
    assert np.isfinite(np.log(model.predict_proba(new))).all()
    assert counts(model).total == 900
    assert counts(model).nodes.counts.sum() == 40 * 900
    assert_same_counts(model.copy().forget(strange, z), small(rows, y))


def test_sums_count_the_rows_of_the_smaller_or_refuse(new: pandas.DataFrame) -> None:
    rows, y = table(900)
    large, few = small(rows[:700], y[:700]), small(rows[700:], y[700:])
    expected = large.copy().partial_fit(rows[700:], y[700:])
    for both in (large + few, few + large):
        np.testing.assert_array_equal(both.predict_proba(new), expected.predict_proba(new))
    assert_same_counts(expected - few, large)
    one, other = small(rows[:200], y[:200]), small(rows[200:450], y[200:450])
    assert not hasattr(one, "structure_")
    np.testing.assert_array_equal(
        (one + other).predict_proba(new), small(rows[:450], y[:450]).predict_proba(new)
    )
    with pytest.raises(BadQuestion, match=r"copy\(\) it, then partial_fit\(\)"):
        large + small(*table(600, seed=3))
    with pytest.raises(BadStatistics, match="counted"):
        few - large


def test_files_that_dropped_rows_learn_on_from_those_that_they_kept(
    new: pandas.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, y = table(600)
    model = small(rows, y)
    monkeypatch.setattr(bayes_ensemble, "MOST_ROWS", 2 * KEPT)  # files say how many they keep
    kept = {request for request in model.statistics_ if counts_request({request: 0}) is None}
    old = model.copy()
    old.statistics_ = model.statistics_.only(kept)  # as earlier versions left it
    del old.structure_
    old.partial_fit(*table(100, seed=4))
    assert counts(old).total == KEPT + 100
    assert np.isfinite(old.predict_log_proba(new)).all()


def test_rows_that_were_not_learned_cannot_be_forgotten() -> None:
    rows, y = table(600)
    model = small(rows, y)
    strange, z = table(300, seed=3)
    with pytest.raises(BadStatistics):
        model.forget(strange, z).forget(strange, z)


def test_sites_count_into_one_structure(new: pandas.DataFrame, tmp_path: Path) -> None:
    rows, y = table(600)
    more, z = table(500, seed=4)
    model = small(rows, y)
    there = bayou.count(more.assign(target=z), model, target="target")
    own = bayou.count(rows.assign(target=y), model, target="target")
    there.save(tmp_path / "there.stats")
    both = (own + bayou.load(tmp_path / "there.stats")).model()
    np.testing.assert_array_equal(both.predict_proba(new), model.partial_fit(more, z).predict_proba(new))


def test_files_and_pickles_learn_on(new: pandas.DataFrame, tmp_path: Path) -> None:
    rows, y = table(600)
    more, z = table(300, seed=4)
    model = small(rows, y)
    model.save(tmp_path / "model.bayou", rows=True)
    expected = model.copy().partial_fit(more, z).predict_proba(new)
    for again in (bayou.load(tmp_path / "model.bayou"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))
        np.testing.assert_array_equal(again.partial_fit(more, z).predict_proba(new), expected)
    model.save(tmp_path / "plain.bayou")
    alone = bayou.load(tmp_path / "plain.bayou")
    np.testing.assert_array_equal(alone.predict_proba(new), model.predict_proba(new))
    assert not hasattr(alone, "structure_")


def test_half_lives_weigh_the_counts(new: pandas.DataFrame) -> None:
    rows, y = table(600)
    more, z = table(100, seed=4)
    aged = small(rows, y).partial_fit(more, z, half_life=100)
    assert counts(aged).by_class.sum() == pytest.approx(300 + sum(2 ** (-k / 100) for k in range(100)))
    assert np.isfinite(np.log(aged.predict_proba(new))).all()


def test_noise_is_predicted_as_the_class_shares() -> None:
    random = np.random.default_rng(0)
    rows = {f"c{k}": random.normal(size=3000) for k in range(5)} | {"s": random.choice(list("abcd"), 3000)}
    y = random.choice(["no", "yes"], 3000, p=[0.7, 0.3])
    model = small(rows, y)
    assert hasattr(model, "structure_")
    logs = model.predict_log_proba({name: random.permutation(column) for name, column in rows.items()})
    truth = random.choice([0, 1], 3000, p=[0.7, 0.3])
    of_shares = -np.log([(y == name).mean() for name in model.classes_])[truth].mean()
    assert -logs[np.arange(3000), truth].mean() < 1.02 * of_shares


def test_workers_of_a_cluster_count_into_the_structure(new: pandas.DataFrame) -> None:
    rows, y = table(600)
    more, z = table(500, seed=4)
    model = small(rows, y)
    request = CountStructure.of(model.structure_, "class")
    parts = []
    for places in (slice(0, 130), slice(130, 500)):
        worker = pickle.loads(pickle.dumps(request))
        source = bayou.sources.open_source({**_plain(more[places]), "class": z[places].tolist()})
        parts.append(pickle.loads(pickle.dumps(source.collect([worker])[worker])))
    found = (parts[1] + parts[0]).settled()
    expected = counts(model.copy().partial_fit(more, z)).plus(counts(model), -1)
    np.testing.assert_array_equal(found.by_class, expected.by_class)
    np.testing.assert_array_equal(found.nodes.places, expected.nodes.places)
    for one, other in zip(found.cells, expected.cells, strict=True):
        np.testing.assert_array_equal(one, other)


def _plain(rows: pandas.DataFrame) -> dict[str, Any]:
    days = (rows["day"] - pandas.Timestamp("1970-01-01")).dt.days.astype(float)
    return {name: rows.assign(day=days)[name].to_numpy() for name in rows.columns}
