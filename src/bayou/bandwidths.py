"""Rules that choose the bandwidth of a kernel density, for ``KernelFeature(bandwidth=…)``.

>>> import bayou
>>> bayou.bandwidths.Fixed(0.5)
Fixed(bandwidth=0.5)
"""

from __future__ import annotations

from bayou.distributions.kernel.bandwidth_rules import Bandwidth, Fixed, HeldOut, Scott, Silverman

__all__ = ["Bandwidth", "Fixed", "HeldOut", "Scott", "Silverman"]
