"""Learning, comparing and resampling the structure of networks."""
