"""How does a robot's program work a body that is in a world of another process, and where does it truly stand?

`JoinedHardware` has the same devices as `Hardware`, so the firmware cannot tell: a byte is sent, a reading is asked for
and waited for, which takes some tenths of a millisecond. Its clock alone is its own. When the world is gone there is no robot any more: the next
reading raises `WorldError`, and so does the run at once.

`JoinedEmulation` is what `Emulation` is for a world of one's own: robots at ports, with a clock of their own.

Measurements need the truth, which no robot knows. An `Onlooker` asks the world for it; it has no body, so no robot sees it.
An answer takes some tenths of a millisecond.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock
from types import TracebackType
from typing import Self

from kumi.devs import NoRun, Simulation
from kumi.geometry import Point, PointLike, Pose
from kumi.geometry.points import as_number, as_point
from kumi.link.devices import STOP, Device
from kumi.link.emulators.emulation import Clocked, Make
from kumi.link.emulators.hardware import clock_count
from kumi.link.emulators.packet_robot import PacketRobot
from kumi.link.emulators.world_words import (
    MOST_WORD_BYTES,
    WORLD_TIMEOUT,
    AskDevice,
    AskPose,
    BuiltWord,
    JoinedWord,
    JoinWord,
    NotAWorld,
    RefusedWord,
    SeenWord,
    SetDevice,
    ToldWord,
    TouchedWord,
    WorldError,
    WorldWord,
    connected,
    frame_of,
    heard_by_robot,
)
from kumi.link.ports import Port
from kumi.network.framing import FrameTooLong, frames_of


class JoinedHardware:
    """The body and the devices of a packet robot in the world at an address."""

    def __init__(
        self, simulation: Simulation, address: tuple[str, int], join: JoinWord, clock_offset: float = 0.0
    ) -> None:
        self.clock_offset = as_number(clock_offset, "the offset of a clock")
        self.motor = STOP
        self.on_collision: Callable[[], object] | None = None
        """Called when a switch closes."""
        self._simulation = simulation
        self._where = f"{address[0]}:{address[1]}"
        self._connection = connected(address)
        self._answers: SimpleQueue[JoinedWord | ToldWord | WorldError] = SimpleQueue()
        self._is_closed = False
        self._thread = threading.Thread(target=self._read, name="kumi-joined", daemon=True)
        self._thread.start()
        try:
            answer = self._ask(join)
        except WorldError:
            self.close()
            raise
        assert isinstance(answer, JoinedWord)
        x, y, heading = answer.at
        self.start = Pose(Point(x, y), heading)
        """Where it stood when it joined."""

    def write(self, device: Device, value: int) -> None:
        """Give a byte to the motor or the servo."""
        if device is Device.MOTOR:
            self.motor = value
        self._say(SetDevice(device, value))

    def read(self, device: Device) -> int:
        """Return what a device measures now."""
        if device is Device.CLOCK:
            return clock_count(self._simulation.now + self.clock_offset)
        answer = self._ask(AskDevice(device))
        assert isinstance(answer, ToldWord)
        return answer.value

    def close(self) -> None:
        """Leave the world, in which the body stays."""
        self._is_closed = True
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def _ask(self, word: JoinWord | AskDevice) -> JoinedWord | ToldWord:
        self._say(word)
        try:
            answer = self._answers.get(timeout=WORLD_TIMEOUT)
        except Empty:
            raise WorldError(f"the world at {self._where} has not answered for {WORLD_TIMEOUT:g} s") from None
        if isinstance(answer, WorldError):
            raise answer
        return answer

    def _say(self, word: WorldWord) -> None:
        try:
            self._connection.sendall(frame_of(word))
        except OSError:
            # The thread that reads has found out, too, and ends the run with a sentence.
            return

    def _read(self) -> None:
        """Take what the world says, until it is gone; runs in a thread of its own."""
        try:
            for said in frames_of(self._connection, MOST_WORD_BYTES):
                self._heard(said)
        except FrameTooLong as error:
            self._answers.put(NotAWorld(error))
        except OSError:
            pass  # closed while it waited
        if not self._is_closed:
            gone = WorldError(f"the world at {self._where} is gone")
            self._answers.put(gone)
            self._bring(lambda: self._simulation.fail(gone))

    def _heard(self, said: bytes) -> None:
        try:
            word = heard_by_robot(said)
        except WorldError as error:
            self._answers.put(error)
            return
        match word:
            case JoinedWord() | ToldWord():
                self._answers.put(word)
            case RefusedWord(reason):
                self._answers.put(WorldError(reason))
            case SeenWord():
                self._answers.put(WorldError("the world answers what was not asked"))
            case TouchedWord():
                self._bring(self._collided)

    def _collided(self) -> None:
        if self.on_collision is not None:
            self.on_collision()

    def _bring(self, action: Callable[[], object]) -> None:
        with suppress(NoRun):  # the run is over
            self._simulation.bring(lambda time: self._simulation.schedule(time, action))


class JoinedEmulation(Clocked[JoinedHardware]):
    """Emulated robots in the world at an address, with a clock of their own. Use it in a `with` block."""

    def __init__(self, address: tuple[str, int], *, seed: int = 0, rate: float = 1.0) -> None:
        super().__init__(Simulation(seed=seed), rate)
        self.address = address

    def add(
        self,
        port: Port | Callable[[], Port],
        address: int = 0,
        *,
        at: PointLike,
        heading: float = 0.0,
        make: Make | None = None,
        name: str | None = None,
    ) -> PacketRobot[JoinedHardware]:
        """Put a robot into the world, with its line at a port, which is closed with the emulation.

        A function opens the port, and opens it again when it is gone. One of the same name that was left in the world is
        taken over where it stands.
        """
        make = make or Make()
        name = f"packet robot {address}" if name is None else name
        place = as_point(at)
        built = BuiltWord.of(make.calibration, make.lags, make.errors)
        join = JoinWord(name, (place.x, place.y, heading), built)
        hardware = JoinedHardware(self.simulation, self.address, join, make.clock_offset)
        return self._connect(hardware, port, address, make, name)

    def close(self) -> None:
        """Close the ports, and leave the world."""
        super().close()
        for robot in self.robots:
            robot.hardware.close()


class Onlooker:
    """Sees the robots in the world at an address; may be asked from any thread. Use it in a `with` block."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._where = f"{address[0]}:{address[1]}"
        self._connection = connected(address)
        self._connection.settimeout(WORLD_TIMEOUT)
        self._words = frames_of(self._connection, MOST_WORD_BYTES)
        self._lock = Lock()

    def pose_of(self, name: str) -> Pose | None:
        """Return where a robot is now; None where no robot of that name has joined."""
        with self._lock:
            try:
                self._connection.sendall(frame_of(AskPose(name)))
                said = next(self._words, b"")
            except FrameTooLong as error:
                raise NotAWorld(error) from error
            except TimeoutError:
                raise WorldError(
                    f"the world at {self._where} has not answered for {WORLD_TIMEOUT:g} s"
                ) from None
            except OSError:
                said = b""
        if not said:
            raise WorldError(f"the world at {self._where} is gone")
        answer = heard_by_robot(said)
        if isinstance(answer, RefusedWord):
            raise WorldError(answer.reason)
        assert isinstance(answer, SeenWord)
        if answer.at is None:
            return None
        x, y, heading = answer.at
        return Pose(Point(x, y), heading)

    def close(self) -> None:
        """Look no more."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
