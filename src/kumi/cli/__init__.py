"""The command line: one command for each thing a person may want kumi to do."""

from kumi.cli.main import main

__all__ = ["main"]
