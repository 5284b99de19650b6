"""Scores of families on 10,000 sampled rows against numbers computed by an independent program."""

from __future__ import annotations

import pytest
from tests.shared_data import SHARED, needs_shared_data, shared_json

import bayou
from bayou.distributions import BDeu
from bayou.learning.scores.local_scores import LocalScores, SourceScores
from bayou.learning.scores.native_scores import NativeScores, local_scores
from bayou.learning.scores.scores import Score, score_from
from bayou.schema import Variable
from bayou.sources import open_source

SCORES = shared_json("reference/structure_scores.json.gz")
NAMES = ["asia", "alarm", "child", "insurance", "hailfinder"]
KINDS: dict[str, Score] = {
    "loglik": score_from("loglik"),
    "bic": score_from("bic"),
    "aic": score_from("aic"),
    "bdeu_1": score_from(BDeu(1)),
    "bdeu_10": score_from(BDeu(10)),
    "k2": score_from("k2"),
}


def check(name: str, kind: str, scores: LocalScores) -> None:
    place = {variable.name: at for at, variable in enumerate(scores.variables)}
    for structure in SCORES[name]["structures"].values():
        parents: dict[object, list[int]] = {node: [] for node in place}
        for parent, child in structure["arcs"]:
            parents[child].append(place[parent])
        wanted = [(place[node], tuple(sorted(found))) for node, found in parents.items()]
        found = scores.families(wanted)
        expected = [structure["local"][node][kind] for node in parents]
        assert found.tolist() == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert found.sum() == pytest.approx(structure["total"][kind], rel=1e-9)


@needs_shared_data
@pytest.mark.parametrize("name", NAMES)
def test_scores_of_true_and_empty_structures(name: str) -> None:
    stated = bayou.load(SHARED / "networks" / f"{name}.bif.gz")
    variables = [Variable(node, stated.states(node)) for node in stated.names]
    source = open_source(SHARED / SCORES[name]["file"])
    for kind, score in KINDS.items():
        check(name, kind, SourceScores(source, variables, score))
        native = local_scores(source, variables, score)
        assert isinstance(native, NativeScores)
        check(name, kind, native)
