"""Any draft comes back from every format to the last bit; what cannot be held is refused."""

from __future__ import annotations

import datetime
import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from tests.formats.bif.test_bif_fuzz import drafts
from tests.formats.bif.test_bif_writer import HOSTILE, family, rows, single
from tests.formats.drafts import assert_same_draft

from bayou.errors import BadFile, BadTable, BadVariable, BayouError, NotFitted
from bayou.formats import FORMATS, Format, NetworkDraft, read_draft, write_draft
from bayou.schema import Variable

formats = pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
identifiers = pytest.mark.parametrize(
    "known",
    [known for known in FORMATS if known.name in ("Hugin NET", "XDSL", "DSL")],
    ids=lambda known: known.name,
)


def back(known: Format, draft: NetworkDraft) -> NetworkDraft:
    return known.parse(known.text(draft).encode(), "written")


@formats
@settings(max_examples=25, deadline=None)
@given(draft=drafts())
def test_any_draft_comes_back_from_its_text(known: Format, draft: NetworkDraft) -> None:
    assert_same_draft(back(known, draft), draft)
    assert known.text(back(known, draft)) == known.text(draft)


@settings(max_examples=25, deadline=None)
@given(draft=drafts())
def test_a_draft_survives_all_formats_one_after_the_other(draft: NetworkDraft) -> None:
    travelled = draft
    for known in FORMATS:
        travelled = back(known, travelled)
    assert_same_draft(travelled, draft)


@formats
def test_hostile_names_typed_states_and_properties_come_back(known: Format) -> None:
    assert_same_draft(back(known, family()), family())


@formats
@pytest.mark.parametrize(
    "name", [*HOSTILE, "node", "net", "data", "potential", "x_", "bayou_name", "&amp;", "<a>", "50%", "$"]
)
def test_a_hostile_text_is_held_as_network_variable_and_state(known: Format, name: str) -> None:
    draft = single(Variable(name, [name, name + "x"]))
    draft = NetworkDraft(name, draft.variables, draft.parents, draft.tables)
    assert_same_draft(back(known, draft), draft)


@formats
def test_names_that_are_spelt_alike_stay_apart(known: Format) -> None:
    names = ["a b", "a_b", "a-b", "a_b_2", 1, "1", "x_1", " 1"]
    variables = tuple(Variable(name, names) for name in names)
    parents = {name: tuple(names[:index][-2:]) for index, name in enumerate(names)}
    tables = {name: rows(*[8] * (len(parents[name]) + 1), seed=index) for index, name in enumerate(names)}
    draft = NetworkDraft("n", variables[::-1], parents, tables)
    assert_same_draft(back(known, draft), draft)


@formats
def test_numbers_come_back_to_the_same_float(known: Format) -> None:
    table = np.array([[1e-300, 1 - 1e-16, 0.0], [0.1, 0.2, 0.7], [1 / 3, 1 / 3, 1 / 3], [5e-324, 1.0, 0.0]])
    pair = (Variable("p", list("wxyz")), Variable("c", list("abc")))
    draft = NetworkDraft("n", pair, {"p": (), "c": ("p",)}, {"p": rows(4), "c": table})
    assert_same_draft(back(known, draft), draft)


@formats
def test_a_table_in_another_memory_order_is_written_by_its_axes(known: Format) -> None:
    three = (Variable("p", ["x", "y"]), Variable("q", ["u", "v", "w"]), Variable("c", ["a", "b"]))
    tables = {"p": rows(2), "q": rows(3), "c": np.asfortranarray(rows(2, 3, 2))}
    draft = NetworkDraft("n", three, {"p": (), "q": (), "c": ("p", "q")}, tables)
    assert back(known, draft).tables["c"].tolist() == tables["c"].tolist()


@formats
def test_an_empty_network_comes_back_empty(known: Format) -> None:
    draft = NetworkDraft("", (), {}, {})
    assert_same_draft(back(known, draft), draft)


@formats
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_a_file_comes_back_by_its_ending_and_by_its_content(
    known: Format, packed: str, tmp_path: Path
) -> None:
    for ending in known.endings:
        path = tmp_path / f"größe 日本{ending}{packed}"
        write_draft(family(), path)
        assert_same_draft(read_draft(path), family())
        assert (path.read_bytes()[:2] == b"\x1f\x8b") is bool(packed)
        misnamed = tmp_path / "misnamed.dat"
        misnamed.write_bytes(gzip.compress(path.read_bytes()) if not packed else path.read_bytes())
        assert_same_draft(read_draft(misnamed), family())


@formats
def test_a_refused_draft_leaves_the_old_file_alone(known: Format, tmp_path: Path) -> None:
    path = tmp_path / f"net{known.endings[0]}"
    path.write_text("old")
    with pytest.raises(BadVariable, match=f"'height' is continuous, which {known.name} cannot represent"):
        write_draft(NetworkDraft("n", (Variable("height"),), {"height": ()}, {}), path)
    assert [entry.read_text() for entry in tmp_path.iterdir()] == ["old"]


@formats
@pytest.mark.parametrize("state", [(1, 2), datetime.date(2024, 1, 1), b"x"])
def test_a_state_of_another_type_is_refused_by_name(known: Format, state: object) -> None:
    with pytest.raises(BadVariable, match=rf"{known.name} cannot represent .* in the variable 'x'"):
        known.text(single(Variable("x", [state, "other"])))


@formats
def test_half_a_surrogate_pair_a_hole_and_a_bad_row_are_refused(known: Format) -> None:
    with pytest.raises(BayouError, match="surrogate"):
        known.text(single(Variable("a\udfff", ["a", "b"])))
    with pytest.raises(BadFile, match="property"):
        known.text(single(Variable("x", ["a", "b"]), x=("\ud800",)))
    variable = Variable("x", ["a", "b"])
    with pytest.raises(NotFitted, match="No distribution yet for 'x'"):
        known.text(NetworkDraft("n", (variable,), {"x": ()}, {}))
    with pytest.raises(BadTable, match=r"sums to 0\.9"):
        known.text(NetworkDraft("n", (variable,), {"x": ()}, {"x": np.array([0.5, 0.4])}))


@identifiers
def test_other_programs_see_identifiers_and_only_they_get_notes(known: Format) -> None:
    plain = known.text(single(Variable("Storm_1", ["yes", "no"])))
    assert "bayou_" not in plain
    odd = known.text(single(Variable("the storm", ["yes", "no"])))
    assert "the_storm" in odd
    assert "bayou_name" in odd
    assert "bayou_states" not in odd


@identifiers
def test_a_note_that_was_tampered_with_is_refused(known: Format) -> None:
    text = known.text(single(Variable("the storm", [1, 2])))
    for old, new in (
        ("text:the", "text:a"),
        ("int:1 int:2", "int:1 int:3"),
        ("int:1", "int:one"),
        ("int:2", "int:2 int:3"),
    ):
        assert old in text
        with pytest.raises(BadFile, match=r"written.*bayou_|two variables"):
            known.parse(text.replace(old, new).encode(), "written")
