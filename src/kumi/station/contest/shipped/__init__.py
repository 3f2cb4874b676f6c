"""Contests and teams that ship: files of rules, and code that runs in the sandbox."""
