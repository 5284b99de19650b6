"""What users give to hidden Markov models: sequences, columns, declared emissions."""
