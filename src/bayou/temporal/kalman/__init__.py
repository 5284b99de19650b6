"""Linear Gaussian series: the system and what its kernels compute, expected statistics, the M-step."""
