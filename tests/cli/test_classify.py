"""bayou fit --target, predict, evaluate and explain."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bayou
from bayou.cli.fit_classifier import MODELS
from bayou.estimators.classifier_names import CLASSIFIERS
from tests.cli.conftest import Run, RunJson


@pytest.fixture
def golf(folder: Path) -> Path:
    """A table with awkward names, a gap, codes that look like numbers, and a row without a label."""
    random = np.random.default_rng(5)
    lines = ["größe,wind speed,code,play?"]
    for row in range(80):
        play = row % 2
        wind = "strong" if random.random() < (0.2 if play else 0.8) else "weak, really"
        size = "" if row == 3 else f"{play + random.normal():.2f}"
        label = "" if row == 79 else ("yes" if play else "no")
        lines.append(f'{size},"{wind}",{"a" if row == 5 else row % 3},{label}')
    (folder / "golf.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def model(golf: Path, run: Run) -> bayou.NaiveBayes:
    """The classifier of golf.csv in golf.bayou, and as the library has it."""
    run("fit", "golf.csv", "--target", "play?", "-o", "golf.bayou")
    loaded = bayou.load("golf.bayou")
    assert isinstance(loaded, bayou.NaiveBayes)
    return loaded


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def labelled_rows() -> pd.DataFrame:
    return pd.read_csv("golf.csv", dtype={"code": str}).iloc[:79]


def test_the_short_names_are_those_of_the_library() -> None:
    assert set(MODELS) == set(CLASSIFIERS)


def test_a_feature_cannot_score_the_answers(model: bayou.NaiveBayes, run: Run) -> None:
    done = run("predict", "golf.bayou", "golf.csv", "--target", "wind speed", exit_code=1)
    assert "'wind speed' is a feature of golf.bayou" in done.stderr


@pytest.mark.parametrize("word", [word for word in MODELS if word not in ("gaussian", "text")])
def test_fit_learns_what_the_library_learns(golf: Path, run: Run, word: str) -> None:
    done = run("fit", "golf.csv", "--target", "play?", "--model", word, "-o", "golf.bayou")
    assert "Learned from 79 rows" in done.stdout
    assert "1 row without a class in 'play?' is left out: row 79 (counting from 0)." in done.stderr
    table = labelled_rows()
    expected = type(bayou.load("golf.bayou"))().fit(table.drop(columns="play?"), table["play?"])
    questions = {"größe": [0.5, None], "wind speed": ["strong", None], "code": ["1", "a"]}
    assert bayou.load("golf.bayou").predict_proba(questions) == pytest.approx(
        expected.predict_proba(questions), abs=1e-12
    )


def test_fit_tells_how_each_feature_is_modelled(golf: Path, run: Run, run_json: RunJson) -> None:
    options = ("--target", "play?", "--features", "größe=gaussian", "--ignore", "code")
    printed = run("fit", "golf.csv", *options).stdout
    assert "NaiveBayes that predicts play?" in printed
    assert "größe       gaussian" in printed
    reported = run_json("fit", "golf.csv", *options)
    assert reported["classifier"]["features"] == {"größe": "gaussian", "wind speed": "table"}
    assert (reported["rows"], reported["left_out"], reported["saved"]) == (79, 1, None)
    tree = run_json("fit", "golf.csv", "--target", "play?", "--model", "tan")["classifier"]["features"]
    assert tree["wind speed"].startswith("given play?")


def test_a_prior_and_weights_are_passed_on(golf: Path, run: Run) -> None:
    (golf / "w.csv").write_text("a,n,c\nx,3,p\ny,1,q\nx,0,q\n", encoding="utf-8")
    run("fit", "w.csv", "--target", "c", "--prior", "0.5", "--weights", "n", "-o", "w.bayou")
    learned = bayou.load("w.bayou")
    expected = bayou.NaiveBayes(prior=0.5).fit({"a": ["x"] * 3 + ["y"]}, ["p"] * 3 + ["q"])
    assert learned.predict_proba({"a": ["x"]}) == pytest.approx(expected.predict_proba({"a": ["x"]}))


def test_a_network_with_a_target_is_a_classifier(golf: Path, run: Run) -> None:
    arrows = "'wind speed' <- 'play?' -> code"
    run("fit", "golf.csv", "--network", arrows, "--target", "play?", "-o", "golf.bayou")
    learned = bayou.load("golf.bayou")
    assert isinstance(learned, bayou.NetworkClassifier)
    assert learned.network_.parents("code") == ("play?",)


def test_add_learns_on(model: bayou.NaiveBayes, run: Run) -> None:
    run("fit", "golf.csv", "--add", "golf.bayou", "-o", "twice.bayou")
    table = labelled_rows()
    expected = model.copy().partial_fit(table.drop(columns="play?"), table["play?"])
    questions = {"größe": [0.5], "wind speed": ["strong"], "code": ["1"]}
    assert bayou.load("twice.bayou").predict_proba(questions) == pytest.approx(
        expected.predict_proba(questions)
    )


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["--target", "Play"], "Did you mean 'play?'?", 1),
        (["--target", "größe"], "a quantity, not classes", 1),
        (["--target", "play?", "--ignore", "cod"], "Did you mean 'code'?", 1),
        (["--target", "play?", "--features", "wind=table"], "Did you mean 'wind speed'?", 1),
        (["--target", "play?", "--features", "größe=bell"], "no feature kind 'bell'", 1),
        (["--target", "play?", "--features", "größe"], "cannot be read", 2),
        (["--target", "play?", "--continuous", "code"], "--continuous is for networks", 2),
        (["--target", "play?", "--model", "tan", "--features", "größe=table"], "has no --features", 2),
        (["--target", "play?", "--model", "tan", "--network", "a -> b"], "choose one", 2),
        (["--target", "play?", "-o", "golf.bif"], "use one of .bayou", 1),
        (["--model", "tan", "--network", "code"], "name the column to predict with --target", 2),
        ([], "the column to predict (--target)", 2),
        (["--target", "play?", "--add", "rain.bayou"], "this is a network", 2),
    ],
)
def test_what_cannot_be_learned_is_reported(
    golf: Path, run: Run, arguments: list[str], message: str, code: int
) -> None:
    assert message in run("fit", "golf.csv", *arguments, exit_code=code).stderr


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


@pytest.fixture
def messages(folder: Path) -> Path:
    """Texts of two kinds, and a number."""
    texts = ["buy now", "cheap pills, now", "see you at lunch", "lunch at noon?"]
    lines = [f'"{text}",{kind},{k}' for k in range(15) for text, kind in zip(texts, "sshh", strict=True)]
    (folder / "sms.csv").write_text("\n".join(["msg,kind,id", *lines]), encoding="utf-8")
    return folder


def test_the_one_column_of_texts_is_read_by_the_text_classifier(
    messages: Path, run: Run, run_json: RunJson
) -> None:
    learned = run_json("fit", "sms.csv", "--target", "kind", "--model", "text")["classifier"]
    assert learned["target"] == "kind"
    assert list(learned["features"]) == ["msg"]
    found = run_json("evaluate", "sms.csv", "--target", "kind", "--models", "text,nb", "--folds", "3")
    assert found["models"][0]["accuracy"] == 1
    two = "msg,from,kind\na b,x,s\nc d,y,h\n"
    (messages / "two.csv").write_text(two, encoding="utf-8")
    printed = run("fit", "two.csv", "--target", "kind", "--model", "text", exit_code=1).stderr
    assert "one column of documents; there are 2: 'msg', 'from'" in printed


def test_evaluate_prints_what_the_library_finds(golf: Path, run: Run, run_json: RunJson) -> None:
    options = ("--target", "play?", "--models", "nb, chow-liu", "--folds", "3", "--seed", "2")
    expected = bayou.evaluate(["nb", "chow-liu"], "golf.csv", "play?", folds=3, seed=2)
    found = run_json("evaluate", "golf.csv", *options)
    assert found["left_out"] == 1
    for one, other in zip(found["models"], expected.models, strict=True):
        assert one["log_loss"] == pytest.approx(other.log_loss)
        assert one["confusion"]["counts"] == other.confusion.counts.tolist()
    printed = run("evaluate", "golf.csv", *options).stdout
    assert f"{expected['nb'].accuracy:.4f}" in printed
    assert str(expected.best_confusion()) in printed
    assert str(expected.best_by_class()) in printed


def test_evaluate_weighs_rows_and_draws_curves(golf: Path, run: Run, run_json: RunJson) -> None:
    pytest.importorskip("matplotlib")
    table = pd.read_csv(golf / "golf.csv")
    table.assign(times=[row % 3 for row in range(len(table))]).to_csv(golf / "heavy.csv", index=False)
    options = ("--target", "play?", "--models", "nb", "--folds", "3", "--weights", "times")
    expected = bayou.evaluate("nb", "heavy.csv", "play?", folds=3, weights="times")
    found = run_json("evaluate", "heavy.csv", *options, "--curves", "curves.png", "--of", "yes")
    assert found["models"][0]["auc"] == pytest.approx(expected.best.auc)
    assert found["picture"] == "curves.png"
    assert (golf / "curves.png").read_bytes().startswith(b"\x89PNG")
    wrong = run("evaluate", "heavy.csv", *options, "--curves", "c.png", "--of", "perhaps", exit_code=1)
    assert "perhaps" in wrong.stderr
    assert "name a file for them" in run("evaluate", "heavy.csv", *options, "--of", "yes", exit_code=2).stderr


def test_show_tells_what_a_classifier_has_learned(golf: Path, run: Run, run_json: RunJson) -> None:
    run("fit", "golf.csv", "--target", "play?", "-o", "play.bayou")
    summary = bayou.load("play.bayou").summary()
    printed = run("show", "play.bayou").stdout
    assert summary.heading in printed
    for table in summary.tables():
        assert str(table) in printed
    assert run_json("show", "play.bayou")["rows"] == summary.rows
    assert "not a network" in run("show", "play.bayou", "--arcs", exit_code=1).stderr


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["--target", "plai?"], "Did you mean 'play?'?", 1),
        (["--target", "play?", "--models", "nb,bn"], "There is no classifier 'bn'", 1),
        (["--target", "play?", "--models", ","], "There is no classifier to evaluate", 1),
        (["--target", "play?", "--ignore", "cod"], "Did you mean 'code'?", 1),
        (["--target", "play?", "--folds", "1"], "1 is not in the range", 2),
        ([], "Missing option '--target'", 2),
    ],
)
def test_what_cannot_be_evaluated_is_reported(
    golf: Path, run: Run, arguments: list[str], message: str, code: int
) -> None:
    assert message in run("evaluate", "golf.csv", *arguments, exit_code=code).stderr


def test_explain_shows_the_ledger_and_the_working_of_a_row(
    model: bayou.NaiveBayes, run: Run, run_json: RunJson
) -> None:
    row: dict[str, Any] = {"größe": None, "wind speed": "strong", "code": "1"}
    Path("new.csv").write_text("größe,wind speed,code\n1,strong,2\n,strong,1\n", encoding="utf-8")
    printed = run("explain", "golf.bayou", "new.csv", "--row", "1").stdout
    assert str(model.explain(row)) in printed
    assert all(line in printed for line in str(model.working(row)).splitlines())
    reported = run_json("explain", "golf.bayou", "new.csv", "--row", "1")
    assert reported["row"] == row
    given = run_json("explain", "golf.bayou", "--given", "wind speed=strong", "--given", "code=1")
    assert given["ledger"] == reported["ledger"]
    assert json.dumps(reported["working"])


def test_explain_accounts_for_the_class_that_is_asked_for(model: bayou.NaiveBayes, run_json: RunJson) -> None:
    options = ("--given", "größe=0.25", "--of", "no", "--against", "yes")
    printed = run_json("explain", "golf.bayou", *options)["ledger"]
    expected = model.explain({"größe": 0.25}, of="no", against="yes").to_dict()
    assert printed == json.loads(json.dumps(expected))


def test_explain_omits_the_working_if_the_model_is_not_a_product(golf: Path, run_json: RunJson) -> None:
    run_json("fit", "golf.csv", "--target", "play?", "--model", "tan", "-o", "tree.bayou")
    printed = run_json("explain", "tree.bayou", "--given", "code=1")
    assert printed["working"] is None
    expected = bayou.load("tree.bayou").explain({"code": "1"}).to_dict()
    assert printed["ledger"] == json.loads(json.dumps(expected))


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["golf.bayou"], "Name a row", 2),
        (["golf.bayou", "golf.csv"], "Name a row", 2),
        (["golf.bayou", "golf.csv", "--row", "80"], "golf.csv has 80 rows", 1),
        (["golf.bayou", "--given", "wint speed=strong"], "Did you mean 'wind speed'?", 1),
        (["golf.bayou", "--given", "code=1", "--given", "code=2"], "'code' is given twice", 1),
        (["golf.bayou", "--given", "code"], "write NAME=VALUE", 2),
        (["golf.bayou", "--given", "code=1", "--of", "ja"], "'ja' is not a state of 'play?'", 1),
        (["rain.bif", "--given", "Wet=yes"], "is a network, not a classifier", 1),
        (["golf.bayou", "rain.csv", "--row", "0"], "no column for any of", 1),
    ],
)
def test_what_cannot_be_explained_is_reported(
    model: bayou.NaiveBayes, run: Run, arguments: list[str], message: str, code: int
) -> None:
    assert message in run("explain", *arguments, exit_code=code).stderr


def test_states_and_cuts_of_a_classifier_are_declared(run: Run, tmp_path: Any) -> None:
    table, model = tmp_path / "rows.csv", tmp_path / "m.bayou"
    table.write_text("size,age,ill\nsmall,20,no\nlarge,44,yes\nsmall,71,yes\nsmall,33,no\n")
    declared = ["--states", "size=small,medium,large", "--cuts", "age=30,50"]
    run("fit", str(table), "--target", "ill", *declared, "-o", str(model))
    fitted: Any = bayou.load(model)
    assert {d.variable.name: d.variable.cardinality for d in fitted._model.densities} == {"size": 3, "age": 3}
    for word in ("tan", "aode", "kdb", "chow-liu", "network"):
        run("fit", str(table), "--target", "ill", "--model", word, *declared, "-o", str(model), "--force")
        made: Any = bayou.load(model)
        assert made.states["size"] == ["small", "medium", "large"]
        assert len(made.domain_.cut["age"].states) == 3
    refused = run("fit", str(table), "--target", "ill", "--model", "gaussian", *declared, exit_code=2)
    assert "--model gaussian has no --states" in refused.output


def test_costs_are_those_of_the_library(golf: Path, run: Run, run_json: RunJson) -> None:
    options = ["--target", "play?", "--models", "nb,tan", "--folds", "3"]
    typed = ["--costs", "go=yes:0,no:5", "--costs", "stay=yes:1,no:0", "--costs", "ask=0.5"]
    costs = {"go": {"yes": 0, "no": 5}, "stay": {"yes": 1, "no": 0}, "ask": 0.5}
    expected = bayou.evaluate(["nb", "tan"], "golf.csv", "play?", folds=3, costs=costs)
    found = run_json("evaluate", "golf.csv", *options, *typed)
    assert [one["cost"] for one in found["models"]] == [one.cost for one in expected.models]
    assert found["baseline"]["cost"] == expected.baseline.cost
    by_hand = []
    proba, truth = expected["nb"].probabilities, expected.judged.truth
    for row, own in zip(proba, truth, strict=True):
        table = np.array([[5.0, 0.0], [0.0, 1.0], [0.5, 0.5]])  # actions × (no, yes)
        by_hand.append(table[(table @ row).argmin(), own])
    assert expected["nb"].cost == pytest.approx(np.mean(by_hand))
    assert "cost" in run("evaluate", "golf.csv", *options, *typed).stdout
    assert "cost" not in run_json("evaluate", "golf.csv", *options)["models"][0]


def test_costs_of_classes_that_are_numbers(folder: Path, run_json: RunJson) -> None:
    (folder / "numbers.csv").write_text("x,y\n" + "a,0\nb,1\na,0\nb,0\n" * 10)
    typed = ["--costs", "yes=0:1,1:0", "--costs", "no=0:0,1:2"]
    costs = {"yes": {0: 1, 1: 0}, "no": {0: 0, 1: 2}}
    found = run_json("evaluate", "numbers.csv", "--target", "y", "--models", "nb", "--folds", "2", *typed)
    expected = bayou.evaluate("nb", "numbers.csv", "y", folds=2, costs=costs)
    assert found["models"][0]["cost"] == expected["nb"].cost


@pytest.mark.parametrize(
    ("costs", "message", "code"),
    [
        (["go"], "write for example --costs", 2),
        (["go=yes:dear"], "expected CLASS:COST, such as ill:5", 2),
        (["go=yes:1"], "has no number for the state 'no'", 1),
        (["go=yes:1,no:2,maybe:3"], "has a number for 'maybe'", 1),
    ],
)
def test_costs_that_cannot_be_read(golf: Path, run: Run, costs: list[str], message: str, code: int) -> None:
    options = [word for cost in costs for word in ("--costs", cost)]
    assert message in run("evaluate", "golf.csv", "--target", "play?", *options, exit_code=code).stderr
