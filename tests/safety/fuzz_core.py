"""Calls everything that the core offers with arguments of every sort: an error may come of it, a crash may not.

What there is to call is found in the module and its stubs, so what is new is called, too. A script is a few hundred
calls; what they give is kept for later calls, dropped, or collected. Callbacks make calls of their own, from inside.

    python -m tests.safety.fuzz_core FIRST COUNT
"""

from __future__ import annotations

import ast
import copy
import gc
import pickle
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import kumi.contract  # hands its classes to the core
import kumi.motion
import kumi.world
from kumi import _core as core
from tests.safety.batches import main
from tests.safety.values import Values

STUBS = ast.parse(Path(kumi.__file__).with_name("_core.pyi").read_text())
ARGUMENTS: dict[tuple[str, str], list[ast.arguments]] = {}
for _item in STUBS.body:
    for _part in _item.body if isinstance(_item, ast.ClassDef) else [_item]:
        if isinstance(_part, ast.FunctionDef):
            _owner = _item.name if isinstance(_item, ast.ClassDef) else ""
            ARGUMENTS.setdefault((_owner, _part.name), []).append(_part.args)

CLASSES: dict[str, type] = {name: thing for name, thing in vars(core).items() if isinstance(thing, type)}
FUNCTIONS = sorted(
    name for name, thing in vars(core).items() if callable(thing) and not isinstance(thing, type)
)
# What would change Python itself, or end the script's own work, is none of the core's business.
LEFT_OUT = {"provide", "__class__", "__getattribute__", "__init_subclass__", "__subclasshook__", "__dir__"}
PLAIN: list[Any] = [copy.copy, copy.deepcopy, pickle.dumps, repr, str, hash, bool, iter, len]
CALLS, DEEPEST, MOST = 120, 3, 60


class Model(core.Atomic):
    """A model whose transitions do anything."""

    script: Script

    def begin(self) -> None:
        """Do anything."""
        self.script.act_quietly()

    output = internal = external = confluent = begin


class World(core.Plane):
    """A plane of a user's own class."""


class Something(core.PlaneBody):
    """A body of a user's own class."""


class Bell(core.Signal[Any]):
    """A signal of a user's own class."""


class Machine(core.RobotBase):
    """A robot of a user's own class."""


class Stop(core.BlockedBase):
    """An error of a user's own class."""


OWN = [Model, World, Something, Bell, Machine, Stop]


class Straight:
    """A drive."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def plan(self, command: Any, body: Any, /) -> Any:
        """Give any legs, or what is none."""
        self.script.act_quietly()
        return self.script.values.things("Leg")


class Noisy:
    """Does something when it goes."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def __del__(self) -> None:
        self.script.act_quietly()


class Script:
    """Calls by chance, and what came of them."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.values = Values(rng, self.thing, self.act)
        self.kept: list[Any] = []
        self.depth = 0
        self.calls = 0
        Model.script = self

    def play(self) -> None:
        """Make all calls."""
        self.kept += [core.Engine(self.rng.random() < 0.5), core.Engine(False), Bell("bell")]
        self.furnish()
        while self.calls < CALLS:
            self.act_quietly()

    def furnish(self) -> None:
        """Make what seldom comes about by chance: a plane with bodies, in a run."""
        plane = core.Plane("plane", (0.0, 0.0, 10.0, 10.0) if self.rng.random() < 0.7 else None)
        self.kept.append(plane)
        for number in range(self.rng.choice([1, 3, 6, 30])):
            shape = (
                core.Shape.disc(0.3)
                if number % 3
                else core.Shape.polygon([(0.3, 0.0), (-0.2, 0.2), (-0.2, -0.2)])
            )
            at = 1.0 + number % 6 * 1.5, 1.0 + number // 6 * 1.5
            self.kept.append(Something(plane, f"b{number}", shape, *at, 0.0, Straight(self)))
        if self.rng.random() < 0.8:
            with suppress(Exception):
                self.kept[0].enter(plane)
        self.kept += [
            core.Leg.forward(3.0, 1.0),
            core.Leg.line((5.0, 5.0), 1.0),
            core.Shape.disc(0.2),
            Noisy(self),
        ]

    def act(self, *_given: Any, **_named: Any) -> Any:
        """Make a call: also what every callback does."""
        self.calls += 1
        if self.depth >= DEEPEST or self.calls > 3 * CALLS:
            return None
        self.depth += 1
        try:
            made = self.call()
        finally:
            self.depth -= 1
        self.keep(made)
        return made if self.rng.random() < 0.5 else self.values.anything()

    def act_quietly(self) -> None:
        """Make a call, whatever it raises, unless it is what no call may raise."""
        try:
            self.act()
        except SystemError:
            raise
        except Exception:  # noqa: BLE001, S110  # an error is a fine answer
            pass

    def keep(self, made: Any) -> None:
        """Keep what came of a call, in the place of something else when there is much."""
        if isinstance(made, int | float | str | bytes | None | bool):
            return
        if len(self.kept) >= MOST:
            del self.kept[self.rng.randrange(len(self.kept))]
        self.kept.append(made)

    def thing(self, name: str) -> Any:
        """Give something of a class of the core, by its name."""
        if name == "coroutine":
            return self.program()
        kind = CLASSES.get(name)
        found = [one for one in self.kept if kind is None or isinstance(one, kind)]
        if found and self.rng.random() < 0.97:
            return self.rng.choice(found)
        if kind is None or self.depth >= DEEPEST:
            return None
        return self.made(self.rng.choice([one for one in [kind, *OWN] if issubclass(one, kind)]))

    async def program(self) -> Any:
        """Await what there is."""
        for _ in range(self.rng.randrange(1, 8)):
            self.act_quietly()
            waiting = self.rng.choice([core.sleep(abs(self.rng.gauss(0, 1))), self.thing("*")])
            try:
                if hasattr(type(waiting), "__await__"):
                    await waiting
                elif hasattr(type(waiting), "__enter__"):
                    with waiting:
                        await core.sleep(1.0)
            except SystemError:
                raise
            except Exception:
                if self.rng.random() < 0.3:
                    raise
        return self.values.anything()

    def call(self) -> Any:
        """Call one thing."""
        chosen = self.rng.random()
        if chosen < 0.04:
            gc.collect()
            return None
        if chosen < 0.10 and self.kept:
            return self.kept.pop(self.rng.randrange(len(self.kept)))
        if chosen < 0.12:
            return self.rng.choice(PLAIN)(self.thing("*"))
        if chosen < 0.22:
            return self.made(self.rng.choice([*CLASSES.values(), *OWN]))
        if chosen < 0.32:
            name = self.rng.choice([name for name in FUNCTIONS if name not in LEFT_OUT])
            return getattr(core, name)(*self.arguments("", name))
        if chosen < 0.40:
            return self.run_on()
        return self.use(self.thing("*"))

    def run_on(self) -> Any:
        """Let time pass in an engine."""
        engine: Any = self.thing("Engine")
        ways: list[Callable[[], Any]] = [
            lambda: engine.run(engine.now + abs(self.rng.gauss(0, 2))),
            lambda: engine.run(self.values.number()),
            lambda: engine.start(self.program(), "task", None, None),
            lambda: engine.schedule(engine.now + abs(self.rng.gauss(0, 1)), self.act, self.rng.randrange(8)),
            lambda: engine.enter(self.thing("Atomic")),
            lambda: engine.set_sink(self.act),
        ]
        return self.rng.choice(ways)()

    def made(self, kind: type) -> Any:
        """Make an object of a class of the core."""
        name = next((base.__name__ for base in kind.__mro__ if base.__name__ in CLASSES), kind.__name__)
        if self.rng.random() < 0.03:
            return object.__getattribute__(kind, "__new__")(kind)
        makers = [one for one in ("__init__", "__new__") if (name, one) in ARGUMENTS]
        return kind(*self.arguments(name, makers[0])) if makers else kind()

    def use(self, thing: Any) -> Any:
        """Use a method or property of an object, or of its class."""
        name = self.rng.choice([name for name in dir(type(thing)) if name not in LEFT_OUT])
        if self.rng.random() < 0.05:
            setattr(thing, name, self.values.anything())
            return None
        found = getattr(thing, name)
        if not callable(found) or isinstance(found, type):
            return found
        owner = next(
            (base.__name__ for base in type(thing).__mro__ if (base.__name__, name) in ARGUMENTS), ""
        )
        return found(*self.arguments(owner, name))

    def arguments(self, owner: str, name: str) -> list[Any]:
        """Make arguments for a function, as its stub says, or any number of any sort."""
        stubs = ARGUMENTS.get((owner, name))
        if not stubs or self.rng.random() < 0.02:
            return [self.values.anything() for _ in range(self.rng.randrange(4))]
        stub = self.rng.choice(stubs)
        given = [one for one in [*stub.posonlyargs, *stub.args] if one.arg not in {"self", "cls"}]
        least = len(given) - len(stub.defaults)
        return [
            self.values.fitting(one.annotation)
            for one in given[: self.rng.randint(max(least, 0), len(given))]
        ]


def script(rng: random.Random) -> None:
    """Play one script."""
    Script(rng).play()


if __name__ == "__main__":
    main(script)
