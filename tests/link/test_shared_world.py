"""Robots of several processes live in one world: they see and touch each other, and each has its own clock."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread

import pytest

from kumi.geometry import Point
from kumi.link.calibration import Calibration
from kumi.link.devices import Device, Switch
from kumi.link.emulators import (
    JoinedEmulation,
    JoinedHardware,
    Make,
    Onlooker,
    ReadingErrors,
    SharedWorld,
    WorldError,
)
from kumi.link.emulators.world_words import MOST_WORD_BYTES
from kumi.link.ports import PtyPair
from kumi.network.framing import as_frame, frames_of
from kumi.robot import Robot
from kumi.sensing import UniformNoise
from kumi.stage import RobotPort, Stage
from kumi.world import Map, Wall, World
from tests.waiting import PATIENCE, wait_for

FAST = 115200
FAST_LINE = Make(baud=FAST)


@contextmanager
def shared(map_: Map | None = None) -> Iterator[SharedWorld]:
    """Let a world that robots join live in another thread."""
    with SharedWorld(World(map_ or Map(4.0, 3.0))) as world:
        thread = Thread(target=world.run)
        thread.start()
        try:
            yield world
        finally:
            world.stop()
            thread.join()


@contextmanager
def living(emulation: JoinedEmulation) -> Iterator[JoinedEmulation]:
    """Let the programs of joined robots run in another thread."""
    with emulation:
        thread = Thread(target=emulation.run)
        thread.start()
        try:
            yield emulation
        finally:
            emulation.stop()
            thread.join()


def test_robots_of_two_programs_see_each_other() -> None:
    with shared() as world:
        one, two = JoinedEmulation(world.address), JoinedEmulation(world.address, rate=1.001)
        with one, two:
            first = one.add(PtyPair(FAST), at=(1.0, 1.0)).hardware
            assert first.read(Device.IR_FRONT) == Calibration.default().nothing
            two.add(PtyPair(FAST), 1, at=(1.8, 1.0))
            # Platforms are 30 cm long, so between two that are 80 cm apart there are 50 cm.
            assert first.read(Device.IR_FRONT) == Calibration.default().ir_value(0.5) == 256


@pytest.mark.slow
def test_a_program_drives_a_robot_that_has_joined_until_it_touches_another() -> None:
    async def go(robot: Robot) -> None:
        await robot.forward(0.05)
        robot.steer(0.08, 0.0)
        await robot.bumper.wait_pressed()

    with shared() as world:
        one, two = JoinedEmulation(world.address), JoinedEmulation(world.address)
        with one, two:
            port, other = PtyPair(FAST), PtyPair(FAST)
            one.add(port, at=(1.0, 1.0), make=FAST_LINE)
            touched: list[int] = []
            stood = two.add(other, at=(1.45, 1.0), make=FAST_LINE, name="the other").hardware
            with living(one), living(two), Stage() as stage:
                stood.on_collision = lambda: touched.append(stood.read(Device.SWITCHES))
                stage.add(go, port=RobotPort(port.name, baud=FAST), at=(1.0, 1.0))
                outcome = stage.run(PATIENCE)
                wait_for(lambda: bool(touched))
        place = world.robots["packet robot 0"].body.position

    assert outcome.errors == ()
    assert place.x == pytest.approx(1.15, abs=1e-6)
    assert touched == [Switch.BACK]


@pytest.mark.slow
def test_a_robot_whose_program_is_gone_stands_and_is_found_there_by_the_next() -> None:
    with shared() as world:
        with living(JoinedEmulation(world.address)) as emulation:
            hardware = emulation.add(PtyPair(FAST), at=(1.0, 1.0)).hardware
            hardware.write(Device.MOTOR, 140)
            truth = world.robots["packet robot 0"]
            wait_for(lambda: truth.body.position.x > 1.01)
        wait_for(lambda: truth.motor == 127 and not truth.body.is_moving)
        place = truth.body.position
        with JoinedEmulation(world.address) as again:
            start = again.add(PtyPair(FAST), at=(3.0, 2.0)).hardware.start
    assert start.position == place
    assert start.position.y == 1.0


def refusal(address: tuple[str, int], **given: object) -> str:
    """Return why a robot is not taken."""
    with JoinedEmulation(address) as emulation, pytest.raises(WorldError) as error:
        emulation.add(PtyPair(FAST), **{"at": (2.0, 2.0), **given})  # type: ignore[arg-type]  # what add takes
    return str(error.value)


def test_a_world_says_why_it_does_not_take_a_robot() -> None:
    with shared(Map(4.0, 3.0, obstacles=[Wall((2.0, 0.0), (2.0, 1.5))])) as world:
        with JoinedEmulation(world.address) as emulation:
            emulation.add(PtyPair(FAST), at=(1.0, 1.0))
            assert refusal(world.address) == (
                "a robot named 'packet robot 0' is in this world already; give another name"
            )
            assert "2" in refusal(world.address, name="in the wall", at=(2.0, 1.0))
        wait_for(lambda: not world._guests)
        other = Make(errors=ReadingErrors(ranger=UniformNoise(3.0)))
        assert refusal(world.address, make=other) == (
            "the robot 'packet robot 0' that stands in this world is made in another way"
        )
        assert list(world.robots) == ["packet robot 0"]


def test_errors_that_nobody_else_knows_do_not_cross_to_another_process() -> None:
    with shared() as world, JoinedEmulation(world.address) as emulation:
        odd = Make(errors=ReadingErrors(ranger=lambda value, chance: value + chance.unit()))
        with pytest.raises(ValueError, match="errors in a shared world are exact, uniform or gaussian"):
            emulation.add(PtyPair(FAST), at=(1.0, 1.0), make=odd)


def test_a_world_that_is_not_there_or_is_none_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = server.getsockname()

        def greet() -> None:
            connection, _ = server.accept()
            connection.sendall(b"220 mail\n")
            connection.recv(100_000)
            connection.close()

        Thread(target=greet, daemon=True).start()
        assert "what answers there is no world that robots share" in refusal(address)
    assert refusal(address) == f"there is no world at 127.0.0.1:{address[1]}: connection refused"


def test_a_program_whose_world_is_gone_ends_with_a_sentence() -> None:
    said: list[str] = []

    def live() -> None:
        try:
            emulation.run(PATIENCE)
        except WorldError as error:
            said.append(str(error))

    with shared() as world:
        emulation = JoinedEmulation(world.address)
        emulation.add(PtyPair(FAST), at=(1.0, 1.0))
        thread = Thread(target=live)
        thread.start()
    thread.join()
    emulation.close()
    assert said == [f"the world at 127.0.0.1:{world.address[1]} is gone"]


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (as_frame(b"nonsense"), "a robot speaks JSON, and this is none"),
        (
            as_frame(b'{"word":"askdevice","device":0}'),
            "a robot joins the world before it does anything in it",
        ),
        (as_frame(b'{"word":"join","name":"x"}'), "missing required field"),
        (as_frame(b"[" * 50_000), "a robot speaks JSON, and this is none"),
        (as_frame(bytes(100_000))[:4], "a frame of 100000 bytes was announced; at most 65536 are read"),
    ],
)
def test_a_world_survives_whatever_is_said_to_it(sent: bytes, said: str) -> None:
    with shared() as world:
        with socket.create_connection(world.address) as connection:
            connection.sendall(sent)
            assert said in next(frames_of(connection, MOST_WORD_BYTES)).decode()
        with JoinedEmulation(world.address) as emulation:
            robot: JoinedHardware = emulation.add(PtyPair(FAST), at=(1.0, 1.0)).hardware
            assert robot.start.position == Point(1.0, 1.0)
            with pytest.raises(WorldError, match="MOTOR is written, not read"):
                robot.read(Device.MOTOR)


def test_an_onlooker_is_told_where_a_robot_truly_is() -> None:
    with shared() as world, JoinedEmulation(world.address) as emulation, Onlooker(world.address) as onlooker:
        nobody = onlooker.pose_of("ada")
        emulation.add(PtyPair(FAST), at=(1.0, 2.0), heading=0.5, make=FAST_LINE, name="ada")
        there = onlooker.pose_of("ada")

    assert nobody is None
    assert there is not None
    assert (there.position.x, there.position.y, there.heading) == (1.0, 2.0, 0.5)


def test_an_onlooker_says_that_the_world_is_gone() -> None:
    with shared() as world:
        onlooker = Onlooker(world.address)
    with onlooker, pytest.raises(WorldError, match=r"the world at .* is gone"):
        onlooker.pose_of("ada")


def test_the_clock_of_a_robot_in_a_shared_world_is_its_own() -> None:
    """Its run has not begun, so its clock shows the offset, 2.5 s in thousandths, however late the world's is."""
    with shared() as world, JoinedEmulation(world.address) as emulation:
        make = Make(baud=FAST, clock_offset=2.5)
        hardware = emulation.add(PtyPair(FAST), at=(1.0, 1.0), make=make).hardware

        times: list[float] = []

        def is_later() -> bool:
            world.simulation.bring(times.append)
            return max(times, default=0.0) > 0.05

        wait_for(is_later)
        assert hardware.read(Device.CLOCK) == 2500
