"""The sdist: what the wheel is made from, and no more."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

import pytest

import bayou

ROOT = Path(__file__).parents[2]
ABOVE = {
    "CHANGELOG.md",
    "CITATION.cff",
    "CMakeLists.txt",
    "LICENSE",
    "PKG-INFO",
    "README.md",
    "SECURITY.md",
    "pyproject.toml",
}
FOLDERS = {"cpp", "src"}


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The files of the sdist, below its folder."""
    backend = pytest.importorskip("scikit_build_core.build")
    folder = tmp_path_factory.mktemp("sdist")
    here = os.getcwd()
    os.chdir(ROOT)
    try:
        name = backend.build_sdist(str(folder))
    finally:
        os.chdir(here)
    assert name == f"bayou-{bayou.__version__}.tar.gz"
    with tarfile.open(folder / name) as archive:
        return [member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()]


def test_the_sdist_has_what_a_build_needs_and_no_more(packed: list[str]) -> None:
    assert {name for name in packed if "/" not in name} == ABOVE
    assert {name.partition("/")[0] for name in packed if "/" in name} == FOLDERS


def test_every_source_is_in_the_sdist(packed: list[str]) -> None:
    sources = {
        str(path.relative_to(ROOT))
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".cpp", ".hpp", ".inc", ".py", ".csv", ".js", ".css", ".html")
    }
    assert len(sources) > 1000
    assert sources <= {*packed}


def test_nothing_compiled_is_in_the_sdist(packed: list[str]) -> None:
    assert [name for name in packed if name.endswith((".so", ".pyc", ".o", ".whl"))] == []
