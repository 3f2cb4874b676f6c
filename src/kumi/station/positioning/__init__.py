"""Where robots are: what a positioning system says, and what to make of it."""
