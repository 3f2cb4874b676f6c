"""On what does an experiment stage its robots?

On a stage that tells metrics what happens. `stage` of an experiment puts robots and models on it; `watch` couples metrics
to what it tells. Its robots meet on a network without loss or delay, unless the experiment connects the stage to
another one before the first of them is added.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from kumi.contract import Contact
from kumi.devs import Coupled, InPort, Model, OutPort
from kumi.network import Network, Traffic
from kumi.robot import Robot
from kumi.stage.stage import Stage
from kumi.study.sources import Noted, Source, Touch
from kumi.world import Map, SimulatedBody, World

M = TypeVar("M", bound=Model)


class ExperimentStage(Stage):
    """A stage for one run of an experiment; models may stand beside its world.

    What it tells: `contacts` each Touch, `motions` each body whose motion begins, changes or ends, `departures` each
    body that is gone, `notes` what programs write down, `messages` what becomes of messages.
    """

    def __init__(
        self,
        world: Map | World | None = None,
        *,
        seed: int = 0,
        pace: float | None = None,
        record: Path | None = None,
    ) -> None:
        self.root = Coupled("experiment")
        plane = self.root.add(world if isinstance(world, World) else World(world))
        super().__init__(plane, seed=seed, pace=pace, record=record, within=self.root)
        self._watched: set[int] = set()
        self.contacts: Source[Touch] = self._source("contacts", self._hear_bodies)
        self.motions: Source[SimulatedBody] = self._source("motions", self._hear_bodies)
        self.departures: Source[SimulatedBody] = self._source("departures", self._hear_bodies)
        self.notes: Source[Noted] = self._source("notes", self._hear_notes)
        self.messages: Source[Traffic] = self._source("messages", self._hear_messages)

    def _source(self, name: str, listen: Callable[[], object]) -> Source[Any]:
        return Source(name, self.simulation, listen)

    def add(self, program: Callable[..., Coroutine[Any, Any, Any]], *args: Any, **settings: Any) -> Robot:
        """Put a robot on the stage and start its program, as on any stage."""
        if self.network is None:
            self.connect()
        robot = super().add(program, *args, **settings)
        if self._watched:
            self._hear(self.world.bodies[-1])
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
        for body in self.world.bodies:
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
        self.simulation.hears.append(lambda robot, value: self.notes.tell(Noted(robot, value)))

    def _hear_messages(self) -> None:
        if self.network is None:
            self.connect()
        if isinstance(self.network, Network):
            self.network.watch(self.messages.tell)
