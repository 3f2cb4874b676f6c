"""How do messages between neighbours get lost?

A link stands between two neighbours and carries what they tell each other, at once. Each message is lost with the same
chance. The paper's robots neither repeat a message nor expect an answer by a time, so who waits for a lost one waits for
good, and the line comes to a stand: the convoy has broken up.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from kumi.convoy.program import Caught, ConvoyRobot, Informed
from kumi.devs import Atomic, Coupled, OutPort


class Waiting(NamedTuple):
    """Who waits for a message that was lost, and who had sent it; numbered from 0."""

    robot: int
    sender: int


class Link(Atomic):
    """Carries messages between two robots; `lost` tells who waits for one that is lost."""

    def __init__(self, front: int, loss: float) -> None:
        super().__init__(f"link {front + 1}")
        self.from_front = self.add_input("from_front", Informed)
        self.to_back = self.add_output("to_back", Informed)
        self.from_back = self.add_input("from_back", Caught)
        self.to_front = self.add_output("to_front", Caught)
        self.lost = self.add_output("lost", Waiting)
        self._front = front
        self._loss = loss
        self._to_send: list[tuple[OutPort[Any], Any]] = []

    def external(self) -> None:
        """Carry what came, or lose it."""
        for informed in self.from_front:
            self._carry(self.to_back, informed, Waiting(self._front + 1, self._front))
        for caught in self.from_back:
            self._carry(self.to_front, caught, Waiting(self._front, self._front + 1))
        self.hold(0.0)

    def _carry(self, port: OutPort[Any], value: object, waiting: Waiting) -> None:
        is_lost = self.chance.happens(self._loss)
        self._to_send.append((self.lost, waiting) if is_lost else (port, value))

    def output(self) -> None:
        """Deliver."""
        for port, value in self._to_send:
            port.send(value)

    def internal(self) -> None:
        """Wait for the next message."""
        self._to_send.clear()


def line_up_by_links(team: Coupled, robots: Sequence[ConvoyRobot], loss: float) -> list[Link]:
    """Put robots into a team, the leader first, with a link that loses messages between each two neighbours."""
    links = []
    for robot in robots:
        team.add(robot)
    for number, (front, back) in enumerate(pairwise(robots)):
        link = team.add(Link(number, loss))
        team.couple(front.back_out, link.from_front)
        team.couple(link.to_back, back.front_in)
        team.couple(back.front_out, link.from_back)
        team.couple(link.to_front, front.back_in)
        links.append(link)
    return links
