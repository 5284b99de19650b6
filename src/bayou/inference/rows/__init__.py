"""Many rows at once, each with its own gaps: posteriors, log-probabilities, imputation."""
