"""How many states: models with different numbers, compared by AIC, BIC or sequences held out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayou.arguments import seed_number, whole_number
from bayou.errors import BadQuestion, counted, warn_user, without_warnings
from bayou.fitting.sequences.sequence_fit import SequenceFitOptions
from bayou.models.sequences.hidden_markov.hmm import HMM
from bayou.models.sequences.input.hmm_input import READING
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_structure import FULL
from bayou.temporal.soft_statistics import labels_of
from bayou.text.tables import PrintedTable, TextTable
from bayou.typing import FloatArray

if TYPE_CHECKING:
    import pandas

BIC, AIC, HELD_OUT = "bic", "aic", "held-out"
CRITERIA = (BIC, AIC, HELD_OUT)


@dataclass(frozen=True)
class TriedStates:
    """One number of states; ``held_out`` is the log-likelihood of sequences that were held out."""

    states: int
    parameters: int
    log_likelihood: float
    aic: float
    bic: float
    held_out: float = math.nan


@dataclass(frozen=True, eq=False, repr=False)
class StateChoice(PrintedTable):
    """The numbers of states that were tried, and the fitted ``model`` of the best one."""

    by: str
    tried: tuple[TriedStates, ...]
    model: HMM

    @property
    def states(self) -> int:
        """The number of states that was chosen."""
        return len(self.model.states)

    def to_table(self) -> TextTable:
        """One line for each number; a star marks the chosen one."""
        header = ["states", "parameters", "log-likelihood", "AIC", "BIC"]
        header += ["held out"] if self.by == HELD_OUT else []
        rows: list[list[str | int]] = []
        for one in self.tried:
            numbers = [one.log_likelihood, one.aic, one.bic, one.held_out][: len(header) - 2]
            star = " *" if one.states == self.states else ""
            rows.append([f"{one.states}{star}", one.parameters, *(f"{number:,.1f}" for number in numbers)])
        return TextTable(header, rows, title=f"{counted(self.states, 'state')} by {self.by}")

    def to_frame(self) -> pandas.DataFrame:
        """A pandas frame with one row for each number."""
        from bayou.frames import pandas_frame

        names = ("states", "parameters", "log_likelihood", "aic", "bic", "held_out")
        return pandas_frame(
            {name: [getattr(one, name) for one in self.tried] for name in names}, "Numbers of states"
        )


def choose_states(
    data: Any,
    numbers: Iterable[int] = range(1, 7),
    *,
    by: str = BIC,
    emissions: Any = None,
    covariance: str = FULL,
    components: int = 1,
    ends: bool = False,
    folds: int = 5,
    seed: int = 0,
    **how: Any,
) -> StateChoice:
    """Fit hidden Markov models with different numbers of states, and choose one.

    ``by`` is ``"bic"`` or ``"aic"`` (the lowest wins), or ``"held-out"``: the sequences are parted into
    ``folds``, and each part is judged by a model that was learned from the others (the highest
    log-likelihood wins). Of equal ones the smaller wins. ``emissions``, ``covariance``, ``components`` and
    ``ends`` are those of :class:`bayou.HMM`; all other arguments are those of its ``fit``.

    Raises ``BadQuestion`` for a number below 1.

    ``numbers`` are the numbers of states that are tried.

    >>> import bayou
    >>> rolls = [one["roll"] for one in bayou.examples.casino().sample(300, sequences=10, seed=1)]
    >>> found = bayou.choose_states(rolls, range(1, 4), emissions="table")
    >>> found.states, found.model.expected_stay.shape
    (2, (2,))
    """
    if by not in CRITERIA:
        raise BadQuestion.choice("by", by, CRITERIA)
    if not isinstance(numbers, Iterable):
        raise BadQuestion(f"numbers={numbers!r}: give the numbers of states to try, such as range(1, 7).")
    sizes = [whole_number("numbers", number, 1) for number in numbers]
    if not sizes:
        raise BadQuestion("numbers= has no number of states to try: give some, such as range(1, 7).")
    form = {"covariance": covariance, "components": components, "ends": ends}
    fits: list[tuple[TriedStates, HMM]] = []
    for size in sorted(set(sizes)):
        with without_warnings():  # too many states converge slowly, which does not matter here
            hmm = HMM(size, emissions, **form).fit(data, seed=seed, **how)  # type: ignore[arg-type]
        rows = hmm.read_rows(data, **{name: how[name] for name in READING if name in how})
        if labels_of(hmm.chain, rows).any():
            raise BadQuestion(
                "Some states are known in these data, so their number is, too: fit HMM() to them."
            )
        held_out = math.nan
        if by == HELD_OUT:
            held_out = _held_out(hmm, rows, whole_number("folds", folds, 2), seed_number(seed), how)
        fits.append((_tried(hmm, rows, held_out), hmm))
    tried = tuple(one for one, _ in fits)
    value = [-one.held_out if by == HELD_OUT else one.bic if by == BIC else one.aic for one in tried]
    if not min(value) < math.inf:
        raise BadQuestion(
            "Every model makes some of the sequences that were held out impossible (a symbol that it has not "
            "seen): give prior=1, which leaves nothing impossible."
        )
    model = fits[int(np.argmin(value))][1]
    if not model.learning.converged:
        warn_user(
            f"The chosen model with {counted(len(model.states), 'state')} had not converged: "
            f"{model.learning.verdict}. Raise max_iterations=, or tolerance=."
        )
    return StateChoice(by, tried, model)


def _tried(hmm: HMM, rows: SequenceBatch, held_out: float) -> TriedStates:
    total, count = _log_likelihood(hmm, rows), hmm.free_parameters
    seen = rows.rows if rows.row_weights is None else float(rows.row_weights.sum())
    bic = -2 * total + count * math.log(max(seen, 1.0))
    return TriedStates(len(hmm.states), count, total, -2 * total + 2 * count, bic, held_out)


def _log_likelihood(hmm: HMM, rows: SequenceBatch) -> float:
    logs: FloatArray = hmm.model.log_likelihoods(rows)
    return float((logs if rows.weights is None else rows.weights * logs).sum())


def _held_out(hmm: HMM, rows: SequenceBatch, folds: int, seed: int, how: Mapping[str, Any]) -> float:
    """The log-likelihood of all sequences, each by the model of the folds without it."""
    if rows.count < 2:
        raise BadQuestion(
            'by="held-out" holds sequences out, and there is only one: cut it into several (lengths=), or '
            'use by="bic".'
        )
    order = np.random.default_rng(seed).permutation(rows.count)
    fold = np.empty(rows.count, np.int64)
    fold[order] = np.arange(rows.count) % min(folds, rows.count)
    options = {name: value for name, value in how.items() if name not in (*READING, "prior")}
    total = 0.0
    for part in range(int(fold.max()) + 1):
        other = hmm.copy()
        settings: SequenceFitOptions = other.fit_options(seed=seed, **options)
        with without_warnings():
            other.fit_rows(rows.only(np.flatnonzero(fold != part)), settings, how.get("prior"))
        total += _log_likelihood(other, rows.only(np.flatnonzero(fold == part)))
    return total
