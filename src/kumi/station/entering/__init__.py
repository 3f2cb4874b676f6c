"""A robot's side of a station: session, desk, errands, tasks, uploaded code."""
