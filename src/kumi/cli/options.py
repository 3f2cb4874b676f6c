"""Kinds of values that options take, each with a sentence for a wrong one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


class AtLeast(click.ParamType[int]):
    """A whole number that is not smaller than another."""

    name = "number"

    def __init__(self, least: int) -> None:
        self.least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read the number, or say what is allowed."""
        try:
            number = int(value)
        except ValueError:
            number = self.least - 1
        if number < self.least:
            self.fail(f"{value!r} is not a whole number of at least {self.least}.", param, ctx)
        return number


class Folder(click.ParamType[Path]):
    """A folder that is there or can be made."""

    name = "folder"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Make the folder, or say why it cannot be."""
        folder = Path(value)
        if not str(value):
            self.fail("a folder needs a name; '.' is the present one.", param, ctx)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            self.fail(f"'{folder}' is a file; give a folder.", param, ctx)
        except OSError as error:
            self.fail(f"the folder '{folder}' cannot be made: {error.strerror}.", param, ctx)
        return folder
