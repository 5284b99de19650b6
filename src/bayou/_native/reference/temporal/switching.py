"""Numpy reference of Rao-Blackwellised particles: states that were drawn, and the Gaussian of the numbers
given these.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bayou._native.reference.sampling import _uniforms
from bayou._native.reference.temporal.mixed_slices import Codes, Marks, MixedSlices, observed
from bayou._native.reference.temporal.particles import resample_particles, weigh_particles
from bayou.typing import FloatArray, IntArray

_MOST_CHOICES = 64
_FAMILY_ROWS = 20
_UNKNOWN = 0xFFFFFFFF
_BACKWARD_SLOT = 0xFFFE


@dataclass
class _Particle:
    mean: FloatArray
    covariance: FloatArray
    cells: IntArray


@dataclass
class _Row:
    kind: int
    values: FloatArray
    are_set: Marks
    codes: Codes
    codes_are_set: Marks
    likelihoods: list[FloatArray | None]


@dataclass
class _Step:
    """All particles after a row."""

    log: float
    size: float
    resampled: bool
    particles: list[_Particle]
    weights: FloatArray
    families: IntArray
    beliefs: FloatArray
    """What is known of the slice before one of the choices was drawn: states, means, variances."""


def _steps(
    model: MixedSlices, rows: list[_Row], particles: int, seed: int, resampling: int, below: float
) -> Iterator[_Step]:
    """The particles after each row; ends before a row that leaves no weight."""
    none = np.zeros(model.cells, dtype=np.int64)
    now = [_Particle(np.zeros(model.places), np.zeros((model.places,) * 2), none)] * particles
    logs, weights, size, log_mean = np.zeros(particles), np.zeros(particles), 0.0, 0.0
    families = younger = np.arange(particles)
    for row, known in enumerate(rows):
        again = row > 0 and (below >= 1 or size < below * particles)
        parents = resample_particles(weights, resampling, seed, row) if again else np.arange(particles)
        families, younger = families[parents], younger[parents]
        if row % _FAMILY_ROWS == 0:
            families, younger = younger, np.arange(particles)
        moved = _moved(model, known, [now[k] for k in parents], seed, row)
        now, change = [one for one, _, _ in moved], np.array([log for _, log, _ in moved])
        before = 0.0 if again or row == 0 else log_mean
        start = np.zeros(particles) if again or row == 0 else logs
        logs, weights, log_mean, size = weigh_particles(start, change)
        if not weights.any():
            return
        beliefs = np.array([own for _, _, own in moved])
        yield _Step(log_mean - before, size, again, now, weights, families, beliefs)


def _rows(
    slices: Codes,
    values: FloatArray,
    are_set: Marks,
    codes: Codes,
    codes_are_set: Marks,
    likelihoods: Sequence[FloatArray],
) -> list[_Row]:
    found = []
    for row in range(len(slices)):
        seen = [own[row] if len(own) else None for own in likelihoods]
        found.append(_Row(int(slices[row]), values[row], are_set[row], codes[row], codes_are_set[row], seen))
    return found


def switching_filter(
    model: MixedSlices,
    slices: Codes,
    values: FloatArray,
    are_set: Marks,
    codes: Codes,
    codes_are_set: Marks,
    likelihoods: Sequence[FloatArray],
    particles: int,
    seed: int,
    resampling: int,
    resample_below: float,
    threads: int = 0,
) -> tuple[int, FloatArray, FloatArray, Marks, FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]:
    """(rows taken, log density of each row given those before, effective sizes, whether particles were
    resampled, probabilities of states and their errors, means and variances of numbers, errors of the means).
    """
    count, m, states = len(slices), model.variables, sum(model.states)
    sizes = ((count,), (count,), (count, states), (count, states), (count, m), (count, m), (count, m))
    logs, effective, shares, share_errors, means, variances, mean_errors = map(np.zeros, sizes)
    resampled, taken = np.zeros(count, dtype=np.uint8), 0
    rows = _rows(slices, values, are_set, codes, codes_are_set, likelihoods)
    for row, step in enumerate(_steps(model, rows, particles, seed, resampling, resample_below)):
        taken = row + 1
        logs[row], effective[row], resampled[row] = step.log, step.size, step.resampled
        own, inside = step.beliefs[:, :-m] if m else step.beliefs, step.beliefs[:, states + m :]
        centre = step.weights @ own
        totals = np.zeros_like(own)
        np.add.at(totals, step.families, step.weights[:, None] * (own - centre))
        errors = np.sqrt((totals**2).sum(axis=0))
        shares[row], means[row] = centre[:states], centre[states:]
        share_errors[row], mean_errors[row] = errors[:states], errors[states:]
        variances[row] = step.weights @ (inside + (own[:, states:] - centre[states:]) ** 2)
    return taken, logs, effective, resampled, shares, share_errors, means, variances, mean_errors


def switching_paths(
    model: MixedSlices,
    slices: Codes,
    values: FloatArray,
    are_set: Marks,
    codes: Codes,
    codes_are_set: Marks,
    likelihoods: Sequence[FloatArray],
    particles: int,
    seed: int,
    resampling: int,
    resample_below: float,
    paths: int,
    threads: int = 0,
) -> tuple[int, int, FloatArray, FloatArray, Codes]:
    """(rows taken, a row that has no density given the slice before or -1, log density of each row given
    those before, effective sizes, states [path, row, variable] of paths drawn given all rows).
    """
    rows = _rows(slices, values, are_set, codes, codes_are_set, likelihoods)
    kept = list(_steps(model, rows, particles, seed, resampling, resample_below))
    states = np.zeros((paths, len(rows), len(model.states)), dtype=np.uint32)
    logs, sizes = np.zeros(len(rows)), np.zeros(len(rows))
    logs[: len(kept)], sizes[: len(kept)] = [one.log for one in kept], [one.size for one in kept]
    for path in range(paths if len(kept) == len(rows) else 0):
        cells: list[IntArray] = []
        for row in range(len(rows) - 1, -1, -1):
            step = kept[row]
            with np.errstate(divide="ignore"):
                weights = np.log(step.weights)
            weights += [_log_of_future(model, rows[row + 1 :], cells, one) for one in step.particles]
            shares = np.exp(weights - weights.max())
            u = _uniforms(seed, row << 16 | _BACKWARD_SLOT, path, 1)[0][0]
            chosen = int(np.searchsorted(np.cumsum(shares), u * shares.sum(), side="right"))
            cells.insert(0, step.particles[min(chosen, int(np.flatnonzero(shares)[-1]))].cells)
            states[path, row] = cells[0][: len(model.states)]
    return len(kept), -1, logs, sizes, states


def _log_of_future(model: MixedSlices, rows: list[_Row], cells: list[IntArray], particle: _Particle) -> float:
    """log P(later values, states of a path | particle), by filtering all later rows."""
    total = 0.0
    for known, new in zip(rows, cells, strict=True):
        if not np.array_equal(model.next_cells(known.kind, particle.cells, new), new):
            return -np.inf
        total += model.log_of_states(known.kind, particle.cells, new, known.codes_are_set)
        particle, log = _updated(model, known, particle, new)
        total += log
    return total


def _beliefs(model: MixedSlices, found: list[_Particle], shares: FloatArray) -> FloatArray:
    """The probabilities of all states, and the means and variances of all numbers, of weighted choices."""
    m = model.variables
    states = [
        sum(share * np.eye(count)[one.cells[v]] for one, share in zip(found, shares, strict=True))
        for v, count in enumerate(model.states)
    ]
    means = np.array([one.mean[:m] for one in found])
    spreads = np.array([np.diagonal(one.covariance)[:m] for one in found])
    centre = shares @ means
    return np.concatenate([*states, centre, shares @ (spreads + (means - centre) ** 2)])


def _moved(
    model: MixedSlices, known: _Row, old: list[_Particle], seed: int, row: int
) -> list[tuple[_Particle, float, FloatArray]]:
    nodes = model.slices[known.kind][2]
    free = [model.states[cell] if known.codes[cell] == _UNKNOWN else 1 for cell, _ in nodes]
    if np.prod(free, dtype=np.float64) <= _MOST_CHOICES:
        uniform = _uniforms(seed, row << 16, 0, len(old))[0]
        return [_guided(model, known, one, free, u) for one, u in zip(old, uniform, strict=True)]
    drawn = [_uniforms(seed, row << 16 | slot, 0, len(old))[0] for slot in range(len(nodes))]
    uniforms = np.array(drawn).T
    return [_in_turn(model, known, one, own) for one, own in zip(old, uniforms, strict=True)]


def _guided(
    model: MixedSlices, known: _Row, old: _Particle, free: list[int], uniform: float
) -> tuple[_Particle, float, FloatArray]:
    nodes = model.slices[known.kind][2]
    found: list[tuple[_Particle, float]] = []
    for picked in itertools.product(*(range(count) for count in reversed(free))):
        codes = known.codes.copy()
        for (cell, _), code in zip(nodes, reversed(picked), strict=True):
            codes[cell] = code if known.codes[cell] == _UNKNOWN else known.codes[cell]
        new = model.next_cells(known.kind, old.cells, codes)
        share = np.exp(_log_of_states(model, known, old.cells, new))
        if share > 0:
            particle, log = _updated(model, known, old, new)
            found.append((particle, float(np.log(share)) + log))
    logs = np.array([log for _, log in found])
    if not len(logs) or logs.max() == -np.inf:
        new = model.next_cells(known.kind, old.cells, np.zeros_like(known.codes))
        none = np.zeros(sum(model.states) + 2 * model.variables)
        return _Particle(np.zeros(model.places), np.zeros((model.places,) * 2), new), -np.inf, none
    total = float(logs.max() + np.log(np.exp(logs - logs.max()).sum()))
    shares = np.exp(logs - total)
    chosen = int(np.searchsorted(np.cumsum(shares), uniform, side="right"))
    beliefs = _beliefs(model, [one for one, _ in found], shares)
    return found[min(chosen, int(np.flatnonzero(logs > -np.inf)[-1]))][0], total, beliefs


def _in_turn(
    model: MixedSlices, known: _Row, old: _Particle, uniforms: FloatArray
) -> tuple[_Particle, float, FloatArray]:
    _, _, nodes, parents, *_ = model.slices[known.kind]
    codes = known.codes.copy()
    for k, (cell, table) in enumerate(nodes):
        new = model.next_cells(known.kind, old.cells, codes)
        if codes[cell] == _UNKNOWN:
            shares = model.tables[table][model.group(parents, k, old.cells, new)]
            drawn = int(np.searchsorted(np.cumsum(shares)[:-1], uniforms[k], side="right"))
            codes[cell] = drawn if shares[drawn] > 0 else int(np.flatnonzero(shares > 0)[-1])
    new = model.next_cells(known.kind, old.cells, codes)
    log = _log_of_states(model, known, old.cells, new, drawn=True)
    particle, density = _updated(model, known, old, new)
    return particle, log + density, _beliefs(model, [particle], np.ones(1))


def _log_of_states(
    model: MixedSlices, known: _Row, old: IntArray, new: IntArray, *, drawn: bool = False
) -> float:
    """log P(states, what was seen of them); those that were drawn from their own tables weigh nothing."""
    marks = known.codes_are_set.copy()
    if drawn:
        marks |= (known.codes == _UNKNOWN).astype(np.uint8)
    log = model.log_of_states(known.kind, old, new, marks)
    for cell, _ in model.slices[known.kind][2]:
        own = known.likelihoods[cell]
        if own is not None and not known.codes_are_set[cell]:
            log += float(np.log(own[new[cell]])) if own[new[cell]] > 0 else -np.inf
    return log


def _updated(model: MixedSlices, known: _Row, old: _Particle, new: IntArray) -> tuple[_Particle, float]:
    matrix, constant, noise = model.system(known.kind, old.cells, new, known.values, known.are_set)
    mean, spread = matrix @ old.mean + constant, matrix @ old.covariance @ matrix.T + noise
    found: Any = observed(mean, spread, model.seen(known.kind, known.values, known.are_set), known.values)
    if found is None:
        return _Particle(np.zeros(model.places), np.zeros((model.places,) * 2), new), -np.inf
    log, mean, spread = found
    return _Particle(mean, spread, new), log
