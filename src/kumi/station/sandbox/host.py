"""How does a program in the sandbox get its robot?

A host stands for the program on the agenda of the robot: it does at once what the program asks for, and tells it what happens. Who
talks to the process says what the agenda does meanwhile. In a contest it stands still until the process has answered, so the
program's kernel is in step with simulated time, exactly. At a station it goes on with the wall clock, and what happens before an
answer is told with it.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, Protocol

import msgspec

from kumi.contract import Body, Message
from kumi.contract.commands import Command
from kumi.contract.published import Shown, ShownMap, ShownMarks, ShownPath
from kumi.devs import Signal, Stream, Task, Together, at, note, now, sleep, together, until
from kumi.geometry import Bounds, Point, Pose
from kumi.robot.radio import MOST_UNREAD, Radio, Reception
from kumi.station.sandbox.run import ChildGone, Contained, failed
from kumi.station.sandbox.values import lift, lower, lower_error
from kumi.station.sandbox.words import (
    AnswerWord,
    Ask,
    CameWord,
    Cancel,
    DeviceWord,
    Do,
    EndedWord,
    FailedWord,
    FiredWord,
    GoWord,
    HaltWord,
    MoveWord,
    NoteWord,
    OrderWord,
    Over,
    Print,
    Question,
    RadioFacts,
    Said,
    Send,
    Show,
    State,
    SteerWord,
    WaitWord,
    Word,
)

FACTS = (bool, int, float, str, Point, Pose, Bounds, type(None))
"""What a program may ask of a device besides signals and readings."""
MOST_EVENTS = 100_000
"""Events of one signal at one instant."""
MOST_BEGUN = 1000
"""What a program does at once, at most: its motion, and readings."""
WRAPPING = 64
"""Bytes that a message of the sandbox takes besides its content."""


@dataclass(frozen=True)
class Carried(Message):
    """A message of a program in the sandbox, as bytes: only programs read them."""

    content: bytes


class PipeExchange(Protocol):
    """The talk with a process."""

    def say(self, word: Word) -> None:
        """Say something to it."""

    async def hear(self) -> Said:
        """Return what it says next; Gone where it is gone."""


class Host:
    """Carries a program in the sandbox on a body.

    `show` and `heard` get what it shows and prints, `known` makes of what a signal told what the program is to know. `ends` are
    errors that end it, and are no matter of the program's.
    """

    def __init__(
        self,
        body: Body,
        home: Point,
        *,
        radio: Radio | None = None,
        group: tuple[int, ...] = (),
        show: Callable[[str, Shown], object] = lambda _name, _value: None,
        heard: Callable[[str], object] = lambda _: None,
        known: Callable[[Any], Any] = lambda value: value,
        ends: tuple[type[Exception], ...] = (),
    ) -> None:
        self.contained = Contained()
        self._body, self._home = body, home
        self._radio, self._group = radio, group
        self._show, self._heard, self._known, self._ends = show, heard, known, ends
        self._sources: dict[str, Callable[[], Signal[Any]]] = {"contacts": lambda: body.contacts}
        if hasattr(type(body), "partings"):  # to ask a body for them would have it look for them
            self._sources["partings"] = partial(getattr, body, "partings")
        self._devices = {name: described(sensor) for name, sensor in body.sensors.items()}
        for name, device in self._devices.items():
            for signal in device.signals:
                self._sources[f"{name}.{signal}"] = partial(getattr, body.sensors[name], signal)
        self._signals = [name for name in self._sources if "." not in name]
        self._events: list[Over | FiredWord | CameWord] = []
        self._news: Signal[None] = Signal("news for the sandbox")
        self._begun: dict[int, Task[Any]] = {}
        self._listening: dict[str, Task[Any]] = {}
        self._tasks: Together | None = None

    async def run(self, order: OrderWord, exchange: PipeExchange) -> Contained:
        """Run a program to its end, and return what came of it."""
        async with together() as tasks:
            self._tasks = tasks
            if self._radio is not None:
                tasks.start(self._receive, self._radio.receptions(Carried).stream(keep=MOST_UNREAD))
            try:
                exchange.say(self._whole(order))
                while not isinstance(word := await exchange.hear(), EndedWord | FailedWord):
                    if isinstance(word, Print | NoteWord | Show):
                        self._take(word)
                        continue
                    if not isinstance(word, WaitWord):
                        self.contained.calls += 1
                    exchange.say(await self._answer(word))
                self._end(word)
            except ChildGone as gone:
                self.contained.outcome = str(gone)
            tasks.cut()
        return self.contained

    def _whole(self, order: OrderWord) -> OrderWord:
        """Return an order with all that a program knows of its robot at first."""
        body, radio = self._body, self._radio
        return msgspec.structs.replace(
            order,
            robot=body.name,
            number=body.number,
            home=(self._home.x, self._home.y),
            now=now(),
            state=self._state(),
            signals=self._signals,
            devices=self._devices,
            radio=None if radio is None else facts_of(radio, self._group),
        )

    def _state(self) -> State:
        body = self._body
        position = body.position
        return State(position.x, position.y, float(body.heading), body.is_moving)

    def _end(self, word: EndedWord | FailedWord) -> None:
        if isinstance(word, FailedWord):
            failed(self.contained, word)
        else:
            self.contained.succeeded = True
            self.contained.value, self.contained.options = word.value, word.options

    def _take(self, word: Print | NoteWord | Show) -> None:
        """Take what gets no answer."""
        match word:
            case Print(text):
                self.contained.printed += text
                self._heard(text)
            case NoteWord(text):
                note(text)
            case Show(name, value):
                try:
                    shown = lift(value)
                except (ValueError, TypeError, RecursionError):
                    raise ChildGone("it was ended: it showed what nobody can see") from None
                if shown is None or isinstance(shown, bool | float | str | ShownMap | ShownPath | ShownMarks):
                    self._show(name, shown)

    async def _answer(self, word: Question) -> AnswerWord | GoWord:
        if isinstance(word, WaitWord):
            return await self._wait(word)
        try:
            value = lower(await self._done(word))
            return AnswerWord(self._state(), value)
        except self._ends:
            raise
        except Exception as error:  # noqa: BLE001 - the program is told, whatever it was
            return AnswerWord(self._state(), None, lower_error(error))

    async def _done(self, word: Question) -> Any:
        """Do at once what a program asks for, and return what it gets."""
        body = self._body
        match word:
            case MoveWord(number, command):
                await self._begin(number, lambda: body.carry_out(as_command(command)))
            case Do(number, device, method, arguments):
                if method not in self._device(device).waits:
                    raise AttributeError(f"'{device}' has no '{method}'")
                action = getattr(body.sensors[device], method)
                await self._begin(number, partial(action, *map(lift, arguments)))
            case Cancel(number):
                task = self._begun.pop(number, None)
                if task is not None and not task.has_ended:
                    task.cut()
                    await sleep(0.0)
            case SteerWord(command):
                body.steer(as_command(command))
            case HaltWord():
                body.stop()
            case Ask(device, name, arguments):
                return self._asked(device, name, arguments)
            case Send(content, to):
                await self._send(content, to)
        return None

    async def _begin(self, number: int, action: Callable[[], Awaitable[Any]]) -> None:
        """Begin what takes time, and let it have its first turn."""
        if number in self._begun or len(self._begun) >= MOST_BEGUN:
            raise ValueError(
                f"a program does {MOST_BEGUN} things at once at most, each under a number of its own"
            )
        assert self._tasks is not None
        self._begun[number] = self._tasks.start(self._carry_out, number, action)
        await sleep(0.0)

    async def _carry_out(self, number: int, action: Callable[[], Awaitable[Any]]) -> None:
        try:
            over = Over(number, lower(await action()))
        except self._ends:
            raise
        except Exception as error:  # noqa: BLE001 - the program is told, whatever it was
            over = Over(number, None, lower_error(error))
        self._begun.pop(number, None)
        self._tell(over)

    def _tell(self, event: Over | FiredWord | CameWord) -> None:
        self._events.append(event)
        self._news.fire()

    async def _wait(self, word: WaitWord) -> GoWord:
        """Wait until something happens or an instant comes, and tell all that happens then."""
        self._listen(word.heard)
        if not self._events and not word.until <= now():
            if word.until < inf:
                with until(at(word.until)):
                    await self._news.next()
            else:
                await self._news.next()
            await sleep(0.0)  # who else has a turn at this instant has had it
        events, self._events = self._events, []
        return GoWord(now(), self._state(), events)

    def _listen(self, heard: list[str]) -> None:
        """Listen to the signals that somebody in the sandbox listens to, and to no others."""
        assert self._tasks is not None
        wanted = self._sources.keys() & set(heard)
        for name in sorted(self._listening.keys() - wanted):
            self._listening.pop(name).cut()
        for name in sorted(wanted - self._listening.keys()):
            stream = self._sources[name]().stream(keep=MOST_EVENTS)
            self._listening[name] = self._tasks.start(self._pass_on, name, stream)

    async def _pass_on(self, name: str, stream: Stream[Any]) -> None:
        async for value in stream:
            try:
                self._tell(FiredWord(name, lower(self._known(value))))
            except TypeError as error:
                note(f"not told to the program: {error}")

    async def _receive(self, receptions: Stream[Reception[Carried]]) -> None:
        async for got in receptions:
            if sum(isinstance(one, CameWord) for one in self._events) < MOST_UNREAD:
                self._tell(CameWord(got.sender, got.message.content, got.rssi))

    async def _send(self, content: bytes, to: list[int] | None) -> None:
        radio = self._radio
        if radio is None:
            raise ValueError("there is no radio")
        receivers = [one for one in self._group if one != radio.address] if to is None and self._group else to
        if receivers is None:
            await radio.broadcast(Carried(content))
        elif set(receivers) <= set(self._group or radio.group):
            await radio.send(Carried(content), receivers)
        else:
            raise ValueError(f"a message goes to robots of the group, not to {receivers}")

    def _device(self, name: str) -> DeviceWord:
        if name not in self._devices:
            raise AttributeError(f"there is no device '{name}'")
        return self._devices[name]

    def _asked(self, name: str, fact: str, arguments: list[Any] | None) -> Any:
        device, sensor = self._device(name), self._body.sensors[name]
        if arguments is None and fact in device.facts:
            return getattr(sensor, fact)
        if arguments is not None and fact in device.calls:
            return getattr(sensor, fact)(*map(lift, arguments))
        raise AttributeError(f"'{name}' has no '{fact}'")


def as_command(told: Any) -> Command:
    """Return a command that a program gave."""
    command = lift(told)
    if not isinstance(command, Command):
        raise TypeError(f"a robot takes commands, not {str(command)[:40]!r}")
    return command


def facts_of(radio: Radio, group: tuple[int, ...]) -> RadioFacts:
    """Return what a program knows of its radio."""
    network = radio.node.network
    limit = None if network.limit is None else max(0, network.limit - WRAPPING)
    return RadioFacts(
        radio.address, list(group or radio.group), limit, network.is_reliable, network.is_in_order
    )


def described(sensor: object) -> DeviceWord:
    """Return what a program may have of a sensor: what its class says is a signal or a plain fact, and its reading.

    A class names further methods for programs in `offered`.
    """
    kind = type(sensor)
    signals, facts = [], []
    for name in dir(kind):
        member = inspect.getattr_static(kind, name)
        if name.startswith("_") or not isinstance(member, property):
            continue
        told = member.fget.__annotations__.get("return", "") if member.fget is not None else ""
        words = told if isinstance(told, str) else getattr(told, "__name__", str(told))
        if words.startswith("Signal"):
            signals.append(name)
        elif set(words.replace(" ", "").split("|")) <= {one.__name__ for one in FACTS} | {"None"}:
            facts.append(name)
    own = getattr(sensor, "__dict__", {})
    facts += [name for name, value in own.items() if not name.startswith("_") and isinstance(value, FACTS)]
    waits = ["read"] if hasattr(sensor, "read") else []
    calls: list[str] = []
    for name in getattr(kind, "offered", ()):
        (waits if inspect.iscoroutinefunction(getattr(kind, name)) else calls).append(name)
    return DeviceWord(signals, facts, waits, calls)
