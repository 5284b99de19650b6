"""A case: what is known in one situation, under a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

from bayou.arguments import real_number
from bayou.models.set_findings import Not
from bayou.schema import label
from bayou.text.tables import PrintedTable, TextTable
from bayou.typing import Name


@dataclass(frozen=True)
class Case:
    """What is known in one situation: findings of every kind, under a name.

    ``given``, ``likelihood`` and ``do`` are those of ``net.query``; ``findings`` has the three as arguments.
    ``weight`` is how many such cases there are.

    Raises ``BadQuestion`` for a negative weight.

    >>> import bayou
    >>> case = bayou.Case("Ann", {"smoke": "yes", "xray": bayou.Not("no")})
    >>> round(bayou.examples.asia().query("lung", **case.findings)["yes"], 4)
    0.646
    """

    name: str
    given: Mapping[Name, Any] = field(default_factory=dict)
    likelihood: Mapping[Name, Sequence[float]] = field(default_factory=dict)
    do: Mapping[Name, Any] = field(default_factory=dict)
    weight: float = 1

    def __post_init__(self) -> None:
        real_number("weight", self.weight, 0, expected="give the number of such cases, 0 or more")

    @property
    def findings(self) -> dict[str, Mapping[Name, Any]]:
        """The findings as arguments of ``net.query`` and its like."""
        return {"given": self.given, "likelihood": self.likelihood, "do": self.do}

    @property
    def text(self) -> str:
        """The findings in one line."""
        known = [f"{label(name)}{_said(value)}" for name, value in self.given.items()]
        weighed = [f"likelihood of {label(name)}" for name in self.likelihood]
        return ", ".join(
            [*known, *weighed, *(f"do({label(name)}={value})" for name, value in self.do.items())]
        )


class Cases(PrintedTable, Sequence[Case]):
    """Cases in order, and what was remarked when their file was read (``remarks``).

    >>> print(Cases([Case("Ann", {"smoke": "yes"}), Case("Bob", {"age": Not(30, 40)})]))
    case  weight  findings
    Ann        1  smoke=yes
    Bob        1  age not in {30, 40}
    """

    def __init__(self, cases: Iterable[Case], remarks: Iterable[str] = ()) -> None:
        self._cases, self.remarks = tuple(cases), tuple(remarks)

    @overload
    def __getitem__(self, place: int) -> Case: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Case, ...]: ...

    def __getitem__(self, place: int | slice) -> Case | tuple[Case, ...]:
        return self._cases[place]

    def __len__(self) -> int:
        return len(self._cases)

    def to_table(self) -> TextTable:
        """One row per case."""
        rows = [[case.name, f"{case.weight:g}", case.text or "–"] for case in self._cases]
        return TextTable(["case", "weight", "findings"], rows)


def _said(value: Any) -> str:
    if isinstance(value, Not):
        states = ", ".join(label(state) for state in value.states)
        return f"≠{states}" if len(value.states) == 1 else f" not in {{{states}}}"
    if isinstance(value, frozenset | set | list):
        return f" in {{{', '.join(sorted(label(state) for state in value))}}}"
    return f"={label(value)}"
