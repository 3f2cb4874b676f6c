"""Where do the values of a metric come from?

From an output port of a model, or from a source: something a world or a network tells of, such as contacts. What a
source tells reaches every metric that is coupled to it at the same instant, as input from outside the model.

A source that nobody is coupled to listens to nothing, so it costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

from kumi.contract import Contact
from kumi.devs import Coupled, InPort, KumiError, OutPort, Simulation
from kumi.world import SimulatedBody

T = TypeVar("T")


class FrameError(KumiError):
    """A frame that cannot be: a metric that is coupled to nothing, or to what is no source."""


@dataclass(frozen=True)
class Touch:
    """A body of the world touched something; of two bodies that touch, each has one."""

    body: SimulatedBody
    contact: Contact


@dataclass(frozen=True)
class Noted:
    """A program wrote something down."""

    robot: str
    value: object


class Source(Generic[T]):
    """Something that is told as it happens; `listen` is called once, when the first metric is coupled to it."""

    def __init__(self, name: str, simulation: Simulation, listen: Callable[[], object]) -> None:
        self.name = name
        self._simulation = simulation
        self._listen = listen
        self._ports: list[InPort[Any]] = []

    def __repr__(self) -> str:
        return f"<Source '{self.name}'>"

    @property
    def is_heard(self) -> bool:
        """Whether a metric is coupled to it."""
        return bool(self._ports)

    def lead_to(self, port: InPort[Any]) -> None:
        """Couple a port to it."""
        if not self._ports:
            self._listen()
        self._ports.append(port)

    def tell(self, value: T) -> None:
        """Bring a value to all who are coupled to it, now."""
        if not self._ports:
            return
        engine = self._simulation.engine
        now = engine.now
        for port in self._ports:
            engine.inject(port, value, now)


Origin: TypeAlias = Source[Any] | OutPort[Any]
"""What a metric can be coupled to."""


def lead(origin: object, port: InPort[Any], root: Coupled) -> None:
    """Couple a port of a component of `root` to a source, or to an output port of any model inside `root`."""
    if isinstance(origin, Source):
        origin.lead_to(port)
    elif isinstance(origin, OutPort):
        root.couple(lifted(origin, root), port)
    else:
        raise FrameError(
            f"'{port.owner.name}' is coupled to an output port of a model or to a source such as stage.contacts, "
            f"not to {origin!r}"
        )


def lifted(port: OutPort[Any], root: Coupled) -> OutPort[Any]:
    """Return an output of a direct component of `root` that gives what a port deeper inside gives."""
    while (parent := port.owner.parent) is not root:
        if parent is None:
            raise FrameError(
                f"port '{port.path}' belongs to no model of the stage; put its model there with add_model"
            )
        upper = parent.add_output(f"{port.owner.name} {port.name} watched {len(parent.outputs)}", port.type)
        parent.couple(port, upper)
        port = upper
    return port


def lowered(port: InPort[Any], root: Coupled) -> InPort[Any]:
    """Return an input of a direct component of `root` that leads to a port deeper inside."""
    while (parent := port.owner.parent) is not root:
        if parent is None:
            raise FrameError(
                f"port '{port.path}' belongs to no model of the stage; put its model there with add_model"
            )
        upper = parent.add_input(f"{port.owner.name} {port.name} driven {len(parent.inputs)}", port.type)
        parent.couple(upper, port)
        port = upper
    return port
