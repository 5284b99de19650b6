"""``bayou explore data.csv``: a network is learned first, told about, and opened."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import PATIENCE
from tests.server.edits.test_edits import network_of
from tests.server.running_server import running

import bayou

ASIA = bayou.examples.asia()


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("rows") / "patients.csv"
    ASIA.sample(600, seed=3).to_pandas().to_csv(path, index=False)
    return path


@pytest.mark.filterwarnings("ignore:The network has the tables as they were counted")
@pytest.mark.parametrize("target", [None, "lung"])
def test_a_table_is_learned_and_opened(rows: Path, target: str | None, tmp_path: Path) -> None:
    more = [] if target is None else ["--target", target]
    with running("explore", str(rows), "--no-browser", *more) as server:
        headers = {"Authorization": f"Bearer {server.token}"}
        with server.client(headers=headers) as client:
            (entry,) = client.get("/v1/models").json()["models"]
            found = network_of(client, entry["revision"], tmp_path)
    assert (entry["name"], entry["kind"], entry["can_save"]) == ("patients", "network", False)
    assert "learned from 600 rows" in server.printed
    if target is None:
        wanted = bayou.learn_structure(rows)
        assert "exact search" in server.printed
    else:
        wanted = bayou.TAN().fit(str(rows), target).network_
        assert "tree-augmented naive Bayes network that predicts lung" in server.printed
    assert set(found.arcs) == set(wanted.arcs)


def test_few_rows_give_naive_bayes(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    ASIA.sample(40, seed=1).to_pandas().to_csv(path, index=False)
    with running("explore", str(path), "--no-browser", "--target", "smoke") as server:
        assert "A naive Bayes network that predicts smoke" in server.printed


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["asia.bif", "--target", "lung"], "--target goes with a table"),
        (["patients.csv", "--target", "lungs"], "Did you mean 'lung'?"),
        (["patient.csv"], "Did you mean"),
    ],
)
def test_what_cannot_be_opened(rows: Path, arguments: list[str], told: str) -> None:
    ASIA.save(rows.parent / "asia.bif")
    name, *more = arguments
    command = [sys.executable, "-m", "bayou", "explore", str(rows.parent / name), *more, "--no-browser"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert ended.returncode != 0
    assert told in " ".join(ended.stderr.split())
    assert "Traceback" not in ended.stderr
