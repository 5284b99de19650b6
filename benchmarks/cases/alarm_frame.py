"""Parameters of alarm from a pandas frame of strings."""

from __future__ import annotations

from case import Case
from cases.frames import bayou_object, bayou_str, pgmpy_categories, pgmpy_str, pyagrum_str

CASE = Case(
    "alarm-frame",
    "parameters of alarm, 1,000,000 × 37, from a pandas frame of strings",
    {
        "bayou": bayou_str("alarm", 1_000_000),
        "bayou (object columns)": bayou_object("alarm", 1_000_000),
        "pgmpy": pgmpy_str("alarm", 1_000_000),
        "pgmpy (categories)": pgmpy_categories("alarm", 1_000_000),
        "pyAgrum": pyagrum_str("alarm", 1_000_000),
    },
    targets={"pgmpy": 3, "pgmpy (categories)": 3, "pyAgrum": 20},
    note="Loading and fitting together. ‘pgmpy (categories)’ starts from a frame that is coded already: the "
    "target is kept against it too, although bayou starts from strings.",
)
