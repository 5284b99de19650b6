"""Expressions of SQL that scores are made of, built without copies: statements may have megabytes."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp


def number_literal(value: float) -> exp.Expression:
    """A real number."""
    return exp.Cast(this=_signed(repr(abs(float(value))), value), to=_double())


def case(pairs: Sequence[tuple[exp.Expression, exp.Expression]], default: exp.Expression) -> exp.Case:
    """CASE WHEN … THEN … ELSE …, made at once: ``Case.when`` would copy all that is there each time."""
    ifs = [exp.If(this=condition, true=value) for condition, value in pairs]
    return exp.Case(ifs=ifs, default=default)


def _signed(text: str, value: float) -> exp.Expression:
    literal = exp.Literal(this=text, is_string=False)
    return exp.Neg(this=literal) if value < 0 else literal


def _double() -> exp.DataType:
    return exp.DataType(this=exp.DataType.Type.DOUBLE)


def whole_number(value: int) -> exp.Expression:
    """A whole number that is not below 0."""
    return exp.Literal(this=str(value), is_string=False)
