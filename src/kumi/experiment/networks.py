"""How does the network of a scenario become one that carries messages?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kumi.contract.messages import Address
from kumi.experiment.effects import EFFECTS, Described, InWorld
from kumi.experiment.finding import find_stack
from kumi.experiment.parts import make
from kumi.experiment.sockets import Sockets
from kumi.network import Network, RealNetwork, SimulatedNetwork, TcpNetwork, UdpNetwork
from kumi.network.real import Place as Endpoint
from kumi.protocols import Stack, StackError
from kumi.robot import Radio

if TYPE_CHECKING:
    from kumi.experiment.document import Place
    from kumi.experiment.schema import Network as Settings
    from kumi.experiment.stage import Stage


REAL: dict[str, type[RealNetwork]] = {"udp": UdpNetwork, "tcp": TcpNetwork}


@dataclass(frozen=True)
class Connection:
    """The network and the stack that a scenario names, found and made."""

    place: Place
    kind: str
    effects: list[Described]
    stack: Callable[[], Stack]
    peers: dict[Address, Endpoint]

    def connect(self, stage: Stage, robots: int) -> None:
        """Give the robots of a stage, so many in all, radios."""
        if self.kind in REAL:
            self._check(REAL[self.kind](stage.simulation, {}))
            stage.connect(Sockets(REAL[self.kind], robots, self.peers), self.stack)
            return
        effects = [
            effect.make(stage.world) if isinstance(effect, InWorld) else effect for effect in self.effects
        ]
        network = SimulatedNetwork(stage.simulation, *effects)
        self._check(network)
        stage.connect(network, self.stack)

    def _check(self, network: Network) -> None:
        try:
            Stack(Radio(), *self.stack().layers).check(network)
        except StackError as error:
            place = self.place.at("stack")
            raise place.error(f"{place.title}: {error}") from error


def connection(settings: Settings, place: Place) -> Connection | None:
    """Return what a scenario says of its network; None if there is none."""
    if settings.kind == "none":
        return None
    effects = [
        make(table, EFFECTS, place.at("effects", number)) for number, table in enumerate(settings.effects)
    ]
    peers = {
        number(key, place.at("peers", key)): endpoint(text, place.at("peers", key))
        for key, text in settings.peers.items()
    }
    return Connection(place, settings.kind, effects, find_stack(settings.stack, place.at("stack")), peers)


def number(text: str, place: Place) -> Address:
    """Read the number of a robot."""
    if not text.isdecimal():
        raise place.error(f"{place.title} is no number of a robot; peers take a number each, from 0 on")
    return int(text)


def endpoint(text: str, place: Place) -> Endpoint:
    """Read a host and a port."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise place.error(f'{place.title} is {text!r}; it takes "host:port", with a port from 1 to 65535')
    return host, int(port)
