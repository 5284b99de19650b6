"""The command as a separate process: pipes, signals, exit codes, and which stream gets what."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.patience import until

import bayou

COMMAND = [sys.executable, "-m", "bayou.cli.main"]
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(Path(bayou.__file__).parents[1]),
    "PYTHONIOENCODING": "utf-8",
}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and pipes of Unix")


def start(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT
    )


STOPPED = """
import signal
from bayou.counting.interrupted_count import InterruptedCount
from bayou.cli.main import main

counted = InterruptedCount.counted

def counted_and_stopped(*arguments):
    counted(*arguments)
    signal.raise_signal(signal.SIGINT)

InterruptedCount.counted = counted_and_stopped
main()
"""
"""The command, which gets Ctrl-C when it has counted the first of its tables."""


def test_a_reader_that_goes_away_is_not_an_error_message(folder: Path) -> None:
    process = start("sample", "rain.bif", "-n", "3000000")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"Rain,Wet\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141


@pytest.mark.parametrize(
    ("number", "code", "message"),
    [(signal.SIGINT, 130, b"Interrupted.\n"), (signal.SIGTERM, 143, b"Terminated.\n")],
)
@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_an_interrupted_command_leaves_no_file(
    folder: Path, number: int, code: int, message: bytes, name: str
) -> None:
    process = start("sample", "rain.bif", "-n", "1000000000", "--seed", "1", "-o", name, "--force")
    until(lambda: process.poll() is not None or list(folder.glob(".bayou-*")), "no file is begun")
    process.send_signal(number)
    out, err = process.communicate()
    assert (process.returncode, out, err) == (code, b"", message)
    assert not list(folder.glob(".bayou-*"))
    assert not (folder / name).exists()


def test_an_interrupt_inside_executed_text_ends_with_the_commands_own_code(folder: Path) -> None:
    (folder / "stopped.py").write_text(
        "from bayou.cli.main import main, sample\n"
        "sample.callback = lambda **_: exec('raise KeyboardInterrupt')\n"
        "main()\n",
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "stopped", "sample", "rain.bif"],
        env=ENVIRONMENT,
        stderr=subprocess.PIPE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, b"Interrupted.\n")


def test_a_full_disk_is_a_message(folder: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("needs /dev/full")
    with full.open("wb") as out:
        done = subprocess.run(
            [*COMMAND, "sample", "rain.bif", "-n", "100000"],
            stdout=out,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr == b"Error: No space left on device.\n"


def test_help_needs_neither_numpy_nor_the_library(folder: Path) -> None:
    code = (
        "import sys; from bayou.cli.main import cli; cli.main(['--help'], standalone_mode=False); "
        "assert not {'numpy', 'rich', 'bayou.models', 'duckdb'} & set(sys.modules), 'too much is imported'"
    )
    subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)


def test_warnings_are_notes_on_standard_error(folder: Path) -> None:
    (folder / "x.csv").write_text("g,x\na,1.5\na,2.5\nb,3.0\n", encoding="utf-8")
    out, err = start("fit", "x.csv", "--network", "g -> x", "--continuous", "x", "--json").communicate()
    assert out.startswith(b"{")
    assert err.startswith(b"Note: ")
    assert len(err.splitlines()) == 1


def test_ctrl_c_keeps_what_was_counted_and_resume_goes_on(folder: Path) -> None:
    lines = ["Rain,Wet", *["yes,yes", "no,no", "no,yes"] * 400_000]
    (folder / "rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    arguments = ["count", "rows.csv", "--network", "rain.bif", "-o", "rows.stats"]
    stopped = subprocess.run(
        [sys.executable, "-c", STOPPED, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        check=False,
    )
    assert stopped.returncode == 130
    assert "kept in rows.stats.part" in stopped.stderr.replace("\n", " ")
    assert not (folder / "rows.stats").exists()
    assert 0 < bayou.load(folder / "rows.stats.part").rows < len(lines) - 1
    resumed = start(*arguments, "--resume")
    resumed.communicate()
    assert resumed.returncode == 0
    assert not (folder / "rows.stats.part").exists()
    learned = start("fit", "--from-stats", "rows.stats", "-o", "counted.bayou")
    assert b"1,200,000 rows" in learned.communicate()[0]
    expected = bayou.Network.from_structure(bayou.load(folder / "rain.bif").structure)
    assert bayou.load(folder / "counted.bayou").same_as(expected.fit(folder / "rows.csv"))
