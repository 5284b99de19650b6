"""The methods of a network that learn: fit, partial_fit, forget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from bayou.errors import NotFitted

if TYPE_CHECKING:
    from bayou.fitting.fitted_parameters import FittedParameters
    from bayou.fitting.learning_trace import LearningTrace
    from bayou.formats.files import FilePath
    from bayou.learning.search.structure_report import StructureReport
    from bayou.networks import FrozenNetwork, Structure
    from bayou.statistics import Statistics
    from bayou.typing import Name

L = TypeVar("L", bound="NetworkFit")


class NetworkFit:
    """Methods that learn parameters from tables, with or without missing cells; Network inherits them."""

    _structure: Structure
    _frozen: FrozenNetwork | None
    _learned: FittedParameters | None
    _trace: LearningTrace | None
    _before_fit: FrozenNetwork | None = None
    """The network as given by the user, before the first fit."""
    learned_structure: StructureReport | None = None
    """The report of :func:`bayou.learn_structure`; None if the arcs were given or after another fit."""

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

        The network is changed in place and returned; use ``net.copy().fit(…)`` to keep the original. If
        cells are missing, or a declared variable has no column at all (hidden), EM learns from all rows.
        ``method`` chooses ``"em"``, ``"gradient"`` (L-BFGS) or ``"count"`` (each table from the rows in
        which the variable and its parents are observed). EM starts from these counts, or with
        ``start="present"`` from the present tables of the network; with ``restarts`` above 1 the best of
        several starts is kept, reproducible by ``seed``. ``checkpoint`` names a .bayou file from which an
        interrupted fit resumes. ``net.learning`` reports the run; Ctrl-C keeps the best tables so far.

        ``data`` is any DataFrame, mapping of columns, list of dicts, array with ``columns=``, or the path of
        a CSV or Parquet file. ``prior`` is Laplace(λ), MEstimate, Dirichlet, BDeu, a number to add to every
        count, or a mapping of variables to these; ``prior=0`` is maximum likelihood. ``weights`` is an
        array or the name of a column.

        >>> from bayou.models.network import Network
        >>> net = Network("G -> R").fit({"G": ["d", "d", "d", "c", "c"], "R": [4, 4, 5, 1, 5]}, prior=0)
        >>> net.cpt("R")["d", 4]
        0.6666666666666666
        """
        from bayou.fitting.doubtful_states import warn_of_doubtful_states
        from bayou.fitting.fit_options import FitOptions, TableGiven
        from bayou.fitting.network_fit import fit
        from bayou.learning import PriorChoice

        options = FitOptions.asked(method, start, restarts, seed, tolerance, max_iterations, checkpoint)
        priors = PriorChoice.from_user(prior, (*self._structure.dag.nodes, *self._structure.sharing))
        given = TableGiven(data, weights, columns)
        if self._learned is None:
            self._before_fit = self._frozen
        self._keep(
            *fit(self._structure, given, priors, options, present=self._frozen, stated=self._before_fit)
        )
        # An earlier report on the arcs was made from other rows.
        self.learned_structure = None
        learned = self._require_learned()
        warn_of_doubtful_states(self._structure, learned.network, learned.statistics.rows)
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
        """Learn from more data; the result is that of ``fit`` on all data, in any split and order.

        Counts are exact, so tables are bit-identical; Gaussians are equal up to rounding. The prior of the
        first call is kept unless another is given. Two threads must not fit one network at the same time.
        Rows with gaps are learned by EM from the present tables, with the statistics of earlier rows kept as
        they are: close to ``fit`` on all rows, but not equal (``method="count"`` is equal).

        >>> from bayou.models.network import Network
        >>> net = Network("R").fit({"R": [4, 5]}).partial_fit({"R": [5, 1]})
        >>> net.same_as(Network("R").fit({"R": [4, 5, 5, 1]}))
        True
        """
        from bayou.fitting.fit_options import FitOptions, TableGiven
        from bayou.fitting.network_fit import fit
        from bayou.learning import PriorChoice

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
        options = FitOptions.asked(method, tolerance=tolerance, max_iterations=max_iterations)
        given = TableGiven(data, weights, columns)
        priors = self._learned.priors
        if prior is not None:
            priors = PriorChoice.from_user(prior, (*self._structure.dag.nodes, *self._structure.sharing))
        self._keep(*fit(self._structure, given, priors, options, before=self._learned))
        return self

    def forget(self: L, data: Any, *, weights: Any = None, columns: Sequence[Name] | None = None) -> L:
        """Remove rows that were learned before: their counts are subtracted, exactly.

        Rows whose counts would become negative were never learned, and raise. Of continuous variables only
        means and scatter matrices are stored: a value that was never learned is noticed only if it
        contradicts them.

        >>> from bayou.models.network import Network
        >>> net = Network("R").fit({"R": [4, 5, 5]}).forget({"R": [5]})
        >>> net.same_as(Network("R").fit({"R": [4, 5]}))
        True
        """
        from bayou.fitting.fitted_parameters import require_counted, statistics_of, without

        before = self._require_learned()
        require_counted(before)
        removed = statistics_of(self._structure, data, weights, columns, before.network)
        self._keep(without(self._structure, before, removed), self._trace)
        return self

    @property
    def learning(self) -> LearningTrace | None:
        """The report of the last fit; None if the tables were given or loaded from a file.

        >>> from bayou.models.network import Network
        >>> print(Network("R").fit({"R": [4, 5, 5]}).learning)
        Counting: 3 rows.
        """
        return self._trace

    def _keep(self, learned: FittedParameters, trace: LearningTrace | None) -> None:
        self._learned, self._frozen, self._trace = learned, learned.network, trace

    def _require_learned(self) -> FittedParameters:
        """Return the statistics behind the parameters, or raise NotFitted if there are none."""
        if self._learned is None:
            has_tables = self._frozen is not None and bool(self._frozen.blocks)
            why = "its tables were given by hand" if has_tables else "it has none yet"
            raise NotFitted(
                f"This needs the counts that the network learned from, but {why}. net.fit(data) learns all "
                "tables from data."
            )
        return self._learned

    @property
    def statistics(self) -> Statistics:
        """The counts and moments that the parameters were learned from."""
        return self._require_learned().statistics
