"""A program drives an ER1 as it drives any body, in simulated time and over a real socket."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from math import pi

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import sleep
from kumi.contract import Blocked, Body, CannotDo, LinkLost
from kumi.contract.commands import Arc, MoveTo
from kumi.devs import Simulation
from kumi.geometry import Circle, Disc, Point
from kumi.link.emulators.er1 import Er1Centre
from kumi.link.er1 import Er1Body
from kumi.link.er1_dialect import (
    Clear,
    DialectError,
    Er1Events,
    Er1Go,
    Er1Halt,
    Request,
    Rotate,
    Sense,
    SetSpeed,
    SetTurnSpeed,
    parse,
    parse_range,
    range_line,
    strokes_of,
    text_of,
    without_telnet,
)
from kumi.link.ports import LinkPortError
from kumi.link.text_line import TextLine
from kumi.motion import Wheel
from kumi.robot import Robot
from kumi.testing import check_body
from kumi.world import Hole, Map, Wall, World
from tests.waiting import PATIENCE, free_port, read_line


class Wire:
    """Lines between a body and an emulated robot of the same simulation, each taking its time."""

    def __init__(self, simulation: Simulation, centre: Er1Centre, delay: float = 0.0) -> None:
        self.simulation = simulation
        self.delay = delay
        self.sent: list[str] = []
        self.heard: list[tuple[float, str]] = []
        self.session = centre.open(self.answer)
        self.is_cut = False

    def open(self, told: Callable[[str], object], changed: Callable[[bool], object]) -> None:
        self.told, self.changed = told, changed
        changed(True)

    def send(self, line: str) -> None:
        self.sent.append(line)
        self.later(lambda: self.session.take(line))

    def answer(self, line: str) -> None:
        self.later(lambda: self.hear(line))

    def hear(self, line: str) -> None:
        self.heard.append((self.simulation.now, line))
        self.told(line)

    def later(self, action: Callable[[], object]) -> None:
        if self.is_cut:
            return
        if self.delay:
            self.simulation.schedule(self.simulation.now + self.delay, action)
        else:
            action()


def bench(delay: float = 0.0, map_: Map | None = None) -> tuple[Simulation, Er1Body, Wire, Er1Centre]:
    """Return an ER1 at the origin that looks at a wall 5 m ahead, and the body that drives it."""
    world = World(map_ or Map(obstacles=[Wall((5, -5), (5, 5))]))
    simulation = Simulation(world)
    robot = world.add_body((0, 0), shape=Disc(0.25), drive=Wheel())
    centre = Er1Centre(simulation, robot)
    wire = Wire(simulation, centre, delay)
    return simulation, Er1Body(simulation, wire), wire, centre


def test_an_er1_keeps_the_laws_of_motion() -> None:
    def make() -> tuple[Simulation, Body]:
        simulation, body, _, _ = bench()
        return simulation, body

    check_body(make)


def test_a_motion_is_what_skadsem_2006_wrote() -> None:
    simulation, body, wire, centre = bench()

    async def program(robot: Robot) -> None:
        await robot.forward(0.3)
        await robot.turn(pi / 2)
        await robot.back_up(0.1)

    with simulation:
        simulation.start(program, Robot(body))
        simulation.run()

    assert wire.sent == [
        "events",
        "set v 10",
        "set angular velocity 30",
        "move 30 cm",
        "move 90 degrees",
        "move -10 cm",
    ]
    assert [line for _, line in wire.heard].count("move done") == 3
    assert simulation.now == pytest.approx(3.0 + 3.0 + 1.0)
    assert body.position.distance_to((0.3, -0.1)) < 1e-9
    assert centre.body.position.distance_to((0.3, -0.1)) < 1e-9


def test_a_late_line_costs_its_delay_and_no_more() -> None:
    """Request and answer take 0.1 s each; the speeds go first and nobody waits for them."""
    simulation, body, _, centre = bench(delay=0.1)

    async def program(robot: Robot) -> None:
        await robot.move_to((0.3, 0.4))
        assert robot.position.distance_to((0.3, 0.4)) < 1e-9

    with simulation:
        simulation.start(program, Robot(body))
        simulation.run()

    assert centre.body.position.distance_to((0.3, 0.4)) < 1e-6


def test_an_arc_is_refused() -> None:
    simulation, body, _, _ = bench()

    async def program() -> None:
        with pytest.raises(CannotDo, match="turns on the spot and goes straight"):
            await body.carry_out(Arc(1.0, 1.0))

    with simulation:
        simulation.start(program)
        simulation.run()


def test_silence_is_link_lost_and_the_robot_comes_back() -> None:
    simulation, body, wire, centre = bench()
    said: list[str] = []

    async def program(robot: Robot) -> None:
        wire.is_cut = True
        try:
            await robot.forward(0.3)
        except LinkLost as error:
            said.append(str(error))
        wire.changed(False)
        try:
            await robot.forward(0.3)
        except LinkLost as error:
            said.append(str(error))
        wire.is_cut = False
        wire.changed(True)
        await robot.forward(0.3)

    with simulation:
        simulation.start(program, Robot(body))
        simulation.run()

    assert said == [
        "er1 did not answer 'move 30 cm' within 2 s",
        "er1 is gone: the connection is broken",
    ]
    assert centre.body.position.distance_to((0.3, 0.0)) < 1e-9


def test_a_line_that_breaks_on_the_way_ends_the_motion() -> None:
    simulation, body, wire, _ = bench()

    async def breaking() -> None:
        await sleep(1.0)
        wire.changed(False)

    async def program(robot: Robot) -> None:
        with pytest.raises(LinkLost):
            await robot.forward(1.0)
        assert robot.position.distance_to((0.1, 0.0)) < 1e-9

    with simulation:
        simulation.start(breaking)
        simulation.start(program, Robot(body))
        simulation.run()


def test_the_rangers_measure_from_10_cm_to_3_m() -> None:
    """The wall is 2 m ahead of where the body is taken; to the left and right there is nothing."""
    simulation, body, _, _ = bench(map_=Map(obstacles=[Wall((2, -5), (2, 5))]))
    read = {}

    async def program(robot: Robot) -> None:
        for ranger in ("front", "left", "down"):
            read[ranger] = await getattr(robot, ranger).read()

    with simulation:
        simulation.start(program, Robot(body))
        simulation.run()

    assert read["front"].distance == pytest.approx(2.0)
    assert read["front"].is_hit
    assert not read["left"].is_hit
    assert read["down"].distance == pytest.approx(0.2)


def test_a_robot_that_fell_into_a_hole_moves_no_more_and_still_answers() -> None:
    hole = Map(terrain=[Hole(Circle((1.0, 0.0), 0.2))])
    simulation, body, wire, _ = bench(map_=hole)

    async def program(robot: Robot) -> None:
        for _ in range(2):
            with pytest.raises(Blocked):
                await robot.forward(2.0)
        assert not (await robot.down.read()).is_hit

    with simulation:
        simulation.start(program, Robot(body))
        simulation.run()

    assert [line for _, line in wire.heard].count("move error") == 2


def test_events_wait_until_they_are_asked_for() -> None:
    simulation, _, _, centre = bench()
    heard: list[str] = []
    session = centre.open(heard.append)

    with simulation:
        session.take("move 10 cm")
        simulation.run()
        assert heard == ["OK"]
        session.take("events")
        assert heard == ["OK", "OK", "move done"]
        session.take("")
        session.take("move 10cm")
        simulation.run()
        session.take("clear")
        session.take("events")
    assert heard[3:] == ["OK"] * 4


def test_a_wrong_line_is_an_error_in_words() -> None:
    simulation, _, _, centre = bench()
    heard: list[str] = []
    session = centre.open(heard.append)
    with simulation:
        for line in ("jump", "move 3 parsecs", "set colour 3", "set v -1", "sense smell"):
            session.take(line)

    assert heard == [
        "Error 'jump' is no command: move, stop, set, sense, events and clear are",
        "Error 'parsecs' is no unit: cm, m, foot, feet, ft, inch, inches, d, deg, degree, degrees are",
        "Error 'colour' cannot be set: v, linear velocity, w, angular velocity can",
        "Error a velocity is above 0, not -1",
        "Error there is no sensor 'smell'; there are front, left, right, down",
    ]


# The dialect itself.


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("move 30 cm", Er1Go(0.3)),
        ("move -30cm", Er1Go(-0.3)),
        ("move 1 foot", Er1Go(0.3048)),
        ("MOVE 90 degrees\r\n", Rotate(pi / 2)),
        ("move -90d", Rotate(-pi / 2)),
        ("set v10", SetSpeed(0.1)),
        ("set linear velocity 10", SetSpeed(0.1)),
        ("set w 90", SetTurnSpeed(pi / 2)),
        ("sense front", Sense("front")),
        ("sense front off", Sense("front", is_on=False)),
        ("stop", Er1Halt()),
        ("events", Er1Events()),
        ("\r\n", Er1Events(is_on=False)),
        ("clear", Clear()),
    ],
)
def test_lines_are_read_as_skadsem_2006_wrote_them(line: str, request_: Request) -> None:
    assert parse(line) == request_


@given(st.floats(-100, 100))
def test_a_written_motion_reads_back_to_a_tenth_of_a_micrometre(amount: float) -> None:
    went = parse(text_of(Er1Go(amount)))
    turned = parse(text_of(Rotate(amount)))
    assert isinstance(went, Er1Go)
    assert isinstance(turned, Rotate)

    assert went.distance == pytest.approx(amount, abs=1e-8)
    assert turned.angle == pytest.approx(amount, abs=2e-8)


@given(st.text())
def test_any_line_is_a_request_or_an_error(line: str) -> None:
    with suppress(DialectError):
        assert isinstance(parse(line), Request)


@given(st.sampled_from(["front", "left", "right", "down"]), st.floats(0, 3))
def test_a_range_reads_back(ranger: str, distance: float) -> None:
    found = parse_range(range_line(ranger, distance))
    assert found is not None

    assert found[0] == ranger
    assert found[1] == pytest.approx(distance, abs=1e-8)


def test_what_telnet_programs_agree_upon_is_taken_out() -> None:
    assert without_telnet(b"\xff\xfd\x03\xff\xfa\x18\x00ab\xff\xf0mo\xff\xf1ve 3 cm") == b"move 3 cm"


# Over a real socket, in real time.


async def errand(robot: Robot, ended: list[Point]) -> None:
    ended.append(await robot.move_to((0.3, 0.0), 1.0))
    ended.append(await robot.turn(pi / 2, 20.0))


def test_a_program_drives_an_emulated_er1_over_a_socket_and_survives_a_restart() -> None:
    port = free_port()
    with er1_process(port) as first:
        simulation = Simulation()
        wire = TextLine.to(simulation, "127.0.0.1", port)
        with simulation, closing(wire):
            body = Er1Body(simulation, wire)
            ended: list[Point] = []
            simulation.start_main(errand, Robot(body), ended)
            simulation.run(PATIENCE, pace=1.0)
            assert ended[0].distance_to((0.3, 0.0)) < 1e-9

            first.send_signal(signal.SIGINT)
            assert first.wait(PATIENCE) == 0
            simulation.start_main(losing, Robot(body))
            simulation.run(simulation.now + PATIENCE, pace=1.0)
            assert not body.is_there
            with er1_process(port):
                simulation.start_main(coming_back, Robot(body), body)
                simulation.run(simulation.now + PATIENCE, pace=1.0)
                assert body.position.distance_to((0.3, 0.1)) < 1e-9


async def losing(robot: Robot) -> None:
    with suppress(LinkLost):
        while True:
            await robot.forward(0.01, 1.0)


async def coming_back(robot: Robot, body: Er1Body) -> None:
    while not body.is_there:
        await sleep(0.05)
    await robot.move_to((0.3, 0.1), 1.0)


@contextmanager
def er1_process(port: int) -> Iterator[subprocess.Popen[str]]:
    """Start an emulated ER1 as a process of its own, and end it."""
    command = [
        sys.executable,
        "-m",
        "kumi",
        "robot",
        "er1",
        "--listen",
        str(port),
        "--seconds",
        f"{PATIENCE:g}",
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert int(read_line(process.stdout).rpartition(":")[2]) == port
        yield process
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def test_nobody_at_the_port_is_one_sentence() -> None:
    with (
        Simulation() as simulation,
        pytest.raises(LinkPortError, match=r"nobody answers at socket://.*:1: "),
    ):
        TextLine.to(simulation, "127.0.0.1", 1)


def test_a_turn_too_small_to_be_said_is_left_out() -> None:
    """A goal that lies ahead but for rounding: `move 0 degrees` would never be done."""
    ahead = strokes_of(MoveTo((1.0, 1e-9)), Point(0.0, 0.0), 0.0, (0.5, 1.0))
    there = strokes_of(MoveTo((1e-9, 0.0)), Point(0.0, 0.0), 0.0, (0.5, 1.0))

    assert [type(one.request) for one in ahead] == [Er1Go]
    assert there == []


class AtOnce:
    """A wire to a robot that is done as soon as it has begun: both lines come together."""

    def open(self, told: Callable[[str], object], changed: Callable[[bool], object]) -> None:
        self.told = told
        changed(True)

    def send(self, line: str) -> None:
        self.told("OK")
        if line.startswith("move"):
            self.told("move done")


def test_a_motion_that_is_done_with_its_answer_is_done() -> None:
    places: list[Point] = []
    simulation = Simulation()
    body = Er1Body(simulation, AtOnce())

    async def program(robot: Robot) -> None:
        await robot.move_to((0.3, 0.4))
        places.append(robot.position)

    with simulation:
        simulation.start(program, Robot(body))
        simulation.run()

    assert places[0].distance_to((0.3, 0.4)) < 1e-9
