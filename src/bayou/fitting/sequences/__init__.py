"""Learning from sequences: hidden Markov models, linear Gaussian series, dynamic networks."""
