"""Contests: an arena, rules, a clock, teams' code, and a referee who counts points."""
