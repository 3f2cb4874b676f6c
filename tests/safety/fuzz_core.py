"""Calls everything that the core offers with arguments of every sort: an error may come of it, a crash may not.

What there is to call is found in the module and its stubs, so what is new is called, too: `OFFERED` lists all functions,
classes, methods and properties, also of classes that have no name in the module. A script aims at some of them until
they answer without an error, and makes some hundred other calls; what they give is kept for later calls, dropped, or
collected. Callbacks make calls of their own, from inside.

    python -m tests.safety.fuzz_core FIRST COUNT
"""

from __future__ import annotations

import ast
import copy
import gc
import pickle
import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import kumi.contract  # hands its classes to the core
import kumi.motion
import kumi.world
from kumi import _core as core
from kumi.devs import Cut
from tests.safety.batches import REACHED, main
from tests.safety.values import FEELER, Values

STUBS = ast.parse(Path(kumi.__file__).with_name("_core.pyi").read_text())
ARGUMENTS: dict[tuple[str, str], list[ast.arguments]] = {}
for _item in STUBS.body:
    for _part in _item.body if isinstance(_item, ast.ClassDef) else [_item]:
        if isinstance(_part, ast.FunctionDef):
            _owner = _item.name if isinstance(_item, ast.ClassDef) else ""
            ARGUMENTS.setdefault((_owner, _part.name), []).append(_part.args)


def below(kind: type) -> Iterator[type]:
    """Return all classes that derive from one."""
    found: list[type] = type.__subclasses__(kind)
    for one in found:
        yield one
        yield from below(one)


CLASSES: dict[str, type] = {one.__name__: one for one in below(object) if one.__module__ == core.__name__}
LEFT_OUT = {
    "provide",
    "__new__",
    "__init__",
    "__getattribute__",
    "__setattr__",
    "__delattr__",
    "__doc__",
    "__module__",
}
"""What would change what the core was handed, and what Python does with every class."""
IS_NOT_CALLED = 1 << 7
"""The flag of a class that makes no objects when it is called."""
OFFERED: list[tuple[str, str]] = sorted(
    (owner, name)
    for owner, things in [("", vars(core)), *((name, vars(kind)) for name, kind in CLASSES.items())]
    for name, thing in things.items()
    if name not in LEFT_OUT and (owner or callable(thing)) and not isinstance(thing, type)
) + [
    (name, "") for name, kind in CLASSES.items() if name in vars(core) and not kind.__flags__ & IS_NOT_CALLED
]
"""All that the core offers, by class and name: functions have no class, and a class is what makes its objects."""
REFUSING = {
    "Signal.__await__": "says that a signal is awaited by next()",
    "Signal.__bool__": "says that a signal is no truth",
    "Wait.__next__": "is resumed by a run alone",
    "Look.__next__": "answers by StopIteration, as what is awaited does",
}
"""What only ever refuses, and why."""
PLAIN: list[Any] = [copy.copy, copy.deepcopy, pickle.dumps, repr, str, hash, bool, iter, len]
AIMS, TRIES = 16, 12
CALLS, DEEPEST, MOST = 120, 3, 80


def name_of(offered: tuple[str, str]) -> str:
    """Return the name of something that is offered, for people."""
    return ".".join(filter(None, offered))


class Model(core.Atomic):
    """A model whose transitions do anything."""

    script: Script

    def begin(self) -> None:
        """Do anything, and again a little later."""
        self.script.aim()
        self.script.act_quietly()
        self.hold(0.1 + self.script.rng.random())

    internal = external = confluent = begin

    def output(self) -> None:
        """Do anything, and send anything."""
        self.script.aim()
        for port in self.outputs:
            port.send(self.script.values.anything())


class World(core.Plane):
    """A plane of a user's own class."""


class Something(core.PlaneBody):
    """A body of a user's own class."""


class Bell(core.Signal[Any]):
    """A signal of a user's own class."""


class Machine(core.RobotBase):
    """A robot of a user's own class."""


class Crew(core.TeamBase):
    """A team of a user's own class."""


class Stop(core.BlockedBase):
    """An error of a user's own class."""


OWN = [Model, World, Something, Bell, Machine, Crew, Stop]


class Stranger:
    """A robot of a team that is none of the core's: whoever asks or tells it lets it do anything."""

    def __init__(self, script: Script) -> None:
        self.script = script

    def __getattr__(self, name: str) -> Any:
        """Do anything, and give what there is, or something else."""
        if name.startswith("_"):
            raise AttributeError(name)
        self.script.act_quietly()
        values = self.script.values
        known: dict[str, Any] = {
            "position": (values.number(), values.number()),
            "heading": values.number(),
            "is_moving": True,
            "steer": self.script.act,
            "stop": self.script.act,
            "chance": core.Chance(bytes(range(32))),
        }
        return known.get(name) if self.script.rng.random() < 0.9 else values.anything()


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

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        first = seed * AIMS
        self.aims = [OFFERED[number % len(OFFERED)] for number in range(first, first + AIMS)]
        self.values = Values(self.rng, self.thing, self.act)
        self.kept: list[Any] = []
        self.depth = 0
        self.calls = 0
        Model.script = self

    def play(self) -> None:
        """Make all calls, from outside of a run and from inside."""
        engine = core.Engine(self.rng.random() < 0.5)
        self.kept += [engine, core.Engine(False), Bell("bell")]
        self.furnish(engine)
        for _ in range(TRIES):
            self.aim()
            if self.rng.random() < 0.3:
                self.quietly(lambda: engine.start(self.aiming(), "aiming", None, None))
                self.quietly(lambda: engine.run(engine.now + 1.0))
        while self.calls < CALLS:
            self.act_quietly()

    def aim(self) -> None:
        """Call once what this script aims at and has not answered yet."""
        for aim in [one for one in self.aims if name_of(one) not in REACHED]:
            self.quietly(partial(self.ask_and_keep, *aim))

    def ask_and_keep(self, owner: str, name: str) -> None:
        """Call what a script aims at, and keep what comes of it."""
        self.keep(self.ask(owner, name))

    async def aiming(self) -> None:
        """Do so from inside of a run."""
        self.aim()
        await core.sleep(0.1)
        self.aim()

    def furnish(self, engine: core.Engine) -> None:
        """Make what seldom comes about by chance: a plane with bodies and a team, and models, in a run."""
        plane = core.Plane("plane", (0.0, 0.0, 10.0, 10.0) if self.rng.random() < 0.7 else None)
        self.kept.append(plane)
        plane.add_pillar(core.Point(8.0, 8.5), 0.4, self.rng.randrange(32))
        plane.add_wall(core.Point(0.5, 9.0), core.Point(6.0, 9.5), 0.1, self.rng.randrange(32))
        for number in range(self.rng.choice([1, 3, 6, 30])):
            shape = (
                core.Shape.disc(0.3)
                if number % 3
                else core.Shape.polygon([(0.3, 0.0), (-0.2, 0.2), (-0.2, -0.2)])
            )
            at = 1.0 + number % 6 * 1.5, 1.0 + number // 6 * 1.5
            drive = self.rng.choice([Straight(self), kumi.motion.Wheel(), kumi.motion.Omni()])
            self.kept.append(Something(plane, f"b{number}", shape, *at, 0.0, drive))
        if self.rng.random() < 0.2:
            self.quietly(engine.divide)
        if self.rng.random() < 0.8:
            engine.set_chance(lambda _: core.Chance(bytes(range(32))))
        if self.rng.random() < 0.8:
            self.quietly(lambda: engine.enter(plane))
        body, team, model = self.kept[-1], Crew(), Model("model")
        body.open_watch(2.0, 7.0, 0.0, False, self.act)
        body.open_gauge(0.1, 0.1, 0.1, 1.0, 0.0, self.act)
        body.open_feeler(FEELER, self.act)
        for one in (Machine(body), Stranger(self), Machine(body)):
            team._admit(one)
            self.kept.append(one)
        model.add_output("out", object)
        model.add_input("into", object)
        if self.rng.random() < 0.8:
            core.wire(model.outputs[0], model.inputs[0])
        self.quietly(lambda: engine.enter(model))
        self.quietly(lambda: model.hold(0.5))
        self.kept += [
            team,
            model,
            *model.inputs,
            *model.outputs,
            core.Leg.forward(3.0, 1.0),
            core.Leg.line((5.0, 5.0), 1.0),
            core.Shape.disc(0.2),
            engine.schedule(0.3, self.act),
            Noisy(self),
        ]

    def act(self, *_given: Any, **_named: Any) -> Any:
        """Make a call: also what every callback does."""
        self.calls += 1
        if self.depth >= DEEPEST or self.calls > 4 * CALLS:
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
        self.quietly(self.act)

    def quietly(self, action: Callable[[], Any]) -> None:
        """Do something, whatever it raises, unless it is what no call may raise."""
        try:
            action()
        except SystemError:
            raise
        except (Exception, Cut):  # noqa: BLE001, S110  # an error is a fine answer
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
        kind = Stranger if name == "Stranger" else CLASSES.get(name)
        found = [one for one in self.kept if kind is None or isinstance(one, kind)]
        if found and self.rng.random() < 0.95:
            return self.rng.choice(found)
        if kind is None or self.depth >= DEEPEST:
            return None
        self.depth += 1
        try:
            made = self.source(name) if name in SOURCES else self.made(name)
        finally:
            self.depth -= 1
        self.keep(made)
        return made

    def source(self, name: str) -> Any:
        """Make an object of a class that has no name in the module, or none that makes it."""
        made = SOURCES[name](self)
        return self.rng.choice(made) if isinstance(made, list | tuple) else made

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
            return self.rng.choice(PLAIN)(self.own_thing())
        if chosen < 0.20:
            return self.run_on()
        if chosen < 0.25:
            setattr(self.own_thing(), self.rng.choice(OFFERED)[1] or "any", self.values.anything())
            return None
        return self.ask(*self.rng.choice(self.aims if chosen < 0.45 else OFFERED))

    def own_thing(self) -> Any:
        """Give something that the core made."""
        found = [one for one in self.kept if any(kind in CLASSES.values() for kind in type(one).__mro__)]
        return self.rng.choice(found) if found else core.Point(0.0, 0.0)

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

    def ask(self, owner: str, name: str) -> Any:
        """Call a function, make an object, or use a method or property; what answers is reached."""
        if not owner:
            answer = self.called(getattr(core, name), "", name)
        elif not name:
            answer = self.made(owner)
        else:
            thing = self.thing(owner)
            if self.rng.random() < 0.02:
                thing = CLASSES[owner]
            found = getattr(thing, name)
            is_called = (
                callable(found) and not isinstance(found, type) and callable(vars(CLASSES[owner])[name])
            )
            answer = self.called(found, owner, name) if is_called else found
        REACHED.add(name_of((owner, name)))
        return answer

    def made(self, name: str) -> Any:
        """Make an object of a class of the core, or of a class of ours below it."""
        kind = CLASSES[name]
        if self.rng.random() < 0.03:
            return object.__getattribute__(kind, "__new__")(kind)
        kind = self.rng.choice([one for one in [kind, *OWN] if issubclass(one, kind)])
        makers = [one for one in ("__init__", "__new__") if (name, one) in ARGUMENTS]
        if issubclass(kind, core.BlockedBase):
            return kind(*self.values.argument("", "args", None))
        return self.called(kind, name, makers[0]) if makers else kind()

    def called(self, function: Callable[..., Any], owner: str, name: str) -> Any:
        """Call a function with arguments as its stub says, or with any number of any sort."""
        stubs = ARGUMENTS.get((owner, name))
        if not stubs or self.rng.random() < 0.02:
            return function(*(self.values.anything() for _ in range(self.rng.randrange(4))))
        stub = self.rng.choice(stubs)
        given = [one for one in [*stub.posonlyargs, *stub.args] if one.arg not in {"self", "cls"}]
        least = len(given) - len(stub.defaults)
        where = owner if name in {"__init__", "__new__"} else name

        def value(one: ast.arg) -> Any:
            return self.values.argument(where, one.arg, one.annotation)

        return function(
            *(value(one) for one in given[: self.rng.randint(max(least, 0), len(given))]),
            **{one.arg: value(one) for one in stub.kwonlyargs if self.rng.random() < 0.5},
        )


SOURCES: dict[str, Callable[[Script], Any]] = {
    "InPort": lambda script: core.make_input(script.thing("Atomic"), "p", object),
    "OutPort": lambda script: core.make_output(script.thing("Atomic"), "p", object),
    "Stream": lambda script: script.thing("Signal").stream(),
    "Task": lambda script: script.thing("Engine").start(script.program(), "task", None, None),
    "Scope": lambda script: script.rng.choice([core.until, core.unless])(script.thing("Signal")),
    "Deadline": lambda script: script.rng.choice([core.after, core.at])(abs(script.values.small())),
    "Event": lambda script: script.thing("Engine").schedule(abs(script.values.small()), script.act),
    "Leg": lambda script: script.ask("Leg", script.rng.choice(["line", "forward", "spin", "arc", "glide"])),
    "PatternLeg": lambda _: core.Leg.pattern(lambda clock: (clock, 0.0, 0.0), 3.0, 1.0, 0.1),
    "Piece": lambda script: core.Piece.of(script.thing("Leg"), (1.0, 1.0), 0.3),
    "Shape": lambda script: script.ask("Shape", script.rng.choice(["disc", "polygon", "ellipse"])),
    "Motion": lambda script: script.thing("PlaneBody").carry_out(script.values.argument("", "command", None)),
    "PointIterator": lambda _: iter(core.Point(1.0, 2.0)),
    "Read": lambda script: script.thing("Stream").next(),
    "Sleep": lambda script: core.sleep(abs(script.values.small())),
    "Wait": lambda script: script.thing("Signal").next(),
    "Look": lambda script: script.thing("Eye").look(),
}
"""What makes objects of a class that is not called to make them."""


def script(seed: int) -> None:
    """Play one script."""
    Script(seed).play()


if __name__ == "__main__":
    main(script)
