"""The wheels that `make` (``build/wheel``) and `make wheel` (``dist``) have built, if they have."""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path

import pytest

import bayou
from tests.wheel.contents import strangers, symbols_of_glibc

ROOT = Path(__file__).parents[2]
SOURCES = [path for folder in ("src", "cpp") for path in (ROOT / folder).rglob("*.?pp")]
SOURCES += (ROOT / "src").rglob("*.py")
NEWEST = max(path.stat().st_mtime for path in SOURCES)
WHEELS = [
    wheel
    for folder in ("build/wheel", "dist")
    for wheel in sorted((ROOT / folder).glob(f"bayou-{bayou.__version__}-*.whl"))
    if wheel.stat().st_mtime >= NEWEST
]
"""Those that are not older than the sources."""
needs_wheel = pytest.mark.skipif(not WHEELS, reason="no wheel has been built from these sources")


def library(wheel: Path) -> bytes:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".so")]
        return archive.read(name)


@needs_wheel
def test_a_wheel_has_the_package_and_nothing_else() -> None:
    for wheel in WHEELS:
        assert strangers(wheel) == [], wheel.name


def test_a_stranger_in_a_wheel_is_noticed(tmp_path: Path) -> None:
    wheel = tmp_path / "bayou-0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in ("bayou/a.py", "bayou/_core.so", "bayou/b.cpp", "bayou/x/tests/c.py", "docs/d.md"):
            archive.writestr(name, "")
    assert strangers(wheel) == ["bayou/b.cpp", "bayou/x/tests/c.py", "docs/d.md"]


@needs_wheel
def test_a_wheel_has_every_module_and_says_that_it_is_typed() -> None:
    for wheel in WHEELS:
        names = zipfile.ZipFile(wheel).namelist()
        kept = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*.py")}
        assert kept <= {*names}, wheel.name
        assert "bayou/py.typed" in names


@needs_wheel
def test_a_manylinux_wheel_asks_for_no_later_glibc_than_its_name_says() -> None:
    for wheel in WHEELS:
        needed = max(symbols_of_glibc(library(wheel)))
        assert needed >= (2, 2, 5), "every library asks for some symbols"
        if "manylinux" in wheel.name:
            assert needed <= (2, 28), wheel.name
            assert b"libstdc++" not in library(wheel), "the C++ runtime is linked in"


def test_what_auditwheel_shows_is_read() -> None:
    spec = importlib.util.spec_from_file_location(
        "build_wheel", ROOT / "packaging" / "zig" / "build_wheel.py"
    )
    assert spec is not None
    assert spec.loader is not None
    build_wheel = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build_wheel)
    shown = 'bayou.whl\nis consistent with\nthe following platform tag:\n"{}_x86_64".\n\nThe wheel'
    assert build_wheel.oldest_glibc(shown.format("manylinux_2_24")) == (2, 24)
    assert build_wheel.oldest_glibc(shown.format("manylinux_2_34")) > build_wheel.GLIBC
    assert build_wheel.oldest_glibc(shown.format("linux")) is None


def test_versions_of_glibc_are_read_from_the_library() -> None:
    assert symbols_of_glibc(b"\0GLIBC_2.34\0GLIBC_2.2.5\0GLIBCXX_3.4.30\0") == {(2, 34), (2, 2, 5)}
