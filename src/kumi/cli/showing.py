"""What a command does to show a run in a browser: serve the page, say where it is, open it, wait for Ctrl-C."""

from __future__ import annotations

import os
import sys
import webbrowser
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

import click

from kumi.control import LiveActions
from kumi.devs.interrupts import served_until_signal
from kumi.devs.mailbox import Bell
from kumi.scenario.output import meta_of

if TYPE_CHECKING:
    from kumi.scenario.staging import Staging
    from kumi.stage.outcome import Outcome, Progress
    from kumi.stage.stage import Stage
    from kumi.view.feed import Feed
    from kumi.view.live import LiveFeed
    from kumi.view.study_app import StudyPages


class BrowserShowing:
    """A run in a browser. Use it in a `with` block around the run; it takes the run's journal.

    With `guides`, the page begins with things to try.
    """

    def __init__(
        self, host: str = "127.0.0.1", port: int = 0, *, opens: bool = True, guides: bool = False
    ) -> None:
        self._host, self._port, self._opens, self._guides = host, port, opens, guides
        self._open = ExitStack()
        self._feed: LiveFeed | None = None
        self._acting: LiveActions | None = None

    def acting(self, staging: Staging) -> LiveActions:
        """Return what lets a person act on the run, for its stage; code only where nobody else comes."""
        from kumi.view.server import is_here

        rules = staging.scenario.settings.world
        self._acting = LiveActions(may_give_code=is_here(self._host), warns=not rules.ghost)
        return self._acting

    def open(self, staging: Staging, stage: Stage) -> None:
        """Begin to show a run that is about to begin."""
        from kumi.view import LiveFeed

        scenario, world = staging.scenario, stage.world
        title = scenario.settings.title or scenario.name
        if self._acting is not None:
            self._acting.join(stage)
        meta = meta_of(scenario, world, staging.names)
        self._feed = LiveFeed(meta, title, world.snapshot, self._acting)
        self.serve(self._feed)

    def serve(self, shown: Feed | StudyPages) -> None:
        """Serve the page, and say where."""
        from kumi.view import ViewServer

        server = self._open.enter_context(ViewServer(shown, self._host, self._port))
        address = server.acting_url
        if self._guides:
            address = address.replace(server.url, f"{server.url}?tour", 1)
        click.echo(f"view: {address}", err=True)
        if server.key is not None:
            click.echo(f"to look only: {server.url}", err=True)
        if self._opens and has_desktop():
            webbrowser.open(address)

    def write(self, journal: bytes) -> None:
        """Take whole records, the next of the run."""
        if self._feed is not None:
            self._feed.write(journal)

    def tell(self, progress: Progress) -> None:
        """Take how far the run has got."""
        if self._feed is not None:
            self._feed.tell(progress)

    def finish(self, outcome: Outcome) -> None:
        """Show the end of a run until Ctrl-C, unless that ended the run itself."""
        if self._feed is not None:
            self._feed.finish(outcome)
        if not outcome.is_interrupted:
            self.wait("The run is over. ")

    def wait(self, before: str = "") -> None:
        """Go on showing until Ctrl-C."""
        click.echo(f"{before}The page can be looked at until Ctrl-C.", err=True)
        over = Bell()
        with served_until_signal(over.ring):
            over.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._open.close()


def has_desktop() -> bool:
    """Tell whether a browser can open a window here, instead of taking over the terminal."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
