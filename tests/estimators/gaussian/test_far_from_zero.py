"""Scores of a shared covariance keep their digits where columns are far from 0, against exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import bayou
from bayou.estimators.gaussian import gaussian_model


def exact_shares(model: bayou.GaussianBayes, row: list[float]) -> list[float]:
    """P(class | row) with squares of fractions, which lose nothing."""
    own = model._model
    precision = _inverse([[Fraction(cell) for cell in line] for line in own.whitening.covariance.tolist()])
    logs = []
    for mean, log in zip(own.means.tolist(), own.log_prior.tolist(), strict=True):
        away = [Fraction(x) - Fraction(m) for x, m in zip(row, mean, strict=True)]
        square = Fraction(0)
        for a, line in zip(away, precision, strict=True):
            square += sum(a * b * c for b, c in zip(line, away, strict=True))
        logs.append(Fraction(log) - square * Fraction(own.weight) / 2)
    top = max(logs)
    parts = [float(np.exp(float(log - top))) for log in logs]
    return [part / sum(parts) for part in parts]


def _inverse(matrix: list[list[Fraction]]) -> list[list[Fraction]]:
    n = len(matrix)
    wide = [[*line, *[Fraction(int(i == j)) for j in range(n)]] for i, line in enumerate(matrix)]
    for i in range(n):
        wide[i] = [cell / wide[i][i] for cell in wide[i]]
        for k in range(n):
            if k != i:
                wide[k] = [a - wide[k][i] * b for a, b in zip(wide[k], wide[i], strict=True)]
    return [line[n:] for line in wide]


@pytest.mark.parametrize("centre", [0.0, 1e3, 1e6])
def test_columns_far_from_zero(centre: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaussian_model, "_BLOCK", 16)
    chance = np.random.default_rng(1)
    kind = chance.integers(0, 3, 400)
    far = centre + 0.01 * chance.normal(size=400) + 0.004 * kind
    near = chance.normal(size=400) + 0.5 * kind + 20 * (far - centre)
    model = bayou.GaussianBayes("shared").fit(np.column_stack([far, near]), kind)
    rows = np.column_stack([far, near])[:50]
    found = model.predict_proba(rows)
    expected = [exact_shares(model, row) for row in rows.tolist()]
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-13)
    np.testing.assert_allclose(np.exp(model.predict_log_proba(rows)), expected, rtol=0, atol=2e-13)
