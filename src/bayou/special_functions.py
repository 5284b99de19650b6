"""Special functions and constants; scipy is loaded when the first of its functions is called."""

from __future__ import annotations

from math import log, pi
from typing import Any, Protocol

import numpy as np

from bayou.typing import FloatArray

LOG_TWO_PI = log(2 * pi)


def log_sum_exp(logs: FloatArray) -> FloatArray:
    """log Σ exp(logs) along the last axis, which keeps length 1; the largest number must be finite.

    >>> log_sum_exp(np.array([-1000.0, -1000.0])).round(4).tolist()
    [-999.3069]
    """
    top = logs.max(axis=-1, keepdims=True)
    total: FloatArray = top + np.log(np.exp(logs - top).sum(axis=-1, keepdims=True))
    return total


def weighted_sum(weights: FloatArray, values: FloatArray) -> float:
    """Σ weight · value of two long vectors, always in the same order.

    ``weights @ values`` is a call of BLAS, whose order of summing, and so the last bits, depend on threads.

    >>> weighted_sum(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float((weights * values).sum())


class _Function(Protocol):
    def __call__(self, *arguments: Any) -> Any: ...


def _loaded_on_call(name: str, text: str) -> _Function:
    """The function of ``scipy.special`` under this name."""

    def call(*arguments: Any) -> Any:
        from scipy import special

        return getattr(special, name)(*arguments)

    call.__name__, call.__doc__ = name, text
    return call


gammaln = _loaded_on_call("gammaln", "log Γ(x).")
_LARGE = 1e4
"""From here on Stirling's formula has all digits with two terms."""


def log_rising(start: Any, steps: Any) -> Any:
    """log Γ(start + steps) − log Γ(start), the log of start · (start + 1) … for a whole number of steps.

    For a large start it is a difference of Stirling's formulas, because log Γ itself is so large that its
    last digit may be more than the whole difference.

    >>> float(log_rising(2.0, 3)), float(log_rising(1e18, 1))
    (3.1780..., 41.4465...)
    """
    a, n = np.broadcast_arrays(np.asarray(start, dtype=np.float64), np.asarray(steps, dtype=np.float64))
    large = a >= _LARGE
    if not large.any():
        return gammaln(a + n) - gammaln(a)
    safe = np.where(large, a, _LARGE)
    ends = _stirling_series(safe + n) - _stirling_series(safe)
    far = n * np.log(safe) + ((safe + n - 0.5) * np.log1p(n / safe) - n) + ends
    near = np.where(large, 1.0, a)
    return np.where(large, far, gammaln(near + np.where(large, 0.0, n)) - gammaln(near))


def _stirling_series(x: FloatArray) -> FloatArray:
    """log Γ(x) − [(x − ½) log x − x + ½ log 2π], for large x."""
    series: FloatArray = (1 / 12 - 1 / 360 / x / x) / x
    return series


xlogy = _loaded_on_call("xlogy", "x · log y, and 0 where x is 0.")
chdtrc = _loaded_on_call("chdtrc", "P(χ² > x) with v degrees of freedom: chdtrc(v, x).")
chdtri = _loaded_on_call("chdtri", "The x with P(χ² > x) = p: chdtri(v, p).")
betaincinv = _loaded_on_call("betaincinv", "The x with P(X <= x) = p of a Beta(a, b): betaincinv(a, b, p).")
erfc = _loaded_on_call("erfc", "The complementary error function.")
kolmogorov = _loaded_on_call("kolmogorov", "P(sup |B| > x) of a Brownian bridge B: Kolmogorov's tail.")
ndtr = _loaded_on_call("ndtr", "The standard normal distribution function.")
ndtri = _loaded_on_call("ndtri", "The inverse of the standard normal distribution function.")
pdtr = _loaded_on_call("pdtr", "P(K <= k) of a Poisson distribution with mean m: pdtr(k, m).")
pdtrik = _loaded_on_call("pdtrik", "The k with P(K <= k) = p of a Poisson distribution: pdtrik(p, m).")
stdtrit = _loaded_on_call(
    "stdtrit", "The t with P(T <= t) = p of Student with v degrees of freedom: stdtrit(v, p)."
)
