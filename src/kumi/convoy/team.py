"""The convoy: bodies in a world with walls, devices on them, robots in a line, and the links between neighbours.

The world plays the parts of the paper's environment model: how long a motion takes and where it ends (TimeManager),
and where everything is and what a beam meets (SpaceManager).

Where messages may get lost, a link stands between two neighbours and carries what they tell each other, at once; each
message is lost with the same chance. The paper's robots neither repeat a message nor expect an answer by a time, so who
waits for a lost one waits for good, and the line comes to a stand: the convoy has broken up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from kumi.contract import Body
from kumi.convoy.program import Caught, ConvoyFollower, ConvoyRobot, Informed, Leader, line_up
from kumi.convoy.setup import LEAST_WALL_DISTANCE, Setup
from kumi.devs import Atomic, Coupled, OutPort
from kumi.geometry import Disc
from kumi.sensing import Infrared, Sensor, Whisker
from kumi.world import SimulatedBody, World


class Waiting(NamedTuple):
    """Receiver and sender of each lost message that is waited for; numbered from 0."""

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


def line_up_by_links(
    team: Coupled, leader: ConvoyRobot, followers: Sequence[ConvoyFollower], loss: float
) -> list[Link]:
    """Put robots into a team, with a link that loses messages between each two neighbours."""
    links = []
    front = team.add(leader)
    for robot in followers:
        team.add(robot)
    for number, back in enumerate(followers):
        link = team.add(Link(number, loss))
        team.couple(front.to_back, link.from_front)
        team.couple(link.to_back, back.front_told)
        team.couple(back.to_front, link.from_back)
        team.couple(link.to_front, front.back_told)
        links.append(link)
        front = back
    return links


FOLLOWER_RANGERS = ("front",)
LEADER_RANGERS = ("front_right", "front", "front_left")
"""The range finders of a follower and of the leader, from right to left."""
WHISKERS = ("right_whisker", "left_whisker")


class Convoy(Coupled):
    """A world with a team of robots in a line, the leader first; `line_up` brings the robots behind the bodies."""

    def __init__(self, setup: Setup) -> None:
        super().__init__("convoy")
        self.setup = setup
        side = setup.side
        self.world = self.add(World(width=side, height=side))
        self.bodies = [self._body(number) for number in range(setup.robots)]
        self.robots: list[ConvoyRobot] = []
        self.links: list[Link] = []

    def line_up(self, between: Callable[[SimulatedBody], Body] | None = None) -> None:
        """Make the robots; where something is `between` them and their bodies, they drive and sense by that."""
        for number, body in enumerate(self.bodies):
            sensors = {name: sensor.attached_to(body) for name, sensor in self.sensors_of(number).items()}
            if between is None:
                self.robots.append(self._robot(number, body, sensors))
            else:
                body.sensors = sensors  # by these names real ones are found
                held = between(body)
                self.robots.append(self._robot(number, held, held.sensors))
        if self.setup.message_loss > 0.0:
            self.links = line_up_by_links(self, self.leader, self.followers, self.setup.message_loss)
        else:
            line_up(self, self.leader, self.followers)

    def _body(self, number: int) -> SimulatedBody:
        setup = self.setup
        at = (LEAST_WALL_DISTANCE + setup.line - number * setup.rules.desired, setup.side / 2)
        shape = Disc(setup.rules.diameter / 2)
        return self.world.add_body(at, shape=shape, drive=setup.drive(), name=f"robot {number + 1}")

    def _robot(self, number: int, body: Body, sensors: Mapping[str, Any]) -> ConvoyRobot:
        rules = self.setup.rules
        eyes = [sensors[name] for name in (FOLLOWER_RANGERS if number else LEADER_RANGERS)]
        # Both whiskers of a real robot may be its one bumper.
        feelers = list(dict.fromkeys(sensors[name] for name in WHISKERS if name in sensors))
        if number == 0:
            return Leader(body.name, rules, body, eyes, feelers)
        return ConvoyFollower(body.name, rules, body, eyes, feelers, has_back=number < self.setup.robots - 1)

    def sensors_of(self, number: int) -> dict[str, Sensor]:
        """Return the sensors of a robot by name: range finders, and whiskers where those have a length."""
        setup = self.setup
        reach, resolution = setup.infrared_reach, setup.infrared_resolution
        side = setup.side_bearing
        bearings = dict(zip(LEADER_RANGERS, (-side, 0.0, side), strict=True))
        found: dict[str, Sensor] = {
            name: Infrared(bearings[name], reach=reach, min_reach=0.0, resolution=resolution)
            for name in (FOLLOWER_RANGERS if number else LEADER_RANGERS)
        }
        if setup.whisker_length > 0.0:
            whiskers = zip(WHISKERS, (-side, side), strict=True)
            found |= {name: Whisker(bearing, setup.whisker_length) for name, bearing in whiskers}
        return found

    @property
    def leader(self) -> Leader:
        """The first robot."""
        first = self.robots[0]
        assert isinstance(first, Leader)
        return first

    @property
    def followers(self) -> list[ConvoyFollower]:
        """The others, from the front to the back."""
        return [one for one in self.robots if isinstance(one, ConvoyFollower)]
