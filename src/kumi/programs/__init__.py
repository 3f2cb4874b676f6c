"""Programs to use and to learn from."""
