"""The reference is complete: every public name is listed, and its entry lacks nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs.builder.markdown import slug
from docs.builder.reference import completeness
from docs.builder.reference.completeness import errors_named, missing
from docs.builder.reference.docstrings import markdown, summary
from docs.builder.reference.entries import signature as signature_of
from docs.builder.reference.never_fail import REASONS
from docs.builder.reference.parameters import shared, told_by
from docs.builder.reference.public_names import Public, public_names
from docs.builder.reference.reference_pages import listable, places, subjects


def test_every_public_name_is_listed_once() -> None:
    known = listable()
    listed = [name for names in subjects().values() for name in names]
    assert sorted({*listed} - {*known}) == []
    assert len(listed) == len({*listed})
    things = {id(known[name].thing) for name in listed}
    assert [name for name, public in public_names().items() if id(public.thing) not in things] == []


def test_no_entry_lacks_anything() -> None:
    assert missing() == [], "say it in the docstring"


def test_what_an_entry_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def bare(colour_of_it):  # type: ignore[no-untyped-def]
        """Do it."""

    def whole(colour_of_it: str) -> str:
        """Paint it. ``colour_of_it`` is a word. Raises ``BadQuestion`` for another.

        >>> 1
        1
        """
        return colour_of_it

    def silent() -> None:
        pass

    made = {each.__name__: Public(each.__name__, each, "function") for each in (bare, whole, silent)}
    monkeypatch.setattr(completeness, "public_names", lambda: made)
    assert missing() == [
        "bare: errors",
        "bare: example",
        "bare: parameter colour_of_it",
        "bare: result",
        "silent: example",
        "silent: sentence",
    ]


def test_each_method_says_its_own_errors_and_has_its_own_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another method that says it, and a page that calls one of the same name, excuse nothing."""
    net = public_names()["Network"]
    told = [member for member in net.members if member.name in ("Network.set_cpt", "Network.query")]
    assert {"UnknownState", "BadTable"} <= errors_named(told[0].doc) | errors_named(told[1].doc)

    def query(target: str) -> str:
        """Ask ``target``."""
        return target

    made = Public("Network", net.thing, "class", [*told, Public("Network.query", query, "method")])
    monkeypatch.setattr(completeness, "public_names", lambda: {"Network": made})
    assert missing() == ["Network.query: errors", "Network.query: example"]


def test_errors_are_read_from_the_paragraph_that_begins_with_raises() -> None:
    assert errors_named(
        "Do it.\n\nRaises ``BadData`` for ``x``, and\n``BadFile``.\n\n``Dag`` is a graph."
    ) == {
        "BadData",
        "BadFile",
    }
    assert errors_named("Do it. Raises ``BadData``. It takes a ``Dag``.") == {"BadData"}
    assert errors_named("It never raises ``BadData``.") == set()


def test_what_raises_nothing_is_there_and_has_a_reason() -> None:
    known = {name for public in public_names().values() for name in _last_parts(public)}
    assert sorted({*REASONS} - known) == []
    assert all(REASONS.values())


def _last_parts(public: Public) -> set[str]:
    members = {".".join(member.name.split(".")[-2:]) for member in public.members}
    return {public.name.rpartition(".")[2], *members}


def test_methods_that_return_the_object_name_its_class() -> None:
    known = {member.name: member for public in public_names().values() for member in public.members}
    for name, ends in {
        "Network.set_cpt": ") → Network",
        "NaiveBayes.with_class_prior": ") → NaiveBayes",
        "KalmanModel.fit": ") → KalmanModel",
        "statistics.Source.map_batches": ") → T",
    }.items():
        signature = known[name].signature
        assert signature is not None
        assert signature_of(known[name], signature).removesuffix("</code></pre>").endswith(ends)
    added = known["Network.add_network"]
    assert added.signature is not None
    assert "other: Network," in signature_of(added, added.signature)


def test_the_check_notices_what_is_missing() -> None:
    """A docstring without the words is found out: the check does not pass on everything."""
    assert told_by("Learn from ``data``.\n\n>>> fit(weights=2)", "data")
    assert told_by("Set ``weights=[1, 2]``.", "weights")
    assert not told_by("Learn.\n\n>>> fit(weights=2)", "weights")
    assert not told_by("Learn from ``data_of_rows``.", "data")
    assert len(shared()) > 60


def test_sentences_and_examples_are_read_as_they_stand() -> None:
    doc = "Do it well: see below. Not this.\n\n``x`` is :class:`bayou.Dag`.\n\n>>> 1\n1\n\nMore."
    assert summary(doc) == "Do it well: see below."
    assert markdown(doc, lambda name: f"site:{name}").split("\n\n")[1:] == [
        "`x` is [`bayou.Dag`](site:Dag).",
        "```pycon\n>>> 1\n1\n```",
        "More.",
    ]


def test_every_name_has_a_place_on_a_page(site: Path) -> None:
    for name, place in places().items():
        url, _, anchor = place.removeprefix("site:").partition("#")
        assert f'id="{anchor}"' in (site / url).read_text(encoding="utf-8"), name


def test_no_member_is_lost_between_the_pages_of_a_class(site: Path) -> None:
    """Each member of each listed class has an entry, or is named where a class above it has the same."""
    pages = [file.read_text(encoding="utf-8") for file in (site / "lookup" / "reference").glob("*.html")]
    index = (site / "search-index.js").read_text(encoding="utf-8")
    text = "\n".join(pages)
    for name in subjects_names():
        for member in listable()[name].members:
            place = f'id="{slug(member.name, set())}"'
            assert place in text or re.search(rf"\b{re.escape(member.name)}[,\"]", index), member.name


def subjects_names() -> list[str]:
    return [name for names in subjects().values() for name in names]


def test_pages_for_users_have_no_words_of_the_architecture(site: Path) -> None:
    for file in (site / "lookup").rglob("*.html"):
        assert not re.search(r"Floor \d|=====|As everywhere", file.read_text(encoding="utf-8")), file.name
