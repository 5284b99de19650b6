"""The summary of an ensemble tells of every column how it is read, and in how many rows it is missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import bayou


def test_columns_of_numbers_tell_their_gaps_too(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    age = random.normal(40, 10, 300)
    answer = np.where(age + random.normal(0, 5, 300) > 40, "a", "b")
    age[:15] = np.nan
    city = [None if k % 50 == 0 else "uvw"[k % 3] for k in range(300)]
    rows = {"age": age, "income": random.gamma(2, 1000, 300), "city": city, "y": answer}
    model = bayou.BayesEnsemble().fit(rows, "y")
    notes = {note.name: note for note in model.summary().features}
    assert (notes["age"].modelled, notes["age"].missing) == ("numbers", 15)
    assert (notes["income"].modelled, notes["income"].missing) == ("numbers", 0)
    assert (notes["city"].modelled, notes["city"].missing) == ("3 states", 6)
    model.save(tmp_path / "a.bayou")
    again = {note.name: note for note in bayou.load(tmp_path / "a.bayou").summary().features}
    assert again == notes
