"""How the parameters of a network were learned: the object behind ``net.learning``."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bayou import plots
from bayou.errors import BadQuestion, counted
from bayou.learning.em.trace import CONVERGED, PLAIN_EM, SETTLED, M, Outcome, Progress, ProgressOf, Run, RunOf
from bayou.learning.em.training_rows import Census
from bayou.schema import label
from bayou.text.tables import TextTable, html_paragraphs, with_deviation
from bayou.typing import Name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_CALLED = {
    "em": "EM",
    PLAIN_EM: "Plain EM",
    "gradient": "Gradient ascent",
    "count": "Counting",
    "baum-welch": "Baum–Welch",
    "viterbi": "Viterbi training",
    "stepwise": "Stepwise EM",
}
COUNTED = "counted"


@dataclass(frozen=True)
class LearningTrace:
    """The course of learning: the objective and the log-likelihood after each iteration, and the verdict.

    The objective is the log-likelihood plus the log-prior. It never falls, with one exception: where
    particles estimated the E-step (``particles`` of them), the objectives are estimates, too, and go up and
    down; that of the last parameters comes from several runs, and ``error`` is its standard error (NaN after
    an interruption). ``starts`` has the outcome of each start, ``hidden`` the variables without any observed
    value.

    >>> import bayou
    >>> net = bayou.Network("A -> B").fit({"A": ["x", "x", "y", None], "B": [0, 1, 1, 1]})
    >>> net.learning.method, net.learning.converged
    ('em', True)
    >>> print(bayou.Network("A").fit({"A": ["x", "y"]}).learning)
    Counting: 2 rows.
    """

    method: str
    verdict: str
    rows: float
    gaps: int = 0
    hidden: tuple[Name, ...] = ()
    log_likelihoods: tuple[float, ...] = ()
    objectives: tuple[float, ...] = ()
    iterations: int = 0
    starts: tuple[Outcome, ...] = ()
    best_start: int = 0
    seed: int = 0
    particles: int = 0
    error: float = 0.0

    @classmethod
    def counted(cls, rows: float) -> LearningTrace:
        """The trace of parameters that were counted in one pass: no iterations.

        >>> import bayou
        >>> print(bayou.results.LearningTrace.counted(3))
        Counting: 3 rows.
        """
        return cls("count", COUNTED, rows)

    @classmethod
    def of(cls, reached: Progress, best: Run, census: Census, hidden: tuple[Name, ...]) -> LearningTrace:
        """The trace of the best start."""
        return cls.climbed(reached, census.weight, census.cells, hidden, best=best)

    @classmethod
    def climbed(
        cls,
        reached: ProgressOf[M],
        rows: float,
        gaps: int,
        hidden: tuple[Name, ...],
        *,
        best: RunOf[M] | None = None,
        particles: int = 0,
        error: float = 0.0,
    ) -> LearningTrace:
        """The trace of the best start of an iterative learner."""
        run = best or reached.best
        assert run is not None
        return cls(
            reached.settings.method,
            run.verdict,
            rows,
            gaps,
            hidden,
            run.log_likelihoods,
            run.objectives,
            run.iterations,
            reached.finished,
            run.number,
            reached.settings.seed,
            particles,
            error,
        )

    @property
    def converged(self) -> bool:
        """Whether learning converged (estimates: as far as their noise allows), with a finite objective and
        log-likelihood.
        """
        numbers = (*self.objectives[-1:], *self.log_likelihoods[-1:])
        return self.verdict in (CONVERGED, SETTLED) and bool(numbers) and all(map(math.isfinite, numbers))

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood of the parameters that were evaluated last (NaN if they were counted)."""
        return self.log_likelihoods[-1] if self.log_likelihoods else math.nan

    @property
    def objective(self) -> float:
        """The log-likelihood plus the log-prior (NaN if the parameters were counted)."""
        return self.objectives[-1] if self.objectives else math.nan

    @property
    def summary(self) -> str:
        """One line with the method, the verdict, the iterations and the log-likelihood."""
        if not self.objectives:
            return f"{_CALLED[self.method]}: {counted(self.rows, 'row')}."
        called, value = _CALLED[self.method], f"{self.log_likelihood:,.10g}"
        if self.particles:
            called = f"{called} with {counted(self.particles, 'particle')}"
            known = math.isfinite(self.error)
            value = f"about {with_deviation(self.log_likelihood, self.error) if known else value}"
        return (
            f"{called}: {self.verdict} after {counted(self.iterations, 'iteration')}, log-likelihood {value}."
        )

    def to_table(self) -> TextTable:
        """A table of the starts with their results; a star marks the best.

        >>> import bayou
        >>> net = bayou.Network("A -> B").fit({"A": ["x", "x", "y", None], "B": [0, 1, 1, 1]})
        >>> print(net.learning.to_table())
        start  iterations  objective     verdict
        1 *    3           -8.566083974  converged
        """
        rows = [
            (f"{one.number + 1}{' *' if one.number == self.best_start else ''}", *_cells(one))
            for one in self.starts
        ]
        return TextTable(("start", "iterations", "objective", "verdict"), rows)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the objective and the log-likelihood by iteration.

        Raises ``BadQuestion`` for tables that were counted in one pass.

        >>> import bayou
        >>> net = bayou.Network("A -> B").fit({"A": ["x", "x", "y", None], "B": [0, 1, 1, 1]})
        >>> type(net.learning.plot()).__name__
        'Axes'
        """
        if not self.objectives:
            raise BadQuestion("There is no curve to plot: the tables were counted in one pass.")
        return plots.learning_trace_plot(self, ax)

    def __str__(self) -> str:
        return "\n".join([*self._lines(), *([str(self.to_table())] if self._compares_starts else [])])

    def _repr_html_(self) -> str:
        table = self.to_table()._repr_html_() if self._compares_starts else ""
        return html_paragraphs(self._lines()) + table

    def _lines(self) -> list[str]:
        if not self.objectives:
            return [self.summary]
        gaps = f"{counted(self.rows, 'row')}, {counted(self.gaps, 'gap')}{self._hidden_text()}."
        return [self.summary, gaps]

    @property
    def _compares_starts(self) -> bool:
        return bool(self.objectives) and len(self.starts) > 1

    def __repr__(self) -> str:
        return str(self)

    def _hidden_text(self) -> str:
        if not self.hidden:
            return ""
        return f"; never observed: {', '.join(label(name) for name in self.hidden)}"


def _cells(one: Outcome) -> tuple[str, str, str]:
    value = f"{one.objective:,.10g}" if math.isfinite(one.objective) else "–"
    return f"{one.iterations:,}", value, one.verdict
