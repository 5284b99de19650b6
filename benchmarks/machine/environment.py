"""The environment of the benchmarks: made on first use, beside the repository's other environments."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[1]
ROOT = BENCHMARKS.parent
FOLDER = ROOT / ".venv-bench"
REQUIREMENTS = BENCHMARKS / "requirements.txt"
WITHOUT_DEPENDENCIES = BENCHMARKS / "requirements-orange.txt"


def enter() -> None:
    """Continue this very command inside the environment, which is made or brought up to date first."""
    python = FOLDER / "bin" / "python"
    if Path(sys.prefix).resolve() == FOLDER.resolve():
        return
    if not python.exists():
        print(f"Making {FOLDER.name} with the peers (once; some minutes)", flush=True)
        venv.create(FOLDER, with_pip=True)
    _install_peers(python)
    # The package is built anew each time: what is measured is what is in the working tree.
    subprocess.run([python, "-m", "pip", "install", "-q", str(ROOT)], check=True)
    os.execv(python, [str(python), *sys.argv])


def _install_peers(python: Path) -> None:
    wanted = REQUIREMENTS.read_text() + WITHOUT_DEPENDENCIES.read_text()
    stamp = FOLDER / "installed-requirements.txt"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    subprocess.run([python, "-m", "pip", "install", "-q", "-r", str(REQUIREMENTS)], check=True)
    command = [python, "-m", "pip", "install", "-q", "--no-deps", "-r", str(WITHOUT_DEPENDENCIES)]
    subprocess.run(command, check=True)
    stamp.write_text(wanted)
