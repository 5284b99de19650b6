"""bayou predict."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.classifiers.conftest import labelled_rows, rows_of
from tests.cli.conftest import Run, RunJson

import bayou


def test_a_feature_cannot_score_the_answers(model: bayou.NaiveBayes, run: Run) -> None:
    done = run("predict", "golf.bayou", "golf.csv", "--target", "wind speed", exit_code=1)
    assert "'wind speed' is a feature of golf.bayou" in done.stderr


def test_predict_writes_the_rows_with_what_the_library_predicts(model: bayou.NaiveBayes, run: Run) -> None:
    answers = rows_of(run("predict", "golf.bayou", "golf.csv", "--proba").stdout)
    assert len(answers) == 80
    table = pd.read_csv("golf.csv", dtype={"code": str}).drop(columns="play?")
    assert [row["predicted_play?"] for row in answers] == model.predict(table).tolist()
    said = [[float(row["P(play?=no)"]), float(row["P(play?=yes)"])] for row in answers]
    assert said == pytest.approx(model.predict_proba(table))
    originals = rows_of(Path("golf.csv").read_text(encoding="utf-8"))
    assert [{name: row[name] for name in originals[0]} for row in answers] == originals


def test_a_large_file_is_predicted_some_rows_at_a_time(
    model: bayou.NaiveBayes, run_json: RunJson, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = ("predict", "golf.bayou", "golf.csv", "--proba", "--target", "play?")
    at_once = run_json(*question)
    lines = run(*question).stdout
    monkeypatch.setattr("bayou.sources.files.file_source.LARGEST_WHOLE", 0)
    monkeypatch.setattr("bayou.sources.files.file_source.BATCH_ROWS", 7)
    streamed = run_json(*question)
    assert streamed["predictions"] == at_once["predictions"]
    assert np.array(streamed["probabilities"]) == pytest.approx(np.array(at_once["probabilities"]), abs=1e-12)
    assert streamed["scores"]["confusion"] == at_once["scores"]["confusion"]
    assert len(run(*question).stdout) == len(lines)


def test_predict_writes_files_of_every_kind(model: bayou.NaiveBayes, run: Run) -> None:
    table = pd.read_csv("golf.csv", dtype={"code": str}).drop(columns="play?")
    for name in ("out.csv", "out.tsv.gz", "out.parquet"):
        printed = run("predict", "golf.bayou", "golf.csv", "-o", name).stdout
        assert f"Saved to {name}" in printed
        read = (
            pd.read_parquet(name)
            if name.endswith("parquet")
            else pd.read_csv(name, sep=None, engine="python")
        )
        assert read["predicted_play?"].tolist() == model.predict(table).tolist()
        assert "P(play?=no)" not in read


def test_codes_that_look_like_numbers_in_a_new_file_stay_text(model: bayou.NaiveBayes, run: Run) -> None:
    Path("new.csv").write_text("größe,wind speed,code\n0.5,strong,1\n0.5,strong,2\n", encoding="utf-8")
    answers = rows_of(run("predict", "golf.bayou", "new.csv", "--proba").stdout)
    expected = model.predict_proba({"größe": [0.5] * 2, "wind speed": ["strong"] * 2, "code": ["1", "2"]})
    assert [float(row["P(play?=no)"]) for row in answers] == pytest.approx(expected[:, 0])


def test_columns_that_are_missing_or_not_used_are_reported(model: bayou.NaiveBayes, run: Run) -> None:
    Path("new.csv").write_text("wind speed,id\nstrong,7\n", encoding="utf-8")
    done = run("predict", "golf.bayou", "new.csv", "--proba")
    assert "There is no column for 'größe', 'code': missing in every row." in done.stderr
    assert "Not used by the model: 'id'." in done.stderr
    expected = model.predict_proba({"wind speed": ["strong"], "größe": [None], "code": [None]})
    assert float(rows_of(done.stdout)[0]["P(play?=no)"]) == pytest.approx(expected[0, 0])
    Path("none.csv").write_text("größse,id\n1,7\n", encoding="utf-8")
    assert "Did you mean" in run("predict", "golf.bayou", "none.csv", exit_code=1).stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,c,d,e\n1,2,3,4,5\n", "no column for any of"),
        ("a,b,c,d,code,e,f,g\n1,2,3,4,5,6,7,8\n", "another table: of the 4 features it has only 'code'"),
        ("größe,Wind_Speed,code\n1,strong,2\n", "Did you mean 'wind speed'?"),
    ],
)
def test_quite_another_table_and_misspelt_columns_are_errors(
    golf: Path, run: Run, text: str, message: str
) -> None:
    table = labelled_rows().assign(day=["mon", "tue", "wed"] * 26 + ["mon"])
    table.to_csv("days.csv", index=False)
    run("fit", "days.csv", "--target", "play?", "-o", "days.bayou")
    Path("other.csv").write_text(text, encoding="utf-8")
    assert message in run("predict", "days.bayou", "other.csv", exit_code=1).stderr


def test_predictions_are_scored_by_a_column(model: bayou.NaiveBayes, run: Run, run_json: RunJson) -> None:
    printed = run("predict", "golf.bayou", "golf.csv", "--target", "play?", "-o", "out.csv").stdout
    reported = run_json("predict", "golf.bayou", "golf.csv", "--target", "play?")
    table = labelled_rows()
    hits = model.predict(table.drop(columns="play?")) == table["play?"]
    assert reported["scores"]["accuracy"] == hits.mean()
    assert reported["scores"]["unlabelled"] == 1
    assert f"Of 79 labelled rows: accuracy {hits.mean():.4f}" in printed
    assert "Not scored: 1 row without a label." in printed
    assert "true \\ predicted" in printed
    assert len(reported["predictions"]) == 80
    no_such = run("predict", "golf.bayou", "golf.csv", "--target", "plai", exit_code=1)
    assert "Did you mean 'play?'?" in no_such.stderr


def test_a_true_class_that_the_model_does_not_know_counts_as_wrong(
    model: bayou.NaiveBayes, run_json: RunJson, run: Run
) -> None:
    Path("new.csv").write_text("wind speed,truth\nstrong,maybe\n", encoding="utf-8")
    scores = run_json("predict", "golf.bayou", "new.csv", "--target", "truth")["scores"]
    assert scores["accuracy"] == 0
    assert scores["confusion"]["classes"] == ["no", "yes", "maybe"]
    done = run("predict", "golf.bayou", "new.csv", "--target", "truth")
    assert "Classes that the model does not know: 'maybe'." in done.stderr


def test_a_column_of_the_answers_name_is_not_overwritten(model: bayou.NaiveBayes, run: Run) -> None:
    Path("new.csv").write_text("wind speed,predicted_play?\nstrong,x\n", encoding="utf-8")
    (row,) = rows_of(run("predict", "golf.bayou", "new.csv").stdout)
    assert row["predicted_play?"] == "x"
    assert row["predicted_play?'"] in ("no", "yes")


def test_networks_predict_too(run: Run, run_json: RunJson, folder: Path) -> None:
    for name in ("rain.bif", "rain.bayou"):
        done = run("predict", name, "rain.csv", "--target", "Rain", "--proba")
        answers = rows_of(done.stdout)
        net = bayou.load("rain.bayou")
        said = [float(row["P(Rain=yes)"]) for row in answers]
        assert said == pytest.approx(
            [net.query("Rain", {"Wet": w})["yes"] for w in ("yes", "no", "yes")] + [0.2]
        )
        assert "Of 4 labelled rows" in done.stderr
    (folder / "wet.csv").write_text("Wet\nyes\n", encoding="utf-8")
    assert run_json("predict", "rain.bif", "wet.csv", "--target", "Rain")["predictions"] == ["yes"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rain.bif", "rain.csv"], "say which variable to predict with --target"),
        (["rain.bif", "rain.csv", "--target", "Rian"], "Did you mean 'Rain'?"),
        (["rain.csv", "rain.csv"], "is a table, not a model"),
        (["rian.bif", "rain.csv", "--target", "Rain"], "Did you mean 'rain.bif'?"),
        (["rain.bif", "rian.csv", "--target", "Rain"], "Did you mean 'rain.csv'?"),
        (["rain.bif", "rain.csv", "--target", "Rain", "-o", "rain.csv"], "would overwrite its own input"),
        (["rain.bif", "rain.csv", "--target", "Rain", "-o", "out.txt"], "the ending chooses the format"),
    ],
)
def test_what_cannot_be_predicted_is_reported_and_leaves_no_file(
    run: Run, folder: Path, arguments: list[str], message: str
) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert message in run("predict", *arguments, exit_code=1).stderr
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_rows_that_are_impossible_have_no_prediction(run: Run, folder: Path) -> None:
    sure = bayou.Network(
        "A -> B",
        tables={"A": {"x": 1.0, "y": 0.0}, "B": {"x": {"p": 1.0, "q": 0.0}, "y": {"p": 0.5, "q": 0.5}}},
    )
    sure.save("sure.bayou")
    (folder / "b.csv").write_text("B\np\nq\n", encoding="utf-8")
    done = run("predict", "sure.bayou", "b.csv", "--target", "A")
    assert [row["predicted_A"] for row in rows_of(done.stdout)] == ["x", ""]
    assert "without a prediction: 1 row." in done.stderr


def test_whole_numbers_stay_whole_in_the_answers(golf: Path, run: Run) -> None:
    (golf / "n.csv").write_text("a,c\n" + "x,0\ny,1\n" * 10, encoding="utf-8")
    run("fit", "n.csv", "--target", "c", "-o", "n.bayou")
    assert [row["predicted_c"] for row in rows_of(run("predict", "n.bayou", "n.csv").stdout)] == [
        "0",
        "1",
    ] * 10
