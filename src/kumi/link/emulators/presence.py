"""How does an emulated robot see and touch those of other processes?

Each stands in this world as a stranger: a body that nobody drives, which is put where the floor says its robot is, and
goes on as that one does until the next look. The own robots are written to the floor just as often. Before a ranger
looks, strangers are put right once more.

Between two looks both sides go by what they saw last, so two robots that run into each other notice within a
hundredth of a second of wall time, which is some millimetres.
"""

from __future__ import annotations

from functools import partial
from math import cos, sin

from kumi.kernel import Simulation
from kumi.link.emulators.floor import ADDRESSES, STALE, Floor, Outline, Standing
from kumi.link.emulators.hardware import Hardware
from kumi.motion.drives import steered
from kumi.world import SimulatedBody, World

EVERY = STALE / 10
"""Seconds of wall time between two looks at the floor."""


class Presence:
    """Robots of this process on a floor, and those of others in this world. `rate` is that of this world's clock."""

    def __init__(self, simulation: Simulation, world: World, floor: Floor, rate: float) -> None:
        self._simulation = simulation
        self._world = world
        self._floor = floor
        self._rate = rate
        self._own: dict[int, tuple[SimulatedBody, Outline]] = {}
        self._strangers: dict[int, SimulatedBody] = {}
        self._places: dict[int, Standing] = {}
        simulation.schedule(simulation.now, self._go_round)

    def add(self, address: int, hardware: Hardware) -> None:
        """Put a robot of this process on the floor."""
        car = hardware.calibration
        front = car.wheelbase + car.nose
        outline = Outline(front, front - car.length, car.width / 2, car.is_round)
        self._own[address] = hardware.body, outline
        hardware.before_looking = self._look
        hardware.body.on_motion(partial(self._write, address))
        self._write(address)

    def _go_round(self) -> None:
        for address in self._own:
            self._write(address)
        self._look()
        self._simulation.schedule(self._simulation.now + EVERY * self._rate, self._go_round)

    def _write(self, address: int) -> None:
        body, outline = self._own[address]
        ahead = body.velocity.x * cos(body.heading) + body.velocity.y * sin(body.heading)
        speed, turning = ahead * self._rate, body.turn_rate * self._rate
        self._floor.write(address, Standing(body.pose, speed, turning, outline))

    def _look(self) -> None:
        for address in range(ADDRESSES):
            if address not in self._own:
                standing = self._floor.read(address)
                if standing is not None and standing != self._places.get(address):
                    self._places[address] = standing
                    self._put(address, standing)

    def _put(self, address: int, standing: Standing) -> None:
        stranger = self._strangers.get(address)
        pose = standing.pose
        if stranger is None:
            stranger = self._world.add_body(
                pose.position,
                heading=pose.heading,
                shape=standing.outline.shape,
                name=f"robot {address:x} of another process",
            )
            self._strangers[address] = stranger
        else:
            stranger.put(pose.position.x, pose.position.y, pose.heading)
        if standing.speed or standing.turning:
            stranger.start(steered(standing.speed / self._rate, standing.turning / self._rate))
