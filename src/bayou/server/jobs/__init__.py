"""Learning from uploaded tables: a job each, in a worker process of its own, with progress and an end."""
