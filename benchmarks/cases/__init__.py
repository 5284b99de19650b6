"""The cases, in the order of the page."""

from __future__ import annotations

from cases import (
    alarm_codes,
    alarm_csv,
    alarm_frame,
    andes_frame,
    categorical,
    constraint_based,
    expectation,
    gaussian,
    imports,
    kernel_density,
    latency,
    marginals,
    mdl_cuts,
    pairs,
    read_bif,
    rows,
    sampling,
    structures,
    text,
    trees,
)

ALL = (
    alarm_codes.CASE,
    alarm_frame.CASE,
    alarm_csv.CASE,
    andes_frame.CASE,
    pairs.CASE,
    read_bif.LINK,
    read_bif.DIABETES,
    imports.CASE,
    sampling.CASE,
    *marginals.MARGINALS,
    marginals.LINK,
    *latency.LATENCY,
    *categorical.CATEGORICAL,
    *gaussian.GAUSSIAN,
    text.FIT,
    text.PREDICT,
    kernel_density.CASE,
    mdl_cuts.CASE,
    *rows.CASES,
    *trees.CASES,
    *structures.CASES,
    constraint_based.CASE,
    *expectation.CASES,
)
CASES = {case.name: case for case in ALL}
