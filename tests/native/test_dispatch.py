"""Which kernels run, and that the environment alone decides."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bayou import _native
from bayou._native import _core
from bayou._native.reference import all_kernels as reference

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import numpy as np
from bayou._native import _core, count_families, count_pairs
random = np.random.default_rng(0)
columns = [random.integers(0, card, 9001).astype(np.uint8) for card in (2, 3, 5, 20)]
tables = count_families(columns, [2, 3, 5, 20], [[0, 1, 2], [3, 0], [1], [2, 3, 0]], None)
flat, _ = count_pairs(columns, [2, 3, 5, 20])
print(count_families.__module__, _core.plane_kernels())
print([int(table.reshape(-1) @ np.arange(table.size)) for table in tables], int(flat @ np.arange(flat.size)))
"""


def _run(**settings: str) -> list[str]:
    keep = {name: value for name, value in os.environ.items() if not name.startswith("BAYOU_")}
    path = os.pathsep.join(part for part in sys.path if part)
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=keep | {"PYTHONPATH": path} | settings,
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return run.stdout.splitlines()


def test_the_environment_variable_alone_chooses_the_references_and_numbers_agree() -> None:
    compiled = _run()
    referenced = _run(BAYOU_REFERENCE_KERNELS="1")
    assert compiled[0].startswith("bayou._native._core")
    assert referenced[0].startswith("bayou._native.reference")
    assert compiled[1] == referenced[1]


@pytest.mark.parametrize("wish", ["portable", "avx2"])
def test_kernels_for_lesser_processors_give_the_same_numbers(wish: str) -> None:
    best, lesser = _run(), _run(BAYOU_PLANE_KERNELS=wish)
    assert best[1] == lesser[1]
    if wish == "portable":
        assert lesser[0].endswith("portable")


def test_every_kernel_of_the_package_has_a_reference_of_the_same_name() -> None:
    without = {"EquivalenceSearch"}  # bayou.learning.ges is its reference
    for name in set(_native.__all__) - without:
        assert callable(getattr(_core, name))
        assert getattr(reference, name).__module__.startswith("bayou._native.reference")
