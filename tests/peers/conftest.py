"""Conversions to and from the peers' objects: collected only in the benchmark environment, which has them."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("pyagrum") and find_spec("pgmpy") else ["test_*.py"]
