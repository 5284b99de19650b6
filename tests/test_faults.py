"""What goes wrong for real: full disks, Ctrl-C, broken batches. No half-written file, no changed model."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import bayou
from bayou.cli.main import cli
from bayou.errors import BadData, BadFile, BayouError, BayouWarning, UnknownVariable
from tests.patience import PATIENCE

SPACE = 16_384


def table(rows: int = 5_000) -> pd.DataFrame:
    random = np.random.default_rng(4)
    return pd.DataFrame(
        {
            "a": [f"value {k}" for k in random.integers(0, 2_000, rows)],
            "b": [f"value {k}" for k in random.integers(0, 30, rows)],
            "ill": random.choice(["no", "yes"], rows),
        }
    )


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder with room for 16 kB: a disk of that size where one can be mounted, else a limit for files."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SPACE}", "tmpfs", str(folder)]
    if os.geteuid() == 0 and subprocess.run(mount, capture_output=True, check=False).returncode == 0:
        try:
            yield folder
        finally:
            subprocess.run(["umount", str(folder)], check=True)
        return
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (SPACE, before[1]))
    try:
        yield folder
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def _lost() -> Iterator[pd.DataFrame]:
    yield table()
    raise ConnectionError("the line is dead")


WRITERS: dict[str, Callable[[Path], Any]] = {
    "network": lambda disk: bayou.Network("b -> a").fit(table()).save(disk / "file.bayou"),
    "BIF": lambda disk: bayou.Network("b -> a").fit(table()).save(disk / "file.bif"),
    "classifier": lambda disk: bayou.NaiveBayes().fit(table(), "ill").save(disk / "file.bayou"),
    "statistics": lambda disk: bayou.count(table(), bayou.Network("b -> a")).save(disk / "file.stats"),
    "checkpoint of EM": lambda disk: bayou.Network("b -> a").fit(
        table().assign(a=table()["a"].where(np.arange(5_000) % 3 > 0)),
        checkpoint=disk / "file.bayou",
        max_iterations=2,
    ),
}


@pytest.mark.filterwarnings("ignore::bayou.errors.BayouWarning")
@pytest.mark.parametrize("writer", WRITERS)
def test_a_full_disk_keeps_the_old_file(writer: str, full_disk: Path) -> None:
    old = full_disk / "file.old"
    old.write_bytes(b"of yesterday" * 100)
    with pytest.raises(BadFile, match=r"cannot be written: (No space left on device|File too large)"):
        WRITERS[writer](full_disk)
    assert old.read_bytes() == b"of yesterday" * 100
    assert os.listdir(full_disk) == ["file.old"]


@pytest.mark.parametrize("taken", [0, SPACE // 2])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_predictions_on_a_full_disk(ending: str, taken: int, full_disk: Path, tmp_path: Path) -> None:
    """With half of it taken, not even the database begins in which the rows are collected."""
    (full_disk / "of others").write_bytes(bytes(taken))
    rows = table(20_000)
    bayou.NaiveBayes().fit(rows, "ill").save(tmp_path / "model.bayou")
    rows.to_csv(tmp_path / "rows.csv", index=False)
    words = ["predict", str(tmp_path / "model.bayou"), str(tmp_path / "rows.csv")]
    result = CliRunner().invoke(cli, [*words, "-o", str(full_disk / f"out.{ending}")])
    assert result.exit_code == 1, result.output
    assert f"out.{ending}" in result.output.replace("\n", "")
    assert os.listdir(full_disk) == ["of others"]


@pytest.mark.parametrize("verb", ["count", "merge"])
def test_finished_statistics_that_find_no_room_are_kept_elsewhere(
    verb: str, full_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    table().to_csv(tmp_path / "rows.csv", index=False)
    words = ["count", str(tmp_path / "rows.csv"), "--network", "b -> a"]
    if verb == "merge":
        assert CliRunner().invoke(cli, [*words, "-o", str(tmp_path / "a.stats")]).exit_code == 0
        words = ["merge", *[str(tmp_path / "a.stats")] * 2]
    result = CliRunner().invoke(cli, [*words, "-o", str(full_disk / "all.stats")])
    assert result.exit_code == 1, result.output
    if not os.path.ismount(full_disk):  # the limit holds for all files
        assert "are lost" in " ".join(result.output.split())
        assert os.listdir(elsewhere) == []
        return
    (kept,) = elsewhere.glob("bayou-*/all.stats")
    assert f"kept in {kept}" in " ".join(result.output.split()).replace("- ", "-")
    assert bayou.load(kept).rows == (5_000 if verb == "count" else 10_000)
    assert os.listdir(full_disk) == []


def test_ctrl_c_while_statistics_are_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from bayou.counting.model_statistics import ModelStatistics

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    table(50).to_csv(tmp_path / "rows.csv", index=False)
    saving, output = ModelStatistics.save, tmp_path / "out" / "all.stats"
    output.parent.mkdir()

    def interrupted(self: ModelStatistics, path: Any) -> None:
        saving(self, path)
        if Path(path) == output:
            output.unlink()
            raise KeyboardInterrupt

    monkeypatch.setattr(ModelStatistics, "save", interrupted)
    words = ["count", str(tmp_path / "rows.csv"), "--network", "b -> a", "-o", str(output)]
    assert CliRunner().invoke(cli, words).exit_code != 0
    (kept,) = tmp_path.glob("bayou-*/all.stats")
    assert bayou.load(kept).rows == 50
    assert os.listdir(output.parent) == []


def test_a_checkpoint_that_finds_no_room_does_not_hide_the_error(full_disk: Path) -> None:
    with pytest.raises(ConnectionError), pytest.warns(BayouWarning, match="What was counted so far is lost"):
        bayou.count(bayou.from_batches(_lost()), bayou.Network("b -> a"), checkpoint=full_disk / "c.stats")
    assert os.listdir(full_disk) == []


_SLOW = """
import sys, time
import bayou
def batches():
    for number in range(3):
        yield {"a": ["x", "y"], "b": ["u", "v"]}
    print("counted three", flush=True)
    time.sleep(60)
net = bayou.Network("a -> b").fit({"a": ["x", "y", "y"], "b": ["u", "v", "u"]})
before = net.copy()
try:
    if sys.argv[1] == "count":
        bayou.count(bayou.from_batches(batches()), bayou.Network("a -> b"), checkpoint=sys.argv[2])
    else:
        getattr(net, sys.argv[1])(bayou.from_batches(batches()))
except KeyboardInterrupt:
    print("interrupted", net.same_as(before), flush=True)
"""


@pytest.mark.parametrize("verb", ["count", "partial_fit", "fit"])
def test_ctrl_c_for_real(verb: str, tmp_path: Path) -> None:
    file = tmp_path / "so-far.stats"
    command = [sys.executable, "-c", _SLOW, verb, str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "counted three\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted True\n"
        assert process.wait(PATIENCE) == 0
    if verb == "count":
        assert bayou.load(file).rows == 6
        whole = [{"a": ["x", "y"], "b": ["u", "v"]}] * 4
        assert bayou.count(bayou.from_batches(whole), bayou.Network("a -> b"), checkpoint=file).rows == 8
    assert os.listdir(tmp_path) == []


def _batches(broken: Any) -> Callable[[], Iterator[Any]]:
    good = {"a": list("xyyx"), "n": [1.5, 2.5, 0.5, 3.5], "ill": ["no", "yes", "yes", "no"]}

    def made() -> Iterator[Any]:
        yield good
        yield good
        if isinstance(broken, Exception):
            raise broken
        yield broken

    return made


BROKEN: dict[str, tuple[Any, type[Exception], str]] = {
    "a missing column": ({"a": ["x"], "ill": ["no"]}, UnknownVariable, r"Batch 2 \(counting from 0\).*'n'"),
    "another type": (
        {"a": ["x"], "n": ["cold"], "ill": ["no"]},
        BadData,
        r"Column 'n' had numbers in earlier batches, but batch 2 .* has 'cold'",
    ),
    "columns of two lengths": ({"a": ["x", "y"], "n": [1.5], "ill": ["no"]}, BadData, "Batch 2"),
    "no table": (7, BadData, "Batch 2"),
    "an error of the iterator": (ConnectionError("the line is dead"), ConnectionError, "the line is dead"),
}
LEARNERS: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "network": (lambda: bayou.Network("ill -> a; ill -> n"), {}),
    "naive Bayes": (bayou.NaiveBayes, {"y": "ill"}),
    "Gaussian": (lambda: bayou.NaiveBayes({"n": "gaussian"}), {"y": "ill"}),
    "TAN": (lambda: bayou.TAN(states={"n": bayou.Cuts([1])}), {"y": "ill"}),
}


@pytest.mark.filterwarnings("ignore::bayou.errors.BayouWarning")
@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_batch_changes_no_model(fault: str, learner: str, verb: str) -> None:
    make, how = LEARNERS[learner]
    broken, error, told = BROKEN[fault]
    model = make().fit(bayou.from_batches(list(_batches({"a": [], "n": [], "ill": []})())[:2]), **how)
    before = model.copy()
    with pytest.raises(error, match=told) as caught:
        getattr(model, verb)(bayou.from_batches(_batches(broken)), **how)
    if not isinstance(caught.value, BayouError):
        notes = getattr(caught.value, "__notes__", ["batch 2 (counting from 0)"])  # since Python 3.11
        assert "batch 2 (counting from 0)" in notes[0]
    assert vars(model).keys() == vars(before).keys()
    if learner == "network":
        assert model.same_as(before)
    else:
        rows = {"a": ["x", "y"], "n": [1.5, 0.5]}
        np.testing.assert_array_equal(model.predict_proba(rows), before.predict_proba(rows))


@pytest.mark.filterwarnings("ignore::bayou.errors.BayouWarning")
@pytest.mark.parametrize("fault", BROKEN)
def test_statistics_up_to_a_broken_batch_are_kept(fault: str, tmp_path: Path) -> None:
    broken, error, told = BROKEN[fault]
    file = tmp_path / "so-far.stats"
    net = bayou.Network("ill -> a; ill -> n")
    with pytest.raises(error, match=told):
        bayou.count(bayou.from_batches(_batches(broken)), net, checkpoint=file)
    assert bayou.load(file).rows == 8
    repaired = _batches({"a": ["x"], "n": [3.5], "ill": ["no"]})
    assert bayou.count(bayou.from_batches(repaired), net, checkpoint=file).rows == 9
    assert os.listdir(tmp_path) == []
