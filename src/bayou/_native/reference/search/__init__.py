"""References of the kernels that search for structures."""
