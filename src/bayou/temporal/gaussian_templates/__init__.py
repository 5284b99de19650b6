"""Dynamic networks with numbers: linear Gaussian lines, which discrete variables may switch."""
