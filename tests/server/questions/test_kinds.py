"""Classifiers and models of sequences behind HTTP: their answers are those of the library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pandas
import pytest
from tests.server.questions.test_questions import ask
from tests.server.running_server import running

import bayou

PATIENTS = bayou.examples.asia().sample(400, seed=5).to_pandas()
NEW = bayou.examples.asia().sample(20, seed=6).to_pandas().drop(columns="lung")
ROLLS = {"roll": [1, 6, 6, 6, 6, 2, 3, 6, 1, 1, 4, 6], "game": ["a"] * 7 + ["b"] * 5, "turn": [*range(12)]}


@pytest.fixture(scope="module")
def ages() -> pandas.DataFrame:
    chance = np.random.default_rng(0)
    shift = np.where(PATIENTS["lung"] == "yes", 62.0, 44.0)
    return PATIENTS.assign(age=shift + chance.normal(0, 9, len(PATIENTS)).round(1))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory, ages: pandas.DataFrame) -> Path:
    folder: Path = tmp_path_factory.mktemp("kinds")
    bayou.NaiveBayes().fit(ages, "lung").save(folder / "nb.bayou")
    bayou.TAN().fit(ages, "lung").save(folder / "tan.bayou")
    bayou.examples.casino().save(folder / "casino.bayou")
    bayou.examples.umbrella_world().save(folder / "umbrella.bayou")
    bayou.KalmanModel.local_level(0.5).save(folder / "level.bayou")
    bayou.examples.asia().save(folder / "asia.bif")
    return folder


@pytest.fixture(scope="module")
def asker(saved: Path) -> Iterator[httpx.Client]:
    files = sorted(str(path) for path in saved.iterdir())
    with running("serve", *files, "--port", "0", "--allow", "edits") as server, server.client() as client:
        yield client


def rows_of(data: Any) -> dict[str, Any]:
    frame = pandas.DataFrame(data).astype(object)
    rows = frame.where(frame.notna(), None)
    return {"columns": list(frame.columns), "rows": rows.to_numpy().tolist()}


def test_the_list_names_the_kinds(asker: httpx.Client) -> None:
    kinds = {each["name"]: each["kind"] for each in asker.get("/v1/models").json()["models"]}
    assert kinds == {
        "asia": "network",
        "casino": "hidden Markov model",
        "level": "linear Gaussian series",
        "nb": "classifier",
        "tan": "classifier",
        "umbrella": "dynamic network",
    }


def test_no_rows_are_no_sequence(asker: httpx.Client) -> None:
    for model, column in (("casino", "roll"), ("umbrella", "Umbrella"), ("level", "y")):
        found = ask(asker, model, "score", columns=[column], rows=[])
        assert (found["sequences"], found["log_probabilities"], found["log_probability"]) == ([], [], 0.0)


@pytest.mark.parametrize("name", ["nb", "tan"])
def test_predictions_are_those_of_the_library(asker: httpx.Client, saved: Path, name: str) -> None:
    model = bayou.load(saved / f"{name}.bayou")
    rows = NEW.assign(age=[*np.linspace(20, 80, 19), None])
    rows.loc[3, "smoke"] = None
    found = ask(asker, name, "predict", **rows_of(rows))
    expected = model.predict_proba(rows)
    assert found["classes"] == model.classes_.tolist()
    assert found["target"] == "lung"
    assert found["probabilities"] == expected.tolist()
    assert found["predicted"] == model.predict(rows).tolist()
    assert found["notes"] == []


def test_absent_and_other_columns_are_told(asker: httpx.Client) -> None:
    found = ask(asker, "nb", "predict", **rows_of(NEW.assign(ward="7")))
    assert any("'age'" in note for note in found["notes"])
    assert any("'ward'" in note for note in found["notes"])
    wrong = asker.post("/v1/models/nb/predict", json=rows_of(NEW.rename(columns={"smoke": "Smoke"})))
    assert wrong.status_code == 422
    assert "Did you mean 'smoke'?" in wrong.json()["detail"]


def test_a_network_predicts_a_target(asker: httpx.Client) -> None:
    found = ask(asker, "asia", "predict", target="lung", **rows_of(NEW))
    expected = bayou.examples.asia().posterior(NEW, "lung")["lung"]
    assert found["probabilities"] == expected.tolist()
    asked = asker.post("/v1/models/asia/predict", json=rows_of(NEW))
    assert "target is one of" in asked.json()["detail"]
    impossible = {"columns": ["either", "lung"], "rows": [["no", "yes"], ["yes", None]]}
    found = ask(asker, "asia", "predict", target="tub", **impossible)
    assert found["probabilities"][0] is None
    assert found["predicted"][0] is None
    assert found["probabilities"][1] is not None


@pytest.mark.parametrize("name", ["nb", "tan"])
def test_the_ledger_adds_up(asker: httpx.Client, saved: Path, name: str) -> None:
    model = bayou.load(saved / f"{name}.bayou")
    row = {**NEW.iloc[0].to_dict(), "age": 71.5, "xray": None}
    cells = [{"column": column, "value": value} for column, value in row.items()]
    found = ask(asker, name, "explain", row=cells)
    ledger = model.explain(row)
    assert (found["of"], found["against"]) == (ledger.of, ledger.against)
    assert found["text"] == str(ledger)
    parts = [found["prior"], *(each["log_odds"] for each in found["findings"]), found["remainder"]]
    assert sum(parts) == pytest.approx(found["total"], abs=1e-12)
    assert found["total"] == pytest.approx(ledger.total)
    assert {each["state"]: each["p"] for each in found["posterior"]} == pytest.approx(dict(ledger.posterior))
    assert (found["working"] is not None) == (name == "nb")
    turned = ask(asker, name, "explain", row=cells, of=ledger.against, against=ledger.of)
    assert turned["total"] == pytest.approx(-ledger.total)
    wrong = asker.post(f"/v1/models/{name}/explain", json={"row": cells, "of": "perhaps"})
    assert wrong.status_code == 422
    assert "perhaps" in wrong.json()["detail"]


def test_hidden_states(asker: httpx.Client) -> None:
    casino = bayou.examples.casino()
    keys = {"sequence": "game", "time": "turn"}
    sent = {**rows_of(ROLLS), **keys}
    found = ask(asker, "casino", "decode", **sent)
    expected = casino.decode_rows(ROLLS, **keys)
    place = found["columns"].index("state")
    assert [row[place] for row in found["rows"]] == expected.states
    assert [row[place + 1] for row in found["rows"]] == expected.probability.tolist()
    for what in ("filter", "smooth"):
        found = ask(asker, "casino", what, **sent)
        parts = [part.probabilities for part in getattr(casino, what)(ROLLS, **keys)]
        assert np.abs(np.array([row[2:] for row in found["rows"]]) - np.concatenate(parts)).max() < 1e-12
    found = ask(asker, "casino", "score", **sent)
    logs = casino.log_likelihoods(ROLLS, **keys).tolist()
    assert (found["sequences"], found["log_probabilities"]) == (["a", "b"], logs)
    assert found["log_probability"] == pytest.approx(sum(logs))
    found = ask(asker, "casino", "forecast", steps=3, **sent)
    ahead = casino.forecast(ROLLS, steps=3, **keys)
    assert len(found["rows"]) == 6
    first = dict(zip(found["columns"], found["rows"][0], strict=True))
    assert first["game"] == "a"
    own = {name: column[0] for name, column in ahead[0].to_columns().items()}
    assert {name: first[name] for name in own} == pytest.approx(own)


def test_dynamic_networks_and_series(asker: httpx.Client) -> None:
    days = {"Umbrella": ["yes", "yes", None, "no"]}
    net = bayou.examples.umbrella_world()
    found = ask(asker, "umbrella", "smooth", **rows_of(days))
    shares = dict(zip(found["columns"], zip(*found["rows"], strict=True), strict=True))
    expected = net.smooth(days)
    rain = next(name for name in shares if name.startswith("P(Rain=yes"))
    assert list(shares[rain]) == pytest.approx(expected["Rain"].probabilities[:, 1].tolist())
    assert ask(asker, "umbrella", "decode", **rows_of(days))["rows"]
    model = bayou.KalmanModel.local_level(0.5)
    series = {str(model.columns[0]): [1.0, 1.4, None, 0.9]}
    found = ask(asker, "level", "filter", **rows_of(series))
    means = [row[1] for row in found["rows"]]
    assert means == pytest.approx(model.filter(series).means[:, 0].tolist())
    assert ask(asker, "level", "forecast", steps=2, **rows_of(series))["rows"]


@pytest.mark.parametrize(
    ("model", "operation", "told"),
    [
        ("nb", "query", "'explain', 'predict'"),
        ("asia", "decode", "'beliefs'"),
        ("casino", "predict", "'decode', 'filter', 'forecast', 'over-time', 'score', 'smooth'"),
        ("level", "decode", "'filter', 'forecast', 'over-time', 'score', 'smooth'"),
    ],
)
def test_a_wrong_question_names_the_right_ones(
    asker: httpx.Client, model: str, operation: str, told: str
) -> None:
    answer = asker.post(f"/v1/models/{model}/{operation}", json={})
    assert (answer.status_code, answer.json()["type"]) == (422, "wrong-kind")
    assert told in answer.json()["detail"]


def test_models_are_described_and_downloaded(asker: httpx.Client, saved: Path, tmp_path: Path) -> None:
    found = asker.get("/v1/models/nb").json()
    assert (found["class"], found["target"], found["classes"]) == ("NaiveBayes", "lung", ["no", "yes"])
    assert {"name": "age", "modelled": found["features"][-1]["modelled"]} in found["features"]
    found = asker.get("/v1/models/casino").json()
    assert (found["kind"], found["states"]) == ("hidden Markov model", ["fair", "loaded"])
    assert found["transition"] == bayou.examples.casino().transition.tolist()
    for name in ("umbrella", "level"):
        assert asker.get(f"/v1/models/{name}").status_code == 200
    (tmp_path / "nb.bayou").write_bytes(asker.get("/v1/models/nb/file?format=bayou").content)
    rows = NEW.assign(age=50.0)
    again = bayou.load(tmp_path / "nb.bayou").predict_proba(rows)
    assert np.array_equal(again, bayou.load(saved / "nb.bayou").predict_proba(rows))
    refused = asker.get("/v1/models/nb/file?format=bif")
    assert (refused.status_code, refused.json()["type"]) == (422, "wrong-kind")


def test_a_classifier_can_be_uploaded(asker: httpx.Client, saved: Path) -> None:
    content = (saved / "nb.bayou").read_bytes()
    answer = asker.post("/v1/models", content=content, headers={"Content-Type": "application/octet-stream"})
    assert (answer.status_code, answer.json()["kind"]) == (201, "classifier")
    found = ask(asker, answer.json()["revision"], "predict", **rows_of(NEW))
    assert found == ask(asker, "nb", "predict", **rows_of(NEW))


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ({"columns": ["a", "a"], "rows": []}, "same name"),
        ({"columns": ["smoke", "xray"], "rows": [["yes"]]}, "Row 0"),
        ({"columns": [], "rows": []}, "not as expected"),
        ({"columns": ["smoke"], "rows": "/etc/passwd"}, "not as expected"),
        ({"columns": ["/etc/passwd"], "rows": [["http://localhost"]]}, "passwd"),
    ],
)
def test_rows_that_are_none(asker: httpx.Client, rows: dict[str, Any], told: str) -> None:
    answer = asker.post("/v1/models/nb/predict", json=rows)
    assert answer.status_code == 422
    assert told in answer.json()["detail"]
