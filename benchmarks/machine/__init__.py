"""What the benchmarks need of the machine: an environment, a database server, quiet neighbours."""

from __future__ import annotations
