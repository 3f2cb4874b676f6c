"""Real ports carry packets into a run that follows the wall clock, and break and heal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from threading import Thread

import pytest

from kumi import sleep
from kumi.contract import LinkLost, Message
from kumi.devs import Simulation
from kumi.link.calibration import Calibration
from kumi.link.devices import Device, DeviceValue, Read, Write, answer_payload
from kumi.link.emulators import Emulation, Make
from kumi.link.packets import COMPUTER, Control, Packet, encode
from kumi.link.ports import ListeningPort, Port, PtyPair, open_port
from kumi.link.remote import Remote
from kumi.link.wires import PortWire
from kumi.network import Constant
from kumi.robot import Robot
from kumi.stage import RobotPort, Stage
from kumi.world import Map, World
from tests.waiting import PATIENCE

FAST = 115200
CALIBRATION = Calibration.default()


@contextmanager
def emulated(*ports: Port, baud: int = FAST) -> Iterator[Emulation]:
    """Let emulated robots live in another thread, at ports, half a metre from each other."""
    with Emulation(World(Map(4.0, 3.0))) as emulation:
        for number, port in enumerate(ports):
            make = Make(calibration=CALIBRATION, baud=baud)
            emulation.add(port, number, at=(1.0, 0.5 + number / 2), make=make)
        thread = Thread(target=emulation.run)
        thread.start()
        try:
            yield emulation
        finally:
            emulation.stop()
            thread.join()


@pytest.mark.parametrize("make", [lambda: PtyPair(FAST), lambda: ListeningPort("socket://127.0.0.1:0")])
def test_a_program_drives_a_robot_at_a_real_port(make: Callable[[], Port]) -> None:
    ended: list[float] = []

    async def go(robot: Robot) -> None:
        place = await robot.forward(0.05)
        ended.append(place.x)
        assert (await robot.front.read()).distance == 0.8

    port = make()
    with emulated(port) as emulation, Stage() as stage:
        stage.add(go, port=RobotPort(port.name, baud=FAST), at=(1.0, 0.5))
        outcome = stage.run(PATIENCE)
        (robot,) = emulation.robots
        true = robot.hardware.body.position.x

    assert outcome.errors == ()
    assert not outcome.is_interrupted
    assert ended[0] == pytest.approx(1.05, abs=0.01)
    assert true == pytest.approx(ended[0], abs=0.003)


@pytest.mark.slow
def test_several_robots_drive_together_and_the_failure_of_one_ends_that_one_alone() -> None:
    async def go(robot: Robot) -> None:
        await robot.forward(0.03)

    ports = [PtyPair(FAST), PtyPair(FAST)]
    with emulated(ports[0]) as emulation, closing(ports[1]), Stage(on_error="robot") as stage:
        first = stage.add(go, port=RobotPort(ports[0].name, baud=FAST), at=(1.0, 0.5), name="first")
        stage.add(go, port=RobotPort(ports[1].name, address=1, baud=FAST), name="nobody")
        outcome = stage.run(PATIENCE)
        assert emulation.robots[0].hardware.motor == 127

    assert first.position.x == pytest.approx(1.03, abs=0.01)
    (error,) = outcome.errors
    assert error.robot == "nobody"
    assert str(error.error).endswith("(no byte came: is it plugged in and switched on?)")


@pytest.mark.slow
def test_programs_that_have_not_ended_are_cut_and_their_robots_stop() -> None:
    async def go(robot: Robot) -> None:
        while True:
            await robot.forward(0.5)

    with emulated(port := PtyPair(FAST)) as emulation, Stage() as stage:
        stage.add(go, port=RobotPort(port.name, baud=FAST))
        outcome = stage.run(3.0)
        assert emulation.robots[0].hardware.motor == 127
        assert emulation.robots[0].hardware.way > 0.02

    assert outcome.errors == ()
    assert outcome.simulated_seconds < 3.6


@dataclass(frozen=True)
class Place(Message):
    """Tells where a robot is."""

    x: float


@pytest.mark.slow
def test_linked_robots_talk_to_each_other_by_radio() -> None:
    """The first tells the second how far it got, and the second goes as far."""

    async def lead(robot: Robot) -> None:
        await robot.forward(0.04)
        await robot.radio.send(Place(robot.position.x), to=1)

    async def follow(robot: Robot) -> None:
        place, _ = await robot.radio.receive(Place)
        await robot.move_to((place.x, robot.position.y))

    ports = [PtyPair(FAST), PtyPair(FAST)]
    with emulated(*ports), Stage() as stage:
        stage.connect(Constant(0.01))
        for number, program in enumerate((lead, follow)):
            at = (1.0, 0.5 + number / 2)
            stage.add(program, port=RobotPort(ports[number].name, address=number, baud=FAST), at=at)
        stage.run(PATIENCE)
        places = [robot.position.x for robot in stage.robots]

    assert places == pytest.approx([1.04, 1.04], abs=0.01)


@pytest.mark.slow
def test_a_wrong_baud_rate_is_named() -> None:
    async def go(_robot: Robot) -> None:
        raise AssertionError("it cannot have been connected")

    with emulated(port := PtyPair(9600), baud=9600), Stage() as stage:
        stage.add(go, port=RobotPort(port.name, baud=19200))
        with pytest.raises(LinkLost, match=r"none of them a packet: is the baud rate right\?"):
            stage.run(PATIENCE)


@pytest.mark.slow
def test_a_port_that_was_unplugged_is_found_again() -> None:
    """The program is told LinkLost, and the rest goes on when the robot is back at its place."""
    seen: list[object] = []
    server = ListeningPort("socket://127.0.0.1:0")
    name = server.name

    async def go(robot: Robot) -> None:
        await robot.front.read()
        server.hang_up()  # the cable is pulled
        for _ in range(20):
            await sleep(0.1)
            try:
                seen.append(await robot.front.read())
            except LinkLost as lost:
                seen.append(str(lost))
            if len(seen) > 1 and not isinstance(seen[-1], str) and isinstance(seen[0], str):
                return

    with emulated(server), Stage() as stage:
        stage.add(go, port=RobotPort(name, baud=FAST))
        stage.run(PATIENCE)

    assert isinstance(seen[0], str)
    assert not isinstance(seen[-1], str)


def test_other_traffic_on_the_line_does_no_harm() -> None:
    """Answers for others, answers twice, and noise come before the answer that is meant."""
    pair = PtyPair(FAST)
    got: list[int] = []
    with Simulation() as simulation:
        remote = Remote(simulation, PortWire(simulation, lambda: open_port(pair.name, baud=FAST)), baud=FAST)

        async def ask() -> None:
            await remote.connect()
            got.append((await remote.ask(Read(Device.ENCODER)))[Device.ENCODER])
            got.append((await remote.ask(Write(Device.MOTOR, 127)))[Device.MOTOR])

        hello = encode(Packet(COMPUTER, 0, Control.HELLO))
        count = encode(Packet(0, COMPUTER, Control.ACK, answer_payload([DeviceValue(Device.ENCODER, 77)])))
        stop = encode(Packet(0, COMPUTER, Control.ACK, answer_payload([DeviceValue(Device.MOTOR, 127)])))
        other = encode(Packet(4, COMPUTER, Control.ACK, answer_payload([DeviceValue(Device.ENCODER, 5)])))
        answers = [b"\x00\x55" + hello + hello, b"\x7e" + other + count + count, count + other + stop]

        def robot() -> None:
            for answer in answers:
                assert pair.read(PATIENCE)
                pair.write(answer)

        thread = Thread(target=robot)
        thread.start()
        simulation.start_main(ask)
        simulation.run(PATIENCE, pace=1.0, open_ended=True)
        thread.join()
        remote.close()
    pair.close()

    assert got == [77, 127]
    assert remote.ignored["a packet from 4 to F"] == 2
    assert remote.ignored["an answer that came late, twice or to another question"] >= 1
