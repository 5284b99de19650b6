"""The methods of a network that learn: fit, partial_fit, forget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from bayou.arguments import weights_named
from bayou.errors import BadPrior, BadQuestion, NotFitted
from bayou.models.verbs.sums import NetworkSums

if TYPE_CHECKING:
    from bayou.fitting.fit_options import FitOptions, TableGiven
    from bayou.fitting.fitted_parameters import FittedParameters
    from bayou.fitting.learning_trace import LearningTrace
    from bayou.formats.file_content import FilePath
    from bayou.learning import PriorChoice
    from bayou.learning.search.structure_report import StructureReport
    from bayou.networks import FrozenNetwork, Structure
    from bayou.statistics import Statistics
    from bayou.typing import Name

L = TypeVar("L", bound="NetworkLearning")


class NetworkLearning(NetworkSums):
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
        weight: float | None = None,
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

        ``weight=10`` lets the present tables and Gaussians (stated by hand, or learned) count as 10 rows
        drawn from this network, in place of a prior (``keep=10`` says the same). With ``prior=network`` they
        are those of another network, which may have other arcs between variables with states. ``data=None``
        gives the tables of the prior alone, before any row.

        Raises ``BadData`` for a table that cannot be read, ``UnknownVariable`` if it lacks a column,
        ``BadPrior`` for a prior that is none.

        >>> from bayou.models.network import Network
        >>> net = Network("G -> R").fit({"G": ["d", "d", "d", "c", "c"], "R": [4, 4, 5, 1, 5]}, prior=0)
        >>> net.cpt("R")["d", 4]
        0.6666666666666666
        >>> coin = Network("C", tables={"C": {"heads": 0.5, "tails": 0.5}})
        >>> coin.copy().fit({"C": ["heads"] * 10}, weight=10).cpt("C")["heads"]
        0.75
        >>> Network("C").fit({"C": ["heads"] * 10}, prior=coin, weight=30).cpt("C")["heads"]
        0.625
        """
        from bayou.fitting.fit_options import FitOptions, TableGiven

        options = FitOptions.asked(method, start, restarts, seed, tolerance, max_iterations, checkpoint)
        return self._first_fit(TableGiven(data, weights, columns), prior, _one_of(weight, keep), options)

    def _first_fit(self: L, given: TableGiven, prior: Any, weight: float | None, options: FitOptions) -> L:
        """Learn without earlier rows."""
        from bayou.fitting.doubtful_states import warn_of_doubtful_states
        from bayou.fitting.network_fit import fit

        priors = self._priors(prior, weight)
        structure = self._structure if weight is None else self._with_known_states(prior)
        if given.table is None:
            return self._before_any_row(structure, priors)
        if self._learned is None:
            self._before_fit = self._frozen
        self._keep(*fit(structure, given, priors, options, present=self._frozen, stated=self._before_fit))
        self._structure = structure
        # An earlier report on the arcs was made from other rows.
        self.learned_structure = None
        learned = self._require_learned()
        warn_of_doubtful_states(self._structure, learned.network, learned.statistics.rows)
        return self

    def _priors(self, prior: Any, weight: float | None) -> PriorChoice:
        """The priors that the user chose, or the tables of this or of another network as rows."""
        from bayou.learning import PriorChoice

        if weight is None:
            if isinstance(prior, NetworkLearning):
                raise BadPrior(
                    "A network is not a prior by itself: say how many rows its tables count as: "
                    "fit(data, prior=network, weight=10)."
                )
            return PriorChoice.from_user(prior, (*self._structure.dag.nodes, *self._structure.sharing))
        from bayou.arguments import real_number
        from bayou.fitting.stated_knowledge import knowledge_of, stated_as_rows

        expected = "give a number of rows above 0, such as 10"
        rows = real_number("weight", weight, 0, above=True, expected=expected)
        if isinstance(prior, NetworkLearning):
            return knowledge_of(prior._frozen, self._structure, rows)
        if prior is not None:
            raise BadQuestion(
                "weight= says how many rows stated tables count as: leave prior= out (the present tables are "
                "used), give a network as prior=, or leave weight= out."
            )
        return stated_as_rows(self._frozen, rows)

    def _with_known_states(self, prior: Any) -> Structure:
        """The structure with the states of the stated tables declared: knowledge about them is kept."""
        stated = prior._frozen if isinstance(prior, NetworkLearning) else self._frozen
        assert stated is not None
        declared = {v.name: v for v in stated.schema if v.name in self._structure.dag.nodes}
        return replace(self._structure, declared=declared)

    def _before_any_row(self: L, structure: Structure, priors: PriorChoice) -> L:
        from bayou.fitting.learning_trace import LearningTrace
        from bayou.fitting.stated_knowledge import before_any_row

        self._keep(before_any_row(structure, priors), LearningTrace.counted(0))
        self._structure = structure
        self.learned_structure = None
        return self

    @weights_named("weights")
    def partial_fit(
        self: L,
        data: Any,
        *,
        method: str | None = None,
        prior: Any = None,
        weight: float | None = None,
        keep: float | None = None,
        half_life: float | None = None,
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
        stated by hand count as ``weight`` rows, which the first call must say.

        ``half_life=1000`` forgets slowly, where the world drifts: a row counts half as much after 1,000
        further rows, a quarter after 2,000, and so on. It is per row, in their order, so that the split into
        calls changes nothing; priors and stated tables keep their weight.

        Raises ``NotFitted`` where tables were stated by hand and there is no ``weight``, ``BadData`` for a
        table that cannot be read, ``BadPrior`` for a prior that is none, and ``BadQuestion`` for options that
        do not fit.

        >>> from bayou.models.network import Network
        >>> net = Network("R").fit({"R": [4, 5]}).partial_fit({"R": [5, 1]})
        >>> net.same_as(Network("R").fit({"R": [4, 5, 5, 1]}))
        True
        """
        from bayou.fitting.fit_options import FitOptions, TableGiven
        from bayou.fitting.network_fit import fit

        weight = _one_of(weight, keep)
        if self._learned is None and self._frozen is not None and self._frozen.blocks and weight is None:
            raise NotFitted(
                "The tables of this network were given by hand, so it is not known how many rows they count "
                "as. Say it: net.partial_fit(data, weight=10). net.fit(data) learns without them."
            )
        if self._learned is not None and weight is not None:
            named = "weight=" if keep is None else "keep= (another name of weight=)"
            raise BadQuestion(
                f"{named} says how many rows stated tables count as, so it is for the first rows after "
                "tables were stated; this network has learned from rows, which count as they are. Leave "
                "it out; half_life=1000 lets earlier rows count less."
            )
        options = FitOptions.asked(
            method, tolerance=tolerance, max_iterations=max_iterations, half_life=half_life
        )
        given = TableGiven(data, weights, columns)
        if self._learned is None:
            return self._first_fit(given, prior, weight, options)
        priors = self._learned.priors
        if prior is not None:
            priors = self._priors(prior, None)
        self._keep(*fit(self._structure, given, priors, options, before=self._learned))
        return self

    @weights_named("weights")
    def forget(self: L, data: Any, *, weights: Any = None, columns: Sequence[Name] | None = None) -> L:
        """Remove rows that were learned before: their counts are subtracted, exactly.

        Rows whose counts would become negative were never learned, and raise. Without any row left the
        network is what was stated before (``weight=``); if nothing was, forgetting the last row raises.
        Of continuous variables only means and scatter matrices are stored: a value that was never learned is
        noticed only if it contradicts them.

        Raises ``NotFitted`` where the tables were not learned from rows, ``BadStatistics`` for rows that were
        never learned, ``BadData`` for a table that cannot be read, and ``UnknownVariable`` if it lacks a
        column.

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

        Raises ``BadData`` for a table that cannot be read, ``UnknownVariable`` if it lacks a column, and
        ``BadPrior`` for a score that there is not.

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


def _one_of(weight: float | None, keep: float | None) -> float | None:
    """The value of ``weight=``, which ``keep=`` is another name of."""
    if weight is not None and keep is not None:
        raise BadQuestion("weight= and keep= say the same: leave one of them out.")
    return keep if weight is None else weight
