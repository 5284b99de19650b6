"""Other programs' files, each format's, against what they are stated to hold."""

from __future__ import annotations

import numpy as np
import pytest
from tests.formats.drafts import assert_same_draft
from tests.shared_data import SHARED, needs_shared_data, shared_json

import bayou
from bayou.errors import BadFile
from bayou.formats import FORMATS, Format, NetworkDraft, read_draft
from bayou.formats.bif.bif_reader import read_bif
from bayou.models.verbs.files import frozen_of

ANSWERS = {
    name: answer
    for name, answer in shared_json("reference/formats.json").items()
    if name.startswith("formats/") and not name.endswith(".bif")
}
LOADED = [name for name, answer in ANSWERS.items() if "prior_marginals" in answer]


def our_name(file: str, name: str) -> str:
    return f"x{name}" if file.endswith(".uai") else name


def stated_marginals(file: str) -> dict[str, list[float]]:
    answer = ANSWERS[file]
    return {our_name(file, name): values for name, values in answer["prior_marginals"].items()}


@needs_shared_data
@pytest.mark.parametrize("file", LOADED)
def test_a_file_has_its_stated_arcs_and_states(file: str) -> None:
    net = bayou.load(SHARED / file)
    answer = ANSWERS[file]
    assert (len(net.names), len(net.dag.arcs)) == (answer["nodes"], answer["arcs"])
    arcs = [(our_name(file, parent), our_name(file, child)) for parent, child in answer["arc_list"]]
    assert sorted(net.dag.arcs) == sorted(arcs)
    found = {variable.name: list(variable.states) for variable in read_draft(SHARED / file).variables}
    assert found == {our_name(file, name): states for name, states in answer["states"].items()}


def with_parents_turned(draft: NetworkDraft) -> NetworkDraft:
    """The network whose file is the same but for the order of rows: the first parent runs fastest."""
    tables = {}
    for name, table in draft.tables.items():
        parents = table.shape[:-1]
        axes = (*reversed(range(len(parents))), len(parents))
        tables[name] = table.reshape(*reversed(parents), table.shape[-1]).transpose(axes)
    return NetworkDraft(draft.name, draft.variables, draft.parents, tables)


@needs_shared_data
@pytest.mark.parametrize("file", LOADED)
def test_a_file_gives_the_stated_marginals(file: str) -> None:
    draft = read_draft(SHARED / file)
    if file.endswith((".uai", ".xdsl")):
        # The tool that stated the answers reads these two formats with the first parent running fastest,
        # against their definitions; the two tests below show that the last one does.
        draft = with_parents_turned(draft)
    net = bayou.Network.from_parts(frozen_of(draft), None, {})
    stated = stated_marginals(file)
    assert len(stated) >= 4
    for name, expected in stated.items():
        np.testing.assert_allclose(list(net.query(name).to_dict().values()), expected, rtol=0, atol=1e-6)


@needs_shared_data
def test_benefits_in_xdsl_has_the_marginals_that_pgmpy_finds() -> None:
    net = bayou.load(SHARED / "formats/benefits.xdsl")
    for name, expected in (
        ("Application analysis", 0.51869337),
        ("Benefits", 0.54932185),
        ("Application suitability", 0.52893152),
    ):
        assert net.query(name)["LOW"] == pytest.approx(expected, abs=1e-8)


@needs_shared_data
def test_asia_in_uai_is_the_asia_network() -> None:
    numbered, named = bayou.load(SHARED / "formats/asia.uai"), bayou.load(SHARED / "formats/asia.bif")
    names = ["visit_to_Asia", "smoking", "bronchitis", "lung_cancer", "tuberculosis"]
    names += ["tuberculos_or_cancer", "dyspnoea", "positive_XraY"]
    for number, name in enumerate(names):
        ours = list(numbered.query(f"x{number}").to_dict().values())
        np.testing.assert_allclose(ours, list(named.query(name).to_dict().values()), rtol=0, atol=1e-12)


@needs_shared_data
@pytest.mark.parametrize("file", ["formats/grid4x4.uai", "formats/markov_example.uai"])
def test_a_markov_file_is_refused_with_the_reason(file: str) -> None:
    with pytest.raises(BadFile, match=r"is a MARKOV file: .* no directions"):
        bayou.load(SHARED / file)


@needs_shared_data
def test_files_without_variables() -> None:
    assert read_draft(SHARED / "corrupted/empty_network.dsl").variables == ()
    with pytest.raises(BadFile, match="line 2, column 1: expected the number of variables"):
        read_draft(SHARED / "corrupted/empty_network.uai")


@needs_shared_data
@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
@pytest.mark.parametrize("name", ["asia", "child", "insurance", "sachs", "survey", "win95pts"])
def test_a_repository_network_comes_back_from_every_format(name: str, known: Format) -> None:
    draft = read_bif(SHARED / "networks" / f"{name}.bif.gz")
    assert_same_draft(known.parse(known.text(draft).encode(), name), draft)
