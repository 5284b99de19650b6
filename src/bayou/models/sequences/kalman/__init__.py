"""Linear Gaussian series: the model, its input and its answers."""
