"""How is a list of commands written in words?

One command a line, or several with `;` between them; what follows `#` is a note. Before a command stands for
whom it is: `1: forward 30 cm` is for robot 1, `all:` and nothing are for everybody.

    forward 30 cm            back 10 cm at 8 cm/s      forward         (goes on until told otherwise)
    left 24 deg              right 12°                 straight
    read all                 read front, encoder       wait 2 s        stop

A word that is not understood is named with its line and its place in it, and with what could stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from math import radians

from kumi.contract import CannotDo
from kumi.control.steps import GO_ON, Aim, Go, ReadStep, Step, StopMotor, Wait, entries_of, name_of
from kumi.devs.errors import KumiError
from kumi.link.calibration import Calibration
from kumi.link.devices import READABLE, Device, Entry

METRES = {"mm": 0.001, "cm": 0.01, "m": 1.0}
ANGLES = ("deg", "degree", "degrees", "°")
SECONDS = {"ms": 0.001, "s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0, "min": 60.0}
SPEEDS = {"mm/s": 0.001, "cm/s": 0.01, "m/s": 1.0}
DEVICES = {name_of(device): device for device in READABLE}
VERBS = ("forward", "back", "left", "right", "straight", "read", "wait", "stop")

TOKEN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)|[a-z]+(?:/s)?|°|,|\S")
NUMBER = re.compile(r"\d+\.?\d*|\.\d+")
TARGET = re.compile(r"\s*(?:robot\s+)?(\w+)\s*:")


class WordsError(KumiError, ValueError):
    """A command that is not understood; the sentence names line and word."""


@dataclass(frozen=True)
class Order:
    """A step, for whom it is (None: for everybody), and the line it stands in."""

    step: Step
    robot: int | None = None
    line: int = 1


@dataclass(frozen=True)
class WrittenWord:
    """One word, as it was written, and where."""

    text: str
    line: int
    column: int


def parse_orders(text: str, *, first_line: int = 1) -> list[Order]:
    """Read a list of commands."""
    return list(_orders(text, first_line))


def check_order(order: Order, calibration: Calibration, robot: str) -> tuple[Entry, ...]:
    """Return the entries that begin an order on a robot; WordsError where it cannot carry it out."""
    try:
        return entries_of(order.step, calibration)
    except CannotDo as error:
        raise WordsError(f"line {order.line}: {robot}: {error}") from None


def _orders(text: str, first_line: int) -> Iterator[Order]:
    for number, line in enumerate(text.splitlines(), first_line):
        column = 0
        for part in line.partition("#")[0].split(";"):
            if part.strip():
                yield _order(part, number, column)
            column += len(part) + 1


def _order(part: str, line: int, column: int) -> Order:
    target = TARGET.match(part)
    robot = _robot(target[1], line) if target else None
    begin = target.end() if target else 0
    words = [
        WrittenWord(found[0], line, column + begin + found.start() + 1)
        for found in TOKEN.finditer(part[begin:].lower())
    ]
    if not words:
        raise WordsError(f"line {line}: there is nothing for robot {robot} to do")
    return Order(_Reader(words).step(), robot, line)


def _robot(word: str, line: int) -> int | None:
    if word.lower() == "all":
        return None
    if not word.isdecimal():
        raise WordsError(f"line {line}: {word!r} is no robot; write its number, or all")
    return int(word)


class _Reader:
    """Reads the words of one command from left to right."""

    def __init__(self, words: list[WrittenWord]) -> None:
        self._words = words
        self._at = 0

    def step(self) -> Step:
        """Read the whole command."""
        verb = self._words[0]
        self._at = 1
        step = self._step_of(verb)
        if self._at < len(self._words):
            raise self._error("is one word too many", self._words[self._at])
        return step

    def _step_of(self, verb: WrittenWord) -> Step:
        match verb.text:
            case "forward":
                return self._go(1.0)
            case "back" | "backward" | "backwards":
                return self._go(-1.0)
            case "left":
                return Aim(radians(self._amount(dict.fromkeys(ANGLES, 1.0))))
            case "right":
                return Aim(-radians(self._amount(dict.fromkeys(ANGLES, 1.0))))
            case "straight":
                return Aim(0.0)
            case "read":
                return ReadStep(self._devices())
            case "wait":
                return Wait(self._amount(SECONDS))
            case "stop":
                return StopMotor()
        near = get_close_matches(verb.text, VERBS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise self._error(f"is no command: {', '.join(VERBS)} are{hint}", verb)

    def _go(self, sign: float) -> Go:
        way = GO_ON
        if self._at < len(self._words) and self._words[self._at].text != "at":
            way = self._amount(METRES)
        speed = None
        if self._at < len(self._words) and self._words[self._at].text == "at":
            self._at += 1
            speed = self._amount(SPEEDS)
        return Go(sign * way, speed)

    def _amount(self, units: dict[str, float]) -> float:
        """Read a number above 0 and its unit."""
        number = self._next("a number")
        if not NUMBER.fullmatch(number.text) or float(number.text) == 0.0:
            raise self._error("is no number above 0", number)
        unit = self._next(f"a unit, such as {next(iter(units))},")
        if unit.text not in units:
            raise self._error(f"is no unit here: {', '.join(units)} are", unit)
        return float(number.text) * units[unit.text]

    def _devices(self) -> tuple[Device, ...]:
        words = self._words[self._at :]
        if not words:
            raise self._error(f"needs what to read: all, {', '.join(DEVICES)}", self._words[0])
        self._at = len(self._words)
        if [word.text for word in words] == ["all"]:
            return READABLE
        found = []
        for name in " ".join(word.text for word in words).split(","):
            device = DEVICES.get(name.strip())
            if device is None:
                wrong = name.strip().split(" ")[0] if name.strip() else ","
                where = next((word for word in words if word.text == wrong), words[0])
                raise self._error(f"is nothing to read: all, {', '.join(DEVICES)} are", where)
            found.append(device)
        return tuple(found)

    def _next(self, what: str) -> WrittenWord:
        if self._at >= len(self._words):
            last = self._words[-1]
            raise self._error(f"needs {what} after it", last)
        self._at += 1
        return self._words[self._at - 1]

    def _error(self, reason: str, word: WrittenWord) -> WordsError:
        return WordsError(f"line {word.line}, column {word.column}: {word.text!r} {reason}")
