"""The methods of a network that learn: fit, partial_fit, forget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from bayou.arguments import weights_named
from bayou.errors import BadGraph, BadPrior, BadQuestion, NotFitted

if TYPE_CHECKING:
    from bayou.fitting.fitted_parameters import FittedParameters
    from bayou.fitting.learning_trace import LearningTrace
    from bayou.formats.file_content import FilePath
    from bayou.learning import PriorChoice
    from bayou.learning.search.structure_report import StructureReport
    from bayou.networks import FrozenNetwork, Structure
    from bayou.statistics import Statistics
    from bayou.typing import Name

L = TypeVar("L", bound="NetworkLearning")


class NetworkLearning:
    """Methods that learn parameters from tables, with or without missing cells; Network inherits them."""

    _structure: Structure
    _frozen: FrozenNetwork | None
    _learned: FittedParameters | None
    _trace: LearningTrace | None
    if TYPE_CHECKING:

        def copy(self: L) -> L: ...

    _before_fit: FrozenNetwork | None = None
    """The network as given by the user, before the first fit."""
    learned_structure: StructureReport | None = None
    """The report of :func:`bayou.learn_structure`; None if the arcs were given or after another fit."""

    @weights_named("weights")
    def fit(
        self: L,
        data: Any,
        *,
        method: str | None = None,
        prior: Any = None,
        keep: float | None = None,
        weights: Any = None,
        columns: Sequence[Name] | None = None,
        start: str = "data",
        restarts: int = 1,
        seed: int = 0,
        tolerance: float = 1e-6,
        max_iterations: int = 1000,
        checkpoint: FilePath | None = None,
    ) -> L:
        """Learn all parameters from a table: count, smooth (Laplace add-1 by default), normalise.

        The network is changed in place and returned; use ``net.copy().fit(…)`` to keep the original. If
        cells are missing, or a declared variable has no column at all (hidden), EM learns from all rows.
        ``method`` chooses ``"em"``, ``"plain-em"`` (as in textbooks, without extrapolated steps),
        ``"gradient"`` (L-BFGS) or ``"count"`` (each table from the rows in which the variable and its parents
        are observed). It has converged when, by estimation, no table entry is further than ``tolerance`` from
        its limit. EM starts from counts of complete rows, or with ``start="present"`` from the
        present tables of the network; with ``restarts`` above 1 the best of
        several starts is kept, reproducible by ``seed``. ``checkpoint`` names a .bayou file from which an
        interrupted fit resumes. ``net.learning`` reports the run; Ctrl-C keeps the best tables so far.

        ``data`` is any DataFrame, mapping of columns, list of dicts, array with ``columns=``, or the path of
        a CSV or Parquet file. ``prior`` is Laplace(λ), MEstimate, Dirichlet, BDeu, a number to add to every
        count, or a mapping of variables to these; ``prior=0`` is maximum likelihood. ``weights`` is an
        array or the name of a column.

        ``keep=10`` lets the present tables and Gaussians (stated by hand, or learned) count as 10 rows drawn
        from this network, in place of a prior. ``data=None`` gives the tables of the prior alone, before any
        row.

        >>> from bayou.models.network import Network
        >>> net = Network("G -> R").fit({"G": ["d", "d", "d", "c", "c"], "R": [4, 4, 5, 1, 5]}, prior=0)
        >>> net.cpt("R")["d", 4]
        0.6666666666666666
        >>> coin = Network("C", tables={"C": {"heads": 0.5, "tails": 0.5}})
        >>> coin.fit({"C": ["heads"] * 10}, keep=10).cpt("C")["heads"]
        0.75
        """
        from bayou.fitting.doubtful_states import warn_of_doubtful_states
        from bayou.fitting.fit_options import FitOptions, TableGiven
        from bayou.fitting.network_fit import fit

        options = FitOptions.asked(method, start, restarts, seed, tolerance, max_iterations, checkpoint)
        priors = self._priors(prior, keep)
        structure = self._structure if keep is None else self._with_known_states()
        if data is None:
            return self._before_any_row(structure, priors)
        given = TableGiven(data, weights, columns)
        if self._learned is None:
            self._before_fit = self._frozen
        self._keep(*fit(structure, given, priors, options, present=self._frozen, stated=self._before_fit))
        self._structure = structure
        # An earlier report on the arcs was made from other rows.
        self.learned_structure = None
        learned = self._require_learned()
        warn_of_doubtful_states(self._structure, learned.network, learned.statistics.rows)
        return self

    def _priors(self, prior: Any, keep: float | None) -> PriorChoice:
        """The priors that the user chose, or the present tables as rows."""
        from bayou.learning import PriorChoice

        if isinstance(prior, NetworkLearning):
            raise BadPrior(
                "A network is not a prior by itself: say how many rows its tables count as, and learn with "
                "it: prior_network.copy().fit(data, keep=10)."
            )
        if keep is None:
            return PriorChoice.from_user(prior, (*self._structure.dag.nodes, *self._structure.sharing))
        from bayou.arguments import real_number
        from bayou.fitting.stated_knowledge import stated_as_rows

        if prior is not None:
            raise BadQuestion("keep= makes the present tables the prior: leave prior= out, or keep=.")
        rows = real_number("keep", keep, 0, above=True, expected="give a number of rows above 0, such as 10")
        return stated_as_rows(self._frozen, rows)

    def _with_known_states(self) -> Structure:
        """The structure with the states of the present tables declared: knowledge about them is kept."""
        assert self._frozen is not None
        return replace(self._structure, declared={v.name: v for v in self._frozen.schema})

    def _before_any_row(self: L, structure: Structure, priors: PriorChoice) -> L:
        from bayou.fitting.learning_trace import LearningTrace
        from bayou.fitting.stated_knowledge import before_any_row

        self._keep(before_any_row(structure, priors), LearningTrace.counted(0))
        self._structure = structure
        self.learned_structure = None
        return self

    def __radd__(self: L, other: object) -> L:
        """The network itself plus 0, with which ``sum`` begins."""
        return self if other == 0 else NotImplemented

    def __add__(self: L, other: L) -> L:
        """The network learned from the rows of both; both need the same arcs and the same prior.

        Networks that have learned by EM are refused: their counts are expected ones.

        >>> from bayou.models.network import Network
        >>> north, south = Network("R").fit({"R": [4, 5]}), Network("R").fit({"R": [5, 1]})
        >>> (north + south).same_as(Network("R").fit({"R": [4, 5, 5, 1]}))
        True
        """
        if not isinstance(other, NetworkLearning):
            return NotImplemented
        from bayou.fitting.fitted_parameters import learned_from_both

        ours, theirs = self._structure, other._structure
        if (ours.dag, dict(ours.sharing), dict(ours.kinds)) != (
            theirs.dag,
            dict(theirs.sharing),
            dict(theirs.kinds),
        ):
            raise BadGraph(
                "Two networks can be added if they have the same variables, arcs, shared tables and kinds of "
                "nodes; these differ."
            )
        both = self.copy()
        learned = learned_from_both(ours, self._require_learned(), other._require_learned())
        both._keep(learned, None)
        both.learned_structure = None
        return both

    @weights_named("weights")
    def partial_fit(
        self: L,
        data: Any,
        *,
        method: str | None = None,
        prior: Any = None,
        keep: float | None = None,
        weights: Any = None,
        columns: Sequence[Name] | None = None,
        tolerance: float = 1e-6,
        max_iterations: int = 1000,
    ) -> L:
        """Learn from more data; the result is that of ``fit`` on all data, in any split and order.

        Counts are exact, so tables are bit-identical; Gaussians are equal up to rounding. The prior of the
        first call is kept unless another is given. Two threads must not fit one network at the same time.
        Rows with gaps are learned by EM from the present tables, with the statistics of earlier rows kept as
        they are: close to ``fit`` on all rows, but not equal (``method="count"`` is equal). Tables that were
        stated by hand count as ``keep`` rows, which the first call must say.

        >>> from bayou.models.network import Network
        >>> net = Network("R").fit({"R": [4, 5]}).partial_fit({"R": [5, 1]})
        >>> net.same_as(Network("R").fit({"R": [4, 5, 5, 1]}))
        True
        """
        from bayou.fitting.fit_options import FitOptions, TableGiven
        from bayou.fitting.network_fit import fit

        if self._learned is None and self._frozen is not None and self._frozen.blocks and keep is None:
            raise NotFitted(
                "The tables of this network were given by hand, so it is not known how many rows they count "
                "as. Say it: net.partial_fit(data, keep=10). net.fit(data) learns without them."
            )
        if self._learned is not None and keep is not None:
            raise BadQuestion(
                "keep= is for the first rows after tables were stated; this network has learned from rows, "
                "which count as they are. Leave it out."
            )
        if self._learned is None:
            return self.fit(
                data,
                method=method,
                prior=prior,
                keep=keep,
                weights=weights,
                columns=columns,
                tolerance=tolerance,
                max_iterations=max_iterations,
            )
        options = FitOptions.asked(method, tolerance=tolerance, max_iterations=max_iterations)
        given = TableGiven(data, weights, columns)
        priors = self._learned.priors
        if prior is not None:
            priors = self._priors(prior, None)
        self._keep(*fit(self._structure, given, priors, options, before=self._learned))
        return self

    @weights_named("weights")
    def forget(self: L, data: Any, *, weights: Any = None, columns: Sequence[Name] | None = None) -> L:
        """Remove rows that were learned before: their counts are subtracted, exactly.

        Rows whose counts would become negative were never learned, and raise. Without any row left the
        network is what was stated before (``keep=``); if nothing was stated, forgetting the last row raises.
        Of continuous variables only means and scatter matrices are stored: a value that was never learned is
        noticed only if it contradicts them.

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

    @weights_named("weights")
    def score(
        self,
        data: Any,
        score: Any = "bic",
        *,
        weights: Any = None,
        columns: Sequence[Name] | None = None,
    ) -> float:
        """How good the arcs are for a table: the score that :func:`bayou.learn_structure` maximises.

        ``score`` is "bic", "aic", "bdeu", "bds", "k2", "loglik" or a score such as BDeu(10). It depends on
        the arcs and the states only, not on the tables, so that the network need not be fitted. Higher is
        better. With missing cells it is the score of the observed ones, from tables learned by EM. A table
        that variables with the same parents share is scored by its pooled counts.

        >>> from bayou.models.network import Network
        >>> rows = {"rain": [0, 0, 1, 1] * 9, "wet": [0, 0, 1, 1] * 9}
        >>> round(Network("rain -> wet").score(rows), 4), round(Network("rain, wet").score(rows), 4)
        (-30.3286, -53.4901)
        """
        from bayou.fitting.structure_score import structure_score

        return structure_score(self._structure, data, score, weights, columns)

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
        """The counts and moments that the parameters were learned from; by name they print as tables.

        >>> from bayou.models.network import Network
        >>> net = Network("G -> R").fit({"G": ["d", "d", "d", "c", "c"], "R": [4, 4, 5, 1, 5]})
        >>> net.statistics["R"]
        Counts of R by G
        G  1  4  5
        c  1  0  1
        d  0  2  1
        """
        return self._require_learned().statistics
