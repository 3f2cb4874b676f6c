"""A stop button on the robot itself: a file that tells whether it is pressed, as Linux has one for each pin of its hardware.

The file holds 0 while the button is not pressed. Anything else stops the robot, also a file that cannot be read: a button whose
wire is broken must not look like one that nobody presses.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kumi.station.entering.task_client import TaskClient

LOOK_PERIOD = 0.05
"""Seconds between two looks at the button."""
BUTTON = "the stop button"
"""What holds a robot whose button is pressed."""


class StopButton:
    """A button, by its file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def is_pressed(self) -> bool:
        """Whether the robot must stand."""
        try:
            return self.path.read_bytes()[:16].strip() != b"0"
        except OSError:
            return True

    async def watch(self, client: TaskClient) -> None:
        """Hold the robot while the button is pressed, until cancelled."""
        while True:
            if self.is_pressed:
                client.hold(BUTTON)
            else:
                client.release(BUTTON)
            await asyncio.sleep(LOOK_PERIOD)
