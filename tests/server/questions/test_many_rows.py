"""Posteriors of many rows over HTTP, in every format: equal to the library's to the last bit."""

from __future__ import annotations

import gzip
import io
import os
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pandas
import pyarrow
import pyarrow.ipc
import pytest
from tests.patience import PATIENCE
from tests.server.questions.test_kinds import rows_of
from tests.server.running_server import Running, running

import bayou

ASIA = bayou.examples.asia()
CSV, ARROW, JSON = "text/csv", "application/vnd.apache.arrow.stream", "application/json"


def new_rows(count: int) -> pandas.DataFrame:
    """Rows with gaps, without the targets, and with a value that nobody has seen."""
    frame = ASIA.sample(count, seed=8).to_pandas().drop(columns=["lung", "bronc", "either"]).astype(object)
    holes = np.random.default_rng(1).random(frame.shape) < 0.2
    return frame.mask(holes, None)


ROWS = new_rows(300)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("served")
    ASIA.save(folder / "asia.bif")
    patients = ASIA.sample(500, seed=2).to_pandas()
    bayou.NaiveBayes().fit(patients.drop(columns=["bronc", "either"]), "lung").save(folder / "nb.bayou")
    bayou.examples.casino().save(folder / "casino.bayou")
    return folder


@pytest.fixture(scope="module")
def server(saved: Path) -> Iterator[Running]:
    with running("serve", *map(str, sorted(saved.iterdir())), "--port", "0") as found:
        yield found


@pytest.fixture(scope="module")
def asker(server: Running) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


def written(frame: pandas.DataFrame, kind: str) -> bytes:
    if kind == CSV:
        return frame.to_csv(index=False).encode()
    table, held = pyarrow.Table.from_pandas(frame, preserve_index=False), io.BytesIO()
    with pyarrow.ipc.new_stream(held, table.schema) as writer:
        writer.write_table(table)
    return held.getvalue()


def read(answer: httpx.Response) -> pandas.DataFrame:
    kind = answer.headers["content-type"].partition(";")[0]
    if kind == CSV:
        texts = pandas.read_csv(io.BytesIO(answer.content), dtype=str)
        return texts.map(lambda text: float(text) if text[0].isdigit() else text)
    assert kind == ARROW
    found: pandas.DataFrame = pyarrow.ipc.open_stream(answer.content).read_all().to_pandas()
    return found


@pytest.mark.parametrize("sent", [CSV, ARROW])
@pytest.mark.parametrize("wanted", [CSV, ARROW])
def test_a_network_answers_in_columns(asker: httpx.Client, sent: str, wanted: str) -> None:
    answer = asker.post(
        "/v1/models/asia/rows",
        params={"target": ["lung", "bronc"]},
        content=written(ROWS, sent),
        headers={"Content-Type": sent, "Accept": wanted},
    )
    assert answer.status_code == 200, answer.text
    found, expected = read(answer), ASIA.posterior(ROWS, ["lung", "bronc"]).to_frame()
    assert list(found.columns) == list(expected.columns)
    assert np.array_equal(found.to_numpy(), expected.to_numpy())


def test_a_network_answers_in_json(asker: httpx.Client) -> None:
    sent = {**rows_of(ROWS), "targets": ["lung", "bronc"]}
    found = asker.post("/v1/models/asia/rows", json=sent).json()
    expected = ASIA.posterior(ROWS, ["lung", "bronc"])
    assert found["rows"] == len(ROWS)
    assert found["log_probabilities"] == expected.log_evidence.tolist()
    for target in found["targets"]:
        assert target["states"] == list(ASIA.states(target["variable"]))
        assert target["probabilities"] == expected[target["variable"]].tolist()
        assert target["most_probable"] == list(expected.states(target["variable"]))


@pytest.mark.parametrize("kind", [CSV, ARROW, JSON])
def test_a_classifier_answers(asker: httpx.Client, saved: Path, kind: str) -> None:
    model = bayou.load(saved / "nb.bayou")
    expected = model.predict_frame(ROWS)
    content = written(ROWS, CSV)
    headers = {"Content-Type": CSV, "Accept": kind}
    answer = asker.post("/v1/models/nb/rows", content=content, headers=headers)
    assert answer.status_code == 200, answer.text
    if kind == JSON:
        (target,) = answer.json()["targets"]
        assert target["most_probable"] == expected["predicted_lung"].tolist()
        assert target["probabilities"] == expected.drop(columns="predicted_lung").to_numpy().tolist()
        return
    found = read(answer)
    assert list(found.columns) == list(expected.columns)
    assert found["predicted_lung"].tolist() == expected["predicted_lung"].tolist()
    assert np.array_equal(found.iloc[:, 1:].to_numpy(), expected.iloc[:, 1:].to_numpy())


def test_packed_rows_and_the_default_answer(asker: httpx.Client) -> None:
    content = gzip.compress(written(ROWS, CSV))
    answer = asker.post(
        "/v1/models/asia/rows?target=lung", content=content, headers={"Content-Type": "application/gzip"}
    )
    assert answer.headers["content-type"].startswith(CSV)
    assert np.array_equal(read(answer).to_numpy(), ASIA.posterior(ROWS, "lung")["lung"])


def test_values_never_seen_are_gaps_and_are_told(asker: httpx.Client) -> None:
    odd = ROWS.assign(smoke=["sometimes", *ROWS["smoke"][1:]])
    headers = {"Content-Type": CSV}
    answer = asker.post("/v1/models/asia/rows?target=lung", content=written(odd, CSV), headers=headers)
    gappy = ROWS.assign(smoke=[None, *ROWS["smoke"][1:]])
    assert np.array_equal(read(answer).to_numpy(), ASIA.posterior(gappy, "lung")["lung"])
    assert "1 in 'smoke'" in urllib.parse.unquote(answer.headers["bayou-notes"])
    told = asker.post("/v1/models/asia/rows", json={**rows_of(odd), "targets": ["lung"]}).json()["notes"]
    assert "1 in 'smoke'" in told[0]
    refused = asker.post(
        "/v1/models/asia/rows?target=lung&unknown=error", content=written(odd, CSV), headers=headers
    )
    assert refused.status_code == 422
    assert "sometimes" in refused.json()["detail"]


def test_impossible_rows_have_no_answer(asker: httpx.Client) -> None:
    sent = {"columns": ["lung", "either"], "rows": [["yes", "no"], ["no", None]], "targets": ["tub"]}
    found = asker.post("/v1/models/asia/rows", json=sent).json()
    assert found["targets"][0]["probabilities"][0] is None
    assert found["targets"][0]["most_probable"][0] is None
    assert found["log_probabilities"][0] is None
    assert found["log_probabilities"][1] == pytest.approx(ASIA.log_evidence({"lung": "no"}))


@pytest.mark.parametrize(
    ("address", "content", "status", "told"),
    [
        ("asia/rows", b"smoke\nyes\n", 422, "at least one target"),
        ("asia/rows?target=lungs", b"smoke\nyes\n", 422, "Did you mean 'lung'?"),
        ("asia/rows?target=lung", b"/etc/passwd\nyes\n", 422, "The data have no column"),
        ("asia/rows?target=lung", b"\xff\xfe\x00bad", 422, "UTF-8"),
        ("asia/rows?target=lung&unknown=perhaps", b"smoke\nyes\n", 422, "unknown="),
        ("nb/rows?target=smoke", b"smoke\nyes\n", 422, "predicts 'lung'"),
        ("casino/rows", b"roll\n1\n", 422, "filter, smooth"),
        ("nobody/rows", b"roll\n1\n", 404, "no model"),
    ],
)
def test_what_cannot_be_answered(
    asker: httpx.Client, address: str, content: bytes, status: int, told: str
) -> None:
    answer = asker.post(f"/v1/models/{address}", content=content, headers={"Content-Type": CSV})
    assert answer.status_code == status
    assert told in answer.json()["detail"]
    assert "/tmp" not in answer.text


def test_types_that_are_not_known(asker: httpx.Client) -> None:
    assert asker.post("/v1/models/asia/rows", content=b"a").status_code == 415
    headers = {"Content-Type": CSV, "Accept": "image/png"}
    assert asker.post("/v1/models/asia/rows", content=b"a", headers=headers).status_code == 406


def memory_of(process: int) -> int:
    """The largest resident memory of a process so far, in bytes."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def test_many_rows_in_bounded_memory(asker: httpx.Client, server: Running, tmp_path: Path) -> None:
    """30 MB of rows pass through a server whose memory hardly grows, and leave nothing behind."""
    part = written(new_rows(20_000), CSV)
    head, _, lines = part.partition(b"\n")
    before = memory_of(server.process.pid)
    folders = {name for name in os.listdir("/tmp") if name.startswith("bayou-rows-")}

    def body() -> Iterator[bytes]:
        yield head + b"\n"
        for _ in range(70):
            yield lines

    rows = 0
    last = b""
    headers = {"Content-Type": CSV, "Accept": CSV}
    with asker.stream(
        "POST", "/v1/models/asia/rows?target=lung", content=body(), headers=headers, timeout=PATIENCE
    ) as answer:
        assert answer.status_code == 200
        for block in answer.iter_bytes():
            rows += block.count(b"\n")
            last = block
    assert rows == 70 * lines.count(b"\n") + 1
    assert last.endswith(b"\n")
    assert memory_of(server.process.pid) - before < 25 * 2**20
    assert {name for name in os.listdir("/tmp") if name.startswith("bayou-rows-")} <= folders


def test_names_and_values_keep_their_types(models: list[str]) -> None:
    pair: dict[str, Any] = {"type": "tuple", "value": ["a", "b"]}
    sent = {"columns": [pair], "rows": [["x"], [2.5], [None]], "targets": [1]}
    odd = bayou.load(next(path for path in models if path.endswith("odd.bayou")))
    with running("serve", *models, "--port", "0") as server, server.client() as client:
        found = client.post("/v1/models/odd/rows", json=sent).json()
    (target,) = found["targets"]
    assert (target["variable"], target["states"]) == (1, [True, False])
    expected = odd.posterior({("a", "b"): ["x", 2.5, None]}, [1])[1]
    assert target["probabilities"] == expected.tolist()


def test_a_rule_for_values_never_seen_is_refused_by_name_where_it_does_nothing(asker: httpx.Client) -> None:
    sent = ROWS.drop(columns=["lung"], errors="ignore")
    answers = [
        asker.post(
            "/v1/models/nb/rows?unknown=error", content=written(sent, CSV), headers={"Content-Type": CSV}
        ),
        asker.post("/v1/models/nb/rows", json={**rows_of(sent), "unknown": "error"}),
        asker.post("/v1/models/nb/predict?unknown=error", json=rows_of(sent)),
        asker.post("/v1/models/asia/query?unknown=error", json={"targets": ["lung"]}),
    ]
    for answer in answers:
        assert answer.status_code == 422
        assert "unknown=" in answer.json()["detail"]
    odd = ROWS.assign(smoke=["sometimes", *ROWS["smoke"][1:]])
    told = asker.post("/v1/models/asia/rows?unknown=error", json={**rows_of(odd), "targets": ["lung"]})
    assert (told.status_code, "sometimes" in told.json()["detail"]) == (422, True)


def test_the_list_of_what_can_be_asked_has_rows(asker: httpx.Client) -> None:
    for model, other in (("nb", "query"), ("asia", "smooth")):
        assert "'rows'" in asker.post(f"/v1/models/{model}/{other}", json={}).json()["detail"]
    assert "'rows'" not in asker.post("/v1/models/casino/predict", json={}).json()["detail"]


@pytest.mark.parametrize(
    ("model", "address", "sent", "meant"),
    [
        ("asia", "query", {"targets": ["lung"], "given": []}, "(did you mean `findings`?)"),
        ("asia", "beliefs", {"evidence": []}, "(did you mean `findings`?)"),
        ("asia", "query", {"tragets": ["lung"]}, "(did you mean `targets`?)"),
        ("asia", "rows", {"colunms": [], "rows": []}, "(did you mean `columns`?)"),
        ("nb", "predict", {"zzz": 1}, "(it has: "),
    ],
)
def test_an_unknown_member_names_the_one_that_was_meant(
    asker: httpx.Client, model: str, address: str, sent: dict[str, Any], meant: str
) -> None:
    answer = asker.post(f"/v1/models/{model}/{address}", json=sent)
    assert answer.status_code == 422
    assert meant in answer.json()["detail"]
