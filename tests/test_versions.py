"""The version stands in one place; what else tells it, and cannot read it there, tells the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bayou

ROOT = Path(__file__).parents[1]
TOLD = {
    "CITATION.cff": r"^version: (\S+)$",
    "CHANGELOG.md": r"^## (\S+)",
    "packaging/conda/recipe.yaml": r'^  version: "(\S+)"$',
}


def told(file: str) -> str:
    found = re.search(TOLD[file], (ROOT / file).read_text(encoding="utf-8"), re.M)
    assert found, f"{file} has no version"
    return found[1]


@pytest.mark.parametrize("file", TOLD)
def test_every_file_tells_the_version_of_the_package(file: str) -> None:
    assert told(file) == bayou.__version__


def test_the_security_policy_is_about_this_minor_version() -> None:
    minor = ".".join(bayou.__version__.split(".")[:2])
    assert f"(now {minor})" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_the_citation_and_the_changelog_tell_the_same_day() -> None:
    changelog = re.search(r"^## \S+ \((\S+)\)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    citation = re.search(r"^date-released: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    assert changelog
    assert citation
    assert changelog[1] == citation[1]
