"""Robots send and receive by radio, and nothing is lost without a trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log10
from typing import Any

import pytest

from kumi import after, now, sleep, until
from kumi.contract.messages import Address, Message
from kumi.devs import together
from kumi.geometry import Outline
from kumi.network import (
    Constant,
    Duplication,
    Exponential,
    Loss,
    NodeCrash,
    NotAMessage,
    RadioWaves,
    SimulatedNetwork,
    UnknownNode,
)
from kumi.protocols import (
    Acknowledged,
    EventualLeader,
    Heartbeat,
    InOrder,
    Links,
    LowestTrusted,
    Stack,
    ToEach,
)
from kumi.robot import NoRadio, Robot
from kumi.robot.radio import MOST_UNREAD, Reception
from kumi.stage import Stage
from kumi.world import Hole, Map, World, WorldEther


@dataclass(frozen=True)
class RadioWord(Message):
    """A word."""

    text: str


@dataclass(frozen=True)
class RadioNumber(Message):
    """A number."""

    value: int


def play(
    *programs: Callable[[Robot], Any],
    stack: Callable[[], Stack] = Stack,
    delay: float = 0.5,
    on_error: Any = "run",
    log: Any = None,
    world: World | None = None,
) -> tuple[Stage, Any]:
    """Run programs on robots ten metres apart, with the same delay for all messages."""
    with Stage(world or World(), on_error=on_error, log=log) as stage:
        stage.connect(Constant(delay), layers=stack)
        for number, program in enumerate(programs):
            stage.add(program, at=(10.0 * number, 0.0))
        return stage, stage.run(until=100.0)


async def idle(robot: Robot) -> None:
    """Do nothing."""


def test_a_message_arrives_after_the_delay_of_the_network() -> None:
    heard: list[Any] = []

    async def speak(robot: Robot) -> None:
        await sleep(1.0)
        await robot.radio.send(RadioWord("hello"), to=1)

    async def listen(robot: Robot) -> None:
        message, sender = await robot.radio.receive(RadioWord)
        heard.append((now(), message, sender))

    play(speak, listen)

    assert heard == [(1.5, RadioWord("hello"), 0)]


def test_messages_gives_each_message_of_its_type_in_order() -> None:
    heard: list[Any] = []

    async def speak(robot: Robot) -> None:
        for message in (RadioWord("a"), RadioNumber(1), RadioWord("b")):
            await robot.radio.broadcast(message)
            await sleep(1.0)

    async def listen(robot: Robot) -> None:
        with until(after(50.0)):
            async for message, sender in robot.radio.messages(RadioWord):
                heard.append((now(), message.text, sender))

    play(speak, listen, listen)

    assert heard == [(0.5, "a", 0), (0.5, "a", 0), (2.5, "b", 0), (2.5, "b", 0)]


def test_receptions_give_each_message_with_the_power_of_its_frame() -> None:
    """20 dBm, 40 dB at 1 m and 25 dB for a factor of ten: -45 dBm at 10 m, and 7.5 dB less at twice as far."""
    heard: list[Any] = []

    async def speak(robot: Robot) -> None:
        await robot.radio.broadcast(RadioWord("a"))
        await robot.radio.broadcast(RadioNumber(1))

    async def listen(robot: Robot) -> None:
        with until(after(5.0)):
            async for reception in robot.radio.receptions(RadioWord):
                assert reception.sender == 0
                heard.append((robot.number, reception))

    world = World()
    with Stage(world) as stage:
        stage.connect(RadioWaves(WorldEther(world)), Constant(0.5))
        for number, program in enumerate((speak, listen, listen)):
            stage.add(program, at=(10.0 * number, 0.0))
        stage.run(until=10.0)

    far: Any = pytest.approx(-45.0 - 25.0 * log10(2.0))
    assert heard == [(1, Reception(RadioWord("a"), 0, -45.0)), (2, Reception(RadioWord("a"), 0, far))]

    heard.clear()
    play(speak, listen)
    assert heard == [(1, Reception(RadioWord("a"), 0, None))]


def test_what_nobody_listens_for_is_kept_until_it_is_received() -> None:
    heard: list[Any] = []

    async def speak(robot: Robot) -> None:
        await robot.radio.send(RadioNumber(1), to=[1])
        await robot.radio.send(RadioWord("late"), to=[1])

    async def listen(robot: Robot) -> None:
        await sleep(10.0)
        heard.append(await robot.radio.receive(RadioWord))
        heard.append(await robot.radio.receive(RadioNumber))
        heard.append(now())

    play(speak, listen)

    assert heard == [(RadioWord("late"), 0), (RadioNumber(1), 0), 10.0]


def test_what_was_listened_for_is_not_received_again() -> None:
    heard: list[Any] = []

    async def speak(robot: Robot) -> None:
        await robot.radio.send(RadioNumber(1), to=1)
        await sleep(2.0)
        await robot.radio.send(RadioNumber(2), to=1)

    async def listen(robot: Robot) -> None:
        heard.append((await robot.radio.messages(RadioNumber).next())[0])
        heard.append((await robot.radio.receive(RadioNumber))[0])

    play(speak, listen)

    assert heard == [RadioNumber(1), RadioNumber(2)]


def test_each_message_goes_to_one_of_those_who_wait_in_receive() -> None:
    """Two tasks take turns, as they would with messages that had come before; who listens to all hears all."""
    got: list[tuple[str, int]] = []

    async def speak(robot: Robot) -> None:
        for number in range(4):
            await sleep(1.0)
            await robot.radio.send(RadioNumber(number), to=1)

    async def take(robot: Robot, name: str) -> None:
        while True:
            got.append((name, (await robot.radio.receive(RadioNumber))[0].value))

    async def hear(robot: Robot) -> None:
        async for message, _ in robot.radio.messages(RadioNumber):
            got.append(("all", message.value))

    async def listen(robot: Robot) -> None:
        with until(after(9.0)):
            async with together() as tasks:
                tasks.start(take, robot, "a")
                tasks.start(take, robot, "b")
                tasks.start(hear, robot)

    play(speak, listen)

    assert sorted(got) == [
        ("a", 0),
        ("a", 2),
        ("all", 0),
        ("all", 1),
        ("all", 2),
        ("all", 3),
        ("b", 1),
        ("b", 3),
    ]


def test_one_who_no_longer_waits_in_receive_takes_nothing() -> None:
    got: list[int] = []

    async def speak(robot: Robot) -> None:
        await sleep(2.0)
        await robot.radio.send(RadioNumber(7), to=1)

    async def listen(robot: Robot) -> None:
        with until(after(1.0)):
            await robot.radio.receive(RadioNumber)
        await sleep(5.0)
        got.append((await robot.radio.receive(RadioNumber))[0].value)

    play(speak, listen)

    assert got == [7]


def test_unread_messages_beyond_the_limit_are_dropped_and_counted() -> None:
    async def speak(robot: Robot) -> None:
        for number in range(MOST_UNREAD + 7):
            await robot.radio.send(RadioNumber(number), to=1)

    async def listen(robot: Robot) -> None:
        await sleep(10.0)
        assert (await robot.radio.receive(RadioNumber))[0] == RadioNumber(7)

    _, outcome = play(speak, listen)

    assert outcome.messages.dropped == {"never read by the program": 7}
    assert (outcome.messages.sent, outcome.messages.arrived) == (MOST_UNREAD + 7, MOST_UNREAD + 7)


def test_one_sending_to_several_is_one_line_of_the_log(tmp_path: Any) -> None:
    async def speak(robot: Robot) -> None:
        await robot.radio.send(RadioWord("go"), to=robot.radio.others)

    play(speak, idle, idle, log=tmp_path / "log")

    lines = [line for line in (tmp_path / "log").read_text().splitlines() if " messages e " in line]
    assert lines == [
        "0.000 p0 messages e s p0 p1,p2 RadioWord go",
        "0.500 p1 messages e r p0 p1,p2 RadioWord go",
        "0.500 p2 messages e r p0 p1,p2 RadioWord go",
    ]


def test_above_layers_the_log_tells_what_the_program_sends_and_receives(tmp_path: Any) -> None:
    async def speak(robot: Robot) -> None:
        await robot.radio.send(RadioWord("go"), to=[1])
        await robot.radio.broadcast(RadioNumber(7))

    play(speak, idle, log=tmp_path / "log", stack=lambda: Stack(ToEach(), Acknowledged()))

    lines = [line for line in (tmp_path / "log").read_text().splitlines() if " radio e " in line]
    assert lines == [
        "0.000 p0 radio e s p1 RadioWord go",
        "0.000 p0 radio e s all RadioNumber 7",
        "0.000 p0 radio e r p0 RadioNumber 7",
        "0.500 p1 radio e r p0 RadioWord go",
        "0.500 p1 radio e r p0 RadioNumber 7",
    ]


def test_a_broadcast_layer_delivers_to_the_sender_too() -> None:
    heard: list[Any] = []

    async def speak(robot: Robot) -> None:
        await robot.radio.broadcast(RadioWord("all"))
        heard.append((robot.number, await robot.radio.receive(RadioWord)))

    async def listen(robot: Robot) -> None:
        heard.append((robot.number, await robot.radio.receive(RadioWord)))

    play(speak, listen, stack=lambda: Stack(ToEach(), Acknowledged()))

    assert sorted(heard) == [(0, (RadioWord("all"), 0)), (1, (RadioWord("all"), 0))]


def test_a_program_reaches_the_layers_below_its_radio() -> None:
    kinds: list[Any] = []

    async def ask(robot: Robot) -> None:
        kinds.extend([type(robot.radio[ToEach]), type(robot.radio[Links]), robot.radio.group])

    play(ask, idle, stack=lambda: Stack(ToEach(), Acknowledged()))

    assert kinds == [ToEach, Acknowledged, (0, 1)]


def test_a_robot_without_a_network_has_no_radio() -> None:
    async def speak(robot: Robot) -> None:
        await robot.radio.broadcast(RadioWord("anybody?"))

    with Stage(World()) as stage:
        stage.add(speak, at=(0.0, 0.0))
        with pytest.raises(NoRadio, match="robot 0 has no radio; connect the robots of its stage"):
            stage.run(until=1.0)


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (lambda radio: radio.send(RadioWord("x"), to=7), UnknownNode, "there is no node 7 on the network"),
        (
            lambda radio: radio.send("x", to=1),
            NotAMessage,
            "frozen dataclass that is a Message, not 'x'",
        ),
        *(
            (
                lambda radio, to=to: radio.send(RadioWord("x"), to=to),
                TypeError,
                "goes to the number of a robot",
            )
            for to in (None, 1.0, True, "robot 1", [0, None])
        ),
        (lambda radio: radio.receive(int), TypeError, "a class that is a Message, not of <class 'int'>"),
    ],
)
def test_wrong_use_is_told_at_once(wrong: Any, error: type[Exception], words: str) -> None:
    async def speak(robot: Robot) -> None:
        await wrong(robot.radio)

    with pytest.raises(error, match=words):
        play(speak, idle)


class Faulty(Links):
    """A layer that fails on receipt."""

    links: Links

    def begin(self) -> None:
        self.links.listen(self._receive)

    def send(self, message: Message, to: Address) -> None:
        self.links.send(message, to)

    def _receive(self, message: Message, sender: Address) -> None:
        raise ZeroDivisionError("layer")


def test_what_a_layer_raises_comes_out_of_the_run_with_its_place() -> None:
    async def speak(robot: Robot) -> None:
        await robot.radio.send(RadioWord("x"), to=1)

    with pytest.raises(ZeroDivisionError) as caught:
        play(speak, idle, stack=lambda: Stack(Faulty()))
    notes = "\n".join(caught.value.__notes__)
    assert "in robot 1, on " in notes
    assert "RadioWord(text='x')" in notes
    assert "from node 0, at t = 0.5 s" in notes


def test_by_choice_a_failing_layer_ends_that_radio_alone() -> None:
    async def speak(robot: Robot) -> None:
        for _ in range(3):
            await robot.radio.send(RadioWord("x"), to=1)
            await sleep(1.0)

    _, outcome = play(speak, idle, stack=lambda: Stack(Faulty()), on_error="robot")

    assert [(one.robot, one.time, str(one.error)) for one in outcome.errors] == [("robot 1", 0.5, "layer")]
    assert outcome.messages.dropped == {"receiver down": 2}


def test_a_lost_robot_hears_nothing_more() -> None:
    async def fall(robot: Robot) -> None:
        await robot.forward(30.0, speed=10.0)

    async def speak(robot: Robot) -> None:
        await sleep(20.0)
        await robot.radio.send(RadioWord("there?"), to=0)

    hole = Hole(Outline(((2.0, -1.0), (4.0, -1.0), (4.0, 1.0), (2.0, 1.0))), name="hole")
    _, outcome = play(fall, speak, world=World(Map(terrain=(hole,))))

    assert outcome.lost == ("robot 0",)
    assert outcome.messages.dropped == {"receiver down": 1}


def test_a_robot_that_is_removed_is_off_the_air() -> None:
    """Whether its program is over or sleeps: of six messages, those at 3, 4 and 5 s find nobody."""

    async def speak(robot: Robot) -> None:
        for _ in range(6):
            await robot.radio.send(RadioNumber(1), to=[1, 2])
            await sleep(1.0)

    async def doze(_robot: Robot) -> None:
        await sleep(50.0)

    with Stage(World()) as stage:
        stage.connect(Constant(0.1))
        for number, program in enumerate((speak, idle, doze)):
            stage.add(program, at=(10.0 * number, 0.0))
        for body in stage.world.bodies[1:]:
            stage.simulation.schedule(2.5, body.remove)
        outcome = stage.run(until=10.0)

    assert outcome.messages is not None
    assert (outcome.messages.arrived, outcome.messages.dropped) == (6, {"receiver down": 6})


def test_a_stage_makes_network_and_stacks_of_effects_and_classes_of_layers() -> None:
    """The same as a network made before, and a function that makes a stack: the traces are alike."""

    def run(connect: Callable[[Stage], None]) -> str:
        with Stage(seed=3) as stage:
            connect(stage)
            stage.add(greet, at=(0, 0))
            stage.add(greet, at=(1, 0))
            return stage.run(until=3.0).trace_hash

    async def greet(robot: Robot) -> None:
        for _ in range(3):
            await robot.radio.send(RadioWord("here"), to=1)
            await sleep(0.5)

    effects = Exponential(0.2), Loss(0.3)
    made = run(lambda stage: stage.connect(*effects, layers=[InOrder, Acknowledged]))
    given = run(
        lambda stage: stage.connect(
            SimulatedNetwork(stage.simulation, *effects), layers=lambda: Stack(InOrder(), Acknowledged())
        )
    )

    assert made == given != run(lambda stage: stage.connect(*effects))


@pytest.mark.parametrize(
    ("connect", "words"),
    [
        (
            lambda stage: stage.connect(SimulatedNetwork(stage.simulation), Loss(0.1)),
            "connected to one network, or by effects",
        ),
        (lambda stage: stage.connect(0.1), r"an effect is an object such as Constant\(0.1\)"),
        (lambda stage: stage.connect(layers=[Acknowledged()]), "the layers of a stage are classes, as in"),
        (lambda stage: stage.connect(layers=Acknowledged), "is a list such as"),
        (lambda stage: stage.connect(layers=lambda: 3), "makes a Stack for each robot, or is a list"),
    ],
)
def test_a_stage_says_what_it_cannot_be_connected_to(connect: Callable[[Stage], None], words: str) -> None:
    with Stage() as stage, pytest.raises(TypeError, match=words):
        connect(stage)


def test_a_stage_is_connected_once_and_before_its_first_robot() -> None:
    with Stage(World()) as stage:
        network = SimulatedNetwork(stage.simulation)
        stage.add(idle, at=(0.0, 0.0))
        with pytest.raises(ValueError, match="before the first robot"):
            stage.connect(network)
    with Stage(World()) as stage:
        stage.connect()
        with pytest.raises(ValueError, match="connected to a network already"):
            stage.connect()


def test_a_radio_that_crashes_comes_back_with_new_layers_and_the_same_listeners() -> None:
    """The next leader is trusted while the first is down, and the first again when it is back."""
    trusted: list[Any] = []

    async def follow(robot: Robot) -> None:
        async for leader in robot.radio.told(EventualLeader):
            trusted.append((robot.number, leader))  # noqa: PERF401  # it goes on for ever

    def make() -> Stack:
        return Stack(LowestTrusted(), Heartbeat(period=1.0, timeout=3.0))

    with Stage(World()) as stage:
        failures = [NodeCrash(node=0, start=20.0, end=40.0)]
        stage.connect(Constant(0.1), layers=make, failures=failures)
        for number in range(3):
            stage.add(follow, at=(10.0 * number, 0.0))
        stage.run(until=30.0)
        assert sorted(trusted) == [(1, 1), (2, 1)]
        trusted.clear()
        stage.run(until=80.0)
        assert [leader for number, leader in trusted if number > 0] == [0, 0]


def test_the_program_of_a_robot_whose_radio_came_back_sends_and_receives_again() -> None:
    heard: list[Any] = []

    async def speak(robot: Robot) -> None:
        for number in range(5):
            await robot.radio.send(RadioNumber(number), to=1)
            await sleep(10.0)

    async def listen(robot: Robot) -> None:
        async for message, _ in robot.radio.messages(RadioNumber):
            heard.append((now(), message.value))

    with Stage(World()) as stage:
        failures = [NodeCrash(node=0, start=5.0, end=15.0), NodeCrash(node=1, start=25.0, end=35.0)]
        stage.connect(Constant(0.1), failures=failures)
        stage.add(speak, at=(0.0, 0.0))
        stage.add(listen, at=(10.0, 0.0))
        stage.run(until=50.0)

    assert heard == [(0.1, 0), (20.1, 2), (40.1, 4)]


def test_without_a_layer_of_broadcast_a_broadcast_keeps_what_the_links_promise() -> None:
    heard: list[int] = []

    async def speak(robot: Robot) -> None:
        for number in range(40):
            await robot.radio.broadcast(RadioNumber(number))
            await sleep(0.1)

    async def listen(robot: Robot) -> None:
        async for message, _ in robot.radio.messages(RadioNumber):
            heard.append(message.value)  # it goes on for ever

    with Stage(World(), seed=3) as stage:
        network = SimulatedNetwork(stage.simulation, Exponential(0.2), Loss(0.3), Duplication(0.2))
        stage.connect(network, layers=[InOrder, Acknowledged])
        stage.add(speak, at=(0.0, 0.0))
        stage.add(listen, at=(10.0, 0.0))
        stage.run(until=60.0)

    assert heard == list(range(40))


@pytest.mark.parametrize("stack", [Stack, lambda: Stack(ToEach(), InOrder(), Acknowledged())])
def test_a_field_of_another_type_is_refused_where_the_program_sends(stack: Callable[[], Stack]) -> None:
    """At the call, whatever layers lie between it and the network."""
    refused: list[str] = []

    async def speak(robot: Robot) -> None:
        wrong: Any = RadioWord(3)  # type: ignore[arg-type]
        for sending in (robot.radio.send(wrong, to=1), robot.radio.broadcast(wrong)):
            with pytest.raises(NotAMessage) as said:
                await sending
            refused.append(str(said.value))

    play(speak, idle, stack=stack)

    assert refused == ["the field 'text' of RadioWord takes str, not 3"] * 2
