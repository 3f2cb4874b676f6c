"""How words travel between a station and its robots, and how each knows the other."""
