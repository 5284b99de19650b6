"""Checks of a draft before it is written: complete, discrete, with values whose types can be noted."""

from __future__ import annotations

import numpy as np

from bayou._native import _core
from bayou.errors import BadFile, BadTable, BadVariable, NotFitted, UnknownVariable
from bayou.formats.draft import NetworkDraft
from bayou.formats.format_labels import is_recordable
from bayou.schema import Variable
from bayou.typing import FloatArray


def check_draft(draft: NetworkDraft, format_name: str) -> None:
    """Refuse a draft that cannot be written in the format; the error names the variable.

    >>> check_draft(NetworkDraft("n", (Variable("height"),), {"height": ()}, {}), "BIF")
    Traceback (most recent call last):
    bayou.errors.BadVariable: 'height' is continuous, which BIF cannot represent. Discretise it, or save in
    bayou's own format.
    """
    by_name = {variable.name: variable for variable in draft.variables}
    if len(by_name) != len(draft.variables):
        raise BadVariable("Two variables of the network have the same name.")
    _check_text(draft.name)
    for variable in draft.variables:
        _check_variable(variable, format_name)
    lacking = [name for name in by_name if name not in draft.tables or name not in draft.parents]
    if lacking:
        raise NotFitted.missing(lacking)
    for variable in draft.variables:
        parents = draft.parents[variable.name]
        for parent in parents:
            if parent not in by_name:
                raise UnknownVariable.named(parent, list(by_name), f"among the parents of {variable.name!r}")
        shape = (*(by_name[parent].cardinality for parent in parents), variable.cardinality)
        _check_table(variable, draft.tables[variable.name], shape)
    _check_properties(draft)


def _check_variable(variable: Variable, format_name: str) -> None:
    if variable.is_text:
        raise BadVariable(
            f"{variable.name!r} holds texts, which {format_name} cannot represent. Save in bayou's own "
            "format."
        )
    if variable.is_continuous:
        raise BadVariable(
            f"{variable.name!r} is continuous, which {format_name} cannot represent. "
            "Discretise it, or save in bayou's own format."
        )
    for value in (variable.name, *variable.states):
        if not is_recordable(value):
            raise BadVariable(
                f"{format_name} cannot represent {value!r} (a {type(value).__name__}) in the variable "
                f"{variable.name!r}: only text, whole numbers, floats and truth values. "
                "Save in bayou's own format."
            )
        if isinstance(value, str):
            _check_text(value)


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise BadVariable(
            f"{text!r} contains half a surrogate pair, which cannot be written as UTF-8."
        ) from None


def _check_properties(draft: NetworkDraft) -> None:
    for owner, texts in draft.properties.items():
        for text in texts:
            try:
                text.encode("utf-8")
            except UnicodeEncodeError:
                whose = "the network" if owner is None else repr(owner)
                problem = "holds half a surrogate pair, which no UTF-8 file can hold"
                raise BadFile(f"The property {text!r} of {whose} {problem}.") from None


def _check_table(variable: Variable, table: FloatArray, shape: tuple[int, ...]) -> None:
    if np.shape(table) != shape:
        raise BadTable(f"The table of {variable.name!r} has the shape {np.shape(table)}; expected {shape}.")
    values = np.asarray(table, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        sums = np.asarray(values.sum(axis=-1))
        fine = (np.abs(sums - 1) <= _core.BIF_ROW_TOLERANCE) & (values >= 0).all(axis=-1)
    if not fine.all():
        row = np.unravel_index(int(np.argmin(fine)), fine.shape) if fine.ndim else ()
        raise BadTable(
            f"The row {tuple(int(i) for i in row)} of the table of {variable.name!r} is not a distribution "
            f"(it sums to {float(sums[row])!r})."
        )
