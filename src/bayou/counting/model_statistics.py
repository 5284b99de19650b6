"""The statistics of some rows for one model: they add and subtract, are saved, and become the model."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np

from bayou.errors import BadFile, BadGraph, BadPrior, BadStatistics, counted
from bayou.estimators.bayes_classifier import BayesClassifier
from bayou.estimators.classifier_state import classifier_state, counted_from_state
from bayou.estimators.classifier_sums import added, estimated, same_data, subtracted
from bayou.estimators.explain.explanations import class_counts
from bayou.estimators.input.column_kinds import FEW_VALUES
from bayou.formats.bundle import write_bundle
from bayou.formats.file_content import FilePath, path_text
from bayou.learning import domains
from bayou.models.network import Network
from bayou.networks import Structure
from bayou.networks.structure_difference import structure_difference
from bayou.schema import Cuts
from bayou.statistics import Statistics, ValueCounts
from bayou.typing import FloatArray, Name

S = TypeVar("S", bound="ModelStatistics")


class ModelStatistics:
    """What a model learns from, of some rows; made by :func:`bayou.count`.

    ``a + b`` are the statistics of the rows of both, ``a - b`` those of the rows of ``a`` that are not in
    ``b``. ``model()`` gives the model, equal to one fit on all these rows. ``save`` writes a ``.stats`` file
    that :func:`bayou.load` opens: no rows, nothing executable.
    """

    progress: Mapping[str, Any] | None = None
    """How far an interrupted count has come; None if all rows were counted."""

    @property
    @abstractmethod
    def rows(self) -> float:
        """The number (or weight) of the rows."""

    @abstractmethod
    def model(self, prior: Any = None) -> Any:
        """Return the model learned from these rows; ``prior`` is that of a network."""

    @abstractmethod
    def _combined(self: S, other: S, sign: int) -> S: ...

    @abstractmethod
    def _content(self) -> dict[str, Any]: ...

    def __add__(self: S, other: S) -> S:
        return self._checked(other, 1)

    def __radd__(self: S, other: object) -> S:
        """The statistics themselves plus 0, with which ``sum`` begins."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self: S, other: S) -> S:
        return self._checked(other, -1)

    def _checked(self: S, other: S, sign: int) -> S:
        if not isinstance(other, ModelStatistics):
            return NotImplemented
        if type(self) is not type(other):
            raise BadStatistics("Statistics for a network and statistics for a classifier cannot be added.")
        self.require_complete()
        other.require_complete()
        return self._combined(other, sign)

    def require_complete(self) -> None:
        """Raise if these are the statistics of an interrupted count."""
        if self.progress is not None:
            raise BadStatistics(
                f"These are the statistics of an interrupted count, so far of {counted(self.rows, 'row')}: "
                "finish it first (count the same data again with the same checkpoint; on the command line: "
                "--resume)."
            )

    def same_as(self, other: ModelStatistics) -> bool:
        """Whether both are statistics for the same model, with the same numbers."""
        return same_data(self.state(), other.state())

    def save(self, path: FilePath) -> None:
        """Write the statistics to a ``.stats`` (or ``.bayou``) file, completely or not at all."""
        if not path_text(path).lower().endswith((".stats", ".bayou")):
            raise BadFile.at(path, "statistics are saved in files whose names end in .stats (or .bayou).")
        write_bundle(path, "statistics", self.state())

    def state(self) -> dict[str, Any]:
        """The content of a file as plain data."""
        return {**self._content(), "progress": self.progress}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> ModelStatistics:
        """Return the statistics that :meth:`state` described."""
        kinds: dict[str, type[NetworkStatistics | ClassifierStatistics]] = {
            "network": NetworkStatistics,
            "classifier": ClassifierStatistics,
        }
        if state["of"] not in kinds:
            raise BadFile(f"it holds statistics of a {state['of']!r}; expected a network or a classifier.")
        made = kinds[state["of"]]._from_content(state)
        made.progress = state["progress"]
        return made


class NetworkStatistics(ModelStatistics):
    """Counts and moments for the parameters of a network with known arcs."""

    def __init__(self, structure: Structure, statistics: Statistics) -> None:
        self.structure, self.statistics = structure, statistics

    @property
    def rows(self) -> float:
        """The number (or weight) of the rows."""
        return self.statistics.rows

    def model(self, prior: Any = None) -> Network:
        """Return the network learned from these rows with this prior (add-1 by default)."""
        self.require_complete()
        return Network.from_structure(self.structure).fit_statistics(self.statistics, prior=prior)

    def _combined(self, other: NetworkStatistics, sign: int) -> NetworkStatistics:
        ours, theirs = self.structure, other.structure
        if difference := structure_difference(ours, theirs):
            raise BadGraph(
                "Statistics of two networks can be added or subtracted if their variables, arcs, shared "
                f"tables, declared states and kinds of nodes are the same; these differ: {difference}."
            )
        if set(self.statistics) != set(other.statistics):
            self._refuse_kinds(other)
        both = self.statistics + other.statistics if sign > 0 else self.statistics - other.statistics
        return NetworkStatistics(ours, both)

    def _refuse_kinds(self, other: NetworkStatistics) -> None:
        found = [domains(each.structure, each.statistics) for each in (self, other)]
        for name, variable in found[0].items():
            if variable.is_continuous != found[1][name].is_continuous:
                raise BadStatistics(
                    f"{name!r} was counted as states in one of the statistics and measured as real numbers "
                    f"in the other: declare it in both (continuous=[{name!r}], or states={{{name!r}: […]}})."
                )

    def _content(self) -> dict[str, Any]:
        return {"of": "network", "structure": self.structure.state(), "counted": self.statistics.state()}

    @classmethod
    def _from_content(cls, state: Mapping[str, Any]) -> NetworkStatistics:
        made = cls(Structure.from_state(state["structure"]), Statistics.from_state(state["counted"]))
        if state["progress"] is None:
            domains(made.structure, made.statistics)
        return made

    def __repr__(self) -> str:
        return f"Statistics of {counted(self.rows, 'row')} for {Network.from_structure(self.structure)!r}"


class ClassifierStatistics(ModelStatistics):
    """The statistics of a classifier, with its settings and what was decided before counting (cuts, …)."""

    def __init__(self, classifier: BayesClassifier) -> None:
        self.classifier = classifier

    @property
    def statistics(self) -> Any:
        """The statistics themselves."""
        return self.classifier.statistics_

    @property
    def rows(self) -> float:
        """The number (or weight) of the rows."""
        counts = class_counts(self.statistics, self.classifier._class_variable)
        rows: float = self.statistics.rows if counts is None else counts.total
        return rows

    def model(self, prior: Any = None) -> BayesClassifier:
        """Return the classifier learned from these rows; its prior is one of its settings."""
        if prior is not None:
            raise BadPrior("The prior of a classifier is one of its settings: give it when rows are counted.")
        self.require_complete()
        return estimated(copy.copy(self.classifier))

    def cuts(self) -> dict[Name, Cuts]:
        """Return the cuts of the columns of numbers by the MDL rule, from the values that were counted.

        Naive Bayes counts the values of numbers by class, and these add. So several sites can agree on the
        cuts of a classifier that must know them before it counts: ``bayou.TAN(states=both.cuts())``.

        >>> import bayou
        >>> how = bayou.NaiveBayes("discretised", evidence_weight=1)
        >>> north = bayou.count({"age": [21.5, 30.5, 35.5], "ill": ["no", "no", "no"]}, how, target="ill")
        >>> south = bayou.count({"age": [61.5, 70.5, 66.5], "ill": ["yes", "yes", "yes"]}, how, target="ill")
        >>> (north + south).cuts()
        {'age': Cuts(48.5)}
        """
        self.require_complete()
        values = [result for result in self.statistics.values() if isinstance(result, ValueCounts)]
        if not values:
            raise BadStatistics(
                "These statistics have no values of numbers to learn cuts from. Count them for naive Bayes, "
                "bayou.NaiveBayes('discretised'), first."
            )
        return {counts.variable: Cuts(counts.cuts().tolist()) for counts in values if _are_cut(counts.values)}

    def _combined(self, other: ClassifierStatistics, sign: int) -> ClassifierStatistics:
        combine = added if sign > 0 else subtracted
        return ClassifierStatistics(combine(self.classifier, other.classifier))

    def _content(self) -> dict[str, Any]:
        return {"of": "classifier", "classifier": classifier_state(self.classifier)}

    @classmethod
    def _from_content(cls, state: Mapping[str, Any]) -> ClassifierStatistics:
        return cls(counted_from_state(state["classifier"], BayesClassifier))

    def __repr__(self) -> str:
        return f"Statistics of {counted(self.rows, 'row')} for {self.classifier!r}"


def _are_cut(values: FloatArray) -> bool:
    """Whether numbers are cut into ranges; a few whole numbers are states as they are."""
    return len(np.unique(values)) > FEW_VALUES or bool(np.any(values != np.floor(values)))
