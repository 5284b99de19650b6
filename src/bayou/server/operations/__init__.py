"""What can be asked of a model: one file for each group of questions, with its request and its answer."""
