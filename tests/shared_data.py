"""The project's shared data folder, which lies beside the repository on some machines only."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data"
if not SHARED.is_dir():
    # A git worktree lies one folder deeper.
    SHARED = SHARED.parents[2] / "shared" / "data"

_absent = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data folder is not here")


def needs_shared_data(test: Any) -> Any:
    """Mark a test that reads the shared data; it is skipped where there is none."""
    return pytest.mark.shared_data(_absent(test))


def shared_json(name: str) -> Any:
    """A JSON file of the shared data, gzipped or not; an empty dict where the folder is absent."""
    path = SHARED / name
    if not SHARED.is_dir():
        return {}
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if name.endswith(".gz") else data)


def shared_files(pattern: str) -> list[Path]:
    """The shared files that fit a pattern, in order."""
    return sorted(SHARED.glob(pattern))
