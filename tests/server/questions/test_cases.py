"""Files of cases, tests with cases and lists of rows over HTTP are those of the library."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from tests.server.running_server import running

import bayou
from bayou.decisions.scoring_rules import scores_of

ASIA = bayou.examples.asia()
ROWS = ASIA.sample(300, seed=5).to_dicts()
TRUTH = np.array([ASIA.states("bronc").index(row["bronc"]) for row in ROWS])


def text_of(rows: list[dict[str, Any]], names: list[str]) -> str:
    target = io.StringIO()
    writer = csv.DictWriter(target, names, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return target.getvalue()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder = tmp_path_factory.mktemp("models")
    ASIA.save(folder / "asia.bif")
    bayou.examples.heights_network().save(folder / "heights.bayou")
    files = [str(path) for path in sorted(folder.iterdir())]
    with running("serve", *files, "--port", "0", "--allow", "tables") as server, server.client() as found:
        yield found


def sent(client: httpx.Client, text: str) -> str:
    answer = client.post("/v1/tables", content=text.encode(), headers={"Content-Type": "text/csv"})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["table"])


@pytest.fixture(scope="module")
def table(client: httpx.Client) -> str:
    gappy = [
        {name: "" if k % 7 == 3 and name == "smoke" else value for name, value in row.items()}
        for k, row in enumerate(ROWS)
    ]
    extra = [*gappy, {"asia": "no", "id": "9"}, {"tub": "yes", "either": "no", "bronc": "no"}]
    return sent(client, text_of(extra, ["id", *ASIA.names]))


def ask(client: httpx.Client, operation: str, model: str = "asia", **body: Any) -> Any:
    answer = client.post(f"/v1/models/{model}/{operation}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def expected() -> tuple[Any, Any]:
    """P(bronc | row) and log P(row) of the rows as they were sent."""
    columns = {name: [row[name] for row in ROWS] for name in ASIA.names}
    columns["smoke"] = [None if k % 7 == 3 else value for k, value in enumerate(columns["smoke"])]
    return ASIA.posterior(columns, "bronc")["bronc"], np.asarray(ASIA.log_probability(columns))


def test_a_test_has_the_scores_of_the_library(client: httpx.Client, table: str) -> None:
    found = ask(client, "test", table=table, target="bronc")
    proba, _ = expected()
    scores = scores_of(TRUTH, proba, (0, 1))
    assert found["rows"] == 300
    assert (found["unlabelled"], found["impossible"]) == (1, 1)
    assert (found["foreign"], found["absent"]) == (["id"], [])
    for name in ("accuracy", "log_loss", "brier"):
        assert found[name] == pytest.approx(getattr(scores, name), abs=1e-12)
    assert found["calibration_error"] == pytest.approx(scores.ece, abs=1e-12)
    assert found["confusion"] == scores.confusion.counts.tolist()
    assert [one["auc"] for one in found["classes"]] == pytest.approx([one.auc for one in scores.by_class])
    curve = found["classes"][0]["curve"]
    assert curve[0] == [0, 0]
    assert curve[-1] == [1, 1]
    area = sum((x - w) * (y + z) / 2 for (w, z), (x, y) in pairwise(curve))
    assert area == pytest.approx(scores.by_class[0].auc)
    assert sum(one["rows"] for one in found["calibration"]) == 300


def test_rows_come_by_surprise_with_their_findings(client: httpx.Client, table: str) -> None:
    proba, logs = expected()
    found = ask(client, "row-list", table=table, target="bronc", order="row", count=200)
    assert found["rows_in_all"] == 302
    first, *others = found["rows"]
    assert (first["row"], first["log_probability"], first["predicted"]) == (301, None, None)
    assert [one["row"] for one in others[:50]] == np.argsort(logs, kind="stable")[:50].tolist()
    one = others[0]
    assert one["log_probability"] == pytest.approx(logs[one["row"]], abs=1e-12)
    assert one["probabilities"] == pytest.approx(proba[one["row"]].tolist(), abs=1e-12)
    row = {name: value for name, value in ROWS[one["row"]].items() if name != "bronc"}
    given = {each["variable"]: each["state"] for each in one["findings"]}
    assert given == {name: row[name] for name in given}
    asked = ask(client, "query", targets=["bronc"], findings=one["findings"])
    assert [cell["p"] for cell in asked["probabilities"]] == pytest.approx(one["probabilities"], abs=1e-12)
    by_target = ask(client, "row-list", table=table, target="bronc", order="target", count=50)["rows"]
    of_truth = proba[np.arange(300), TRUTH]
    assert [one["row"] for one in by_target] == np.argsort(of_truth, kind="stable")[:50].tolist()


def test_a_cell_of_the_confusion_lists_its_rows(client: httpx.Client, table: str) -> None:
    proba, _ = expected()
    wrong = np.flatnonzero((TRUTH == 0) & (proba.argmax(axis=1) == 1))
    body = {"table": table, "target": "bronc", "order": "table", "true": 0, "predicted": 1}
    found = ask(client, "row-list", **body, count=200)
    assert [one["row"] for one in found["rows"]] == wrong.tolist()
    later = ask(client, "row-list", **body, first=len(wrong) - 1, count=5)
    assert [one["row"] for one in later["rows"]] == wrong[-1:].tolist()


def test_a_case_file_tests_with_its_weights(client: httpx.Client) -> None:
    text = "// ~->[CASE-1]->~\nIDnum\tNumCases\tsmoke\tbronc\n1\t3\tyes\tyes\n2\t2\tno\tyes\n"
    found = ask(client, "test", table=sent(client, text), target="bronc")
    assert found["confusion"] == [[3, 2], [0, 0]]
    assert found["accuracy"] == pytest.approx(0.6)
    assert found["classes"][1]["recall"] is None
    assert found["classes"][0]["auc"] is None


@pytest.mark.parametrize(
    ("text", "target", "told"),
    [
        ("a,b\n1,2\n", "bronc", "No column of the table is a variable"),
        ("smoke,bronc\nyes,maybe\n", "bronc", "No row tells the state of 'bronc'"),
        ("smoke,bronc\nyes,yes\n", "bronch", "There is no variable 'bronch'"),
    ],
)
def test_what_cannot_be_tested_is_told(client: httpx.Client, text: str, target: str, told: str) -> None:
    body = {"table": sent(client, text), "target": target}
    answer = client.post("/v1/models/asia/test", json=body)
    assert answer.status_code == 422
    assert told in answer.json()["detail"]
    assert "/tmp" not in answer.text


def test_numbers_have_no_test(client: httpx.Client) -> None:
    net = bayou.examples.heights_network()
    sex, height = net.names
    table = sent(client, f"{sex},{height}\n{net.states(sex)[0]},70.5\n{net.states(sex)[1]},61\n")
    refused = client.post("/v1/models/heights/test", json={"table": table, "target": height})
    assert "has no states" in refused.json()["detail"]
    (row, _) = ask(client, "row-list", "heights", table=table, target=sex, order="table")["rows"]
    assert row["findings"] == [{"variable": height, "value": 70.5}]


def test_cases_go_to_files_and_back(client: httpx.Client) -> None:
    cases = [
        {
            "name": "Ann",
            "findings": [{"variable": "smoke", "state": "yes"}, {"variable": "xray", "not": ["no"]}],
            "weight": 1,
        },
        {
            "name": "Bob",
            "findings": [{"variable": "lung", "do": "no"}, {"variable": "dysp", "weights": [1.0, 0.5]}],
            "weight": 2.5,
        },
    ]
    file = ask(client, "write-cases", cases=cases, format="csv")
    assert file["losses"] == []
    assert ask(client, "read-cases", text=file["text"], format="csv") == {"cases": cases, "remarks": []}
    packed = ask(client, "write-cases", cases=cases, format="cas")
    assert len(packed["losses"]) == 2
    back = ask(client, "read-cases", text=packed["text"].replace("xray", "xrai"), format="cas")
    assert [one["name"] for one in back["cases"]] == ["1", "2"]
    assert back["remarks"] == ["No variables of the network, left out: 'xrai'."]


def test_no_text_of_a_case_file_is_a_path(client: httpx.Client, tmp_path: Path) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("case,smoke\nAnn,yes\n")
    found = ask(client, "read-cases", text=str(secret), format="csv")
    assert found["cases"] == []
    assert "left out" in found["remarks"][0]
