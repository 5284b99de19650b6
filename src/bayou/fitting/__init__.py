"""Floor 9: learning from users' data: opens them, learns parameters and arcs, returns frozen results."""
