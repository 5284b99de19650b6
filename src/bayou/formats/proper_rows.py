"""Rows of tables in files that sum to 1; others are refused by the place of their variable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from bayou._native import _core
from bayou.errors import BadFile
from bayou.typing import FloatArray

if TYPE_CHECKING:
    from bayou.formats.families import Conventions, FoundFamilies

_EXACT_ROW = 1e-12


def proper_rows(
    node: FoundFamilies,
    by_text: Mapping[str, FoundFamilies],
    shape: tuple[int, ...],
    conventions: Conventions,
    source: object,
) -> FloatArray:
    """Return the table with rows that sum to 1; a sum that differs by more than rounding is refused.

    With ``conventions.weights`` any positive sum is accepted.
    """
    rows = node.values.reshape(-1, shape[-1])
    with np.errstate(over="ignore", invalid="ignore"):
        sums = rows.sum(axis=1)
    proper = np.isfinite(sums) & (rows >= 0).all(axis=1)
    near = sums > 0 if conventions.weights else np.abs(sums - 1) <= _core.BIF_ROW_TOLERANCE * (1 + 1e-9)
    fine = proper & near
    if not fine.all():
        _refuse_row(int(np.argmin(fine)), rows, node, by_text, shape, conventions, source)
    exact = np.abs(sums - 1) <= max(_EXACT_ROW, 2 * shape[-1] * np.finfo(np.float64).eps)
    return np.ascontiguousarray((rows / np.where(exact, 1.0, sums)[:, None]).reshape(shape))


def _refuse_row(
    number: int,
    rows: FloatArray,
    node: FoundFamilies,
    by_text: Mapping[str, FoundFamilies],
    shape: tuple[int, ...],
    conventions: Conventions,
    source: object,
) -> NoReturn:
    codes = np.unravel_index(number, shape[:-1]) if len(shape) > 1 else ()
    given = ", ".join(
        f"{parent}={by_text[parent].states[int(code)]}"
        for parent, code in zip(node.parents, codes, strict=True)
    )
    row = f"the row ({given}) of {title_of(node)}" if given else f"the row of {title_of(node)}"
    if (rows[number] < 0).any():
        raise BadFile.at(source, f"{row} has a negative number.", *node.place)
    expected = "more than 0" if conventions.weights else f"1 (up to rounding of {_core.BIF_ROW_TOLERANCE:g})"
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(rows[number].sum())
        turned = rows.reshape(shape[-1], -1).sum(axis=0)
    hint = ""
    if not conventions.weights and np.allclose(turned, 1, rtol=0, atol=_core.BIF_ROW_TOLERANCE):
        hint = (
            f" The states of {node.name!r} seem to change slowest in the numbers; in {conventions.name} they "
            "must change fastest."
        )
    raise BadFile.at(source, f"{row} sums to {total:.10g}; expected {expected}.{hint}", *node.place)


def title_of(node: FoundFamilies) -> str:
    given = f" | {', '.join(node.parents)}" if node.parents else ""
    return f"P({node.name}{given})"
