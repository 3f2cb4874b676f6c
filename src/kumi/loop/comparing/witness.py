"""What was said on the link of a real robot, and where robots truly were meanwhile?

A witness hears each question and each answer on a link, and writes them down as they are: raw numbers, with the instants
of the run and of the wall clock. Nothing is judged here, and nothing is asked of the robot that its program does not ask.
So a robot at a port and an emulated one give the same records. Where robots truly are, it writes down when the one on
its link stands, and before and after rangers are read, if anybody knows.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kumi.devs import Simulation
from kumi.geometry import Pose
from kumi.link.calibration import Calibration
from kumi.link.clocks import ClockFit
from kumi.link.devices import RANGERS, STOP, Device, PayloadError, answer_payload, read_request
from kumi.link.happenings import Answered, Collided, Happening, Transmit
from kumi.link.line import BITS_A_BYTE
from kumi.link.packets import Decoder, Packet
from kumi.link.remote import FRAME
from kumi.loop.real import Emulated, Real
from kumi.loop.real_robots import LinkedRobots

Poses = Mapping[int, Pose]
"""Where real robots truly are, by number."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and its answer, in seconds of the run; `there` and `back` are what their bytes take on the line.

    `wall` is when it was heard by the wall clock, in seconds of the run, and `missed` how many deadlines the run had
    missed by then. `tries` is how often it was asked, and `has_collided` whether the robot reported a contact since the
    exchange before.
    """

    asked: float
    heard: float
    there: float
    back: float
    wall: float
    missed: int
    tries: int
    has_collided: bool
    values: Mapping[Device, int]
    before: Poses | None = None
    after: Poses | None = None

    @property
    def read(self) -> float:
        """When the robot read its devices: in the middle of what the line leaves open."""
        return (self.asked + self.there + self.heard - self.back) / 2


@dataclass(frozen=True)
class RobotEvidence:
    """All that was seen of one real robot in a run."""

    robot: Real
    declared: Emulated
    """How the scenario has it emulated, without what was planted."""
    calibration: Calibration
    exchanges: tuple[Exchange, ...]
    clock: ClockFit | None
    start: Pose | None
    """Where it truly stood at first."""
    other_speeds: tuple[str, ...] = ()
    """Sentences on speeds that it was told and its motor does not have."""


class LinkWitness:
    """Hears all that is said on the link of a robot."""

    def __init__(
        self,
        simulation: Simulation,
        pace: float | None,
        robot: Real,
        truth: Callable[[], Poses],
    ) -> None:
        self.robot = robot
        self.exchanges: list[Exchange] = []
        self.start = truth().get(robot.number)
        self._simulation, self._pace, self._truth = simulation, pace, truth
        self._byte_time = BITS_A_BYTE / robot.baud
        self._asked = self._there = 0.0
        self._tries = 0
        self._has_collided = False
        self._before: Poses | None = None
        self._counts: int | None = None
        self._motor, self._is_known = STOP, True  # the byte told last, and whether its present place was seen

    def heard(self, happening: Happening) -> None:
        """Take what happens on the link."""
        match happening:
            case Transmit(data):
                self._ask(data)
            case Collided():
                self._has_collided = True
            case Answered(_, answer):
                values = {one.device: one.value for one in answer.values}
                back = self._byte_time * (FRAME + len(answer_payload(answer.values)))
                self._answer(values, back)

    def _ask(self, data: bytes) -> None:
        if self._tries == 0:
            self._asked, self._there = self._simulation.now, self._byte_time * len(data)
            self._before = self._truth() if reads_a_ranger(data) else None
        self._tries += 1

    def _answer(self, values: Mapping[Device, int], back: float) -> None:
        now, pace = self._simulation.now, self._pace
        is_standing = self._stands(values)
        poses = self._truth() if self._before is not None or is_standing else None
        self.exchanges.append(
            Exchange(
                asked=self._asked,
                heard=now,
                there=self._there,
                back=back,
                wall=now if pace is None else time.perf_counter() * pace,
                missed=self._simulation.lateness.misses.count,
                tries=self._tries,
                has_collided=self._has_collided,
                values=values,
                before=self._before,
                after=poses,
            )
        )
        self._tries, self._has_collided, self._before = 0, False, None

    def _stands(self, values: Mapping[Device, int]) -> bool:
        """Tell whether the robot has come to rest, once each time that it does."""
        self._motor = values.get(Device.MOTOR, self._motor)
        counts = values.get(Device.ENCODER)
        if counts is None:
            return False
        is_still, self._counts = counts == self._counts, counts
        if self._motor != STOP:
            self._is_known = False
        if self._is_known or self._motor != STOP or not is_still:
            return False
        self._is_known = True
        return True


def reads_a_ranger(data: bytes) -> bool:
    """Tell whether a packet asks for the reading of a ranger."""
    for packet in Decoder().feed(data):
        if isinstance(packet, Packet):
            try:
                return any(entry.device in RANGERS for entry in read_request(packet.payload))
            except PayloadError:
                return False
    return False


class Witnesses:
    """A witness for each robot of a real_robots whose motor is real."""

    def __init__(
        self, real_robots: LinkedRobots, robots: Mapping[int, Real], declared: Mapping[int, Emulated]
    ) -> None:
        self._real_robots, self._declared = real_robots, declared

        def truth() -> Poses:
            found = {number: real_robots.truth(number) for number in real_robots.real}
            return {number: pose for number, pose in found.items() if pose is not None}

        self._witnesses = {
            number: LinkWitness(real_robots.simulation, real_robots.pace, robots[number], truth)
            for number in real_robots.real
        }
        for number, witness in self._witnesses.items():
            real_robots.real[number].body.remote.watch(witness.heard)

    def accounts(self) -> tuple[RobotEvidence, ...]:
        """Return what was seen of each robot."""
        return tuple(
            RobotEvidence(
                witness.robot,
                self._declared[number],
                (body := self._real_robots.real[number].body).calibration,
                tuple(witness.exchanges),
                None if body.clock is None else body.clock.fit,
                witness.start,
                tuple(body.other_speeds.values()),
            )
            for number, witness in sorted(self._witnesses.items())
        )
