"""Which effects on messages can a scenario name, and what do they take?

Each function is a kind of effect; its arguments are the keys of the table. Some effects depend on where the
robots are: those are made when there is a world.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Literal, TypeAlias

from kumi.contract.messages import Address
from kumi.network import (
    Bandwidth,
    Byzantine,
    CarrierSense,
    Constant,
    Cuts,
    DistanceDelay,
    Duplication,
    Effect,
    Empirical,
    Energy,
    Exponential,
    Garbling,
    LinkCut,
    LogNormal,
    Loss,
    NetworkPartition,
    Omission,
    Omissions,
    Overtaking,
    RadioWaves,
    SharedMedium,
    Uniform,
    When,
)
from kumi.sensing import Battery
from kumi.world import World, WorldEther


@dataclass(frozen=True)
class InWorld:
    """An effect that is made for a world."""

    make: Callable[[World], Effect]


Described: TypeAlias = Effect | InWorld


def metric(speed: float, base: float = 0.0) -> InWorld:
    """Delay by the distance between robots, at `speed` metres a second."""
    DistanceDelay(
        lambda _one, _other: 0.0, speed=speed, base=base
    )  # wrong numbers are refused here, with their place

    def make(world: World) -> Effect:
        ether = WorldEther(world)
        return DistanceDelay(lambda one, other: ether.distance(one, other) or 0.0, speed=speed, base=base)

    return InWorld(make)


def radio(
    power: float | None = None,
    range: float | None = None,  # noqa: A002
    sensitivity: float = -90.0,
    exponent: float = 2.5,
    loss_at_one_metre: float = 40.0,
    powers: dict[int, float] | None = None,
    ranges: dict[int, float] | None = None,
    bit_rate: float | None = None,
    carrier_sense: bool | None = None,
    capture: float | None = None,
    noise_floor: float | None = None,
    fading: float = 0.0,
    judged: Literal["begin", "throughout"] = "begin",
    joules_per_byte: float = 0.0,
) -> InWorld:
    """Reach by power or range, behind obstacles less; with a `bit_rate` frames take time and collide.

    `powers` and `ranges` are those of robots that differ, by number. What obstacles take, their materials on the map
    say. Messages drain the batteries of robots that have one.
    """
    about_frames = {
        "carrier_sense": carrier_sense,
        "capture": capture,
        "noise_floor": noise_floor,
        "judged": None if judged == "begin" else judged,
    }
    for key, value in about_frames.items():
        if value is not None and bit_rate is None:
            raise ValueError(f"{key} is about frames that take time; give a bit_rate, too")
    if noise_floor is not None and capture is None:
        raise ValueError("noise_floor is a part of the SINR; give a threshold of it, capture, too")

    def waves(ether: WorldEther) -> RadioWaves:
        sense = CarrierSense() if carrier_sense is not False else None
        medium = None if bit_rate is None else SharedMedium(bit_rate, sense=sense, capture=capture)
        energy = Energy(drain(ether), per_byte_sent=joules_per_byte, per_byte_received=joules_per_byte)
        return RadioWaves(
            ether,
            power=power,
            range=range,
            sensitivity=sensitivity,
            exponent=exponent,
            loss_at_one_metre=loss_at_one_metre,
            powers=powers,
            ranges=ranges,
            medium=medium,
            energy=energy if joules_per_byte else None,
            noise_floor=noise_floor,
            fading=fading,
            judged=judged,
        )

    waves(WorldEther(World()))  # wrong numbers are refused here, with their place
    return InWorld(lambda world: waves(WorldEther(world)))


def drain(ether: WorldEther) -> Callable[[Address, float], None]:
    """Return what takes joules out of the battery of a robot that has one."""

    def charge(address: Address, joules: float) -> None:
        body = ether.body(address)
        for sensor in () if body is None else body.sensors.values():
            if isinstance(sensor, Battery):
                sensor.drain(joules)

    return charge


def shared_medium(
    bit_rate: float, carrier_sense: bool = False, collisions: bool = True, overhead: int = 0, queue: int = 100
) -> SharedMedium:
    """One medium for all: frames take time, and those that overlap are lost."""
    sense = CarrierSense() if carrier_sense else None
    return SharedMedium(bit_rate, sense=sense, collisions=collisions, overhead=overhead, queue=queue)


def cut(
    sender: int,
    to: int,
    start: float = 0.0,
    end: float = inf,
    down: float = inf,
    up: float = 0.0,
    one_way: bool = False,
) -> Cuts:
    """Nothing passes between two robots from `start` to `end`; it flaps if it has a time `down` and `up`."""
    return Cuts(LinkCut(sender, to, When(start=start, end=end, down=down, up=up), one_way))


def partition(
    groups: list[list[int]],
    start: float = 0.0,
    end: float = inf,
    down: float = inf,
    up: float = 0.0,
    one_way: bool = False,
) -> Cuts:
    """Nothing passes between the groups from `start` to `end`."""
    return Cuts(NetworkPartition(*groups, when=When(start=start, end=end, down=down, up=up), one_way=one_way))


def omission(
    node: int, sending: float = 0.0, receiving: float = 0.0, start: float = 0.0, end: float = inf
) -> Omissions:
    """A robot forgets to send, or to receive, with a probability."""
    return Omissions(Omission(node=node, sending=sending, receiving=receiving, start=start, end=end))


def garbling(senders: list[int], probability: float = 1.0) -> Byzantine:
    """What these robots send is altered with a probability."""
    return Byzantine(senders, Garbling(probability))


def bandwidth(
    bytes_per_second: float, queue: int = 100, per: Literal["link", "node"] = "link", overhead: int = 0
) -> Bandwidth:
    """Messages pass one after the other, and wait in a queue."""
    return Bandwidth(bytes_per_second, queue=queue, per=per, overhead=overhead)


def empirical(measured: list[float]) -> Empirical:
    """Each delay is one of those that were measured."""
    return Empirical(measured)


EFFECTS: dict[str, Callable[..., Described]] = {
    "bandwidth": bandwidth,
    "constant": Constant,
    "cut": cut,
    "duplication": Duplication,
    "empirical": empirical,
    "exponential": Exponential,
    "garbling": garbling,
    "log-normal": LogNormal,
    "loss": Loss,
    "metric": metric,
    "omission": omission,
    "partition": partition,
    "radio": radio,
    "reordering": Overtaking,
    "shared-medium": shared_medium,
    "uniform": Uniform,
}
