"""Standard streams that are closed, full, or cannot encode every character."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.terminal.test_processes import COMMAND, ENVIRONMENT

from bayou.models.network import Network

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="shells and devices of Unix")

QUESTION = ("query", "rain.bif", "Rain | Wet=yes")


def narrow(*arguments: str, encoding: str = "ascii") -> subprocess.CompletedProcess[bytes]:
    environment = {**ENVIRONMENT, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": encoding}
    return subprocess.run([*COMMAND, *arguments], capture_output=True, env=environment, check=False)


def redirected(redirection: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    line = f'exec "$@" {redirection}'
    return subprocess.run(
        ["sh", "-c", line, "sh", *COMMAND, *arguments], capture_output=True, env=ENVIRONMENT, check=False
    )


def test_bars_and_signs_have_ascii_forms(folder: Path) -> None:
    done = narrow(*QUESTION, "--working")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"0.6667  ######" in done.stdout
    Network("a; b", tables={"a": {"x": 1.0}, "b": {"x": 1.0}}).save("apart.bayou")
    shown = narrow("show", "apart.bayou", "--independencies", encoding="latin-1")
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert b"a _|_ b" in shown.stdout


def test_json_keeps_every_letter_on_a_narrow_stream(folder: Path) -> None:
    done = narrow("show", "weird.bayou", "--json")
    assert done.stdout.isascii()
    assert json.loads(done.stdout)["variables"][0]["name"] == "größe, cm"


def test_rows_that_a_narrow_stream_cannot_hold_are_refused_not_changed(folder: Path) -> None:
    done = narrow("sample", "weird.bayou", "-n", "3")
    assert done.returncode == 1
    assert b"Standard output is ascii" in done.stderr
    assert b"PYTHONIOENCODING=utf-8" in done.stderr
    assert b"?" not in done.stdout
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        (*QUESTION, "--json"),
        ("query", "rian.bif", "Rain", "--json"),
        ("query", "--help"),
        ("sample", "rain.bif", "-n", "3", "--json"),
    ],
)
def test_a_full_disk_is_one_message_whatever_is_printed(folder: Path, arguments: tuple[str, ...]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    done = redirected(">/dev/full", *arguments)
    assert (done.returncode, done.stderr) == (1, b"Error: No space left on device.\n")


@pytest.mark.parametrize("arguments", [QUESTION, (*QUESTION, "--json"), ("--help",)])
def test_a_closed_output_is_one_message(folder: Path, arguments: tuple[str, ...]) -> None:
    done = redirected(">&-", *arguments)
    assert (done.returncode, done.stderr) == (1, b"Error: Bad file descriptor.\n")


def test_closed_input_and_errors_do_not_matter(folder: Path) -> None:
    done = redirected("<&- 2>&-", *QUESTION)
    assert done.returncode == 0
    assert b"0.6667" in done.stdout


def test_no_saved_file_becomes_standard_output(folder: Path) -> None:
    redirected(">&- 2>&- <&-", "sample", "rain.bif", "-n", "2", "--seed", "1", "-o", "rows.csv")
    lines = (folder / "rows.csv").read_text(encoding="utf-8").splitlines()
    assert [lines[0], len(lines)] == ["Rain,Wet", 3]
