"""Damaged classifier files are refused when they are read, not when they are first used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bayou
from bayou.errors import BadFile
from bayou.formats.bundle import read_bundle, write_bundle
from tests.conformance.states.example_models import MODELS

Change = Callable[[dict[str, Any]], Any]
DAMAGE: list[tuple[str, Change, str]] = [
    ("AODE", lambda s: s["learned"].update(domain_=3), "domain_ of AODE is an int, not a DiscreteDomain"),
    (
        "AODE",
        lambda s: s["learned"]["domain_"]["fields"].update(cut="a"),
        "cut of DiscreteDomain is a str, not a Mapping",
    ),
    ("BayesEnsemble", lambda s: s["learned"].update(seed_="x"), "seed_ of BayesEnsemble is a str"),
    ("BayesEnsemble", lambda s: s["learned"].pop("column_kinds_"), "what kinds of columns"),
    ("TextNaiveBayes", lambda s: s["learned"].pop("reads_"), "its parts do not fit together"),
    ("TextNaiveBayes", lambda s: s["statistics"]["words"].__setitem__(0, "now"), "do not fit together"),
    ("TAN", lambda s: s["learned"].update(n_features_in_=7), "does not name its 7 features"),
    ("NaiveBayes", lambda s: s["learned"].update(choices_="x"), "choices_ of NaiveBayes is a str"),
    ("hypotheses", lambda s: s["learned"].update(evidence_=None), "evidence_ of BayesOptimal is a NoneType"),
    ("hypotheses", lambda s: s.update(log_weights=s["log_weights"][:1]), "one weight per hypothesis"),
]


@pytest.mark.parametrize(("kind", "change", "told"), DAMAGE)
def test_a_damaged_file_is_refused_when_it_is_read(
    kind: str, change: Change, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "model.bayou"
    MODELS[kind][0]().save(path)
    name, state = read_bundle(path)
    change(state)
    write_bundle(path, name, state)
    with pytest.raises(BadFile, match=rf"model\.bayou: is damaged: .*{told}"):
        bayou.load(path)
