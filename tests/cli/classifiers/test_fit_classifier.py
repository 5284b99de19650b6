"""bayou fit --target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.cli.classifiers.conftest import labelled_rows
from tests.cli.conftest import Run, RunJson

import bayou
from bayou.cli.learning.fit_classifier import MODELS
from bayou.estimators.classifier_names import CLASSIFIERS


def test_the_short_names_are_those_of_the_library() -> None:
    assert set(MODELS) == set(CLASSIFIERS)


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


@pytest.fixture
def pairs(folder: Path) -> Path:
    """Two columns that tell the class together."""
    cells = [(a, b, "yes" if a != b else "no") for a in "pq" for b in "pq"]
    lines = [",".join((*cell, str(k))) for k in range(20) for cell in cells]
    (folder / "pairs.csv").write_text("\n".join(["a,b,y,id", *lines]), encoding="utf-8")
    return folder


def test_without_a_model_the_simplest_good_one_is_chosen(pairs: Path, run: Run, run_json: RunJson) -> None:
    done = run("fit", "pairs.csv", "--target", "y", "--ignore", "id", "-o", "m.bayou")
    assert isinstance(bayou.load("m.bayou"), bayou.TAN)
    assert "TAN that predicts y" in done.stdout
    assert "Predicting y: 80 rows, 10 folds" in done.stdout
    assert "tan: all simpler ones are more than one standard error, or 5%, behind it." in done.stdout
    found = run_json("fit", "pairs.csv", "--target", "y", "--ignore", "id", "--prefer", "best")["classifier"]
    tried = found["choice"]["tried"]
    losses = {one["name"]: one["log_loss"] for one in tried if one["log_loss"] is not None}
    assert found["choice"]["chosen"] == min(losses, key=losses.__getitem__)
    plain = run_json("fit", "pairs.csv", "--target", "y", "--model", "nb")["classifier"]
    assert (plain["kind"], "choice" in plain) == ("NaiveBayes", False)
    said = run("fit", "pairs.csv", "--target", "y", "--model", "nb", "--prefer", "best", exit_code=2).stderr
    assert "omit --model and --network" in said
    assert (
        "--prefer is for classifiers"
        in run("fit", "pairs.csv", "--network", "a -> b", "--prefer", "best", exit_code=2).stderr
    )


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


def test_an_ensemble_learns_on_if_its_file_keeps_rows(golf: Path, run: Run) -> None:
    learn = ("fit", "golf.csv", "--target", "play?", "--model", "ensemble")
    run(*learn, "-o", "small.bayou")
    said = run("fit", "golf.csv", "--add", "small.bayou", "-o", "twice.bayou", exit_code=1).stderr
    assert "--keep-rows" in said
    run(*learn, "--keep-rows", "-o", "whole.bayou")
    run("fit", "golf.csv", "--add", "whole.bayou", "-o", "twice.bayou")
    run("fit", "golf.csv", "--add", "twice.bayou", "-o", "thrice.bayou")
    assert bayou.load("thrice.bayou").summary().rows == 3 * bayou.load("whole.bayou").summary().rows
    assert (
        "--keep-rows is for classifiers"
        in run("fit", "golf.csv", "--network", "code", "--keep-rows", exit_code=2).stderr
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
