"""Where learning hidden Markov models of tables and Gaussians starts: a contest of many climbs of EM."""
