"""The rules of probability on labelled arrays: sum, product, conditioning, events."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from bayou.errors import BadQuestion, BadTable, ImpossibleEvidence, listed
from bayou.probability.table_values import cell_text, check_size
from bayou.schema import Schema, Variable
from bayou.schema.states import label, state_key
from bayou.typing import FloatArray, Name, State


@dataclass(frozen=True, eq=False)
class LabelledArray:
    """The data of a probability table: axes, numbers, the axes right of the bar, and the findings."""

    schema: Schema
    array: FloatArray
    conditions: tuple[int, ...] = ()
    findings: tuple[tuple[Name, State], ...] = ()
    largest_denominator: int = 0
    """If above 0, the table prints as fractions with denominators up to this, where all entries are such."""

    @property
    def targets(self) -> tuple[int, ...]:
        """The axes left of the bar."""
        return tuple(axis for axis in range(len(self.schema)) if axis not in self.conditions)

    @property
    def target_names(self) -> tuple[Name, ...]:
        """The names left of the bar."""
        return tuple(self.schema.names[axis] for axis in self.targets)

    @property
    def title(self) -> str:
        """The table in the usual notation, such as ``P(a | b)``."""
        return table_title(self.schema, self.conditions, self.findings)

    def axes(self, names: Any) -> list[int]:
        """Return the axes of one name or several, each once; a string is one name."""
        single = isinstance(names, str) or not isinstance(names, Iterable) or names in self.schema
        return list(dict.fromkeys(self.schema.index(name) for name in ([names] if single else names)))


def table_title(
    schema: Schema, conditions: Sequence[int], findings: Iterable[tuple[Name, State]] = ()
) -> str:
    """The title of a table: ``P(targets | conditions, name=state)``.

    >>> table_title(Schema([Variable("rain", ["no", "yes"]), Variable("wet", ["no", "yes"])]), [0])
    'P(wet | rain)'
    """
    left = ", ".join(label(name) for axis, name in enumerate(schema.names) if axis not in conditions)
    right = [label(schema.names[axis]) for axis in conditions]
    right += [finding_text(name, state) for name, state in findings]
    return f"P({left} | {', '.join(right)})" if right else f"P({left})"


def finding_text(name: Name, state: State) -> str:
    """A finding as text right of the bar; with the state None the name alone.

    A number is stored as a float; a whole one is written as it was given, without ".0".

    >>> finding_text("rain", "yes"), finding_text("links", 2.0), finding_text("do(rain=yes)", None)
    ('rain=yes', 'links=2', 'do(rain=yes)')
    """
    if state is None:
        return label(name)
    text = label(state)
    return f"{label(name)}={text.removesuffix('.0') if isinstance(state, float) else text}"


def refuse_conditions(table: LabelledArray, what: str) -> None:
    """Raise if the table is conditional, because ``what`` needs a joint distribution."""
    if table.conditions:
        names = ", ".join(label(table.schema.names[axis]) for axis in table.conditions)
        raise BadQuestion(
            f"{what} needs a joint distribution, and this is {table.title}: "
            f"multiply it by P({names}), or fix {names} with condition({{…}})."
        )


def marginal(table: LabelledArray, names: Any) -> LabelledArray:
    """Sum out the targets that are not named; the conditions are kept."""
    targets = table.axes(names)
    if not targets:
        raise BadQuestion(f"Which axes of {table.title} should remain? Name at least one.")
    if any(axis in table.conditions for axis in targets):
        refuse_conditions(table, "The marginal of a variable right of the bar")
    kept = [*targets, *table.conditions]
    conditions = tuple(range(len(targets), len(kept)))
    schema = Schema(table.schema.variables[axis] for axis in kept)
    return LabelledArray(schema, summed_to(table.array, kept), conditions, table.findings)


def summed_to(array: FloatArray, kept: Sequence[int]) -> FloatArray:
    """Sum over all axes that are not kept; the kept axes get the given order."""
    rest = tuple(axis for axis in range(array.ndim) if axis not in kept)
    left = sorted(kept)
    result: FloatArray = array.sum(axis=rest).transpose([left.index(axis) for axis in kept])
    return result


def condition(table: LabelledArray, findings: Mapping[Any, State]) -> LabelledArray:
    """Keep the cells that agree with the findings, and normalise them to sum to 1."""
    found = {table.schema.index(name): state for name, state in findings.items()}
    codes = {axis: table.schema.variables[axis].code(state) for axis, state in found.items()}
    kept = [axis for axis in range(len(table.schema)) if axis not in codes]
    if all(axis in table.conditions for axis in kept):
        raise BadQuestion(f"The findings fix every target of {table.title}; use probability({{…}}) instead.")
    array = table.array[tuple(codes.get(axis, slice(None)) for axis in range(table.array.ndim))]
    conditions = tuple(kept.index(axis) for axis in table.conditions if axis in kept)
    schema = Schema(table.schema.variables[axis] for axis in kept)
    result = LabelledArray(
        schema,
        array,
        conditions,
        table.findings + tuple((table.schema.names[a], s) for a, s in found.items()),
    )
    # A finding right of the bar only selects rows, which already sum to 1.
    return _rows_to_one(result) if any(axis in table.targets for axis in codes) else result


def given(table: LabelledArray, names: Any) -> LabelledArray:
    """P(other targets | names): the named targets become conditions."""
    moved = table.axes(names)
    conditions = (*table.conditions, *(axis for axis in moved if axis not in table.conditions))
    if len(conditions) == len(table.schema):
        raise BadQuestion(f"Every axis of {table.title} would be given; omit at least one.")
    return _rows_to_one(LabelledArray(table.schema, table.array, conditions, table.findings))


def _rows_to_one(table: LabelledArray) -> LabelledArray:
    """Divide each row by its sum; raise if a row has probability 0."""
    sums = table.array.sum(axis=table.targets, keepdims=True)
    if not sums.all():
        place = np.argwhere(sums == 0)[0]
        row = cell_text(table.schema, place, table.conditions)
        found = ", ".join(
            label(name) if state is None else f"{label(name)} = {state!r}" for name, state in table.findings
        )
        what = ", ".join(filter(None, [row, found]))
        raise ImpossibleEvidence(f"{table.title} is not defined, because the probability of {what} is 0.")
    # Dividing by the largest entry first avoids a loss of digits if the sum is nearly 0.
    scaled = table.array / table.array.max(axis=table.targets, keepdims=True)
    rows = scaled / scaled.sum(axis=table.targets, keepdims=True)
    return LabelledArray(table.schema, rows, table.conditions, table.findings)


def product(left: LabelledArray, right: LabelledArray) -> LabelledArray:
    """The product rule: P(a | c) P(b | a, c) = P(a, b | c), axes matched by name and states by value.

    The findings of both tables are findings of the product.
    """
    _check_product(left, right)
    findings = _joined_findings(left, right)
    extra = [variable for variable in right.schema if variable.name not in left.schema]
    schema = Schema([*left.schema, *extra])
    title = f"{left.title} × {right.title}"
    check_size([variable.cardinality for variable in schema], title)
    array = aligned(left, schema, title) * aligned(right, schema, title)
    targets = {schema.index(name) for table in (left, right) for name in table.target_names}
    conditions = tuple(axis for axis in range(len(schema)) if axis not in targets)
    return LabelledArray(schema, array, conditions, findings)


def _joined_findings(left: LabelledArray, right: LabelledArray) -> tuple[tuple[Name, State], ...]:
    """Return the findings of both tables.

    Raise if a finding of one table is an axis of the other or has another state there.
    """
    title = f"{left.title} × {right.title}"
    for table, other in ((left, right), (right, left)):
        for name, state in table.findings:
            if name in other.schema:
                raise BadQuestion(
                    f"{title}: {label(name)} is fixed in {table.title} and not in {other.title}. "
                    f"Fix it in both with condition({{{name!r}: {state!r}}}), or in neither."
                )
    known = dict(left.findings)
    for name, state in right.findings:
        if name in known and state_key(known[name]) != state_key(state):
            raise BadQuestion(f"{title}: {label(name)} is {known[name]!r} in one and {state!r} in the other.")
    return left.findings + tuple(found for found in right.findings if found[0] not in known)


def _check_product(left: LabelledArray, right: LabelledArray) -> None:
    """Raise unless the product rule applies: disjoint targets, and not each conditional on the other."""
    both = _shared(left, left.targets, right, right.targets)
    if both:
        raise BadQuestion(f"{left.title} × {right.title}: both give the probability of {listed(both)}.")
    forth = _shared(left, left.targets, right, right.conditions)
    back = _shared(left, left.conditions, right, right.targets)
    if forth and back:
        raise BadQuestion(
            f"{left.title} × {right.title}: each is conditional on a target of the other. "
            "Multiply a conditional table by the distribution of its conditions."
        )


def _shared(
    left: LabelledArray, axes: Iterable[int], right: LabelledArray, others: Sequence[int]
) -> list[Name]:
    """Return the names that some axes of ``left`` and some axes of ``right`` have in common."""
    names = [left.schema.names[axis] for axis in axes]
    return [name for name in names if name in right.schema and right.schema.index(name) in others]


def same_axes(left: LabelledArray, right: LabelledArray) -> bool:
    """Whether both have the same targets and the same conditions, in any order."""
    targets = _shared(left, left.targets, right, right.targets)
    conditions = _shared(left, left.conditions, right, right.conditions)
    return len(targets) + len(conditions) == len(left.schema) == len(right.schema)


def aligned(table: LabelledArray, schema: Schema, title: str = "") -> FloatArray:
    """Return the array with axes and states in the order of the schema; an absent axis has length 1."""
    present = [variable for variable in schema if variable.name in table.schema]
    array = table.array.transpose([table.schema.index(variable.name) for variable in present])
    for axis, variable in enumerate(present):
        array = array.take(
            _state_order(table.schema[variable.name], variable, title or table.title), axis=axis
        )
    shape = [variable.cardinality if variable in present else 1 for variable in schema]
    return array.reshape(shape)


def _state_order(own: Variable, other: Variable, title: str) -> list[int]:
    """Return the codes of a variable in the order of another variable with the same states."""
    found = [own.place(state) for state in other.states]
    order = [code for code in found if code is not None]
    if len(order) < len(found) or len(order) < own.cardinality:
        raise BadTable(
            f"{title}: {other.name!r} has the states {listed(other.states)} in one table "
            f"and {listed(own.states)} in the other; they must be the same."
        )
    return order


def probability_of_any(table: LabelledArray, events: Iterable[Mapping[Any, Any]]) -> float:
    """The probability that at least one of the events holds."""
    refuse_conditions(table, "The probability of an event")
    holds = np.zeros(table.array.shape, dtype=bool)
    for event in [events] if isinstance(events, Mapping) else events:
        holds |= _where(table.schema, event)
    return min(float(table.array[holds].sum()), 1.0)


def _where(schema: Schema, event: Any) -> npt.NDArray[np.bool_]:
    """Return a mask of the cells in which the event holds."""
    if not isinstance(event, Mapping):
        raise BadQuestion(
            f"An event must be a mapping from names to states, such as {{'rain': 'yes'}}; got {event!r}."
        )
    holds: npt.NDArray[np.bool_] = np.ones([variable.cardinality for variable in schema], dtype=bool)
    for name, states in event.items():
        axis = schema.index(name)
        variable = schema.variables[axis]
        among = np.zeros(variable.cardinality, dtype=bool)
        among[
            [variable.code(state) for state in (states if isinstance(states, list | set) else [states])]
        ] = True
        holds &= among.reshape([-1 if other == axis else 1 for other in range(len(schema))])
    return holds
