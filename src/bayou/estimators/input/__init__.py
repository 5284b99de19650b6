"""Reading X and y in any form as labelled rows."""
