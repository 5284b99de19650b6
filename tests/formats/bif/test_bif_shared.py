"""The repository networks, other programs' BIF files and broken ones, against stated answers."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from tests.formats.drafts import assert_same_draft, joint, prior_marginals
from tests.shared_data import SHARED, needs_shared_data, shared_files, shared_json

from bayou.errors import BadFile
from bayou.formats.bif.bif_reader import parse_bif, read_bif
from bayou.formats.bif.bif_writer import bif_text

NETWORKS = shared_files("networks/*.bif.gz")
ANSWERS = {
    name: answer
    for name, answer in shared_json("reference/formats.json").items()
    if ".bif" in Path(name).suffixes
}
REFUSED = {
    "dBN_with_errors.bif.gz": "line 347, column 14: 'lasubt_1' has a second probability block",
    "gl2uERR_dts2_min.bif": "line 24, column 4: the row (A=0) of P(DB | A) sums to 0;",
    "gl2uERR_dts3_max.bif": "line 26, column 12: the row of P(DBA0) sums to 2;",
    "gl2uERR_min.bif": "line 21, column 4: the row (A=0) of P(B | A) sums to 0.6;",
    "made_duplicate_variable.bif": "line 6, column 10: the variable 'asia' is declared twice",
    "made_empty_file.bif": "line 1, column 1: expected 'network', found the end of the file",
    "made_missing_row.bif": "line 30, column 13: P(tub | asia) lacks the row (asia=no)",
    "made_row_sums_to_0.8.bif": "line 52, column 3: the row (either=yes) of P(xray | either) sums to 0.8;",
    "made_too_few_values_in_row.bif": "line 42, column 3: the row (smoke=yes) of P(bronc | smoke) has 1",
    "made_truncated.bif": "line 47, column 11: expected a state's name or ')', found the end of the file",
    "made_unknown_parent.bif": "line 37, column 22: There is no variable 'smoker'. Did you mean 'smoke'?",
    "too_few_table_values.bif": "line 58, column 9: the table of P(n6 | n1, n5) has 10 numbers; expected 12",
}


def stated_sizes(file_name: str) -> list[int]:
    """Nodes, arcs and free parameters as the folder's README states them."""
    readme = (SHARED / "README.md").read_text(encoding="utf-8")
    stated = re.search(rf"networks/{file_name} \| (\d+) nodes, (\d+) arcs, (\d+) free parameters", readme)
    assert stated is not None
    return [int(number) for number in stated.groups()]


@needs_shared_data
@pytest.mark.parametrize("path", NETWORKS, ids=lambda path: path.name)
def test_a_repository_network_has_its_stated_size_and_proper_rows(path: Path) -> None:
    draft = read_bif(path)
    free = sum(
        (variable.cardinality - 1) * math.prod(draft.tables[variable.name].shape[:-1])
        for variable in draft.variables
    )
    assert [len(draft.variables), len(draft.arcs), free] == stated_sizes(path.name)
    for variable in draft.variables:
        np.testing.assert_allclose(draft.tables[variable.name].sum(axis=-1), 1, rtol=0, atol=1e-12)


@needs_shared_data
@pytest.mark.parametrize("path", NETWORKS, ids=lambda path: path.name)
def test_a_repository_network_comes_back_from_its_own_text_to_the_last_bit(path: Path) -> None:
    draft = read_bif(path)
    assert_same_draft(parse_bif(bif_text(draft)), draft)


@needs_shared_data
@pytest.mark.parametrize("name", ["asia", "cancer", "earthquake", "survey", "sachs"])
def test_the_joint_of_a_small_network_gives_the_reference_posteriors(name: str) -> None:
    draft = read_bif(SHARED / "networks" / f"{name}.bif.gz")
    table = joint(draft)
    reference = shared_json(f"reference/{name}.json.gz")
    checked = 0
    for case in reference["cases"]:
        if case["kind"] not in ("prior", "hard"):
            continue
        kept = table
        for position, variable in enumerate(draft.variables):
            if variable.name in case["evidence"]:
                code = variable.code(case["evidence"][variable.name])
                kept = (
                    np.where(np.arange(variable.cardinality) == code, 1.0, 0.0).reshape(
                        [-1 if axis == position else 1 for axis in range(table.ndim)]
                    )
                    * kept
                )
        for position, variable in enumerate(draft.variables):
            if variable.name in case["posteriors"]:
                others = tuple(axis for axis in range(table.ndim) if axis != position)
                posterior = kept.sum(axis=others) / kept.sum()
                np.testing.assert_allclose(posterior, case["posteriors"][variable.name], rtol=0, atol=1e-9)
                checked += 1
    assert checked > len(draft.variables)


@needs_shared_data
@pytest.mark.parametrize(
    "name", [name for name, answer in ANSWERS.items() if answer.get("prior_marginals")], ids=str
)
def test_a_file_of_another_program_gives_the_reference_marginals(name: str) -> None:
    draft = read_bif(SHARED / name)
    answer = ANSWERS[name]
    assert (len(draft.variables), len(draft.arcs)) == (answer["nodes"], answer["arcs"])
    if "arc_list" in answer:
        assert sorted(draft.arcs) == sorted(map(tuple, answer["arc_list"]))
        assert {variable.name: list(variable.states) for variable in draft.variables} == answer["states"]
    marginals = prior_marginals(draft)
    assert set(marginals) == set(answer["prior_marginals"])
    for variable, expected in answer["prior_marginals"].items():
        np.testing.assert_allclose(marginals[variable], expected, rtol=0, atol=1e-6)


@needs_shared_data
@pytest.mark.parametrize("name", REFUSED)
def test_a_broken_file_is_refused_with_place_and_reason(name: str) -> None:
    with pytest.raises(BadFile) as caught:
        read_bif(SHARED / "corrupted" / name)
    assert REFUSED[name] in str(caught.value)
    assert name in str(caught.value)


@needs_shared_data
def test_every_broken_or_odd_file_is_accounted_for() -> None:
    present = {path.name for path in [*shared_files("corrupted/*.bif"), *shared_files("corrupted/*.bif.gz")]}
    loads = {Path(name).name for name, answer in ANSWERS.items() if "prior_marginals" in answer}
    assert present - set(REFUSED) - loads == {"empty_network.bif"}


@needs_shared_data
def test_a_file_without_variables_is_an_empty_network() -> None:
    draft = read_bif(SHARED / "corrupted" / "empty_network.bif")
    assert draft.variables == ()
    assert draft.properties == {None: ("version 1.0", "author aGrUM")}
