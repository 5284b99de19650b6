"""Every example of the reference runs when it is pasted alone into a fresh interpreter."""

from __future__ import annotations

import doctest
import io
import re
from pathlib import Path

import pytest
from docs.builder.reference.alone import alone
from docs.builder.reference.docstrings import example
from docs.builder.reference.public_names import Public, public_names

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
SPACES = sorted({name.partition(".")[0] for name in public_names()} - {"spark"})


def entries(space: str) -> list[Public]:
    """The public names that begin so, and their members: each docstring once."""
    tops = [public for name, public in public_names().items() if name.partition(".")[0] == space]
    found = {public.doc: public for top in tops for public in (top, *top.members)}
    return [public for doc, public in found.items() if example(doc)]


def faults(public: Public) -> str:
    """What does not come out as shown, in an empty namespace."""
    code = alone(example(public.doc), public)
    test = doctest.DocTestParser().get_doctest(code + "\n", {"__name__": "__main__"}, public.name, None, 0)
    said = io.StringIO()
    doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(test, out=said.write)
    return said.getvalue()


@pytest.mark.parametrize("space", SPACES)
def test_every_example_runs_alone(space: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert {public.name: found for public in entries(space) if (found := faults(public))} == {}


def test_no_example_imports_from_a_room_inside() -> None:
    inside = re.compile(r"from bayou\.\w+\.\w+|from bayou import [A-Z]")
    shown = {
        public.name: found[0]
        for space in SPACES
        for public in entries(space)
        if (found := inside.search(alone(example(public.doc), public)))
    }
    assert shown == {}
