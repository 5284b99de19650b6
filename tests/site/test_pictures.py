"""The pictures of the lessons and of the gallery are those that their pages draw today.

They are drawn again and compared by what they say: every word and colour,
and where every line and mark goes. Names of parts, dates and versions do not count.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
PLACES = (
    "d",
    "points",
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "cx",
    "cy",
    "r",
    "width",
    "height",
    "transform",
    "viewBox",
)
CLOSE = 0.01
"""Of the picture's width: rounding in other builds of numpy moves lines less, other data move them more."""


def told_by(picture: Path) -> tuple[list[str], list[list[float]]]:
    """The texts, colours and kinds of lines of a picture, and the numbers of each of its shapes."""
    texts, shapes = [], []
    for part in ET.parse(picture).getroot().iter():
        if "}" in part.tag and "svg" not in part.tag:
            continue  # what matplotlib says about itself
        if not part.tag.endswith("}style") and part.text and part.text.strip():
            texts.append(part.text.strip())
        texts += re.findall(r"#[0-9a-f]{6}\b|dasharray: [\d., ]+", part.get("style", ""))
        shapes.append([float(n) for key in PLACES for n in re.findall(r"-?\d+\.?\d*", part.get(key, ""))])
    return texts, shapes


def differ(found: Path, kept: Path) -> str:
    """In what the two differ, in a few words; empty if they tell the same."""
    (texts, shapes), (old_texts, old_shapes) = told_by(found), told_by(kept)
    if texts != old_texts:
        return f"{kept.name}: {sorted({*texts} ^ {*old_texts})[:6]}"
    if [len(shape) for shape in shapes] != [len(shape) for shape in old_shapes]:
        return f"{kept.name}: other shapes"
    width = max(abs(number) for number in old_shapes[0])
    pairs = zip(
        (n for shape in shapes for n in shape), (n for shape in old_shapes for n in shape), strict=True
    )
    apart = max((abs(new - old) for new, old in pairs), default=0.0)
    return f"{kept.name}: moved by {apart:.1f} of {width:.0f}" if apart > CLOSE * width else ""


@pytest.mark.filterwarnings("ignore::bayou.BayouWarning")
@pytest.mark.parametrize(("maker", "kept"), [("learn", PICTURES), ("gallery", PICTURES / "gallery")])
def test_pictures_are_those_that_their_pages_draw(maker: str, kept: Path, tmp_path: Path) -> None:
    draw: Callable[[Path], None] = import_module(f"docs.pictures.{maker}").main
    draw(tmp_path)
    made = sorted(path.name for path in tmp_path.glob("*.svg"))
    assert made == sorted(path.name for path in kept.glob("learn-*.svg" if maker == "learn" else "*.svg"))
    stale = [word for name in made if (word := differ(tmp_path / name, kept / name))]
    assert stale == [], f"python docs/pictures/{maker}.py draws them again"


def test_a_point_that_moved_is_seen(tmp_path: Path) -> None:
    kept = PICTURES / "learn-smoothing.svg"
    text = kept.read_text(encoding="utf-8")
    (tmp_path / "moved.svg").write_text(
        re.sub(r"L (\d+)\.", lambda found: f"L {int(found[1]) + 40}.", text, count=9)
    )
    (tmp_path / "renamed.svg").write_text(text.replace("dramas seen", "films seen"))
    assert differ(kept, kept) == ""
    assert "moved by" in differ(tmp_path / "moved.svg", kept)
    assert "films seen" in differ(tmp_path / "renamed.svg", kept)
