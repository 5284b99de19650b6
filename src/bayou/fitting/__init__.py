"""Floor 9: learning from what users hold: data opened, parameters and arcs learned, frozen results out."""
