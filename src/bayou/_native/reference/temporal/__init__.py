"""References of the kernels of sequences: hidden chains, series, slices, particles."""
