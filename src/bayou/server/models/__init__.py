"""The kinds of models that are served, and what each of them can be asked."""
