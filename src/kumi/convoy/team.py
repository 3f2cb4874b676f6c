"""The virtual convoy: bodies in a world with walls, virtual devices on them, and robots in a line.

The world plays the parts of the paper's environment model: how long a motion takes and where it ends (TimeManager),
and where everything is and what a beam meets (SpaceManager).
"""

from __future__ import annotations

from collections.abc import Sequence

from kumi.contract import Asked, Body, Pushed
from kumi.contract.readings import Pressed, Range
from kumi.convoy.links import Link, line_up_by_links
from kumi.convoy.program import ConvoyRobot, Follower, Leader, line_up
from kumi.convoy.setup import CENTIMETRES, ROOM, Setup
from kumi.devs import Coupled
from kumi.geometry import Disc
from kumi.motion import Wheel
from kumi.motion.noise import Uniform
from kumi.robot.devices import Feelers, Motor, RangeFinders
from kumi.sensing import Infrared, Whisker
from kumi.world import SimulatedBody, World


class Convoy(Coupled):
    """A world with a team of robots in a line; the leader is the first."""

    def __init__(self, setup: Setup) -> None:
        super().__init__("convoy")
        self.setup = setup
        side = setup.side
        self.world = self.add(World(width=side, height=side))
        rules = setup.rules
        noise = Uniform(setup.dnf, setup.anf * CENTIMETRES)
        drive = Wheel(setup.speed, setup.turn_speed, noise=noise if setup.dnf or setup.anf else None)
        self.bodies: list[SimulatedBody] = []
        for number in range(setup.robots):
            at = (ROOM + setup.line - number * rules.desired, side / 2)
            shape = Disc(rules.diameter / 2)
            self.bodies.append(self.world.add_body(at, shape=shape, drive=drive, name=f"robot {number + 1}"))
        self.robots = [self._robot(number, body) for number, body in enumerate(self.bodies)]
        self.links: list[Link] = []
        if setup.message_loss > 0.0:
            self.links = line_up_by_links(self, self.robots, setup.message_loss)
        else:
            line_up(self, self.robots)

    def _robot(self, number: int, body: SimulatedBody) -> ConvoyRobot:
        setup = self.setup
        decision: Leader | Follower
        if number == 0:
            decision = Leader("decision", setup.rules)
        else:
            decision = Follower("decision", setup.rules, has_back=number < setup.robots - 1)
        eyes = RangeFinders("eyes", self.infrared_of(number, body))
        whiskers = self.whiskers_of(number, body)
        feelers = Feelers("feelers", whiskers) if whiskers else None
        motor = Motor("motor", self.body_for_motor(number, body))
        return ConvoyRobot(f"robot {number + 1}", decision, motor, eyes, feelers)

    def body_for_motor(self, number: int, body: SimulatedBody) -> Body:
        """Return what carries out the commands of a robot, given its body in the world."""
        return body

    def infrared_of(self, number: int, body: SimulatedBody) -> Sequence[Asked[Range]]:
        """Return the range finders of a robot from right to left: three for the leader, one for the others."""
        setup = self.setup
        bearings = (0.0,) if number else (-setup.side_bearing, 0.0, setup.side_bearing)
        return [
            Infrared(
                bearing,
                reach=setup.infrared_reach,
                min_reach=0.0,
                resolution=setup.infrared_resolution,
            ).attached_to(body)
            for bearing in bearings
        ]

    def whiskers_of(self, number: int, body: SimulatedBody) -> Sequence[Pushed[Pressed]]:
        """Return what feels touches of a robot; nothing where whiskers have no length."""
        setup = self.setup
        if setup.whisker_length == 0.0:
            return ()
        sides = (-setup.side_bearing, setup.side_bearing)
        return [Whisker(side, setup.whisker_length).attached_to(body) for side in sides]

    @property
    def leader(self) -> Leader:
        """What decides for the first robot."""
        decision = self.robots[0].decision
        assert isinstance(decision, Leader)
        return decision

    @property
    def followers(self) -> list[Follower]:
        """What decides for the others, from the front to the back."""
        return [one.decision for one in self.robots if isinstance(one.decision, Follower)]
