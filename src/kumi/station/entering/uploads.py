"""Code that a team sent to its robot: run once, or kept as a module that adds tasks and that other code can import.

Code that is run adds the tasks that it names in TASKS, as a module does. Modules are kept by the station: a robot that is
started anew takes them again before it does anything else. Tasks of code live as long as the robot's process.

The code runs in the sandbox, around the agenda; what it asks of its robot is done on the agenda, as any other task, so a stop cuts
it and a wall blocks it. When the task ends, the sandbox ends. What the code printed is in the outcome.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from kumi.contract.errors import Blocked
from kumi.devs import Signal, sleep
from kumi.geometry import wrapped
from kumi.robot import Robot
from kumi.station.entering.examining import Examiner
from kumi.station.entering.task_client import Desk
from kumi.station.entering.task_loop import Doing, Failed
from kumi.station.entering.tasks import Driver
from kumi.station.operations.finds import MarkObject
from kumi.station.operations.robots import ListModules, TellTaskOptions
from kumi.station.records import Name, Spot, TaskOption
from kumi.station.sandbox.jail import Limits, NoSandbox
from kumi.station.sandbox.run import CallFailed, Contained, run_code
from kumi.station.wording import complaint

FARTHEST = 1000.0
"""Metres, radians or seconds that one call may ask for."""


@dataclass(frozen=True)
class _Call:
    name: str
    arguments: list[Any]
    answer: asyncio.Future[Any]


class Uploads:
    """Runs what a team sent, on one robot."""

    def __init__(self, driver: Driver, options: tuple[TaskOption, ...], limits: Limits | None = None) -> None:
        self.tasks: dict[str, Doing] = {
            **driver.tasks,
            "examineArea": Examiner(driver).examine,
            "run_code": self._run,
            "import_module": self._import,
        }
        self.options = options
        self._driver = driver
        self._limits = limits or Limits()
        self._modules: dict[str, str] = {}

    async def restore(self, desk: Desk) -> None:
        """Take the modules again that the robot had taken before it was started."""
        for module in (await desk.ask(ListModules())).modules:
            order = self._order("describe", {"name": module.name, "code": module.code})
            with suppress(
                Failed, NoSandbox
            ):  # what cannot be used any more is said by the task that needs it
                done = await run_code(order, _refuse, self._limits)
                _told(done)
                self._add({"name": module.name, "code": module.code}, done.value, is_module=True)
        if self._modules:
            await desk.ask(TellTaskOptions(options=self.options))

    async def _run(self, robot: Robot, desk: Desk, arguments: dict[str, Any]) -> str:
        done = await self._carried_out(robot, desk, self._order("run", arguments))
        told = _told(done)
        if not done.value:
            return told
        names = self._add(arguments, done.value, is_module=False)
        desk.begin(desk.ask(TellTaskOptions(options=self.options)))
        return f"{told}; this robot can {names} now"

    async def _import(self, robot: Robot, desk: Desk, arguments: dict[str, Any]) -> str:
        done = await self._carried_out(robot, desk, self._order("describe", arguments))
        _told(done)
        names = self._add(arguments, done.value, is_module=True)
        if not names:
            return f"code can import {arguments['name']} now"
        desk.begin(desk.ask(TellTaskOptions(options=self.options)))
        return f"this robot can {names} now"

    def _order(self, do: str, code: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Return what the sandbox is to do with some code, beside which the modules are that were sent before."""
        others = {name: text for name, text in self._modules.items() if name != code["name"]}
        return {"do": do, "name": code["name"], "code": code["code"], "modules": others, **more}

    def _add(self, code: dict[str, Any], value: Any, *, is_module: bool) -> str:
        """Add the tasks that some code has; return their names."""
        try:
            added = msgspec.convert(value, tuple[TaskOption, ...])
        except msgspec.ValidationError as error:
            raise Failed(f"the TASKS of {code['name']} cannot be used: {complaint(error)}") from None
        if is_module:
            self._modules[code["name"]] = code["code"]
        for option in added:
            self.tasks[option.name] = self._task_of(code, option.name)
        names = {option.name for option in added}
        self.options = (*(one for one in self.options if one.name not in names), *added)
        return ", ".join(sorted(names))

    def _task_of(self, module: dict[str, Any], name: str) -> Doing:
        async def doing(robot: Robot, desk: Desk, arguments: dict[str, Any]) -> str:
            order = self._order("task", module, task=name, arguments=arguments)
            return _told(await self._carried_out(robot, desk, order))

        return doing

    async def _carried_out(self, robot: Robot, desk: Desk, order: dict[str, Any]) -> Contained:
        """Run an order in the sandbox, and do on the agenda what it asks for."""
        talk: Signal[_Call | Contained | Exception] = Signal()
        words = talk.stream()
        running = asyncio.ensure_future(self._beside(order, partial(desk.simulation.inject, talk)))
        try:
            async for word in words:
                if isinstance(word, Contained):
                    return word
                if isinstance(word, Exception):
                    raise Failed(str(word)) from word
                await self._answer(robot, desk, word)
        finally:
            running.cancel()
        raise AssertionError("a signal does not end")

    async def _beside(self, order: dict[str, Any], say: Callable[[Any], None]) -> None:
        async def answer(name: str, arguments: list[Any]) -> Any:
            call = _Call(name, arguments, asyncio.get_running_loop().create_future())
            say(call)
            return await call.answer

        try:
            say(await run_code(order, answer, self._limits))
        except NoSandbox as refused:
            say(refused)

    async def _answer(self, robot: Robot, desk: Desk, call: _Call) -> None:
        try:
            value = await self._done(robot, desk, call.name, call.arguments)
        except (Blocked, Failed, ValueError, TypeError) as error:
            _finish(call.answer, CallFailed(complaint(error)))
        except BaseException:
            _finish(call.answer, CallFailed("the task was taken away"))
            raise
        else:
            _finish(call.answer, value)

    async def _done(self, robot: Robot, desk: Desk, name: str, arguments: list[Any]) -> Any:
        desk.breathe()
        match name, arguments:
            case "go_to", [x, y]:
                await self._driver.go_to(robot, desk, {"at": {"x": x, "y": y}})
            case "forward", [distance]:
                await self._driver.forward(robot, desk, _number(distance))
            case "turn", [angle]:
                await robot.turn(_number(angle))
            case "sleep", [seconds]:
                await sleep(abs(_number(seconds)))
            case "position", []:
                at = desk.correction.to_station(robot.position)
                return [at.x, at.y, wrapped(robot.heading + desk.correction.turn)]
            case "read", [str(sensor)]:
                return await _read(robot, sensor)
            case "mark", [str(what), x, y]:
                spot = msgspec.convert({"x": x, "y": y}, Spot)
                name = msgspec.convert(what, Name)
                desk.begin(desk.ask(MarkObject(name=name, at=spot)))
            case _:
                raise Failed(f"a robot has no call {name} with {len(arguments)} values")
        return None


async def _refuse(name: str, _: list[Any]) -> Any:
    raise CallFailed(f"a robot does not {name} while it takes a module")


async def _read(robot: Robot, sensor: str) -> Any:
    found = (
        robot.__dict__.get("sensors", {}).get(sensor)
        if sensor.startswith("_")
        else getattr(robot, sensor, None)
    )
    read = getattr(found, "read", None)
    if read is None:
        raise Failed(f"this robot has no sensor '{sensor}'")
    return msgspec.to_builtins(await read())


def _finish(answer: asyncio.Future[Any], value: Any) -> None:
    if answer.done():
        return
    if isinstance(value, Exception):
        answer.set_exception(value)
    else:
        answer.set_result(value)


def _number(value: Any) -> float:
    if not isinstance(value, int | float) or not -FARTHEST <= value <= FARTHEST:
        raise Failed(f"that takes a number from {-FARTHEST:g} to {FARTHEST:g}, not {value!r}")
    return float(value)


def _told(done: Contained) -> str:
    """Return the outcome of a run; raise Failed where it was none."""
    said = f"; it printed: {done.printed.strip()[-500:]}" if done.printed.strip() else ""
    if not done.succeeded:
        raise Failed(f"{done.outcome}{said}")
    value = f"{done.value}" if isinstance(done.value, str) and done.value else "the code came to its end"
    return f"{value}{said}"
