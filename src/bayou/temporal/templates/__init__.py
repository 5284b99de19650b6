"""Dynamic networks: templates of slices, and the interface algorithm that runs from slice to slice."""
