"""What do a shared world and the robots in it say to each other?

Words in JSON, each a frame on a TCP connection. A robot first gives its name, its pose and how its body and devices are
made (`JoinWord`); the world answers `JoinedWord` or `RefusedWord`. Then the robot's program works its devices: `SetDevice`
has no answer, `AskDevice` is answered by `ToldWord`, in order; `AskPose`, which takes no joining, by `SeenWord`.
`TouchedWord` comes by itself when a switch closes. Physics is the world's: bodies, motor and servo lag, wheels, rangers
and their errors; the program, its clock and its line are the robot's.
"""

from __future__ import annotations

import socket
from typing import Any, TypeAlias

import msgspec

from kumi.devs.errors import KumiError
from kumi.link.calibration import Calibration
from kumi.link.emulators.hardware import Lags, ReadingErrors
from kumi.network.framing import as_frame
from kumi.sensing.noise import EXACT, GaussianNoise, Noise, UniformNoise, as_noise

MOST_WORD_BYTES = 65536
"""Bytes of a word; a calibration has some thousand."""

WORLD_TIMEOUT = 5.0
"""Seconds of wall time in which a world answers."""


class WorldError(KumiError):
    """A shared world that is not there, is gone, or does not take a robot."""


class NotAWorld(WorldError):
    """What listens at the address speaks another language."""

    def __init__(self, error: Exception) -> None:
        super().__init__(f"what answers there is no world that robots share: {error}")


def _tag(name: str) -> str:
    """Return how a word names its class."""
    return name.removesuffix("Word").lower()


class WorldWord(msgspec.Struct, frozen=True, tag_field="word", tag=_tag, forbid_unknown_fields=True):
    """Something said, one frame each."""


class BuiltWord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a robot is made: its calibration as in a file, its lags in seconds, and its errors: kind, size and share."""

    calibration: dict[str, Any]
    motor_lag: float
    servo_lag: float
    errors: dict[str, tuple[str, float, float]]

    @classmethod
    def of(cls, calibration: Calibration, lags: Lags, errors: ReadingErrors) -> BuiltWord:
        """Say how a robot is made."""
        noises = {name: _said(as_noise(noise)) for name, noise in vars(errors).items()}
        return cls(calibration.to_dict(), lags.motor, lags.servo, noises)

    def read(self) -> tuple[Calibration, Lags, ReadingErrors]:
        """Return what was said; ValueError where it makes no sense."""
        errors = ReadingErrors(**{name: _noise(*said) for name, said in self.errors.items()})
        return Calibration.from_dict(self.calibration), Lags(self.motor_lag, self.servo_lag), errors


class JoinWord(WorldWord, frozen=True):
    """A robot wants to be in the world: x, y and heading say where."""

    name: str
    at: tuple[float, float, float]
    built: BuiltWord


class SetDevice(WorldWord, frozen=True):
    """A byte for the motor or the servo."""

    device: int
    value: int


class AskDevice(WorldWord, frozen=True):
    """What does a device measure now?"""

    device: int


class AskPose(WorldWord, frozen=True):
    """Where is a robot?"""

    name: str


class SeenWord(WorldWord, frozen=True):
    """Where a robot is: x, y and heading; none of that name has joined where there is nothing."""

    at: tuple[float, float, float] | None


class JoinedWord(WorldWord, frozen=True):
    """The robot is in the world, at x, y and heading: where it stood, if it was there before."""

    at: tuple[float, float, float]


class ToldWord(WorldWord, frozen=True):
    """What a device measured."""

    value: int


class TouchedWord(WorldWord, frozen=True):
    """A switch has closed."""


class RefusedWord(WorldWord, frozen=True):
    """The world does not do that, and says why."""

    reason: str


ToWorld: TypeAlias = JoinWord | SetDevice | AskDevice | AskPose
ToRobot: TypeAlias = JoinedWord | ToldWord | TouchedWord | SeenWord | RefusedWord
_TO_WORLD: msgspec.json.Decoder[ToWorld] = msgspec.json.Decoder(ToWorld)
_TO_ROBOT: msgspec.json.Decoder[ToRobot] = msgspec.json.Decoder(ToRobot)


def connected(address: tuple[str, int]) -> socket.socket:
    """Return a connection to the world at an address; WorldError says that there is none."""
    host, port = address
    try:
        connection = socket.create_connection(address, timeout=WORLD_TIMEOUT)
    except OSError as error:
        raise WorldError(
            f"there is no world at {host}:{port}: {(error.strerror or str(error)).lower()}"
        ) from error
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.settimeout(None)
    return connection


def frame_of(word: WorldWord) -> bytes:
    """Return a word as it is sent."""
    return as_frame(msgspec.json.encode(word))


def heard_by_world(said: bytes) -> ToWorld:
    """Read the word of a robot; WorldError says what is wrong with it."""
    try:
        return _TO_WORLD.decode(said)
    except msgspec.DecodeError as error:
        raise WorldError(f"a robot speaks JSON, and this is none: {error}") from error


def heard_by_robot(said: bytes) -> ToRobot:
    """Read the word of a world; WorldError says what is wrong with it."""
    try:
        return _TO_ROBOT.decode(said)
    except msgspec.DecodeError as error:
        raise NotAWorld(error) from error


def _said(noise: Noise) -> tuple[str, float, float]:
    match noise:
        case GaussianNoise():
            return "gaussian", noise.deviation, noise.share
        case UniformNoise():
            return "uniform", noise.width, noise.share
    if noise is EXACT:
        return "exact", 0.0, 0.0
    raise ValueError(f"errors in a shared world are exact, uniform or gaussian, not {noise!r}")


def _noise(kind: str, size: float, share: float) -> Noise:
    match kind:
        case "exact":
            return EXACT
        case "gaussian":
            return GaussianNoise(size, share)
        case "uniform":
            return UniformNoise(size, share)
    raise ValueError(f"errors in a shared world are exact, uniform or gaussian, not {kind!r}")
