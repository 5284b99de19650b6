"""The architecture page says where things are: what it names exists, and all rooms and folders are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/understand/architecture.md").read_text(encoding="utf-8")
INSIDE = ROOT / "src" / "bayou"
ROOTS = (ROOT, INSIDE, ROOT / "cpp" / "src", ROOT / "cpp" / "include" / "bayou", ROOT / "cpp" / "bindings")
PLACES = sorted(set(re.findall(r"`(\w+/[\w./]*|\w+\.(?:py|pyi|cpp|hpp|inc))`", PAGE)))
NAMES = sorted(set(re.findall(r"`(\w+)`", PAGE)))


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def test_the_table_of_places_is_there() -> None:
    assert len(re.findall(r"^\| (?:add|change|see|set) ", section("Where do I …"), flags=re.M)) >= 15


@pytest.mark.parametrize("place", PLACES)
def test_every_place_exists(place: str) -> None:
    assert any((root / place).exists() for root in ROOTS)


def test_every_name_is_in_the_sources() -> None:
    files = [path for folder in (INSIDE, ROOT / "cpp") for path in folder.rglob("*")]
    texts = [
        path.read_text(encoding="utf-8") for path in files if path.suffix in (".py", ".cpp", ".hpp", ".inc")
    ]
    known = {path.stem for path in files}.union(*(re.findall(r"\w+", text) for text in texts))
    assert not [name for name in NAMES if name not in known]


def test_every_name_beside_a_place_is_in_it() -> None:
    for name, place in re.findall(r"`(\w+)` (?:in|\() ?`(src/bayou/[\w./]+\.py)`", PAGE):
        assert re.search(rf"\b{name}\b", (ROOT / place).read_text(encoding="utf-8")), (name, place)


def test_every_room_is_on_a_floor() -> None:
    floors = section("The floors")
    rooms = {path.stem for path in INSIDE.iterdir() if path.is_dir() or path.suffix == ".py"}
    missing = [
        room for room in sorted(rooms - {"__init__", "__pycache__", "py"}) if f"`{room}`" not in floors
    ]
    assert not missing


def test_every_folder_inside_a_room_says_what_lives_there() -> None:
    folders = {path.parent for path in INSIDE.rglob("*.py")}
    silent = [f for f in folders if not re.match(r'"""\w', (f / "__init__.py").read_text(encoding="utf-8"))]
    assert not silent


def test_every_folder_of_the_core_is_listed() -> None:
    listed = set(re.findall(r"^\| `(\w+)` \|", section("The compiled core"), flags=re.M))
    kernels = {path.parent.name for path in (ROOT / "cpp" / "src").rglob("*.cpp")}
    assert listed == kernels
    assert {path.parent.name for path in (ROOT / "cpp" / "include" / "bayou").rglob("*.hpp")} <= kernels
    assert {path.parent.name for path in (ROOT / "cpp" / "bindings").rglob("*.cpp")} <= {*kernels, "bindings"}


def test_what_compilers_spell_differently_is_in_one_header() -> None:
    """Builtins, attributes, assembler and pragmas of gcc and clang stand in ``portable.hpp`` alone.

    The constants of ``<math.h>`` (``M_PI``) do not exist on Windows: ``<numbers>`` has them.
    """
    spelled = re.compile(
        r"__builtin_|__int128|__attribute__|__asm__|#pragma (?:GCC|clang)|_Pragma|__GNUC__|\bM_[A-Z]"
    )
    comment = re.compile(r"//.*")
    found = {
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "cpp").rglob("*.?pp")) + sorted((ROOT / "cpp").rglob("*.inc"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if path.name != "portable.hpp" and spelled.search(comment.sub("", line))
    }
    assert found == set()
