"""Does a robot of the convoy avoid what it touches as is specified?  The frame for one robot, on a body that a test plays.

The table says for each state and input which outputs follow, and which state. All sequences of inputs come from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from kumi.contract import Blocked, Body, Command, Forward
from kumi.contract.devices import Halt, Moved
from kumi.contract.readings import Pressed
from kumi.convoy.program.avoid import Avoid
from kumi.devs import InPort, OutPort, Program, together
from kumi.geometry import Point
from kumi.study.logic import LogicExperiment, Rule, Specification

BACK_OFF = 0.1
"""Metres that it goes back."""

AVOIDING = Specification(
    "idle",
    {
        ("idle", "go"): Rule(("command",), "driving"),
        ("idle", "touch"): Rule((), "idle"),
        ("driving", "touch"): Rule(("halt",), "halting"),
        ("driving", "arrived"): Rule(("done",), "idle"),
        ("driving", "blocked"): Rule(("back",), "backing"),
        ("halting", "touch"): Rule((), "halting"),
        ("halting", "arrived"): Rule(("back",), "backing"),
        ("halting", "blocked"): Rule(("back",), "backing"),
        ("backing", "touch"): Rule((), "backing"),
        ("backing", "arrived"): Rule(("short",), "idle"),
        ("backing", "blocked"): Rule(("short",), "idle"),
    },
)


class PlayedAvoid(Program):
    """What avoids, on a body whose answers come in by ports; what it tells that body, and what it answers, goes out."""

    position = Point(0.0, 0.0)
    is_moving = False

    def __init__(self, name: str, kind: type[Avoid] = Avoid) -> None:
        super().__init__(name)
        self.wanted = self.add_input("wanted", Forward)
        self.touched = self.add_input("touched", Pressed)
        self.ended = self.add_input("ended", bool)
        self.commands = self.add_output("commands", Command)
        self.halts = self.add_output("halts", Halt)
        self.moved = self.add_output("moved", Moved)
        self.reports = self.touched.arrivals
        self.avoid = kind(cast(Body, self), [self], BACK_OFF)

    async def run(self) -> None:
        """Drive as far as is wanted."""
        async with together() as tasks:
            tasks.start(self.avoid.feel)
            async for command in self.wanted.arrivals:
                self.moved.send(await self.avoid.drive(0.0, command.distance))

    async def carry_out(self, command: Command) -> Point:
        """Send the command out, and wait for its end."""
        self.is_moving = True
        self.commands.send(command)
        is_complete = await self.ended.arrivals.next()
        self.is_moving = False
        if not is_complete:
            raise Blocked(self.position, "a test", 0.0, None)
        return self.position

    def stop(self) -> None:
        """Send out that the motion is to end."""
        self.halts.send(Halt())


@dataclass(frozen=True, kw_only=True)
class AvoidLogic(LogicExperiment):
    """One sequence of inputs: one of those that use every rule, or, with a `length`, of all that are so long."""

    length: int = 0

    def specification(self) -> Specification:
        """Return what avoiding is to answer."""
        return AVOIDING

    def sequences(self) -> list[tuple[str, ...]]:
        """Return the sequences to choose from."""
        return list(AVOIDING.all_of(self.length)) if self.length else AVOIDING.tours()

    def model(self) -> PlayedAvoid:
        """Return what robots of the convoy avoid by."""
        return PlayedAvoid("avoid")

    def inputs(self, model: PlayedAvoid) -> Mapping[str, tuple[InPort[Any] | None, Any]]:
        """Return what stands for each input."""
        return {
            "go": (model.wanted, Forward(1.0)),
            "touch": (model.touched, Pressed(0.0, 0.0)),
            "arrived": (model.ended, True),
            "blocked": (model.ended, False),
        }

    def outputs(self, model: PlayedAvoid) -> Mapping[str, OutPort[Any]]:
        """Return all ports by which it answers."""
        return {"commands": model.commands, "moved": model.moved, "halts": model.halts}

    def word(self, value: Any) -> str:
        """Return the word for what came out."""
        match value:
            case Halt():
                return "halt"
            case Moved(is_complete):
                return "done" if is_complete else "short"
            case Forward(distance):
                return "command" if distance > 0.0 else "back"
        return repr(value)
