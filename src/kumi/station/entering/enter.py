"""Simulated robots that enter a station: one world of their own, in real time, each with its own talk with the station."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kumi.geometry import Disc
from kumi.geometry import Pose as Place
from kumi.network import SimulatedNetwork
from kumi.sensing import Camera, Prop
from kumi.stage.stage import Stage
from kumi.station.capped_wheel import CappedWheel
from kumi.station.entering.member import StationManner, StationMember, stay_all
from kumi.station.entering.stop_button import StopButton
from kumi.station.entering.task_client import STOP_AFTER
from kumi.station.wire.carrier import Carrier
from kumi.world import Map, World


@dataclass(frozen=True)
class Entrant:
    """A robot that enters: its tag and key, where it stands, its size, whether it can film, and its stop button, if it has one."""

    robot: str
    key: str
    at: Place
    radius: float = 0.15
    speed: float = 0.5
    camera: bool = True
    button: StopButton | None = None


async def enter_simulated(
    carrier: Carrier,
    entrants: Sequence[Entrant],
    map_: Map,
    *,
    props: Sequence[Prop] = (),
    seed: int = 0,
    period: float = 0.1,
    stop_after: float = STOP_AFTER,
    ready: Callable[[str], None] = lambda _: None,
    refused: Callable[[str], None] = lambda _: None,
) -> None:
    """Run simulated robots in one world, in real time, until cancelled; NotLetIn where the station refuses one.

    `props` is what their cameras see, and no map knows.
    """
    manner = StationManner(period, stop_after, ready, refused)
    with Stage(World(map_), seed=seed) as stage:
        stage.connect(SimulatedNetwork(stage.simulation))  # those who enter together hear each other
        members = [_add(stage, carrier, entrant, manner, props) for entrant in entrants]
        stage.begin()
        await stay_all(stage.simulation.run_async(pace=1.0, open_ended=True), members)


def _add(
    stage: Stage,
    carrier: Carrier,
    entrant: Entrant,
    manner: StationManner,
    props: Sequence[Prop],
) -> StationMember:
    member = StationMember(
        carrier,
        stage.simulation,
        entrant.robot,
        entrant.key,
        manner,
        kind="simulated",
        radius=entrant.radius,
        button=entrant.button,
    )
    camera = Camera()
    camera.props = lambda: props
    stage.add(
        member.program,
        at=entrant.at.position,
        heading=entrant.at.heading,
        shape=Disc(entrant.radius),
        drive=CappedWheel(entrant.speed),
        sensors={"camera": camera} if entrant.camera else None,
        name=entrant.robot,
    )
    return member
