"""What does an experiment stage its robots on?

An arena is a world in which robots have programs and which tells metrics what happens in it. `stage` of an experiment
puts robots and models into it; `watch` couples metrics to what it tells. Its network carries the robots' messages.

Robots meet on the network without loss or delay unless the experiment says otherwise, before the first of them is added.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from kumi.contract import Contact
from kumi.devs import Coupled, InPort, Model, OutPort, Simulation
from kumi.network import Constant, Effect, Loss, SimulatedNetwork, Traffic
from kumi.protocols import Stack
from kumi.robot import Robot
from kumi.stage.stage import Stage
from kumi.study.sources import FrameError, Noted, Source, Touch
from kumi.world import SimulatedBody, World

M = TypeVar("M", bound=Model)


class Arena(World):
    """A world for an experiment; it takes what a World takes, and what a robot needs besides its body.

    What it tells: `contacts` each Touch, `motions` each body whose motion begins, changes or ends, `departures` each
    body that is gone, `notes` what programs write down, `messages` what becomes of messages.
    """

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.root = Coupled("experiment")
        self.root.add(self)
        self.network = ArenaNetwork(self)
        self._stage: Stage | None = None
        self._watched: set[int] = set()
        self.contacts: Source[Touch] = self._source("contacts")
        self.motions: Source[SimulatedBody] = self._source("motions")
        self.departures: Source[SimulatedBody] = self._source("departures")
        self.notes: Source[Noted] = Source("notes", self._running, self._hear_notes)
        self.messages: Source[Traffic] = Source("messages", self._running, self.network.listen)

    def _source(self, name: str) -> Source[Any]:
        return Source(name, self._running, self._hear_bodies)

    def open(self, *, seed: int, pace: float | None = None, record: Path | None = None) -> Stage:
        """Begin a run in it; once. `record` names a run file to write."""
        if self._stage is not None:
            raise FrameError("an arena is for one run; an experiment makes a new one for each")
        self._stage = Stage(self, seed=seed, pace=pace, within=self.root, record=record)
        return self._stage

    @property
    def stage(self) -> Stage:
        """The run that goes on in it."""
        if self._stage is None:
            raise FrameError("this arena is not part of a run yet; stage robots in `stage` of an experiment")
        return self._stage

    def _running(self) -> Simulation:
        return self.stage.simulation

    @property
    def robots(self) -> list[Robot]:
        """The robots with programs, in the order they were added."""
        return self.stage.robots

    def add_robot(
        self, program: Callable[..., Coroutine[Any, Any, Any]], *args: Any, **settings: Any
    ) -> Robot:
        """Put a robot into the world and start its program; it takes what `Stage.add` takes, such as `at`."""
        self.network.connect()
        robot = self.stage.add(program, *args, **settings)
        if self._watched:
            self._hear(self.bodies[-1])
        return robot

    def add_model(self, model: M) -> M:
        """Put a model beside the world, such as a robot made of models."""
        return self.root.add(model)

    def model(self, name: str) -> Model:
        """Return the model of that name that was put beside the world."""
        return self.root[name]

    def couple(self, source: OutPort[Any] | InPort[Any], target: OutPort[Any] | InPort[Any]) -> None:
        """Couple ports of models that stand beside the world."""
        self.root.couple(source, target)

    def _hear_bodies(self) -> None:
        for body in self.bodies:
            self._hear(body)

    def _hear(self, body: SimulatedBody) -> None:
        """Let a body tell of itself; once for each."""
        if body.number not in self._watched:
            self._watched.add(body.number)
            body.on_contact(partial(self._touched, body))
            body.on_motion(partial(self.motions.tell, body))
            body.on_gone(partial(self.departures.tell, body))

    def _touched(self, body: SimulatedBody, contact: Contact) -> None:
        self.contacts.tell(Touch(body, contact))

    def _hear_notes(self) -> None:
        self.stage.simulation.hears.append(lambda robot, value: self.notes.tell(Noted(robot, value)))


class ArenaNetwork:
    """How the messages of an arena travel: settings until the first robot is added, a network from then on.

    `loss` is the share of messages that get lost, `delay` the seconds that each takes; `use` adds other effects and
    sets the stack of layers below each radio.
    """

    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._effects: list[Effect] = []
        self._stack: Callable[[], Stack] = Stack
        self._network: SimulatedNetwork | None = None
        self._is_heard = False
        self._loss = 0.0
        self._delay = 0.0

    @property
    def loss(self) -> float:
        """The share of messages that get lost."""
        return self._loss

    @loss.setter
    def loss(self, share: float) -> None:
        self._check_open()
        Loss(share)  # refuses what is no share
        self._loss = share

    @property
    def delay(self) -> float:
        """The seconds that a message takes."""
        return self._delay

    @delay.setter
    def delay(self, seconds: float) -> None:
        self._check_open()
        Constant(seconds)  # refuses what is no duration
        self._delay = seconds

    def use(self, *effects: Effect, stack: Callable[[], Stack] | None = None) -> None:
        """Let these effects act on messages, too, after delay and loss, or put layers below each radio."""
        self._check_open()
        self._effects.extend(effects)
        self._stack = stack or self._stack

    def _check_open(self) -> None:
        if self._network is not None:
            raise FrameError("the network of an arena is set before the first robot is added")

    @property
    def effects(self) -> Sequence[Effect]:
        """What acts on messages, in order."""
        delay = [Constant(self._delay)] if self._delay else []
        loss = [Loss(self._loss)] if self._loss else []
        return [*delay, *loss, *self._effects]

    def connect(self) -> None:
        """Let robots that are added from now on meet on it; again does nothing."""
        if self._network is None:
            stage = self._arena.stage
            self._network = SimulatedNetwork(stage.simulation, *self.effects)
            stage.connect(self._network, self._stack)
            if self._is_heard:
                self._network.watch(self._arena.messages.tell)

    def listen(self) -> None:
        """Tell the arena of all messages from now on."""
        self._is_heard = True
        if self._network is not None:
            self._network.watch(self._arena.messages.tell)
