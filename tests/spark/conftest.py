"""The suite of Spark is not collected by itself: ``test_spark.py`` runs it, once for each kind of session."""

from __future__ import annotations

import os

from tests.spark.java import BARE, CLASSIC, MODE

collect_ignore = [] if MODE in os.environ else ["suite"]
if os.environ.get(MODE) != BARE:
    collect_ignore.append("suite/test_bare_workers.py")
if os.environ.get(MODE) != CLASSIC:
    collect_ignore.append("suite/test_benchmark_on_spark.py")
