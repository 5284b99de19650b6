"""Members of different kinds, pooled by weights fitted on left-out rows (``BayesEnsemble``)."""
