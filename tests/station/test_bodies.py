"""Any body: a packet robot on a pseudo-terminal and an ER1 at a socket enter a station as simulated robots do."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kumi.contract import LinkLost
from kumi.geometry import Point, Pose
from kumi.link.calibration import Calibration
from kumi.link.emulators import Emulation, Make
from kumi.link.emulators.er1 import serve_er1
from kumi.link.ports import LinkPortError, PtyPair
from kumi.station.entering.enter_linked import Er1Line, LinkedEntrant, PacketLine, enter_linked
from kumi.station.operations.stops import Stop
from kumi.station.operations.tasks import SendCode
from kumi.station.wire.carrier import Carrier
from kumi.station.wire.in_process_carrier import CarrierHub, InsideCarrier
from kumi.world import World
from tests.station.conftest import Little
from tests.station.test_entering import HALL, TAG, Play, played
from tests.waiting import PATIENCE, free_port, until

START = Pose(Point(1.0, 1.0), 0.0)


@contextmanager
def packet_robot() -> Iterator[tuple[str, Emulation]]:
    """Emulate a packet robot at (1, 1) in a thread of its own; give the name of its pseudo-terminal."""
    line = PtyPair(57600)
    with Emulation(World(HALL)) as emulation:
        emulation.add(line, at=(1.0, 1.0), make=Make(baud=57600))
        thread = threading.Thread(target=emulation.run, daemon=True)
        thread.start()
        try:
            yield line.name, emulation
        finally:
            emulation.stop()
            thread.join(PATIENCE)


@pytest.mark.slow
def test_a_packet_robot_goes_where_it_is_sent_and_stops(little: Little) -> None:
    with packet_robot() as (port, emulation):
        body = emulation.robots[0].hardware.body

        def enter(carrier: Carrier) -> object:
            entrant = LinkedEntrant(TAG, little.keys[TAG], PacketLine(port, baud=57600), START)
            return enter_linked(carrier, [entrant], period=0.05, stop_after=0.5)

        async def story(play: Play) -> None:
            monitor = await play.monitor()
            assert monitor.robot.kind == "packet"
            assert [one.name for one in monitor.options] == ["goTo", "followPath"]
            ended = await play.end_of(await play.go(1.5, 1.0))
            assert ended.state == "done", ended.outcome
            assert body.position.distance_to((1.5, 1.0)) < 0.2  # it is late where the machine is busy

            async def is_told() -> bool:
                told = await play.monitor()
                return (
                    told.values == {"link": "there"}
                    and told.robot.pose is not None
                    and told.robot.pose.x > 1.4
                )

            await until(is_told)
            number = await play.go(3.0, 1.0)
            await until(lambda: body.position.x > 1.6)
            await play.ask(Stop(robot=TAG))
            assert (await play.end_of(number)).state == "stopped"
            await until(lambda: abs(body.velocity) == 0.0)
            assert body.position.x < 2.5

        played(little, story, enter=enter)  # type: ignore[arg-type]


@pytest.mark.slow
def test_an_er1_goes_where_it_is_sent_and_runs_the_code_of_its_team(little: Little) -> None:
    port = free_port()

    async def enter(carrier: Carrier) -> None:
        ready = asyncio.Event()
        serving = asyncio.ensure_future(
            serve_er1(HALL, START, host="127.0.0.1", port=port, seconds=PATIENCE, ready=lambda _: ready.set())
        )
        try:
            await ready.wait()
            line = Er1Line("127.0.0.1", port, speed=1.0)
            await enter_linked(carrier, [LinkedEntrant(TAG, little.keys[TAG], line, START)], period=0.05)
        finally:
            serving.cancel()

    async def story(play: Play) -> None:
        assert (await play.monitor()).robot.kind == "er1"
        ended = await play.end_of(await play.go(2.0, 1.0))
        assert (ended.state, ended.outcome) == ("done", "at (2.00, 1.00)")
        code = "async def main(robot):\n    await robot.forward(0.5)\n    print(round(robot.position.x, 2))"
        given = await play.ask(SendCode(robot=TAG, name="step", code=code))
        ended = await play.end_of(given.task)
        assert (ended.state, ended.outcome[-3:]) == ("done", "2.5")

    played(little, story, enter=enter)


@pytest.mark.slow
def test_a_line_without_a_robot_says_so() -> None:
    async def enter(line: PacketLine | Er1Line) -> None:
        await enter_linked(InsideCarrier(CarrierHub()), [LinkedEntrant(TAG, "key", line)])

    with pytest.raises(LinkPortError, match="nobody answers"):
        asyncio.run(enter(Er1Line("127.0.0.1", free_port())))
    silent = PtyPair(9600)
    with pytest.raises(LinkLost):
        asyncio.run(enter(PacketLine(silent.name, calibration=Calibration.default())))
    silent.close()
