"""How far the parameters of a hidden Markov model can be trusted: learned again from drawn sequences.

Efron and Tibshirani (1993), ch. 6 (standard errors, parametric bootstrap) and ch. 13 (percentile intervals).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bayou.arguments import real_number, whole_number
from bayou.codes import missing_code
from bayou.distributions import Poisson, Table
from bayou.errors import BadQuestion, without_warnings
from bayou.fitting.sequences.sequence_fit import SequenceFitOptions
from bayou.learning.em.trace import Settings
from bayou.models.sequences.drawn_sequences import drawn_columns
from bayou.models.sequences.parameter_names import parameter_names
from bayou.statistics import Batch
from bayou.statistics.rows.sequence_batch import SequenceBatch
from bayou.temporal.chain_model import ChainModel
from bayou.temporal.gaussian_columns import GaussianColumns
from bayou.text.tables import PrintedTable, TextTable
from bayou.typing import ColumnArray, FloatArray, Name

if TYPE_CHECKING:
    from bayou.models.sequences.hidden_markov.hmm_learning import HMMLearning

PARAMETRIC, SEQUENCES = "parametric", "sequences"
KINDS = (PARAMETRIC, SEQUENCES)
_TOLERANCE, _ITERATIONS = 1e-4, 500


@dataclass(frozen=True, eq=False, repr=False)
class BootstrapIntervals(PrintedTable):
    """The estimates of the parameters, and what n sets of drawn sequences gave instead.

    The parameters are ``"start"``, ``"transition"``, ``"end"``, ``"components"``, ``"means"``,
    ``"covariances"``, ``"mean stay"`` and ``"stay lengths"`` (where the model has them: the last two with
    ``duration=``), and the tables and rates of columns by name. ``draws`` has an array for each, whose first
    axis is the set.
    """

    model: ChainModel
    kind: str
    level: float
    estimates: Mapping[Name, FloatArray]
    draws: Mapping[Name, FloatArray]

    @property
    def standard_errors(self) -> dict[Name, FloatArray]:
        """The standard deviation of each parameter over the sets."""
        return {name: values.std(axis=0, ddof=1) for name, values in self.draws.items()}

    @property
    def intervals(self) -> dict[Name, tuple[FloatArray, FloatArray]]:
        """(low, high) of each parameter: the middle ``level`` of the sets."""
        tail = (1 - self.level) / 2
        return {
            name: (np.quantile(values, tail, axis=0), np.quantile(values, 1 - tail, axis=0))
            for name, values in self.draws.items()
        }

    def __len__(self) -> int:
        return len(self.draws["start"])

    def to_table(self) -> TextTable:
        """One line for each number."""
        errors, intervals = self.standard_errors, self.intervals
        rows = []
        for name, place, text in parameter_names(self.model, self.estimates):
            low, high = intervals[name]
            numbers = (self.estimates[name][place], errors[name][place], low[place], high[place])
            rows.append([text, *(f"{number:.4g}" for number in numbers)])
        title = f"{self.level:.0%} intervals from {len(self)} sets of drawn sequences ({self.kind})"
        return TextTable(["parameter", "estimate", "standard error", "low", "high"], rows, title=title)


def bootstrap(
    hmm: HMMLearning, rows: SequenceBatch, n: int, kind: str, level: float, seed: int
) -> BootstrapIntervals:
    """Learn a model again from n sets of sequences, from its present parameters."""
    if kind not in KINDS:
        raise BadQuestion.choice("kind", kind, KINDS)
    whole_number("n", n, 2)
    real_number("level", level, 0, 1, below=True, expected="give a share below 1, such as 0.95")
    model = hmm.model
    _check(model, rows, kind)
    draws = [_parameters(_again(hmm, drawn)) for drawn in _sets(model, rows, n, kind, seed)]
    own = _parameters(model)
    joined = {name: np.stack([one[name] for one in draws]) for name in own}
    return BootstrapIntervals(model, kind, level, own, joined)


def _check(model: ChainModel, rows: SequenceBatch, kind: str) -> None:
    chain = model.chain
    if kind == SEQUENCES and rows.count < 2:
        raise BadQuestion(
            'kind="sequences" draws whole sequences, and there is only one. Use kind="parametric".'
        )
    texts = [name for name in chain.columns if chain.structure.declared[name].is_text]
    if kind == PARAMETRIC and (chain.ends or texts):
        why = f"{texts[0]!r} has texts" if texts else "the lengths of sequences depend on their states"
        raise BadQuestion(
            f'kind="parametric" cannot draw sequences like these: {why}. Use kind="sequences", which draws '
            "sequences of the data."
        )


def _again(hmm: HMMLearning, rows: SequenceBatch) -> ChainModel:
    """The model learned from these rows, with the prior and the kept parts of its own learning."""
    learned = hmm.fitted
    settings = Settings(tolerance=_TOLERANCE, max_iterations=_ITERATIONS)
    how, prior = SequenceFitOptions(None, settings, hmm.model.network), None
    if learned is not None:
        how, prior = replace(how, kept=learned.kept, bounds=learned.bounds), learned.priors.default
    with without_warnings():
        return hmm.copy().fit_rows(rows, how, prior).model


def _parameters(model: ChainModel) -> dict[Name, FloatArray]:
    chain, network = model.chain, model.network
    moves = np.array(network.table(chain.next_state))
    found: dict[Name, FloatArray] = {"start": chain.folded(model.start), "transition": moves}
    if model.end is not None:
        found["end"] = chain.led(model.end)
    if chain.stays is not None:
        found["transition"] = chain.stays.moves(moves)
        found["mean stay"] = chain.stays.expected(moves, model.end)
        found["stay lengths"] = chain.stays.every_length(moves)
    if chain.component is not None:
        found["components"] = np.array(network.table(chain.component.name))[chain.leaders]
    if chain.gaussians:
        gaussians = GaussianColumns.of(network, chain.gaussians)
        found["means"], found["covariances"] = chain.led(gaussians.means), chain.led(gaussians.covariances)
    for name in chain.columns:
        node = network.distribution(name)
        if isinstance(node, Table):
            found[name] = np.array(node.values)[chain.leaders]
        elif isinstance(node, Poisson):
            found[name] = np.array(node.rate)[chain.leaders]
    return found


def _sets(model: ChainModel, rows: SequenceBatch, n: int, kind: str, seed: int) -> Iterator[SequenceBatch]:
    """The drawn sets; set k depends on the seed and on k."""
    for k in range(n):
        chance = np.random.default_rng([seed, k])
        if kind == SEQUENCES:
            yield rows.only(chance.integers(rows.count, size=rows.count))
        else:
            yield _like(model, rows, chance)


def _like(model: ChainModel, rows: SequenceBatch, chance: np.random.Generator) -> SequenceBatch:
    """Sequences of the model with the lengths, the gaps and the known states of these."""
    columns: dict[Name, ColumnArray] = {}
    lengths = rows.lengths
    # Sequences of similar length are drawn together: at most half of what is drawn is cut off.
    sizes = np.ceil(np.log2(np.maximum(lengths, 1))).astype(np.int64)
    for size in np.unique(sizes):
        own = np.flatnonzero(sizes == size)
        longest = int(lengths[own].max())
        if longest == 0:
            continue
        drawn, _ = drawn_columns(model, longest, len(own), int(chance.integers(2**62)))
        hidden = model.chain.state.name
        drawn[hidden] = model.chain.seen_codes(drawn[hidden])
        steps = np.arange(longest)
        inside = steps < lengths[own][:, None]
        places = (rows.starts[:-1][own][:, None] + steps)[inside]
        for name, values in drawn.items():
            column = columns.setdefault(name, np.zeros(rows.rows, values.dtype))
            column[places] = values.reshape(len(own), longest)[inside]
    return _with_gaps(rows, columns)


def _with_gaps(rows: SequenceBatch, columns: Mapping[Name, ColumnArray]) -> SequenceBatch:
    codes, numbers = {}, {}
    for name in rows.batch.codes:
        if name in columns:
            kept = columns[name].astype(np.uint32)
            kept[rows.batch.missing(name)] = missing_code(np.uint32)
            codes[name] = kept
    for name in rows.batch.numbers:
        if name in columns:
            values = columns[name].astype(np.float64)
            numbers[name] = np.where(rows.batch.missing(name), np.nan, values)
    return replace(rows, batch=Batch(rows.rows, codes, numbers))
