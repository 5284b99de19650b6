"""A target column that has codes already gives the classes that its labels, row by row, would give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bayou.errors import BadData
from bayou.estimators.input.target import label_array, read_labels
from bayou.sources.tables.columns import CodedColumn


def column_of(codes: list[int], labels: tuple[Any, ...]) -> CodedColumn:
    return CodedColumn(np.array(codes, dtype=np.uint8), labels)


@pytest.mark.parametrize(
    "column",
    [
        column_of([2, 0, 0, 1], ("item 10", "item 9", "b")),
        column_of([1, 0, 1], (7, -3)),
        column_of([1, 1, 2], (5, 4, 3)),
        column_of([1, 0], (False, True)),
        column_of([0, 0], (False, True)),
        column_of([1, 0, 1], (1.0, 0.0)),
        column_of([], ("a",)),
    ],
)
def test_classes_of_a_column(column: CodedColumn) -> None:
    expected = read_labels(label_array(column.values()), len(column), "test")
    found = read_labels(column, len(column), "test")
    assert found.labels == expected.labels
    assert [type(label) for label in found.labels] == [type(label) for label in expected.labels]
    assert found.codes.tolist() == expected.codes.tolist()
    assert (found.codes.dtype, found.declared) == (expected.codes.dtype, True)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (column_of([0, 255, 1], ("a", "b")), "row 1"),
        (column_of([0, 255, 1], (3, 4)), "row 1"),
        (column_of([0, 1], ("a", 1)), "mixes text and numbers"),
        (column_of([0, 1], (0.25, 1.5)), "Cut the numbers"),
    ],
)
def test_bad_labels_are_named(column: CodedColumn, message: str) -> None:
    with pytest.raises(BadData, match=message):
        read_labels(column, len(column), "test")
