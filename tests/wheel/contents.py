"""What may be in a wheel."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

KINDS = {
    ".css",
    ".csv",
    ".gz",
    ".html",
    ".js",
    ".json",
    ".md",
    ".py",
    ".pyi",
    ".so",
    ".svg",
    ".txt",
    ".typed",
}
"""Endings of files below ``bayou/``."""


def strangers(wheel: Path) -> list[str]:
    """Files that do not belong into a wheel: tests, docs, sources of the core, more than one library."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    inside = [name for name in names if name.startswith("bayou/")]
    about = [name for name in names if re.match(r"bayou-[0-9.]+\.dist-info/", name)]
    libraries = [name for name in inside if name.endswith(".so")]
    wrong = {*names} - {*inside} - {*about}
    wrong |= {name for name in inside if Path(name).suffix not in KINDS or "/tests/" in name}
    return sorted(wrong) + (libraries if len(libraries) != 1 else [])


def symbols_of_glibc(library: bytes) -> set[tuple[int, ...]]:
    """The versions of glibc whose symbols a library asks for."""
    found = re.findall(rb"\0GLIBC_(\d+(?:\.\d+)+)\0", library.replace(b"\0", b"\0\0"))
    return {tuple(map(int, version.split(b"."))) for version in found}
