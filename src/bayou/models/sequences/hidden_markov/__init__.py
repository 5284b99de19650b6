"""Hidden Markov models: what they are made of, what they learn and answer."""
