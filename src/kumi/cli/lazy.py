"""How does `kumi --help` list commands without loading them?

A command is named by the place of its code and one line of help. The line is enough for the list;
the code is imported when the command is called. So a command may need heavy packages, and only
those who call it wait for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType


@dataclass(frozen=True)
class CommandEntry:
    """Where a command's code is (`module:name`), its line in the list of commands, under which title, and which extra it needs."""

    place: str
    summary: str
    title: str = "Commands"
    extra: str = ""

    def load(self) -> click.Command:
        """Import the command."""
        module, name = self.place.split(":")
        command = getattr(self._module(module), name)
        assert isinstance(command, click.Command), f"{self.place} is not a command."
        return command

    def _module(self, name: str) -> ModuleType:
        if not self.extra:
            return import_module(name)
        from kumi.devs.extras import needing  # the list of commands needs no kernel

        with needing(self.extra):
            return import_module(name)


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def __init__(self, *arguments: Any, entries: Mapping[str, CommandEntry], **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.entries = entries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order in which they were given, as a newcomer should meet them."""
        return [*self.entries, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name, importing it, or None."""
        entry = self.entries.get(cmd_name)
        return entry.load() if entry else super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for a name that is nearly right, say the right one."""
        name = args[0]
        known = self.list_commands(ctx)
        if name not in known and not name.startswith("-"):
            near = get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"There is no command {name!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the lines known without importing."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, entry in self.entries.items():
            sections.setdefault(entry.title, []).append((name, entry.summary))
        for name, command in self.commands.items():
            sections.setdefault("Commands", []).append((name, command.get_short_help_str()))
        for title, rows in sections.items():
            with formatter.section(title):
                formatter.write_dl(rows)
