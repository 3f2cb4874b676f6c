"""What stands behind a robot in the sandbox: a body whose commands, readings and contacts cross the pipe.

The program holds the robot that it holds everywhere. Where the robot is was told with the last answer, and nothing moves between
two answers, so it is exact. A motion begins at the instant at which the program asks for it; whatever ends it comes back as what
happened at an instant.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from kumi.contract.commands import Command
from kumi.contract.messages import Address, Message
from kumi.devs import Chance, Signal, Simulation, Stream
from kumi.devs.ranks import MESSAGE_RANK
from kumi.geometry import Point
from kumi.network.network import Network
from kumi.network.node import Node
from kumi.network.wire import decode, encode
from kumi.protocols.stack import Stack
from kumi.robot.radio import Radio
from kumi.station.sandbox.values import lift, lift_error, lower
from kumi.station.sandbox.words import (
    AnswerWord,
    Ask,
    CameWord,
    Cancel,
    DeviceWord,
    Do,
    FiredWord,
    GoWord,
    HaltWord,
    MoveWord,
    OrderWord,
    Over,
    Question,
    RadioFacts,
    Send,
    State,
    SteerWord,
    WaitWord,
)

if TYPE_CHECKING:
    Say = Callable[[Question], AnswerWord | GoWord]


class PipedBody:
    """A body at the other end of a pipe; `say` puts a question and gives the answer."""

    def __init__(self, order: OrderWord, simulation: Simulation, say: Say) -> None:
        self.name, self.number = order.robot, order.number
        self.position, self.heading, self.is_moving = Point(*order.home), 0.0, False
        self.network: PipedNetwork | None = None
        self._simulation = simulation
        self._say = say
        self._numbers = count()
        self._begun: dict[int, Signal[Over]] = {}
        self._signals: dict[str, Signal[Any]] = {name: Signal(name) for name in order.signals}
        self.sensors: Mapping[str, PipedDevice] = {
            name: PipedDevice(self, name, device) for name, device in order.devices.items()
        }

    @property
    def contacts(self) -> Signal[Any]:
        """Each contact, at its instant."""
        return self.signal("contacts")

    @property
    def partings(self) -> Signal[Any]:
        """The end of each contact, at its instant, where the body outside tells of it."""
        if "partings" not in self._signals:
            raise AttributeError(f"the body of {self.name} has no 'partings'")
        return self.signal("partings")

    @property
    def chance(self) -> Chance:
        """Its own random numbers."""
        return self._simulation.chance(self.name)

    def signal(self, name: str) -> Signal[Any]:
        """Return the signal here that fires with the one of that name outside."""
        return self._signals[name]

    def carry_out(self, command: Command) -> Awaitable[Point]:
        """Make the motion to await."""
        return self.begin(partial(MoveWord, command=lower(command)))

    def steer(self, command: Command) -> None:
        """Drive on without being awaited."""
        self.call(SteerWord(lower(command)))

    def stop(self) -> None:
        """End the motion under way."""
        self.call(HaltWord())

    def call(self, question: Question) -> Any:
        """Put a question and return the answer, or raise it."""
        answer = self._say(question)
        assert isinstance(answer, AnswerWord)
        self.take(answer.state)
        if answer.error is not None:
            raise lift_error(answer.error)
        return lift(answer.value)

    async def begin(self, question: Callable[[int], MoveWord | Do]) -> Any:
        """Begin what takes time, and wait until it is over; who leaves it ends it."""
        number = next(self._numbers)
        over = self._begun[number] = Signal(f"the end of what {self.name} does", once=True)
        self.call(question(number))
        try:
            ended = await over.next()
        finally:
            if self._begun.pop(number, None) is not None and not over.has_fired:
                self.call(Cancel(number))
        if ended.error is not None:
            raise lift_error(ended.error)
        return lift(ended.value)

    def wait(self, until: float) -> float:
        """Let time pass outside, and plan here what happens at its end; return that instant."""
        heard = [name for name, signal in self._signals.items() if signal.listeners]
        go = self._say(WaitWord(until, heard))
        assert isinstance(go, GoWord)
        self.take(go.state)
        for event in go.events:
            rank = MESSAGE_RANK if isinstance(event, CameWord) else 0
            self._simulation.schedule(go.time, partial(self._happen, event), rank=rank)
        return go.time

    def take(self, state: State) -> None:
        """Be where the body outside is."""
        self.position, self.heading, self.is_moving = Point(state.x, state.y), state.heading, state.is_moving

    def _happen(self, event: Over | FiredWord | CameWord) -> None:
        match event:
            case Over(number):
                if number in self._begun:
                    self._begun[number].fire(event)
            case FiredWord(name, value):
                self._signals[name].fire(lift(value))
            case CameWord():
                assert self.network is not None
                self.network.take(event)


class PipedDevice:
    """A sensor at the other end of a pipe: what it has and does is what the one outside has and does."""

    def __init__(self, body: PipedBody, name: str, device: DeviceWord) -> None:
        self._body, self._name, self._device = body, name, device
        for signal in device.signals:
            body._signals[f"{name}.{signal}"] = Signal(f"{body.name}.{name}")

    def __getattr__(self, name: str) -> Any:
        """Give a fact, a signal, or what can be called."""
        device = self._device
        if name in device.signals:
            return self._body.signal(f"{self._name}.{name}")
        if name in device.facts:
            return self._body.call(Ask(self._name, name))
        if name in device.waits:
            return partial(self._begun, name)
        if name in device.calls:
            return partial(self._called, name)
        signal = name.removeprefix("wait_")
        if signal != name and signal in device.signals:
            return self._body.signal(f"{self._name}.{signal}").next
        if name == "wait" and "reports" in device.signals:
            return self._body.signal(f"{self._name}.reports").next
        raise AttributeError(f"the device '{self._name}' of {self._body.name} has no '{name}'")

    def __aiter__(self) -> Stream[Any]:
        if "reports" not in self._device.signals:
            raise TypeError(
                f"the device '{self._name}' of {self._body.name} answers when asked; it does not report"
            )
        return self._body.signal(f"{self._name}.reports").stream()

    def _begun(self, method: str, *arguments: Any) -> Coroutine[Any, Any, Any]:
        given = list(map(lower, arguments))
        return self._body.begin(partial(Do, device=self._name, method=method, arguments=given))

    def _called(self, name: str, *arguments: Any) -> Any:
        return self._body.call(Ask(self._name, name, list(map(lower, arguments))))


class PipedNetwork(Network):
    """Carries messages out of the sandbox as bytes, and those that come to the one node that is here."""

    def __init__(self, body: PipedBody, facts: RadioFacts) -> None:
        super().__init__()
        self.is_reliable, self.is_in_order, self.limit = facts.is_reliable, facts.is_in_order, facts.limit
        self._body = body
        self._group = tuple(facts.group)

    def send(self, sender: Address, to: Address, message: Message) -> None:
        """Send a message to one robot."""
        self.multicast(sender, [to], message)

    def multicast(self, sender: Address, to: Sequence[Address], message: Message) -> None:
        """Send a message to several robots."""
        for receiver in to:
            if receiver not in self._group:
                self.check_receiver(message, receiver)
        self._body.call(Send(encode(self.as_message(message), self.limit), list(to)))

    def broadcast(self, sender: Address, message: Message) -> None:
        """Send a message to all who hear it."""
        self._body.call(Send(encode(self.as_message(message), self.limit)))

    def take(self, came: CameWord) -> None:
        """Give a message to the node that is here."""
        message = decode(came.content)
        self.rssi = came.rssi
        for receiver in self._receivers.values():
            receiver.arrive(message, came.sender)
        self.rssi = None


def radio_over(body: PipedBody, simulation: Simulation, facts: RadioFacts) -> Radio:
    """Return the radio of a robot in the sandbox."""
    radio = Radio()
    body.network = network = PipedNetwork(body, facts)

    def move_in(node: Node) -> Stack:
        stack = Stack(radio)
        radio.attach(stack)
        return stack.settle(node)

    group = tuple(facts.group)
    Node(simulation, network, facts.address, group=group, move_in=move_in, name=body.name).start()
    return radio
