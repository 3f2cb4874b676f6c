"""How does the network of a scenario become one that carries messages?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kumi.experiment.effects import EFFECTS, Described, InWorld
from kumi.experiment.finding import find_stack
from kumi.experiment.parts import make
from kumi.network import SimulatedNetwork
from kumi.protocols import Stack, StackError
from kumi.robot import Radio

if TYPE_CHECKING:
    from kumi.experiment.document import Place
    from kumi.experiment.schema import Network as Settings
    from kumi.experiment.stage import Stage


@dataclass(frozen=True)
class Connection:
    """The network and the stack that a scenario names, found and made."""

    place: Place
    kind: str
    effects: list[Described]
    stack: Callable[[], Stack]

    def connect(self, stage: Stage) -> None:
        """Give the robots of a stage radios."""
        effects = [
            effect.make(stage.world) if isinstance(effect, InWorld) else effect for effect in self.effects
        ]
        network = SimulatedNetwork(stage.simulation, *effects)
        try:
            Stack(Radio(), *self.stack().layers).check(network)
        except StackError as error:
            place = self.place.at("stack")
            raise place.error(f"{place.title}: {error}") from error
        stage.connect(network, self.stack)


def connection(settings: Settings, place: Place) -> Connection | None:
    """Return what a scenario says of its network; None if there is none."""
    if settings.kind == "none":
        return None
    effects = [
        make(table, EFFECTS, place.at("effects", number)) for number, table in enumerate(settings.effects)
    ]
    return Connection(place, settings.kind, effects, find_stack(settings.stack, place.at("stack")))
