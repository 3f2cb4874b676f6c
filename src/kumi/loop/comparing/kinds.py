"""What is estimated of the devices of a robot, in which unit, and by how much it may be off without mattering."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EstimateKind:
    """What is estimated: of which device, in which unit, and by how much it may be off."""

    device: str
    name: str
    unit: str
    margin: float


MOTOR = EstimateKind("motor", "time for its way", "%", 3.0)
ENCODER = EstimateKind("encoder", "true way for a counted one", "%", 3.0)
BEND = EstimateKind("steering", "bend of a way that it reckons straight", "°/m", 1.5)
TURN_RATIO = EstimateKind("steering", "true turn for a reckoned one", "%", 3.0)
ANGLE = EstimateKind("steering", "angle that it tells, of the one that it was told", "°", 2.0)
ANGLE_SCALE = EstimateKind("steering", "scale of the angles that it tells", "%", 5.0)
RATE = EstimateKind("clock", "rate", "%", 0.1)
OFFSET = EstimateKind("clock", "offset", "s", 0.02)
LATENCY = EstimateKind("link", "latency each way", "ms", 10.0)
REPEATED_QUESTIONS = EstimateKind("link", "questions that were asked again", "%", 10.0)
UNFELT = EstimateKind("bumper", "contacts that it did not tell", "%", 20.0)


def standing(device: str) -> EstimateKind:
    """Return what is estimated of a wheel that does not seem to turn."""
    return EstimateKind(device, "drives without a count", "%", 10.0)


@dataclass(frozen=True)
class RangerKind:
    """What is estimated of a ranger.

    It tells its distances in steps of some centimetres, and half a step is no error, however often the same is told.
    """

    name: str
    step: float = 0.0

    def kind(self, name: str, unit: str, margin: float) -> EstimateKind:
        """Return a kind of this ranger."""
        return EstimateKind(self.name, name, unit, margin)

    @property
    def offset(self) -> EstimateKind:
        """How much too far it reads, on the mean."""
        return self.kind("reading", "cm", max(1.0, self.step / 2))

    @property
    def scale(self) -> EstimateKind:
        """By how much more it reads for each metre."""
        return self.kind("scale of its readings", "%", 5.0)

    @property
    def spread(self) -> EstimateKind:
        """The standard deviation of a reading."""
        return self.kind("spread of its readings", "cm", max(1.5, self.step / 2))

    @property
    def missed(self) -> EstimateKind:
        """How often it does not see what is there."""
        return self.kind("looks that missed what is there", "%", 10.0)

    @property
    def imagined(self) -> EstimateKind:
        """How often it sees what is not there."""
        return self.kind("looks that saw what is not there", "%", 10.0)
