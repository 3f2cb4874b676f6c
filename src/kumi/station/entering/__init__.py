"""A robot's side of a station: session, task client, task loop, uploaded code."""
