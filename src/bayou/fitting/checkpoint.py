"""A file that stores the progress of learning with missing values, so that it can continue after a stop.

It is a file of the model with one more entry: :func:`bayou.load` opens the best parameters so far.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any

import numpy as np

from bayou.declared_types import with_declared_fields
from bayou.errors import BadFile, warn_user, without_warnings
from bayou.fitting.checkpoint_parts import outcomes_of, state_checksum, steps_of, steps_state
from bayou.fitting.fitted_parameters import FittedParameters
from bayou.fitting.network_state import network_from_state, network_state
from bayou.formats.bundle import damage_named, read_bundle, write_bundle
from bayou.formats.draft import Remarks
from bayou.formats.file_content import FilePath, path_text
from bayou.learning.em.trace import Progress, Run, Settings
from bayou.networks import FrozenNetwork
from bayou.statistics import Statistics

EVERY = 2.0
"""The least number of seconds between two writes; the last state is always written."""
_ELSEWHERE = "Name another file, or delete this one to start again."
State = dict[str, Any]


@dataclass(frozen=True)
class CheckpointKey:
    """What is learned, from which data: the content of a checkpoint must be about the same.

    ``choices`` are options beside those of the settings that change the result. ``kind`` is the kind of
    model that the file holds, ``model_state`` its content for these parameters; None is a network.
    """

    problem: Any
    fingerprint: Callable[[], str]
    settings: Settings
    present: FrozenNetwork | None = None
    choices: Mapping[str, str] = field(default_factory=dict)
    kind: str = "network"
    model_state: Callable[[FrozenNetwork, Statistics | None], State] | None = None


class Checkpoint:
    """Stores progress in a file, and reads that of an earlier call. Without a path it does nothing.

    This one holds networks; another kind of model says how its parameters are written and checked.
    """

    same = "arcs, states, sharing, kinds of nodes or functions"
    """What must agree in a model of this kind."""

    def __init__(self, path: FilePath | None, key: CheckpointKey) -> None:
        self._path, self._problem, self._settings = path, key.problem, key.settings
        self._key = key
        self._data = key.fingerprint() if path is not None else ""
        self._choices = {} if path is None else self._chosen(key)
        self._unwritten: Progress | None = None
        self._written_at = -math.inf
        self.resumed = None if path is None or not os.path.exists(path) else self._read(path)

    @classmethod
    def at(cls, path: FilePath | None, key: CheckpointKey) -> Checkpoint:
        """The checkpoint at a path, which must end in ``.bayou``."""
        if path is not None and not path_text(path).endswith(".bayou"):
            raise BadFile.at(path, "a checkpoint is a model file: give it a name that ends in .bayou.")
        return cls(path, key)

    def __enter__(self) -> Checkpoint:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._write()

    def keep(self, progress: Progress) -> None:
        """Remember this progress, and write it if the last write was at least ``EVERY`` seconds ago."""
        if self._path is None or progress.leading is None:
            return
        self._unwritten = progress
        if time.monotonic() - self._written_at >= EVERY:
            self._write()

    def _write(self) -> None:
        progress = self._unwritten
        if self._path is None or progress is None:
            return
        leading = progress.leading
        assert leading is not None
        state = {
            **self._best_state(leading),
            "remarks": Remarks().state(),
            "checkpoint": {
                "data": self._data,
                "choices": self._choices,
                "finished": [
                    [one.number, one.iterations, one.verdict, one.problem] for one in progress.finished
                ],
                "worth": np.array([one.objective for one in progress.finished]),
                "best": None if progress.best is None else self._run_state(progress.best),
                "current": None if progress.current is None else self._run_state(progress.current),
                "stopped": [self._run_state(run) for run in progress.stopped],
            },
        }
        try:
            write_bundle(self._path, self._key.kind, state)
        except BadFile as error:
            if self._written_at == -math.inf:
                self._unwritten = None
                raise
            # A failed write must not lose what has been learned so far.
            warn_user(f"{error} Learning goes on; the file still has its earlier content.")
        # Set only after the write: one that Ctrl-C interrupts is repeated at the end.
        self._unwritten = None
        self._written_at = time.monotonic()

    def _chosen(self, key: CheckpointKey) -> dict[str, str]:
        """The options that change the result; more restarts and iterations only continue it."""
        present = key.present
        tables = "" if present is None else f"{state_checksum(network_state(present, None, {})):08x}"
        return {
            "method": self._settings.method,
            "seed": str(self._settings.seed),
            "tolerance": repr(self._settings.tolerance),
            "start": "data" if present is None else f"present {tables}",
            **key.choices,
        }

    def _network_state(self, run: Run) -> State:
        return self._state_of(run.network, run.statistics)

    def _best_state(self, run: Run) -> State:
        """The parameters that the file opens with: extrapolated ones have not been evaluated yet."""
        back = run.extrapolated and run.previous is not None
        network, statistics = run.previous if back and run.previous else (run.network, run.statistics)
        make = self._key.model_state or self._state_of
        return make(network, statistics)

    def _state_of(self, network: FrozenNetwork, statistics: Statistics | None) -> State:
        learned = None
        if statistics is not None:
            learned = FittedParameters(network, statistics, self._problem.priors, expected=True)
        return network_state(network, learned, self._problem.structure.declared)

    def _run_state(self, run: Run) -> State:
        return {
            "number": run.number,
            "iterations": run.iterations,
            "verdict": run.verdict,
            "log_likelihoods": np.array(run.log_likelihoods, dtype=np.float64),
            "objectives": np.array(run.objectives, dtype=np.float64),
            "network": self._network_state(run),
            "previous": None if run.previous is None else self._state_of(*run.previous),
            "steps": None if run.steps is None else steps_state(run.steps),
            "extrapolated": run.extrapolated,
            "moved": np.array(run.moved),
        }

    def _read(self, path: FilePath) -> Progress:
        kind, state = read_bundle(path)
        if kind != self._key.kind or "checkpoint" not in state:
            raise BadFile.at(path, "exists already and is not a checkpoint; name another file.")
        with damage_named(path):
            kept = state["checkpoint"]
            if "learned" not in state:
                raise BadFile("the statistics of the best parameters are lacking.")
            data, choices = str(kept["data"]), dict(kept["choices"])
            finished = outcomes_of(kept["finished"], kept["worth"].tolist())
            known = (kept["best"], kept["current"])
            best, current = (None if one is None else self._run(one) for one in known)
            stopped = tuple(self._run(one) for one in kept["stopped"])
            other_prior = self._has_other_prior(kept["best"] or kept["current"])
        leading = best or current
        if leading is None or not self._fits(leading):
            raise BadFile.at(
                path,
                f"is a checkpoint of another {self._key.kind} ({self.same} differ). {_ELSEWHERE}",
            )
        if data != self._data:
            raise BadFile.at(
                path, f"is a checkpoint of other data (their rows, gaps or values differ). {_ELSEWHERE}"
            )
        self._require_same(path, choices, other_prior)
        with damage_named(path):
            for run in (best, current, *stopped):
                if run is not None:
                    self._require_sound(run, finished_by_now=run is not current)
        return Progress(finished, best, current, self._settings, stopped)

    def _require_same(self, path: FilePath, choices: State, other_prior: bool) -> None:
        others = [what for what, chosen in self._choices.items() if choices.get(what) != chosen]
        if other_prior:
            others.append("prior")
        if others:
            raise BadFile.at(
                path,
                f"is a checkpoint with another {' and '.join(others)}: continuing it would not give the "
                "result of this call. Use the same, or another file.",
            )

    def _fits(self, run: Run) -> bool:
        """Whether a run has the structure, the states and the fixed functions of this problem."""
        empty, theirs = self._problem.empty, run.network
        ours = (empty.schema, empty.dag, dict(empty.sharing), dict(empty.kinds))
        if (theirs.schema, theirs.dag, dict(theirs.sharing), dict(theirs.kinds)) != ours:
            return False
        fixed = (self._problem.fixed or {}).items()
        found = ((theirs.blocks.get(block), function) for block, function in fixed)
        return all(one is not None and one.same_as(function) for one, function in found)

    def _require_sound(self, run: Run, finished_by_now: bool) -> None:
        """Raise an error unless learning can continue from this run."""
        if finished_by_now and (run.statistics is None or not run.objectives):
            raise BadFile("a start that has ended has no statistics.")
        pairs = [(run.network, run.statistics), *([] if run.previous is None else [run.previous])]
        for network, statistics in pairs:
            whole = set(network.blocks) == set(self._problem.users)
            if not whole or not self._fits(replace(run, network=network)):
                raise BadFile("the starts do not have the same network.")
            if statistics is not None:
                self._require_answers(network, statistics)

    def _require_answers(self, network: FrozenNetwork, statistics: Statistics) -> None:
        """Raise an error unless the statistics are those that the network's parameters come from."""
        problem = self._problem
        for name, request in problem.expected_requests.items():
            learned = not network.distribution(name).fixed_in_em and request in problem.countable
            if learned and request not in statistics:
                raise BadFile(f"the statistics of {name!r} are lacking.")
            if learned and statistics[request].with_states(problem.variables).request != request:
                raise BadFile(f"the statistics of {name!r} are those of another family.")
        with without_warnings():
            problem.confirm(statistics)

    def _has_other_prior(self, run: State | None) -> bool:
        learned = None if run is None else network_from_state(run["network"])[1]
        return bool((None if learned is None else learned.priors) != self._problem.priors)

    def _decoded(self, state: State) -> tuple[Any, Statistics | None]:
        """The parameters and their statistics from :meth:`_state_of`."""
        network, learned, _ = network_from_state(state)
        return network, None if learned is None else learned.statistics

    def _run(self, state: State) -> Run:
        network, statistics = self._decoded(state["network"])
        logs, objectives = state["log_likelihoods"], state["objectives"]
        if logs.shape != objectives.shape or np.isnan(logs).any() or np.isnan(objectives).any():
            raise BadFile("the log-likelihoods of a start are damaged.")
        before = None if state["previous"] is None else self._decoded(state["previous"])
        run = Run(
            state["number"],
            network,
            statistics,
            tuple(logs.tolist()),
            tuple(objectives.tolist()),
            state["iterations"],
            state["verdict"],
            None if before is None or before[1] is None else (before[0], before[1]),
            # Files of early versions have no steps: EM extrapolates anew.
            None if state.get("steps") is None else steps_of(state["steps"]),
            bool(state.get("extrapolated", False)),
            float(state.get("moved", 0.0)),
        )
        if run.iterations < 0 or run.number < 0:
            raise BadFile("a start has a negative number of iterations.")
        return with_declared_fields(run)
