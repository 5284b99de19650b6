"""The verbs of a network that learn: fit, learn on, forget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from bayou.errors import NotFitted
from bayou.fitting.fit_options import FitOptions, TableGiven
from bayou.fitting.fitted_parameters import FittedParameters, require_counted, statistics_of, without
from bayou.fitting.learning_trace import LearningTrace
from bayou.fitting.network_fit import fit
from bayou.formats.files import FilePath
from bayou.learning import PriorChoice
from bayou.learning.search.structure_report import StructureReport
from bayou.networks import FrozenNetwork, Structure
from bayou.statistics import Statistics
from bayou.typing import Name

L = TypeVar("L", bound="NetworkFit")


class NetworkFit:
    """What :class:`~bayou.Network` inherits: learning from tables with gaps and without."""

    _structure: Structure
    _frozen: FrozenNetwork | None
    _learned: FittedParameters | None
    _trace: LearningTrace | None
    _as_stated: FrozenNetwork | None = None
    learned_structure: StructureReport | None = None
    """How the arcs were learned, where :func:`bayou.learn_structure` found them; None after another fit."""

    def fit(
        self: L,
        data: Any,
        *,
        method: str | None = None,
        prior: Any = None,
        weights: Any = None,
        columns: Sequence[Name] | None = None,
        start: str = "data",
        restarts: int = 1,
        seed: int = 0,
        tolerance: float = 1e-7,
        max_iterations: int = 1000,
        checkpoint: FilePath | None = None,
    ) -> L:
        """Learn all parameters from a table: count, smooth (Laplace add-1 by default), normalise.

        The network itself changes, and is returned; ``net.copy().fit(…)`` leaves this one as it is.
        Where cells are missing, or a declared variable has no column at all (hidden), EM learns from every
        row. ``method`` chooses ``"em"``, ``"gradient"`` (L-BFGS) or ``"count"`` (each table from the rows
        that have its whole family). It starts from complete families, or with ``start="present"`` from the
        tables that the network has; of ``restarts`` random starts the best is kept (the same for the same
        ``seed``). ``checkpoint`` names a .bayou file to go on from after a stop. ``net.learning`` tells how
        it went; Ctrl-C gives the best tables so far.

        ``data`` is any DataFrame, mapping of columns, list of dicts, array with ``columns=``, or the path of
        a CSV or Parquet file. ``prior`` is Laplace(λ), MEstimate, Dirichlet, BDeu, a number to add to every
        count, or a mapping of variables to these; ``prior=0`` is maximum likelihood. ``weights`` is an
        array or the name of a column.

        >>> from bayou.models.network import Network
        >>> net = Network("G -> R").fit({"G": ["d", "d", "d", "c", "c"], "R": [4, 4, 5, 1, 5]}, prior=0)
        >>> net.cpt("R")["d", 4]
        0.6666666666666666
        """
        asked = FitOptions.asked(method, start, restarts, seed, tolerance, max_iterations, checkpoint)
        priors = PriorChoice.from_user(prior, (*self._structure.dag.nodes, *self._structure.sharing))
        given = TableGiven(data, weights, columns)
        if self._learned is None:
            self._as_stated = self._frozen
        self._keep(*fit(self._structure, given, priors, asked, present=self._frozen, stated=self._as_stated))
        # What was told of the arcs was told of other rows.
        self.learned_structure = None
        return self

    def partial_fit(
        self: L,
        data: Any,
        *,
        method: str | None = None,
        prior: Any = None,
        weights: Any = None,
        columns: Sequence[Name] | None = None,
        tolerance: float = 1e-7,
        max_iterations: int = 1000,
    ) -> L:
        """Learn from more data; in any split and order the result is that of ``fit`` on all of it.

        Counts are exact, so tables are equal to the last bit; Gaussians up to rounding. The prior stays that
        of the first call unless another is given. A network is not to be fitted by two threads at a time.
        Rows with gaps are learned by EM from the present tables, with the statistics of earlier rows kept as
        they are: near ``fit`` on all rows, not equal to it (``method="count"`` is).

        >>> from bayou.models.network import Network
        >>> net = Network("R").fit({"R": [4, 5]}).partial_fit({"R": [5, 1]})
        >>> net.same_as(Network("R").fit({"R": [4, 5, 5, 1]}))
        True
        """
        if self._learned is None and self._frozen is not None and self._frozen.blocks:
            self._require_learned()
        if self._learned is None:
            return self.fit(
                data,
                method=method,
                prior=prior,
                weights=weights,
                columns=columns,
                tolerance=tolerance,
                max_iterations=max_iterations,
            )
        asked = FitOptions.asked(method, tolerance=tolerance, max_iterations=max_iterations)
        given = TableGiven(data, weights, columns)
        priors = self._learned.priors
        if prior is not None:
            priors = PriorChoice.from_user(prior, (*self._structure.dag.nodes, *self._structure.sharing))
        self._keep(*fit(self._structure, given, priors, asked, before=self._learned))
        return self

    def forget(self: L, data: Any, *, weights: Any = None, columns: Sequence[Name] | None = None) -> L:
        """Take records out again that were learned before: their counts are subtracted, exactly.

        Counts that were never added are refused. Of real numbers only means and scatter are kept: a value
        that was never there is noticed only where it does not fit them.

        >>> from bayou.models.network import Network
        >>> net = Network("R").fit({"R": [4, 5, 5]}).forget({"R": [5]})
        >>> net.same_as(Network("R").fit({"R": [4, 5]}))
        True
        """
        before = self._require_learned()
        require_counted(before)
        gone = statistics_of(self._structure, data, weights, columns, before.network)
        self._keep(without(self._structure, before, gone), self._trace)
        return self

    @property
    def learning(self) -> LearningTrace | None:
        """How the last fit went; None where nothing was fitted here (tables stated, or loaded from a file).

        >>> from bayou.models.network import Network
        >>> print(Network("R").fit({"R": [4, 5, 5]}).learning)
        Counting: 3 rows.
        """
        return self._trace

    def _keep(self, learned: FittedParameters, trace: LearningTrace | None) -> None:
        self._learned, self._frozen, self._trace = learned, learned.network, trace

    def _require_learned(self) -> FittedParameters:
        if self._learned is None:
            stated = self._frozen is not None and bool(self._frozen.blocks)
            why = "its tables were stated by hand" if stated else "it has none yet"
            raise NotFitted(
                f"This needs the counts that the network learned from, and {why}. net.fit(data) learns all "
                "tables anew."
            )
        return self._learned

    @property
    def statistics(self) -> Statistics:
        """The counts and moments behind the parameters."""
        return self._require_learned().statistics
