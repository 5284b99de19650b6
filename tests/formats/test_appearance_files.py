"""What a network shows survives its files: those that can hold it, and from one to the next."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from tests.formats.drafts import assert_same_draft
from tests.formats.shown_drafts import shown_drafts

import bayou
from bayou.errors import BadFile
from bayou.formats import Format, NetworkDraft, parse_draft
from bayou.formats.format_registry import BIF, DNE, NET, XDSL, XMLBIF
from bayou.models.verbs.files import draft_from_network
from bayou.networks.appearance import NodeAppearance

WHOLE = pytest.mark.parametrize("known", [XDSL, NET, DNE], ids=lambda known: known.name)


def _draft(net: bayou.Network) -> NetworkDraft:
    parts = net.parts()
    return draft_from_network(parts[0], parts[3])


def back(known: Format, draft: NetworkDraft) -> NetworkDraft:
    return known.parse(known.text(draft).encode(), "written")


@WHOLE
@settings(max_examples=60, deadline=None)
@given(draft=shown_drafts())
def test_all_that_is_shown_comes_back(known: Format, draft: NetworkDraft) -> None:
    assert_same_draft(back(known, draft), draft)
    assert known.text(back(known, draft)) == known.text(draft)


@WHOLE
@settings(max_examples=25, deadline=None)
@given(draft=shown_drafts())
def test_all_that_is_shown_survives_a_bundle_between_two_files(known: Format, draft: NetworkDraft) -> None:
    net = bayou.Network.from_draft(back(known, draft))
    again = bayou.Network.from_state(net.state())
    assert again.appearance == net.appearance
    assert again.same_as(net)


@pytest.mark.parametrize("known", [BIF, XMLBIF], ids=lambda known: known.name)
def test_bif_keeps_positions_as_a_property(known: Format) -> None:
    net = bayou.Network("A", tables={"A": {"x": 0.5, "y": 0.5}}).describe("A", position=(7, -1.5))
    assert "position = (7, -1.5)" in known.text(_draft(net))
    assert back(known, _draft(net)).appearance == net.appearance
    assert net.losses(f"a{known.endings[0]}") == []


GENIE = """<smile id="n"><nodes>
<cpt id="node1"><state id="s0" /><state id="s1" /><probabilities>0.5 0.5</probabilities>
 <property id="owner">me</property></cpt>
<cpt id="node2"><state id="s0" /><state id="s1" /><parents>node1</parents>
 <probabilities>0.5 0.5 0.1 0.9</probabilities></cpt></nodes>
<extensions><genie version="1.0" app="GeNIe 3" name="Net"><comment>of the chest</comment>
<node id="node1"><name>Visit to Asia</name><interior color="aabbcc" /><outline color="000080" />
 <font color="000000" name="Arial" size="8" /><position>10 20 110 61</position><barchart active="true" />
 <comment>two
lines</comment></node>
<submodel id="sub1"><name>Lungs &amp; co</name><interior color="e5f6f7" /><position>0 0 9 9</position>
 <node id="node2"><name>Cough</name><position>200 20 300 80</position></node></submodel>
</genie></extensions></smile>"""


def test_a_file_of_genie_is_written_back_with_its_identifiers_places_and_submodels() -> None:
    draft = parse_draft(GENIE.encode(), "a.xdsl")
    shown = draft.appearance
    asia = shown.node("Visit to Asia")
    assert (asia.position, asia.size, asia.colour, asia.outline) == ((60, 40.5), (100, 41), "#aabbcc", "")
    assert (asia.description, asia.identifier, asia.title) == ("two\nlines", "node1", "")
    assert (shown.description, shown.submodels_of("Cough")) == ("of the chest", ("Lungs & co",))
    assert draft.unread == ("the user properties 'owner'", "the element <barchart> of GeNIe's drawing")
    text = XDSL.text(draft)
    assert '<cpt id="node1">' in text
    assert "<position>10 20 110 61</position>" in text
    assert "<parents>node1</parents>" in text
    assert_same_draft(back(XDSL, draft), draft)


def test_a_title_in_genie_is_not_taken_for_the_name_of_the_variable() -> None:
    net = bayou.Network("A", tables={"A": {"x": 0.5, "y": 0.5}}).describe("A", title="first letter")
    again = back(XDSL, _draft(net))
    assert [variable.name for variable in again.variables] == ["A"]
    assert again.appearance.node("A").title == "first letter"


def test_places_that_bayou_invents_for_genie_are_no_places() -> None:
    net = bayou.examples.rain_and_wet_grass()
    draft = parse_draft(XDSL.text(_draft(net)).encode(), "a.xdsl")
    assert not draft.appearance


HUGIN = """net { HR_Desc = "all\\nof it"; node_size = (80 40); HR_Zoom_ZoomFactor = "100";
 HR_Html_Desc = ""; }
node C4 { label = ""; position = (457 413); states = ("State 1" "State 2"); HR_State_1 = "the second";
 HR_NodeSize = "(135, 30)"; HR_LinkMode = "[C2:0]"; }
node C2 { label = "say \\"hi\\""; position = (420 295); states = ("0" "1"); subtype = number;
 state_values = (0 1.5); HR_Desc = "50% of {it}"; }
potential (C4) { data = (10 90); }
potential (C2 | C4) { data = ((1 3) (1 1)); model_nodes = (); }
"""


def test_a_file_of_hugin_is_written_back_with_its_texts_and_places() -> None:
    draft = parse_draft(HUGIN.encode(), "a.net")
    top, below = draft.appearance.node("C4"), draft.appearance.node("C2")
    # In Hugin y grows upwards, and the parent is drawn above its child.
    assert (top.position, below.position) == ((457, -413), (420, -295))
    assert (top.size, below.size, top.of_state("State 2").description) == ((135, 30), None, "the second")
    assert (below.title, below.description, below.of_state("1").value) == ('say "hi"', "50% of {it}", 1.5)
    assert draft.appearance.description == "all\nof it"
    assert draft.unread == (
        "the settings 'HR_Zoom_ZoomFactor' of the network",
        "the attributes 'HR_LinkMode' of nodes",
        "model_nodes of the table of 'C2'",
    )
    assert "position = (457 413);" in NET.text(draft)
    assert_same_draft(back(NET, draft), draft)


def test_places_are_moved_for_programs_that_begin_at_zero_and_come_back() -> None:
    upwards, downwards = parse_draft(HUGIN.encode(), "a.net"), parse_draft(GENIE.encode(), "a.xdsl")
    for known, draft in ((XDSL, upwards), (DNE, upwards), (NET, downwards)):
        places = re.findall(r"(?:position>|center = \(|position = \()([^<)]*)", known.text(draft))
        assert places
        assert not [place for place in places if "-" in place]
        for name, shown in draft.appearance.nodes.items():
            # Hugin has whole numbers only, and the centre of a box in GeNIe may be a half.
            assert back(known, draft).appearance.node(name).position == pytest.approx(shown.position, abs=0.5)


def test_what_the_note_says_of_nodes_that_are_gone_is_left_out() -> None:
    draft = parse_draft(GENIE.encode(), "a.xdsl")
    shown = draft.appearance.with_arc_note("Visit to Asia", "Cough", "weak")
    shown = shown.with_node("Ghost", NodeAppearance(table_note="boo"))
    again = back(XDSL, replace(draft, appearance=shown))
    assert again.appearance.arcs == {("Visit to Asia", "Cough"): "weak"}
    assert "Ghost" not in again.appearance.nodes


@pytest.mark.parametrize(
    "note", ["%7B", "%5B%5D", "%7B%22title%22%3A3%7D", "%7B%22nodes%22%3A%5B3%5D%7D", "%FF", "x"]
)
def test_a_damaged_note_is_refused(note: str) -> None:
    text = GENIE.replace("</extensions>", f'<bayou bayou_appearance="{note}" /></extensions>')
    with pytest.raises(BadFile, match=r"a.xdsl: .*bayou_appearance"):
        parse_draft(text.encode(), "a.xdsl")


@pytest.mark.parametrize("ending", [".xdsl", ".net", ".dne"])
def test_a_described_network_comes_back_from_a_file(ending: str, tmp_path: Path) -> None:
    net = bayou.Network(
        "Rain -> Wet",
        tables={
            "Rain": {"no": 0.8, "yes": 0.2},
            "Wet": {"no": {"no": 0.9, "yes": 0.1}, "yes": {"no": 0.2, "yes": 0.8}},
        },
    )
    net.describe(title="Garden", description="After\nrain").describe(
        "Rain", position=(100, 50), colour="#ff0000"
    )
    net.describe("Wet", title="Wet grass", position=(100, 150), table_note="guessed")
    net.describe_state("Wet", "yes", title="slippery", description="mind", value=1)
    net.describe_arc("Rain", "Wet", "strong").group("all", ["Rain", "Wet"])
    net.save(tmp_path / f"a{ending}")
    again = bayou.load(tmp_path / f"a{ending}")
    assert again.appearance == net.appearance
    assert again.same_as(net)
    assert net.losses(ending) == []
    again.save(tmp_path / "a.bayou")
    assert bayou.load(tmp_path / "a.bayou").appearance == net.appearance
