"""The architecture page says where things are: the places it names exist, and so do the rooms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PLACES = sorted(set(re.findall(r"`((?:src/bayou|cpp)/[\w./]+)`", PAGE)))


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def test_the_table_of_places_is_there() -> None:
    assert len(re.findall(r"^\| (?:add|change|see|set) ", section("Where do I …"), flags=re.M)) >= 15


@pytest.mark.parametrize("place", PLACES)
def test_every_place_exists(place: str) -> None:
    assert (ROOT / place).exists()


def test_every_name_beside_a_place_is_in_it() -> None:
    for name, place in re.findall(r"`(\w+)` (?:in|\() ?`(src/bayou/[\w./]+\.py)`", PAGE):
        assert re.search(rf"\b{name}\b", (ROOT / place).read_text(encoding="utf-8")), (name, place)


def test_every_room_is_on_a_floor() -> None:
    floors = section("The floors")
    inside = ROOT / "src" / "bayou"
    rooms = {path.stem for path in inside.iterdir() if path.is_dir() or path.suffix == ".py"}
    missing = [
        room for room in sorted(rooms - {"__init__", "__pycache__", "py"}) if f"`{room}`" not in floors
    ]
    assert not missing
