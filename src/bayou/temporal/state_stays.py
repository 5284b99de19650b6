"""How long states last: sub-states count the steps of a stay, so that any distribution of lengths is a chain.

State a has the sub-states (a, 1), (a, 2), …: the age of the stay. A stay of age k ends with the hazard
h[a, k] and goes on to age k + 1 otherwise; then comes the first sub-state of another state b, with T[a, b].
The last sub-state either must end, or goes on by itself (then the rest of the stay is geometric). So

    P(length = k) = h[a, k] · Π_{j<k} (1 − h[a, j]),

and the sums from which EM learns are those of a chain: with the expected moves N, h is the share of the moves
out of (a, k), and T[a, ·] is the share of the moves to each other state, over all ages. (Sub-states of one
state emit alike; a path of states belongs to exactly one path of sub-states, as no state follows itself.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bayou.errors import BadFile, BadQuestion, BadTable
from bayou.schema import Variable, label
from bayou.schema.json_values import decode_value, encode_value
from bayou.temporal.bounded_tables import Bounds, bounded_row
from bayou.typing import FloatArray, IntArray, Name

CLOSE = 1e-6
"""Shares of lengths sum to 1, up to this."""


@dataclass(frozen=True)
class Stays:
    """The user's states, and for each the lengths that a stay may have.

    ``lengths[a]`` has a share for each length 1, 2, …; those of 0 are impossible and stay so, the others are
    where learning starts. With ``open_ended[a]`` the last length stands for itself and all longer ones.

    >>> from bayou.temporal.given_stays import stays_given
    >>> both = stays_given(Variable("state", ["calm", "storm"]), {"storm": (2, 3)})
    >>> both.lengths, both.open_ended, both.owner.tolist()
    (((1.0,), (0.0, 0.5, 0.5)), (True, False), [0, 1, 1, 1])
    """

    states: Variable
    lengths: tuple[tuple[float, ...], ...]
    open_ended: tuple[bool, ...]

    @cached_property
    def owner(self) -> IntArray:
        """The state of each sub-state."""
        return np.repeat(np.arange(len(self.lengths)), [len(shares) for shares in self.lengths])

    @cached_property
    def first(self) -> IntArray:
        """The first sub-state of each state."""
        return np.searchsorted(self.owner, np.arange(len(self.lengths)))

    @cached_property
    def last(self) -> IntArray:
        """The last sub-state of each state."""
        return np.append(self.first[1:], len(self.owner)) - 1

    @cached_property
    def following(self) -> IntArray:
        """The sub-state of a stay that goes on; −1 where it must end."""
        after = np.arange(1, len(self.owner) + 1)
        after[self.last] = np.where(self.open_ended, self.last, -1)
        return after

    @cached_property
    def may_end(self) -> Any:
        """A mask of the sub-states in which a stay may end."""
        return np.concatenate([np.array(shares) > 0 for shares in self.lengths])

    @property
    def alike(self) -> bool:
        """Whether stays of all states may have the same lengths."""
        return len(set(zip(self.lengths, self.open_ended, strict=True))) == 1

    def sub_states(self) -> Variable:
        """The variable of the sub-states."""
        names = [
            f"{label(state)} · {age}"
            for state, shares in zip(self.states.states, self.lengths, strict=True)
            for age in range(1, len(shares) + 1)
        ]
        return Variable(self.states.name, names)

    @cached_property
    def members(self) -> FloatArray:
        """1 where a sub-state belongs to a state, [state, sub-state]."""
        return np.asarray(np.arange(len(self.lengths))[:, None] == self.owner, dtype=np.float64)

    @cached_property
    def beginnings(self) -> FloatArray:
        """1 where a sub-state is the first of a state, [state, sub-state]."""
        return np.eye(len(self.owner))[self.first]

    def codes_of_labels(self, labels: IntArray, starts: IntArray) -> tuple[IntArray, tuple[int, int] | None]:
        """The sub-states of known states, and (row, length) of the first stay whose length is impossible.

        >>> from bayou.temporal.given_stays import stays_given
        >>> both = stays_given(Variable("state", ["calm", "storm"]), {"storm": (2, 3)})
        >>> codes, bad = both.codes_of_labels(np.array([0, 0, 1, 1, 0]), np.array([0, 5]))
        >>> codes.tolist(), bad
        ([0, 0, 1, 2, 0], None)
        """
        rows = np.arange(len(labels))
        new = np.ones(len(labels), dtype=bool)
        new[1:] = labels[1:] != labels[:-1]
        new[starts[:-1][starts[:-1] < len(labels)]] = True
        age = rows - np.maximum.accumulate(np.where(new, rows, 0))
        most = (self.last - self.first)[labels]
        codes = self.first[labels] + np.minimum(age, most)
        follows = np.ones(len(labels), dtype=bool)
        follows[starts[1:][starts[1:] > 0] - 1] = False
        left = follows & np.append(new[1:], True)
        wrong = (left & ~self.may_end[codes]) | ((age > most) & ~np.array(self.open_ended)[labels])
        bad = np.flatnonzero(wrong)
        return codes, (int(bad[0]), int(age[bad[0]]) + 1) if len(bad) else None

    # Tables

    def start(self, weights: FloatArray, bounds: Bounds | None = None) -> FloatArray:
        """P(first sub-state) from weights of the sub-states: a stay begins with its first one."""
        by_state = self.members @ weights
        table = np.zeros(len(self.owner))
        table[self.first] = by_state / by_state.sum() if bounds is None else bounded_row(by_state, *bounds)
        return table

    def transition(
        self, weights: FloatArray, present: FloatArray, bounds: Bounds | None = None
    ) -> FloatArray:
        """The table of moves with the largest Σ weight · log P; without a weight as at present.

        ``bounds`` are about the moves of states, as :meth:`moves` has them.
        """
        hazards, jumps = self.parts(weights)
        old_hazards, old_jumps = self.parts(present)
        hazards = np.where(np.isnan(hazards), old_hazards, hazards)
        jumps = np.where(np.isnan(jumps), old_jumps, jumps)
        if bounds is not None:
            self._bound(hazards, jumps, weights, present, bounds)
        return self.table(hazards, jumps)

    def _bound(
        self, hazards: FloatArray, jumps: FloatArray, weights: FloatArray, present: FloatArray, bounds: Bounds
    ) -> None:
        """Move hazards and jumps into bounds.

        A stay of an open-ended state ends in its last sub-state only, so its row of moves has a weight for
        each entry; other states always leave their last one, so a row has the weights of all their jumps.
        """
        states = np.arange(len(self.lengths))
        moves = weights[:, self.first] * (self.owner[:, None] != states)
        rows = self.members @ np.where(self.may_end[:, None], moves, 0.0)
        rows[states, states] = np.where(self.open_ended, weights[self.last, self.last], 0.0)
        old = self.moves(present)
        for state in states:
            row = rows[state] if rows[state].sum() > 0 else old[state]
            best = bounded_row(row, bounds[0][state], bounds[1][state])
            leaves = 1 - best[state]
            if leaves > 0:
                hazards[self.last[state]] = leaves
                jumps[state] = np.where(states == state, 0.0, best) / leaves

    def checked_bounds(self, bounds: Bounds) -> Bounds:
        """Bounds of the moves of states; raise BadQuestion if stays with a greatest length contradict."""
        low, high = bounds
        for state, is_open in enumerate(self.open_ended):
            name = self.states.states[state]
            if low[state, state] >= 1 or (not is_open and low[state, state] > 0):
                raise BadQuestion(
                    f"bounds of 'transition': stays in {name!r} end (duration=), so the lower bound of "
                    f"{name!r} → {name!r} must be {'below 1' if is_open else '0'}."
                )
            if not is_open:
                high[state, state] = 0.0
            if high[state].sum() < 1 - CLOSE:
                raise BadQuestion(
                    f"bounds of 'transition': the upper bounds of moves from {name!r} to other states sum to "
                    f"{high[state].sum():.4g}, below 1, and a stay there has a greatest length (duration=)."
                )
        return low, high

    def pooled(self, rows: FloatArray) -> FloatArray:
        """Rows of sub-states: each the sum of those of its state."""
        added: FloatArray = (self.members @ rows)[self.owner]
        return added

    def parts(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(the hazard of each sub-state, where stays of each state lead to); NaN without weights."""
        rows = np.arange(len(self.owner))
        goes_on = np.where(self.following >= 0, weights[rows, self.following], 0.0)
        moves = weights[:, self.first] * (self.owner[:, None] != np.arange(len(self.lengths)))
        leaves = np.where(self.may_end, moves.sum(axis=1), 0.0)
        by_state = self.members @ np.where(self.may_end[:, None], moves, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            hazards = np.where(self.following < 0, 1.0, leaves / (leaves + goes_on))
            jumps = by_state / by_state.sum(axis=1, keepdims=True)
        return np.where(self.may_end, hazards, 0.0), jumps

    def table(self, hazards: FloatArray, jumps: FloatArray) -> FloatArray:
        """The moves of sub-states with these hazards and jumps."""
        table = np.zeros((len(self.owner), len(self.owner)))
        rows = np.flatnonzero(self.following >= 0)
        table[rows, self.following[rows]] = 1 - hazards[rows]
        table[:, self.first] += hazards[:, None] * jumps[self.owner]
        return table

    def stated(self, moves: FloatArray) -> FloatArray:
        """The table of sub-states for the moves of states that a user states, with lengths as stated.

        The diagonal is P(a stay goes on) in the last sub-state of an open-ended state, and 0 for others.
        """
        stay = np.diagonal(moves)
        bad = [k for k, is_open in enumerate(self.open_ended) if not is_open and stay[k] > 0]
        if bad:
            raise BadTable(
                f"transition: the lengths of stays in {self.states.states[bad[0]]!r} are stated (duration=), "
                "so the probability to stay there must be 0."
            )
        if np.any(stay >= 1):
            raise BadTable("transition: with duration= every state must be left at some time.")
        away = moves * (1 - np.eye(len(moves)))
        hazards = np.concatenate([_hazards(shares) for shares in self.lengths])
        hazards[self.last] = np.where(self.open_ended, 1 - stay, 1.0)
        return self.table(hazards, away / away.sum(axis=1, keepdims=True))

    @property
    def even_moves(self) -> FloatArray:
        """Moves of states that favour none: a stay without a greatest length ends with probability ½."""
        states = len(self.lengths)
        stay = np.where(self.open_ended, 0.5, 0.0)
        away = (1 - stay)[:, None] / (states - 1) * (1 - np.eye(states))
        return np.asarray(away + np.diag(stay))

    def moves(self, table: FloatArray) -> FloatArray:
        """The moves of states: P(stay goes on) of the last sub-state on the diagonal, and where it leads."""
        found: FloatArray = table[self.last] @ self.members.T
        return found

    def length_shares(self, table: FloatArray, state: int, longest: int) -> FloatArray:
        """P(length of a stay = 1, 2, …, longest)."""
        hazards = self.parts(table)[0][self.first[state] : self.last[state] + 1]
        tail = hazards[-1] if self.open_ended[state] else 1.0
        every = np.concatenate([hazards, np.full(max(longest - len(hazards), 0), tail)])[:longest]
        left = np.concatenate([[1.0], np.cumprod(1 - every)])[:-1]
        return np.asarray(every * left)

    def every_length(self, table: FloatArray) -> FloatArray:
        """P(length of a stay = 1, 2, …) of each state, up to the longest that is counted, [state, length]."""
        longest = max(map(len, self.lengths))
        return np.array([self.length_shares(table, k, longest) for k in range(len(self.lengths))])

    def expected(self, table: FloatArray, end: FloatArray | None = None) -> FloatArray:
        """The mean length of a stay in each state; ``end``: P(the sequence ends | sub-state)."""
        hazards, _ = self.parts(table)
        hazards = hazards if end is None else hazards + end - hazards * end
        found = np.zeros(len(self.lengths))
        for state, (first, last) in enumerate(zip(self.first, self.last, strict=True)):
            own = hazards[first : last + 1]
            alive = np.concatenate([[1.0], np.cumprod(1 - own)])[:-1]
            with np.errstate(divide="ignore"):
                rest = alive[-1] / own[-1] if self.open_ended[state] else alive[-1]
            found[state] = alive[:-1].sum() + rest
        return found

    @property
    def free_parameters(self) -> int:
        """Start, jumps and the hazards that are neither 0 nor 1."""
        states = len(self.lengths)
        free = int((self.may_end & (self.following >= 0)).sum())
        return states - 1 + states * (states - 2) + free


def _hazards(shares: Sequence[float]) -> FloatArray:
    """P(a stay ends at this age | it lasted so long)."""
    left = np.cumsum(shares[::-1])[::-1]
    found: FloatArray = np.divide(shares, left, out=np.ones(len(shares)), where=left > 0)
    return found


def stays_state(stays: Stays) -> dict[str, Any]:
    """As plain values for a file."""
    return {
        "states": [encode_value(state) for state in stays.states.states],
        "lengths": [np.array(shares) for shares in stays.lengths],
        "open_ended": [bool(one) for one in stays.open_ended],
    }


def stays_from_state(state: Mapping[str, Any], name: Name) -> Stays:
    """Read :func:`stays_state`; raise BadFile if it is damaged."""
    states = Variable(name, [decode_value(one) for one in state["states"]])
    lengths = tuple(
        tuple(np.asarray(shares, dtype=np.float64).ravel().tolist()) for shares in state["lengths"]
    )
    open_ended = tuple(bool(one) for one in state["open_ended"])
    sound = all(len(one) and min(one) >= 0 and one[-1] > 0 and abs(sum(one) - 1) <= CLOSE for one in lengths)
    if not sound or not len(lengths) == len(open_ended) == states.cardinality >= 2:
        raise BadFile("the durations of the states are not shares of lengths.")
    return Stays(states, lengths, open_ended)
