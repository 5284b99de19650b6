"""Structure searches by score, and trees."""
