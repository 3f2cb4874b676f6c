"""How to get there: routes, paths, speed profiles, reservations."""
