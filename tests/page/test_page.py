"""The explorer's page: its logic without a browser, and the rules it keeps, run by node."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.patience import PATIENCE

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*.test.mjs"))
NODE = shutil.which("node") or shutil.which("nodejs")


def test_the_tests_of_the_page_are_there() -> None:
    assert len(FILES) >= 8


@pytest.mark.skipif(NODE is None, reason="the tests of the page need node 18 or newer")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name.removesuffix(".test.mjs"))
def test_with_node(file: Path) -> None:
    assert NODE is not None
    run = subprocess.run(
        [NODE, "--test", str(file)], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    passed = re.search(r"^\W+pass (\d+)", run.stdout, flags=re.M)
    assert passed is not None
    assert int(passed[1]) > 0
