"""Models of sequences: hidden Markov models, their input and their answers."""
