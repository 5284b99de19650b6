"""Learning over HTTP: the models are those of the library, jobs tell of their progress and can be ended."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pandas
import pytest
from tests.patience import PATIENCE, until
from tests.server.edits.test_edits import network_of
from tests.server.learning.test_tables import send
from tests.server.processes import children, wait_for_rest
from tests.server.running_server import Running, running

import bayou

ASIA = bayou.examples.asia()


@pytest.fixture(scope="module")
def learner(models: list[str]) -> Iterator[Running]:
    with running("serve", *models, "--port", "0", "--allow", "learn") as server:
        yield server


@pytest.fixture(scope="module")
def asker(learner: Running) -> Iterator[httpx.Client]:
    with learner.client() as client:
        yield client


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows of asia with a column of numbers."""
    frame = ASIA.sample(1500, seed=3).to_pandas()
    chance = np.random.default_rng(0)
    frame["age"] = np.where(frame["lung"] == "yes", 65.0, 45.0) + chance.normal(0, 8, len(frame)).round(1)
    path: Path = tmp_path_factory.mktemp("rows") / "patients.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def table(asker: httpx.Client, rows: Path) -> str:
    return str(send(asker, rows.read_bytes()).json()["table"])


def ended(client: httpx.Client, address: str) -> dict[str, Any]:
    def state() -> str:
        return str(client.get(address).json()["state"])

    until(lambda: state() not in ("waiting", "running"), "the job does not end")
    job: dict[str, Any] = client.get(address).json()
    return job


def learn(client: httpx.Client, **request: Any) -> dict[str, Any]:
    answer = client.post("/v1/jobs", json=request)
    assert answer.status_code == 202, answer.text
    return ended(client, answer.headers["location"])


def same(found: bayou.Network, wanted: bayou.Network) -> None:
    assert set(found.arcs) == set(wanted.arcs)
    for name in wanted.names:
        assert np.array_equal(found.frozen.table(name), wanted.frozen.table(name)), name


def test_a_structure_is_that_of_the_library(
    asker: httpx.Client, table: str, rows: Path, tmp_path: Path
) -> None:
    options = {"ignore": ["age"], "method": "hill-climbing", "score": "bdeu", "max_parents": 2, "seed": 4}
    forbid = [{"parent": "lung", "child": "smoke"}]
    job = learn(
        asker,
        table=table,
        learn="structure",
        compare_with="asia",
        options={**options, "forbid": forbid},
    )
    assert job["state"] == "done", job["problem"]
    wanted = bayou.learn_structure(rows, **options, forbid=[("lung", "smoke")])
    found = network_of(asker, job["result"]["revision"], tmp_path)
    same(found, wanted)
    differences, expected = job["result"]["differences"], wanted.compare(ASIA)
    for ours, theirs in (("added", "extra"), ("lost", "missing"), ("turned", "turned"), ("common", "common")):
        assert [(a["parent"], a["child"]) for a in differences[ours]] == list(getattr(expected, theirs))
    assert (differences["only_learned"], differences["only_other"]) == ([], [])
    assert wanted.learned_structure is not None
    gains = {(arc.parent, arc.child): arc.gain for arc in wanted.learned_structure.arcs}
    assert {(a["parent"], a["child"]): a["gain"] for a in job["result"]["arcs"]} == pytest.approx(gains)
    assert "1,500 rows" in job["result"]["sentences"][0]


def test_known_arcs_as_text_and_of_a_model(
    asker: httpx.Client, table: str, rows: Path, tmp_path: Path
) -> None:
    job = learn(
        asker, table=table, learn="parameters", arcs="smoke -> lung -> xray", options={"smoothing": 2}
    )
    wanted = bayou.Network("smoke -> lung -> xray").fit(rows, prior=bayou.Laplace(2))
    same(network_of(asker, job["result"]["revision"], tmp_path), wanted)
    job = learn(asker, table=table, learn="parameters", arcs_of="asia")
    wanted = bayou.Network(ASIA.dag, states={name: ASIA.states(name) for name in ASIA.names}).fit(rows)
    same(network_of(asker, job["result"]["revision"], tmp_path), wanted)


@pytest.mark.filterwarnings("ignore:The network has the tables as they were counted")
def test_tan_is_the_network_of_the_classifier(
    asker: httpx.Client, table: str, rows: Path, tmp_path: Path
) -> None:
    job = learn(asker, table=table, learn="tan", target="lung", compare_with="asia")
    wanted = bayou.TAN(evidence_weight=1).fit(str(rows), "lung")
    found = network_of(asker, job["result"]["revision"], tmp_path)
    same(found, wanted.network_)
    assert found.variables["age"].cuts
    assert job["result"]["differences"]["only_learned"] == ["age"]
    scores = job["result"]["scores"]
    expected = bayou.evaluate({"tan": bayou.TAN(evidence_weight=1)}, str(rows), "lung", folds=5)
    assert scores["accuracy"] == pytest.approx(expected["tan"].accuracy)
    assert scores["log_loss"] == pytest.approx(expected["tan"].log_loss)
    assert not job["result"]["notes"]  # the page's network has no powers, and so has what is scored
    assert any(
        re.fullmatch("age was cut into . ranges that tell the states of lung apart: .*", sentence)
        for sentence in job["result"]["sentences"]
    )
    assert scores["accuracy_of_most_frequent"] == pytest.approx(expected.baseline.accuracy)


def test_naive_bayes_has_the_target_above_all_others(
    asker: httpx.Client, table: str, rows: Path, tmp_path: Path
) -> None:
    job = learn(asker, table=table, learn="naive-bayes", target="dysp", options={"ignore": ["age"]})
    found = network_of(asker, job["result"]["revision"], tmp_path)
    others = [name for name in ASIA.names if name != "dysp"]
    assert set(found.arcs) == {("dysp", name) for name in others}
    wanted = bayou.NaiveBayes(evidence_weight=1).fit(pandas.read_csv(rows)[list(ASIA.names)], "dysp")
    new = ASIA.sample(50, seed=9).to_pandas().drop(columns="dysp")
    expected = wanted.predict_proba(new)
    assert np.abs(found.posterior(new, "dysp")["dysp"] - expected).max() < 1e-9


@pytest.fixture(scope="module")
def people(asker: httpx.Client) -> str:
    """Whole numbers, fractions, and a class that neither tells."""
    chance = np.random.default_rng(5)
    lines = ["age,height,ill"]
    for age, height in zip(chance.integers(18, 80, 120), chance.normal(1.7, 0.1, 120), strict=True):
        lines.append(f"{age},{height:.3f},{('no', 'yes')[chance.integers(2)]}")
    return str(send(asker, "\n".join(lines).encode()).json()["table"])


def test_numbers_that_no_cut_parts_are_told_not_to_count(asker: httpx.Client, people: str) -> None:
    job = learn(asker, table=people, learn="naive-bayes", target="ill")
    sentences = job["result"]["sentences"]
    for name in ("age", "height"):
        told = f"{name} was not cut into ranges, because no cut tells the states of ill apart: "
        assert any(sentence.startswith(told) for sentence in sentences)
    assert not any("was cut into" in sentence for sentence in sentences)


@pytest.mark.parametrize("way", ["structure", "chow-liu", "naive-bayes", "tan"])
def test_numbers_are_cut_into_ranges_with_as_many_rows_each(
    asker: httpx.Client, people: str, tmp_path: Path, way: str
) -> None:
    target = {"target": "ill"} if way in ("naive-bayes", "tan") else {}
    job = learn(asker, table=people, learn=way, **target, options={"ranges": 4})
    found = network_of(asker, job["result"]["revision"], tmp_path)
    cuts = found.variables["age"].cuts
    assert cuts is not None
    assert len(cuts) == 4
    told = f"age was cut into 4 ranges with about as many rows each: {', '.join(map(str, cuts))}."
    assert told in job["result"]["sentences"]
    assert (found.variables["height"].cuts is None) == (way == "structure")


def test_declared_cuts_count_more_than_ranges(asker: httpx.Client, people: str, tmp_path: Path) -> None:
    options = {"ranges": 4, "cuts": [{"column": "age", "at": [30, 50]}]}
    job = learn(asker, table=people, learn="naive-bayes", target="ill", options=options)
    found = network_of(asker, job["result"]["revision"], tmp_path)
    assert found.variables["age"].cuts == bayou.Cuts(30, 50)
    assert not any("age was" in sentence for sentence in job["result"]["sentences"])


def test_a_tree(asker: httpx.Client, table: str, rows: Path, tmp_path: Path) -> None:
    job = learn(asker, table=table, learn="chow-liu", options={"ignore": ["age"]})
    same(
        network_of(asker, job["result"]["revision"], tmp_path),
        bayou.learn_structure(rows, method="chow-liu", ignore=["age"]),
    )


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"learn": "tan"}, "needs a target"),
        ({"learn": "structure", "target": "lung"}, "has no target"),
        ({"learn": "parameters"}, "Known arcs"),
        ({"learn": "parameters", "arcs": "a -> b", "arcs_of": "asia"}, "Known arcs"),
        ({"learn": "tan", "target": "lung", "options": {"max_parents": 2}}, "'max_parents' goes with"),
        ({"learn": "structure", "classifier": "nb"}, "goes with"),
        ({"learn": "classifier", "target": "lung", "options": {"ranges": 4}}, "'ranges' goes with"),
        ({"learn": "magic"}, "not as expected"),
        ({"learn": "structure", "options": {"path": "/etc/passwd"}}, "not as expected"),
    ],
)
def test_requests_that_do_not_fit(
    asker: httpx.Client, table: str, members: dict[str, Any], told: str
) -> None:
    answer = asker.post("/v1/jobs", json={"table": table, **members})
    assert answer.status_code == 422
    assert told in answer.json()["detail"]


def test_models_and_tables_that_are_not_there(asker: httpx.Client, table: str) -> None:
    body = {"table": table, "learn": "structure", "compare_with": "/etc/passwd"}
    assert asker.post("/v1/jobs", json=body).status_code == 404
    assert asker.post("/v1/jobs", json={"table": "x.csv", "learn": "structure"}).status_code == 404
    assert asker.get(f"/v1/jobs/{'0' * 32}").status_code == 404


def test_a_problem_of_the_data_is_told(asker: httpx.Client, table: str) -> None:
    job = learn(asker, table=table, learn="tan", target="lungs")
    assert job["state"] == "failed"
    assert "Did you mean 'lung'?" in job["problem"]["detail"]
    job = learn(asker, table=table, learn="parameters", arcs="hidden -> lung")
    assert job["state"] == "failed"
    assert "hidden" in job["problem"]["detail"]
    assert "/tmp" not in json.dumps(job)


def test_events_tell_of_progress_and_end(asker: httpx.Client) -> None:
    large = send(asker, wide_table()).json()["table"]
    options = {"method": "order", "seconds": 2}
    job = asker.post("/v1/jobs", json={"table": large, "learn": "structure", "options": options})
    events: list[tuple[str, Any]] = []
    with asker.stream("GET", f"{job.headers['location']}/events", timeout=PATIENCE) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        kind = ""
        for line in stream.iter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                events.append((kind, json.loads(line.removeprefix("data: "))))
    assert events[-1][0] == "job"
    assert events[-1][1]["state"] == "done"
    told = [document for kind, document in events if kind == "progress"]
    assert told
    assert all(document["done"] >= 1 for document in told)
    assert not any(re.search(r"(^|\W)/", document["task"]) for document in told)  # no path, but rows/s
    with asker.stream("GET", f"{job.headers['location']}/events") as again:
        assert next(again.iter_lines()) == "event: job"


def wide_table(columns: int = 60) -> bytes:
    """Rows whose search takes minutes."""
    chance = np.random.default_rng(2)
    cells = chance.integers(0, 3, (4000, columns))
    for column in range(3, columns):
        cells[:, column] = (cells[:, column - 1] + cells[:, column - 3] + (chance.random(4000) < 0.3)) % 3
    head = ",".join(f"x{k}" for k in range(columns))
    lines = [head, *(",".join(f"s{cell}" for cell in row) for row in cells.tolist())]
    return "\n".join(lines).encode()


def test_a_cancelled_job_ends_its_process(asker: httpx.Client, learner: Running) -> None:
    large = send(asker, wide_table()).json()["table"]
    body = {"table": large, "learn": "structure", "options": {"method": "order"}}
    first = asker.post("/v1/jobs", json=body).headers["location"]
    second = asker.post("/v1/jobs", json=body).headers["location"]
    until(lambda: asker.get(first).json()["progress"] is not None, "the job does not begin")
    assert asker.get(second).json()["state"] == "waiting"
    assert asker.delete(second).status_code == 204
    assert asker.get(second).json()["state"] == "cancelled"
    assert asker.delete(first).status_code == 204
    assert asker.get(first).json()["state"] == "cancelled"
    wait_for_rest([learner.process.pid, *children(learner.process.pid)])
    assert asker.delete(first).status_code == 204
    assert asker.get(first).status_code == 404


def test_a_full_queue_answers_503(asker: httpx.Client) -> None:
    large = send(asker, wide_table()).json()["table"]
    body = {"table": large, "learn": "structure", "options": {"method": "order"}}
    answers = [asker.post("/v1/jobs", json=body) for _ in range(10)]
    taken = [answer.headers["location"] for answer in answers if answer.status_code == 202]
    assert len(taken) == 9
    assert answers[-1].status_code == 503
    assert int(answers[-1].headers["retry-after"]) > 0
    for address in reversed(taken):
        assert asker.delete(address).status_code == 204
    assert "bayou_jobs 0" in asker.get("/metrics").text


def test_a_server_learns_only_if_told(models: list[str]) -> None:
    with running("serve", *models, "--port", "0", "--allow", "tables") as server, server.client() as client:
        table = send(client, b"a,b\n1,2\n1,3\n").json()["table"]
        refused = client.post("/v1/jobs", json={"table": table, "learn": "structure"})
        assert (refused.status_code, refused.json()["type"]) == (403, "read-only")
