"""Programs that a team sent to its robot: run once, or kept as modules that add tasks and that other programs can import.

A text that is run adds the tasks that it names in TASKS, as a module does. Modules are kept by the station: a robot that is
started anew takes them again before it does anything else. Tasks of a text live as long as the robot's process.

The program runs in the sandbox, beside the agenda; what it asks of its robot is done on the agenda, as any other task, so a stop cuts
it and a wall blocks it. When the task ends, the sandbox ends. What was printed is in the outcome; what is shown is told to the
team with the robot's place, and marks are put on the station's map.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Any

import msgspec

from kumi.contract import Body, Lost
from kumi.contract.published import Shown, ShownMarks, Value
from kumi.devs import NoRun, Signal, Simulation, note, together
from kumi.robot import NoRadio, Radio, Robot
from kumi.station.entering.examining import Examiner
from kumi.station.entering.program_body import ProgramBody
from kumi.station.entering.task_client import TaskClient, TaskInterrupted
from kumi.station.entering.task_loop import Doing, TaskFailed
from kumi.station.entering.tasks import RouteDriver
from kumi.station.floor.requesting import RobotFloor
from kumi.station.floor_plan import FloorPlan
from kumi.station.operations.finds import MarkObject
from kumi.station.operations.robots import ListModules, TellTaskOptions
from kumi.station.records import Name, PlaceRecord, TaskOption
from kumi.station.sandbox.host import Host
from kumi.station.sandbox.jail import CodeLimits, NoSandbox
from kumi.station.sandbox.run import ChildGone, Contained, Sandbox, failed
from kumi.station.sandbox.words import EndedWord, OrderWord, Print, Said, Word
from kumi.station.sandbox.words import FailedWord as Refusal
from kumi.station.wording import complaint

MOST_SHOWN = 50
"""Values that a robot tells its team at once."""
LONGEST_SHOWN = 200
"""Letters of such a value."""


class Uploads:
    """Runs what a team sent, on one robot."""

    def __init__(
        self,
        driver: RouteDriver,
        floor: RobotFloor,
        options: tuple[TaskOption, ...],
        limits: CodeLimits | None = None,
    ) -> None:
        self.tasks: dict[str, Doing] = {
            **driver.tasks,
            "examineArea": Examiner(driver).examine,
            "run_code": self._run,
            "import_module": self._import,
        }
        self.options = options
        self.shown: dict[str, Value] = {}
        """What the program shows now, for its team."""
        self._driver, self._floor = driver, floor
        self._limits = limits or CodeLimits()
        self._modules: dict[str, str] = {}

    async def restore(self, client: TaskClient) -> None:
        """Take the modules again that the robot had taken before it was started."""
        for module in (await client.ask(ListModules())).modules:
            with suppress(
                TaskFailed, NoSandbox
            ):  # what cannot be used any more is said by the task that needs it
                await self._take_module(module.name, module.code)
        if self._modules:
            await client.ask(TellTaskOptions(options=self.options))

    async def _run(self, robot: Robot, client: TaskClient, arguments: dict[str, Any]) -> str:
        done = await self._carried_out(robot, client, self._order("run", **arguments))
        told = _told(done)
        if not done.options:
            return told
        names = self._add(arguments["name"], arguments["code"], done)
        client.begin(client.ask(TellTaskOptions(options=self.options)))
        return f"{told}; this robot can {names} now"

    async def _import(self, _: Robot, client: TaskClient, arguments: dict[str, Any]) -> str:
        names = await client.beside(self._take_module(arguments["name"], arguments["code"]))
        if not names:
            return f"code can import {arguments['name']} now"
        client.begin(client.ask(TellTaskOptions(options=self.options)))
        return f"this robot can {names} now"

    async def _take_module(self, name: str, code: str) -> str:
        """Keep a module and add its tasks; return their names."""
        done = await described(self._order("describe", name, code), self._limits)
        _told(done)
        names = self._add(name, code, done)
        self._modules[name] = code
        return names

    def _order(self, do: str, name: str, code: str, **more: Any) -> OrderWord:
        """Return what the sandbox is to do with a text, beside which the modules are that were sent before."""
        others = {other: text for other, text in self._modules.items() if other != name}
        return OrderWord(do, name, code, others, **more)

    def _add(self, name: str, code: str, done: Contained) -> str:
        """Add the tasks that a text has; return their names."""
        try:
            added = msgspec.convert(done.options, tuple[TaskOption, ...])
        except msgspec.ValidationError as error:
            raise TaskFailed(f"the TASKS of {name} cannot be used: {complaint(error)}") from None
        for option in added:
            self.tasks[option.name] = self._task_of(name, code, option.name)
        names = {option.name for option in added}
        self.options = (*(one for one in self.options if one.name not in names), *added)
        return ", ".join(sorted(names))

    def _task_of(self, name: str, code: str, task: str) -> Doing:
        async def doing(robot: Robot, client: TaskClient, arguments: dict[str, Any]) -> str:
            order = self._order("task", name, code, task=task, arguments=arguments)
            return _told(await self._carried_out(robot, client, order))

        return doing

    async def _carried_out(self, robot: Robot, client: TaskClient, order: OrderWord) -> Contained:
        """Run an order in the sandbox, and do on the agenda what it asks for."""
        body = ProgramBody(robot._body, client, self._floor, self._driver.radius)
        plan = FloorPlan(lambda: self._driver.space(client), self._driver.radius, body)
        body.sensors = {"plan": plan, **body.sensors}
        home = client.correction.to_station(robot.home)
        host = Host(
            body,
            home,
            radio=radio_of(robot),
            show=partial(self._show, client),
            heard=client.tell_output,
            known=body.as_known,
            ends=(TaskInterrupted,),
        )
        exchange = Beside(self._limits, client.simulation, partial(checkpoint, client, body))
        self.shown.clear()
        try:
            async with together() as tasks:
                body.tasks = tasks
                done = await host.run(order, exchange)
                tasks.cut()
        finally:
            exchange.close()
            with suppress(Lost):
                robot.stop()
        return done

    def _show(self, client: TaskClient, name: str, value: Shown) -> None:
        """Tell the team what a program shows; marks go on the map, other drawings are for those who watch a run."""
        if isinstance(value, ShownMarks):
            try:
                called = msgspec.convert(name, Name)
                spots = [msgspec.convert({"x": one.x, "y": one.y}, PlaceRecord) for one in value.places]
            except msgspec.ValidationError as error:
                note(f"the mark {name!r} cannot be kept: {complaint(error)}")
                return
            for spot in spots:
                client.begin(client.ask(MarkObject(name=called, at=spot)))
        elif value is None:
            self.shown.pop(name, None)
        elif isinstance(value, bool | float | str) and (name in self.shown or len(self.shown) < MOST_SHOWN):
            self.shown[name] = value[:LONGEST_SHOWN] if isinstance(value, str) else value


class Beside:
    """Talks to a sandbox in a thread of its own, while the agenda goes on; `checkpoint` is called between two words."""

    def __init__(self, limits: CodeLimits, simulation: Simulation, checkpoint: Callable[[], None]) -> None:
        self._limits, self._simulation, self._breathe = limits, simulation, checkpoint
        self._answers: SimpleQueue[Word | None] = SimpleQueue()
        self._answer: Word | None = None
        self._came: Signal[Said | Exception] = Signal("words of the sandbox")
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._talk, name="sandbox", daemon=True)
        self._thread.start()

    def say(self, word: Word) -> None:
        """Have the next turn of the talk begin with a word."""
        self._breathe()
        self._answer = word

    async def hear(self) -> Said:
        """Wait for a word; Gone or NoSandbox where there will be none."""
        self._answers.put(self._answer)
        self._answer = None
        word = await self._came.next()
        if isinstance(word, Exception):
            raise word
        return word

    def close(self) -> None:
        """End the talk, and the process."""
        self._is_over.set()
        self._answers.put(None)

    def _talk(self) -> None:
        try:
            sandbox = Sandbox(self._limits, self._is_over.is_set)
        except (NoSandbox, OSError) as error:
            self._answers.get()
            self._bring(NoSandbox(str(error)))
            return
        try:
            while True:
                answer = self._answers.get()
                if self._is_over.is_set():
                    return
                if answer is not None:
                    sandbox.say(answer)
                self._bring(sandbox.hear())
        except ChildGone as gone:
            self._bring(gone)
        finally:
            sandbox.close()

    def _bring(self, word: Said | Exception) -> None:
        with suppress(NoRun):  # the robot has left meanwhile
            self._simulation.inject(self._came, word)


async def described(order: OrderWord, limits: CodeLimits) -> Contained:
    """Return which tasks a text has, from a sandbox that has no robot for it."""
    over = threading.Event()

    def talk() -> Contained:
        contained = Contained()
        sandbox = Sandbox(limits, over.is_set)
        try:
            sandbox.say(order)
            while not isinstance(word := sandbox.hear(), EndedWord | Refusal):
                if not isinstance(word, Print):
                    raise ChildGone("it was ended: a module has no robot while it is taken")
                contained.printed += word.text
            if isinstance(word, Refusal):
                failed(contained, word)
            else:
                contained.succeeded, contained.options = True, word.options
        except ChildGone as gone:
            contained.outcome = str(gone)
        finally:
            sandbox.close()
        return contained

    try:
        return await asyncio.to_thread(talk)
    except NoSandbox as refused:
        raise TaskFailed(str(refused)) from refused
    finally:
        over.set()


def checkpoint(client: TaskClient, body: Body) -> None:
    """Let another task come where it is wanted, unless a motion is under way."""
    if not body.is_moving:
        client.checkpoint()


def radio_of(robot: Robot) -> Radio | None:
    """Return the radio of a robot that has one."""
    try:
        return robot.radio
    except NoRadio:
        return None


def _told(done: Contained) -> str:
    """Return the outcome of a run; raise Failed where it was none."""
    said = f"; it printed: {done.printed.strip()[-500:]}" if done.printed.strip() else ""
    if not done.succeeded:
        raise TaskFailed(f"{done.outcome}{said}")
    return f"{done.value or 'the program came to its end'}{said}"
