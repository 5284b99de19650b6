"""Temporary files of a killed process are swept by the next save; those of a living one are not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bayou.files.replacement import sweep, temporary_stem
from bayou.formats.file_content import write_bytes

STUCK = """
import os, sys, time
def stuck(descriptor):
    print("writing", flush=True)
    time.sleep(600)
os.fsync = stuck
"""
WRITERS = {
    "model": """
from bayou.formats.file_content import write_bytes
write_bytes(sys.argv[1] + '/a.bif', b'x' * 1000)
""",
    "table": """
from bayou.sources.output.result_file import result_file
import numpy
with result_file(sys.argv[1] + '/a.csv', ["a", "A"], ["DOUBLE", "DOUBLE"]) as file:
    file.add([numpy.zeros(3), numpy.ones(3)])
    file.finish(["c0", "c1"])
""",
    "sample": """
from bayou.cli.terminal.paths import replacing
with replacing(sys.argv[1] + '/a.csv') as temporary:
    temporary.write_bytes(b"rows")
""",
}


@contextmanager
def writing(writer: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that is in the middle of writing a file into the folder."""
    command = [sys.executable, "-c", STUCK + WRITERS[writer], str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "writing\n"
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("writer", WRITERS)
def test_the_files_of_a_killed_save_are_swept_and_those_of_a_living_one_are_not(
    writer: str, tmp_path: Path
) -> None:
    with writing(writer, tmp_path) as process:
        during = set(os.listdir(tmp_path))
        assert len(during) >= 2  # a lock and at least one file
        write_bytes(tmp_path / "b.bif", b"one")
        assert set(os.listdir(tmp_path)) == {*during, "b.bif"}
        process.kill()
        process.wait()
        write_bytes(tmp_path / "b.bif", b"two")
    assert os.listdir(tmp_path) == ["b.bif"]
    assert (tmp_path / "b.bif").read_bytes() == b"two"


def test_only_files_with_names_of_ours_are_swept(tmp_path: Path) -> None:
    others = [".bayou-notes.tmp", ".bayou-0123456789abcdef", "bayou-0123456789abcdef.tmp", ".tmp", "a.bayou"]
    for name in others:
        (tmp_path / name).write_bytes(b"mine")
    (tmp_path / ".bayou-0123456789abcdef.tmp").write_bytes(b"left by an earlier version")
    (tmp_path / ".bayou-0123456789abcdef.duckdb.tmp").mkdir()
    (tmp_path / ".bayou-0123456789abcdef.body").symlink_to(tmp_path / "a.bayou")
    sweep(tmp_path)
    assert sorted(os.listdir(tmp_path)) == sorted(others)


def test_a_folder_that_cannot_be_listed_is_left_alone(tmp_path: Path) -> None:
    sweep(tmp_path / "absent")
    assert not os.listdir(tmp_path)


def test_a_claim_that_was_swept_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked: list[str] = []
    lock = __import__("fcntl").flock

    def late(descriptor: int, how: int) -> None:
        if not locked:
            locked.extend(os.listdir(tmp_path))
            os.unlink(tmp_path / locked[0])
        lock(descriptor, how)

    monkeypatch.setattr("fcntl.flock", late)
    with temporary_stem(tmp_path / "net.bif") as stem:
        (remaining,) = os.listdir(tmp_path)
        assert f"{tmp_path / remaining}" == f"{stem}.lock"
        assert remaining != locked[0]
    assert not os.listdir(tmp_path)


def test_a_file_system_without_locks_can_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(descriptor: int, how: int) -> None:
        raise OSError("no locks here")

    monkeypatch.setattr("fcntl.flock", refused)
    with temporary_stem(tmp_path / "a.bif") as stem:
        Path(f"{stem}.tmp").write_bytes(b"living")
        write_bytes(tmp_path / "b.bif", b"x")
        assert Path(f"{stem}.tmp").exists()
        Path(f"{stem}.tmp").unlink()
    assert os.listdir(tmp_path) == ["b.bif"]
