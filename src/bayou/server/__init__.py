"""Models behind HTTP: the API, what keeps it safe, and the page of the explorer that uses it."""
