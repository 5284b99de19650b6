"""The cases, in the order of the page."""

from __future__ import annotations

from cases import (
    alarm_codes,
    alarm_csv,
    alarm_frame,
    andes_frame,
    constraint_based,
    databases,
    expectation,
    imports,
    large_files,
    pairs,
    parquet_files,
    read_bif,
    spark,
    structures,
    trees,
)
from cases.classifiers import categorical, gaussian, kernel_density, mdl_cuts, text, wide_tables
from cases.inference import estimates, latency, marginals, rows, sampling
from cases.sequences import dynamic, hidden_markov, kalman, particle_filters

ALL = (
    alarm_codes.CASE,
    alarm_frame.CASE,
    alarm_csv.CASE,
    andes_frame.CASE,
    *parquet_files.CASES,
    *large_files.CASES,
    *databases.CASES,
    spark.CASE,
    pairs.CASE,
    read_bif.LINK,
    read_bif.DIABETES,
    imports.CASE,
    imports.NETWORK,
    imports.CLASSIFIER,
    *sampling.CASES,
    *estimates.CASES,
    particle_filters.CASE,
    *marginals.MARGINALS,
    marginals.LINK,
    *latency.LATENCY,
    *categorical.CATEGORICAL,
    *gaussian.GAUSSIAN,
    *wide_tables.CASES,
    text.FIT,
    text.PREDICT,
    kernel_density.CASE,
    mdl_cuts.CASE,
    *rows.CASES,
    *trees.CASES,
    *structures.CASES,
    constraint_based.CASE,
    *expectation.CASES,
    *hidden_markov.CASES,
    *kalman.CASES,
    *dynamic.CASES,
)
CASES = {case.name: case for case in ALL}
