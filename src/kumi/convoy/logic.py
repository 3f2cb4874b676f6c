"""Does a robot of the convoy avoid what it touches as is specified?  The frame for one robot, without a body.

The table says for each state and input which outputs follow, and which state. All sequences of inputs come from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kumi.contract import Forward
from kumi.contract.devices import Halt, Moved
from kumi.contract.readings import Pressed
from kumi.convoy.program.avoid import Avoid
from kumi.devs import InPort, OutPort
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
        ("halting", "blocked"): Rule(("back",), "backing"),
        ("halting", "arrived"): Rule(("done",), "idle"),
        ("backing", "touch"): Rule((), "backing"),
        ("backing", "arrived"): Rule(("short",), "idle"),
    },
)


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

    def model(self) -> Avoid:
        """Return the model by which robots of the convoy avoid."""
        return Avoid("avoid", BACK_OFF)

    def inputs(self, model: Avoid) -> Mapping[str, tuple[InPort[Any] | None, Any]]:
        """Return what stands for each input."""
        return {
            "go": (model.wanted, Forward(1.0)),
            "touch": (model.touched, Pressed(0.0, 0.0)),
            "arrived": (model.motor_moved, Moved(True, 1.0)),
            "blocked": (model.motor_moved, Moved(False, 0.4)),
        }

    def outputs(self, model: Avoid) -> Mapping[str, OutPort[Any]]:
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
