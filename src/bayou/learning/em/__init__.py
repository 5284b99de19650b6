"""EM and gradient ascent: parameters from rows with gaps, and structural EM."""
