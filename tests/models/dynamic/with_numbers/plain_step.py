"""A step of EM with unknown states and numbers as a sum over all paths, in plain numpy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from tests.models.dynamic.with_numbers.joint_gaussian import JointGaussian

from bayou.temporal.templates.template import Node
from bayou.typing import FloatArray

Rows = dict[str, list[Any]]


class PlainStep:
    """The log-likelihood and the parameters after one step of EM, summed over every path of the states."""

    def __init__(self, net: Any, rows: list[Rows]) -> None:
        self.net = net
        self.log_likelihood = 0.0
        self.counts: dict[Any, FloatArray] = {}
        self.sums: dict[Any, FloatArray] = {}
        for one in rows:
            self._add(one)

    def _add(self, one: Rows) -> None:
        net, length = self.net, len(next(iter(one.values())))
        nodes = [n for step in range(length) for n in net.template.nodes(step, last=step == length - 1)]
        stated = [n for n in nodes if not net.variables[n.name].is_continuous]
        seen = {n: one[n.name][n.step] for n in nodes if n.name in one and one[n.name][n.step] is not None}
        known = {n: float(v) for n, v in seen.items() if n not in stated}
        choices = [
            [net.variables[n.name].code(seen[n])] if n in seen else range(net.variables[n.name].cardinality)
            for n in stated
        ]
        paths = [dict(zip(stated, picked, strict=True)) for picked in itertools.product(*choices)]
        found = []
        for codes in paths:
            joint = JointGaussian(net, length, {}, codes)
            log, mean, covariance = joint.given(known)
            for node, code in codes.items():
                table = net.cpt(net.template.block(node)).to_array()
                log += float(np.log(table[(*(codes[p] for p in net.template.parents(node)), code)]))
            found.append((log, codes, joint, mean, covariance))
        total = float(np.logaddexp.reduce([log for log, *_ in found]))
        self.log_likelihood += total
        for log, codes, joint, mean, covariance in found:
            self._add_path(float(np.exp(log - total)), codes, joint, mean, covariance)

    def _add_path(
        self, w: float, codes: dict[Node, int], joint: JointGaussian, mean: FloatArray, covariance: FloatArray
    ) -> None:
        template = self.net.template
        second = covariance + np.outer(mean, mean)
        for node, code in codes.items():
            block = template.block(node)
            counts = self.counts.setdefault(block, np.zeros_like(self.net.cpt(block).to_array()))
            counts[(*(codes[p] for p in template.parents(node)), code)] += w
        for node in joint.nodes:
            block = template.block(node)
            parents = template.parents(node)
            group = tuple(codes[p] for p in parents if p in codes)
            family = [joint.place[p] for p in (*(p for p in parents if p not in codes), node)]
            z = np.concatenate([[1.0], mean[family]])
            own = np.outer(z, z)
            own[1:, 1:] = second[np.ix_(family, family)]
            shape = self.net.gaussian(block).distribution.intercept.shape
            sums = self.sums.setdefault(block, np.zeros((*shape, len(z), len(z))))
            sums[group] += w * own

    def table(self, block: Any) -> FloatArray:
        counts = self.counts[block]
        return np.asarray(counts / counts.sum(axis=-1, keepdims=True))

    def line(self, block: Any) -> list[FloatArray]:
        """(intercepts, slopes, variances) by group."""
        sums = self.sums[block]
        slopes = np.linalg.solve(sums[..., :-1, :-1], sums[..., :-1, -1:])[..., 0]
        left = sums[..., -1, -1] - (slopes * sums[..., :-1, -1]).sum(axis=-1)
        return [slopes[..., 0], slopes[..., 1:], left / sums[..., 0, 0]]
