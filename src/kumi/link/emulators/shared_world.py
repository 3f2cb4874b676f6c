"""How do emulated robots of several processes live in one world?

`SharedWorld` is a world in real time that listens at a TCP port. The process of each robot joins it, and works its
body and devices there as if they were its own (see `joined`): so robots of different processes see and touch each
other, and there is one truth about where they are, which an `Onlooker` is told. The world has one time; each robot's program has its own clock.

A robot whose process is gone has no power: its motor stops, and it stands in the way of the others. A process of the
same name that joins later, made in the same way, finds it where it stands.

The run owns everything; a thread for each robot only carries words. A robot that does not read is let go.
"""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Self

from kumi.devs import NoRun, Run, Simulation
from kumi.link.devices import STOP, Device
from kumi.link.emulators.hardware import Hardware
from kumi.link.emulators.world_words import (
    MOST_WORD_BYTES,
    AskDevice,
    AskPose,
    JoinedWord,
    JoinWord,
    RefusedWord,
    SeenWord,
    ToldWord,
    TouchedWord,
    ToWorld,
    WorldError,
    WorldWord,
    frame_of,
    heard_by_world,
)
from kumi.network.framing import FrameTooLong, frames_of
from kumi.world import World

CLOSE_TIMEOUT = 1.0
"""Seconds that closing waits for the thread that takes connections."""


class SharedWorld:
    """A world that robots of other processes join, in real time. Use it in a `with` block."""

    def __init__(
        self, world: World, *, host: str = "127.0.0.1", port: int = 0, seed: int = 0, rate: float = 1.0
    ) -> None:
        if not (rate > 0.0 and math.isfinite(rate)):
            raise ValueError(f"the rate of a clock is a number > 0 (1 is right), not {rate!r}")
        self.world = world
        self.simulation = Simulation(world, seed=seed)
        self.robots: dict[str, Hardware] = {}
        """The robots that have joined, by name."""
        self._built: dict[str, JoinWord] = {}
        self._guests: dict[str, Guest] = {}
        self._rate = rate
        try:
            self._listener = socket.create_server((host, port))
        except OSError as error:
            raise WorldError(f"cannot listen at {host}:{port}: {error.strerror or error}") from error
        self.address: tuple[str, int] = (host, self._listener.getsockname()[1])
        """The host and the port at which robots join."""
        self._open: set[Guest] = set()
        self._welcoming = threading.Thread(target=self._welcome, name="kumi-world", daemon=True)
        self._welcoming.start()

    def run(self, until: float = math.inf) -> Run[None]:
        """Live for so many seconds, or until `stop` is called."""
        return self.simulation.run(until, pace=self._rate, open_ended=True)

    def stop(self) -> None:
        """End the run; may be called from any thread."""
        self.simulation.stop()

    def close(self) -> None:
        """Take no more robots and let the world go; robots that are in it learn that it is gone."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._welcoming.join(CLOSE_TIMEOUT)  # who came in the last moment is among the guests
        self._listener.close()
        for guest in list(self._open):
            guest.close()
        self.simulation.close()

    def join(self, guest: Guest, join: JoinWord) -> None:
        """Put a robot into the world, or give one that is there back to its program."""
        if join.name in self._guests:
            raise WorldError(f"a robot named {join.name!r} is in this world already; give another name")
        if join.name not in self.robots:
            calibration, lags, errors = join.built.read()
            x, y, heading = join.at
            self.robots[join.name] = Hardware(
                self.world,
                calibration,
                at=(x, y),
                heading=heading,
                lags=lags,
                errors=errors,
                name=join.name,
            )
            self._built[join.name] = join
        elif self._built[join.name].built != join.built:
            raise WorldError(f"the robot {join.name!r} that stands in this world is made in another way")
        self._guests[join.name] = guest
        self.robots[join.name].on_collision = partial(guest.say, TouchedWord())

    def leave(self, guest: Guest) -> None:
        """Let a robot stand, since its program is gone."""
        self._open.discard(guest)
        guest.close()
        for name in [name for name, one in self._guests.items() if one is guest]:
            del self._guests[name]
            self.robots[name].on_collision = None
            self.robots[name].write(Device.MOTOR, STOP)

    def _welcome(self) -> None:
        """Take connections until the listener is closed; runs in a thread of its own."""
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            guest = Guest(self, connection)
            self._open.add(guest)
            guest.start()

    def bring(self, action: Callable[[], object]) -> None:
        """Let the run do something now; may be called from any thread."""
        with suppress(NoRun):  # the run is over
            self.simulation.bring(lambda time: self.simulation.schedule(time, action))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class Guest:
    """The connection to the program of one robot."""

    def __init__(self, shared: SharedWorld, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._shared = shared
        self._connection = connection
        self._hardware: Hardware | None = None

    def start(self) -> None:
        """Read what the robot says, in a thread of its own."""
        threading.Thread(target=self._read, name="kumi-guest", daemon=True).start()

    def _read(self) -> None:
        try:
            for said in frames_of(self._connection, MOST_WORD_BYTES):
                self._shared.bring(partial(self._heard, said))
        except FrameTooLong as error:
            self.say(RefusedWord(f"a robot's word is too long: {error}"))
        except OSError:
            pass  # closed while it waited
        self._shared.bring(partial(self._shared.leave, self))

    def _heard(self, said: bytes) -> None:
        try:
            self._obey(heard_by_world(said))
        except (WorldError, ValueError) as error:
            self.say(RefusedWord(str(error)))

    def _obey(self, said: ToWorld) -> None:
        if isinstance(said, AskPose):
            there = self._shared.robots.get(said.name)
            pose = None if there is None else there.body.pose
            self.say(SeenWord(None if pose is None else (pose.position.x, pose.position.y, pose.heading)))
        elif isinstance(said, JoinWord):
            if self._hardware is not None:
                raise WorldError("one connection is for one robot, and it has joined")
            self._shared.join(self, said)
            self._hardware = self._shared.robots[said.name]
            body = self._hardware.body
            self.say(JoinedWord((body.position.x, body.position.y, body.heading)))
        elif self._hardware is None:
            raise WorldError("a robot joins the world before it does anything in it")
        elif isinstance(said, AskDevice):
            self.say(ToldWord(self._hardware.read(_device(said.device, is_writable=False))))
        else:
            if not 0 <= said.value <= 255:
                raise WorldError(f"a device is given a byte, 0 to 255, not {said.value}")
            self._hardware.write(_device(said.device, is_writable=True), said.value)

    def say(self, word: WorldWord) -> None:
        """Tell the robot something; one that does not read is let go."""
        data = frame_of(word)
        try:
            if self._connection.send(data, socket.MSG_DONTWAIT) < len(data):
                self.close()
        except OSError:
            self.close()

    def close(self) -> None:
        """End the connection."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()


def _device(number: int, *, is_writable: bool) -> Device:
    try:
        device = Device(number)
    except ValueError:
        raise WorldError(f"there is no device {number:#04x}") from None
    if device.is_writable != is_writable:
        raise WorldError(f"{device.name} is {'read, not written' if is_writable else 'written, not read'}")
    return device
