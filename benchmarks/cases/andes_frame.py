"""Parameters of andes from a pandas frame of strings: many columns, fewer rows."""

from __future__ import annotations

from case import Case
from cases.frames import bayou_object, bayou_str, pgmpy_categories, pgmpy_str, pyagrum_str

CASE = Case(
    "andes-frame",
    "parameters of andes, 200,000 × 223, from a pandas frame of strings",
    {
        "bayou": bayou_str("andes", 200_000),
        "bayou (object columns)": bayou_object("andes", 200_000),
        "pgmpy": pgmpy_str("andes", 200_000),
        "pgmpy (categories)": pgmpy_categories("andes", 200_000),
        "pyAgrum": pyagrum_str("andes", 200_000),
    },
    targets={"pgmpy": 3, "pgmpy (categories)": 3, "pyAgrum": 20},
)
