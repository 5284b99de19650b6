"""Networks of pgmpy and pyAgrum to and from drafts, and those libraries as readers of bayou's files.

These tests run where the two libraries are installed, and are skipped elsewhere.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.formats.drafts import assert_same_draft, prior_marginals

from bayou.errors import BadVariable
from bayou.formats import NetworkDraft, write_draft
from bayou.formats.peer_objects import from_pgmpy, from_pyagrum, to_pgmpy, to_pyagrum
from bayou.schema import Variable
from bayou.typing import FloatArray

pytestmark = [pytest.mark.filterwarnings("ignore")]


@pytest.fixture
def gum() -> Any:
    return pytest.importorskip("pyagrum")


@pytest.fixture
def pgmpy() -> Any:
    return pytest.importorskip("pgmpy.readwrite")


def rows(*shape: int) -> FloatArray:
    table = np.random.default_rng(sum(shape)).random(shape) + 0.01
    return table / table.sum(axis=-1, keepdims=True)


def plain_draft() -> NetworkDraft:
    """Two parents of different sizes, so that a wrong order of rows or axes can not go unseen."""
    variables = (
        Variable("Storm", ["yes", "no"]),
        Variable("Bus", ["a", "b", "c"]),
        Variable("Fire", ["on", "off"]),
    )
    parents = {"Storm": (), "Bus": ("Storm",), "Fire": ("Storm", "Bus")}
    return NetworkDraft("n", variables, parents, {"Storm": rows(2), "Bus": rows(2, 3), "Fire": rows(2, 3, 2)})


def odd_draft(third: object = True) -> NetworkDraft:
    variables = (Variable("is it hot?", [1, "1", third, "a b"]), Variable("Größe", ["x", 2.5]))
    parents = {"is it hot?": ("Größe",), "Größe": ()}
    return NetworkDraft("n", variables, parents, {"is it hot?": rows(2, 4), "Größe": rows(2)})


@pytest.mark.parametrize("draft", [plain_draft(), odd_draft()], ids=["plain", "odd"])
def test_a_draft_comes_back_from_pyagrum(gum: Any, draft: NetworkDraft) -> None:
    assert_same_draft(from_pyagrum(to_pyagrum(draft)), draft)


def test_pyagrum_gives_the_same_marginals(gum: Any) -> None:
    engine = gum.LazyPropagation(to_pyagrum(plain_draft()))
    for name, expected in prior_marginals(plain_draft()).items():
        np.testing.assert_allclose(engine.posterior(name).toarray(), expected, rtol=0, atol=1e-12)


def test_a_network_made_in_pyagrum_is_understood(gum: Any) -> None:
    network = gum.fastBN("A{u|v}->C[3]<-B[2]")
    network.cpt("C").fillWith([float(i) for i in range(12)]).normalizeAsCPT()
    draft = from_pyagrum(network)
    assert {variable.name: variable.states for variable in draft.variables} == {
        "A": ("u", "v"),
        "B": (0, 1),
        "C": (0, 1, 2),
    }
    engine = gum.LazyPropagation(network)
    for name, expected in prior_marginals(draft).items():
        np.testing.assert_allclose(engine.posterior(name).toarray(), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("draft", [plain_draft(), odd_draft("yes")], ids=["plain", "odd"])
def test_a_draft_comes_back_from_pgmpy(pgmpy: Any, draft: NetworkDraft) -> None:
    back = from_pgmpy(to_pgmpy(draft))
    assert_same_draft(NetworkDraft(draft.name, back.variables, back.parents, back.tables), draft)


def test_pgmpy_gives_the_same_marginals_and_a_hole_is_refused(pgmpy: Any) -> None:
    from pgmpy.inference import VariableElimination

    model = to_pgmpy(plain_draft())
    assert model.check_model()
    for name, expected in prior_marginals(plain_draft()).items():
        values = VariableElimination(model).query([name], show_progress=False).values
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)
    with pytest.raises(BadVariable, match="cannot distinguish the states of 'is it hot\\?'"):
        to_pgmpy(odd_draft())
    model.remove_cpds("Fire")
    with pytest.raises(BadVariable, match="'Fire' of the pgmpy network has no table"):
        from_pgmpy(model)


@pytest.mark.parametrize("ending", [".bif", ".bifxml", ".net", ".dsl"])
def test_pyagrum_reads_what_bayou_writes(gum: Any, ending: str, tmp_path: Path) -> None:
    # It reads .xdsl and .uai with the parents the other way round, which is its own reading of them.
    write_draft(plain_draft(), tmp_path / f"net{ending}")
    engine = gum.LazyPropagation(gum.loadBN(str(tmp_path / f"net{ending}")))
    for name, expected in prior_marginals(plain_draft()).items():
        np.testing.assert_allclose(engine.posterior(name).toarray(), expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize(
    ("ending", "reader"),
    [(".bif", "BIFReader"), (".xmlbif", "XMLBIFReader"), (".net", "NETReader"), (".xdsl", "XDSLReader")],
)
def test_pgmpy_reads_what_bayou_writes(pgmpy: Any, ending: str, reader: str, tmp_path: Path) -> None:
    write_draft(plain_draft(), tmp_path / f"net{ending}")
    back = from_pgmpy(getattr(pgmpy, reader)(str(tmp_path / f"net{ending}")).get_model())
    for name, expected in prior_marginals(plain_draft()).items():
        np.testing.assert_allclose(prior_marginals(back)[name], expected, rtol=0, atol=1e-9)
