"""Which devices of a robot are virtual, which are real, and which are both?

A robot has a motor, infrared and whiskers, and each is chosen by itself:

- `virtual` works in the environment model: it moves the counterpart, or senses what is around it;
- `real` works on the real robot, and the environment model is told nothing;
- `hil` works on the real robot, and tells the environment model: a motor moves the counterpart, a sensor is compared
  with its virtual twin.

What cannot work is said before a run, in one sentence each.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Kind: TypeAlias = Literal["virtual", "real", "hil"]
KINDS: tuple[Kind, ...] = get_args(Kind)
DEVICES = ("motor", "infrared", "whiskers")


@dataclass(frozen=True)
class Choices:
    """The kind of each device of a robot."""

    motor: Kind = "virtual"
    infrared: Kind = "virtual"
    whiskers: Kind = "virtual"

    def __post_init__(self) -> None:
        for device in DEVICES:
            kind = getattr(self, device)
            if kind not in KINDS:
                raise ValueError(f'a {device} is "virtual", "real" or "hil", not {kind!r}')

    @property
    def is_virtual(self) -> bool:
        """Whether no real robot is needed."""
        return {self.motor, self.infrared, self.whiskers} == {"virtual"}


VIRTUAL = Choices()


def contradictions(
    choices: Mapping[int, Choices], robots: int, *, is_tracked: bool, has_whiskers: bool
) -> Iterator[tuple[int, str, str]]:
    """Say what cannot work: the number of the robot, the device, and a sentence.

    Robots are numbered from 1, the leader; those without an entry are all virtual.
    """
    for number, chosen in sorted(choices.items()):
        if not 1 <= number <= robots:
            yield number, "", f"there is no robot {number} in a convoy of {robots}; the leader is robot 1"
            continue
        if chosen.motor == "virtual" and not chosen.is_virtual:
            device = "infrared" if chosen.infrared != "virtual" else "whiskers"
            sentence = (
                f"robot {number} has a virtual motor and another kind of {device}: its real body would stand still "
                'and sense the same for ever; take motor = "hil"'
            )
            yield number, device, sentence
        yield from _untracked(
            number, chosen, choices, robots, is_tracked=is_tracked, has_whiskers=has_whiskers
        )


def _untracked(
    number: int,
    chosen: Choices,
    choices: Mapping[int, Choices],
    robots: int,
    *,
    is_tracked: bool,
    has_whiskers: bool,
) -> Iterator[tuple[int, str, str]]:
    """Say where a tracking source is needed and there is none."""
    if is_tracked:
        return
    if chosen.motor == "real":
        lookers = [other for other in (number, number + 1) if other <= robots]
        blind = [one for one in lookers if choices.get(one, VIRTUAL).infrared == "virtual"]
        if blind:
            sentence = (
                f"robot {number} has a real motor, which tells the environment model nothing, and robot {blind[0]} "
                'looks there with virtual infrared; give a tracking source, or take motor = "hil"'
            )
            yield number, "motor", sentence
    if chosen.motor == "hil" and chosen.whiskers != "real" and has_whiskers:
        sentence = (
            f"robot {number} has a hil motor and {chosen.whiskers} whiskers: without a tracking source its "
            "counterpart jumps at the end of each motion and feels nothing on the way; give one, or take real whiskers"
        )
        yield number, "whiskers", sentence
