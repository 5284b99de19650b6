"""The user's options for learning, checked, and the user's data, opened as a source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bayou.arguments import real_number, seed_number, whole_number
from bayou.errors import BadQuestion, UnknownVariable, listed, warn_user
from bayou.formats.file_content import FilePath
from bayou.learning.em.trace import PLAIN_EM, Settings
from bayou.learning.time_budget import TimeBudget
from bayou.networks import Structure
from bayou.schema import Variable, text_names
from bayou.sources import IfPresent, open_source
from bayou.sources.streams.aged_source import Ageing
from bayou.statistics import Source
from bayou.typing import Name

METHODS = ("em", PLAIN_EM, "gradient", "count")
STARTS = ("data", "present")


@dataclass(frozen=True)
class FitOptions:
    """The user's options for learning; with ``method=None`` the data decide between counting and EM."""

    method: str | None = None
    start: str = "data"
    settings: Settings = field(default_factory=Settings)
    checkpoint: FilePath | None = None
    budget: TimeBudget = field(default_factory=TimeBudget)
    ageing: Ageing | None = None

    @classmethod
    def asked(
        cls,
        method: str | None = None,
        start: str = "data",
        restarts: int = 1,
        seed: int = 0,
        tolerance: float = 1e-6,
        max_iterations: int = 1000,
        checkpoint: FilePath | None = None,
        half_life: float | None = None,
    ) -> FitOptions:
        """Check the arguments and return them as options."""
        if method is not None and method not in METHODS:
            raise BadQuestion.choice("method", method, METHODS)
        if start not in STARTS:
            raise BadQuestion(f"start={start!r}: give one of {listed(STARTS)}.")
        whole_number("restarts", restarts, 1)
        whole_number("max_iterations", max_iterations, 1)
        seed_number(seed)
        expected = "give a number from 0 to below 1, such as 1e-6"
        real_number("tolerance", tolerance, 0, 1, below=True, expected=expected)
        if checkpoint is not None and method not in (None, "em", PLAIN_EM):
            raise BadQuestion(
                'checkpoint= needs method="em": the progress of other methods cannot be stored. Leave it out.'
            )
        settings = Settings(method or "em", int(restarts), int(seed), float(tolerance), int(max_iterations))
        ageing = None if half_life is None else Ageing(half_life)
        return cls(method, start, settings, checkpoint, ageing=ageing)


@dataclass(frozen=True)
class TableGiven:
    """A table with weights and column names as the user gives them."""

    table: Any
    weights: Any = None
    columns: Sequence[Name] | None = None

    def opened(self, structure: Structure, known: Mapping[Name, Variable], hidden: bool) -> Source:
        """A source of the network's columns; with ``hidden``, declared variables need not have a column."""
        nodes = structure.dag.nodes
        try:
            source = self._source(structure, known, nodes)
            source.names  # noqa: B018  # a file is opened only when it is first used
            return source
        except UnknownVariable as error:
            if not hidden:
                raise UnknownVariable(
                    f'{error} method="count" cannot learn a variable without any value; leave method= out '
                    "(EM learns declared variables without a column)."
                ) from None
            return self._without_hidden(structure, known, error)

    def _without_hidden(
        self, structure: Structure, known: Mapping[Name, Variable], error: UnknownVariable
    ) -> Source:
        unweighted = replace(self, weights=None)
        source = unweighted._source(structure, known, IfPresent(structure.dag.nodes))
        absent = [name for name in structure.dag.nodes if name not in source.names]
        unknown = [name for name in absent if name not in known]
        if not absent:
            raise error
        if unknown:
            raise UnknownVariable(
                f"{error} A hidden variable needs its states: declare them (states=…) to learn it too."
            ) from None
        if "Did you mean" in str(error):
            warn_user(f"Learned as hidden: {listed(absent)}. {error}")
        return source if self.weights is None else self._source(structure, known, source.names)

    def _source(self, structure: Structure, known: Mapping[Name, Variable], names: Sequence[Name]) -> Source:
        return open_source(
            self.table,
            names=names,
            columns=self.columns,
            as_text=text_names(known.values()),
            weights=self.weights,
            declared=structure.declared,
            variables=known.values(),
        )
