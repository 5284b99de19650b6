"""Tables without rows, and columns without any value: the message says that, not what follows from it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bayou
from bayou.errors import BadData, BadGraph


def test_a_file_with_a_header_only(tmp_path: Path) -> None:
    (path := tmp_path / "rows.csv").write_text("a,b\n")
    with pytest.raises(BadData, match=r"no row to learn from: .*'a', 'b', but 0 sample\(s\).*header"):
        bayou.NaiveBayes().fit(path, "b")
    with pytest.raises(BadData, match="the table has no rows"):
        bayou.Network("a -> b").fit(path)


def test_a_parent_without_any_value() -> None:
    rows = pd.DataFrame({"a": [np.nan] * 4, "b": ["x", "y"] * 2})
    with pytest.raises(BadGraph, match=r"Column 'a' has no value at all.*states=\{'a': \[…\]\}"):
        bayou.Network("a -> b").fit(rows)
    assert bayou.Network("a -> b", states={"a": ["u", "v"]}).fit(rows).query("b")["x"] == pytest.approx(0.5)
