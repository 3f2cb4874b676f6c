"""How does the network of a scenario become one that carries messages?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kumi.contract.messages import Address
from kumi.network import (
    Effect,
    Failure,
    Network,
    NodeCrash,
    NodePause,
    RealNetwork,
    SimulatedNetwork,
    TcpNetwork,
    UdpNetwork,
)
from kumi.network.real import Place as Endpoint
from kumi.protocols import Stack, StackError
from kumi.robot import Radio
from kumi.scenario.effects import EFFECTS, Described, InWorld
from kumi.scenario.lookup import find_stack
from kumi.scenario.parts import make
from kumi.stage.radios import Sockets
from kumi.world import World

if TYPE_CHECKING:
    from kumi.scenario.document import Place
    from kumi.scenario.schema import NetworkTable as Settings
    from kumi.stage.stage import Stage


FAILURES: dict[str, Callable[..., Failure]] = {"crash": NodeCrash, "pause": NodePause}
ABOUT_ROBOTS = ("node", "sender", "to", "senders", "groups", "powers", "ranges")
REAL: dict[str, type[RealNetwork]] = {"udp": UdpNetwork, "tcp": TcpNetwork}


@dataclass(frozen=True)
class Connection:
    """The network and the stack that a scenario names, found and made."""

    place: Place
    kind: str
    effects: list[Described]
    stack: Callable[[], Stack]
    peers: dict[Address, Endpoint]
    failures: list[Failure]

    def connect(self, stage: Stage, robots: int) -> None:
        """Give the robots of a stage, so many in all, radios."""
        if self.kind in REAL:
            self._check(REAL[self.kind](stage.simulation, {}))
            sockets = Sockets(REAL[self.kind], robots, self.peers)
            stage.connect(sockets, layers=self.stack, failures=self.failures)
            return
        effects = [self._in(stage.world, number, effect) for number, effect in enumerate(self.effects)]
        network = SimulatedNetwork(stage.simulation, *effects)
        self._check(network)
        stage.connect(network, layers=self.stack, failures=self.failures)

    def _in(self, world: World, number: int, effect: Described) -> Effect:
        """Return an effect as it is in a world."""
        if not isinstance(effect, InWorld):
            return effect
        try:
            return effect.make(world)
        except ValueError as error:
            place = self.place.at("effects", number)
            raise place.error(f"{place.title}: {error}") from error

    def _check(self, network: Network) -> None:
        try:
            Stack(Radio(), *self.stack().layers).check(network)
        except StackError as error:
            place = self.place.at("stack")
            raise place.error(f"{place.title}: {error}") from error


def connection(settings: Settings, place: Place, robots: int) -> Connection | None:
    """Return what a scenario with so many robots says of its network; None if there is none."""
    if settings.kind == "none":
        return None
    effects, failures = (
        [
            made_for(robots, table, kinds, place.at(key, number))
            for number, table in enumerate(getattr(settings, key))
        ]
        for key, kinds in (("effects", EFFECTS), ("failures", FAILURES))
    )
    peers = {
        number(key, place.at("peers", key)): endpoint(text, place.at("peers", key))
        for key, text in settings.peers.items()
    }
    stack = find_stack(settings.stack, place.at("stack"))
    return Connection(place, settings.kind, effects, stack, peers, failures)


def made_for(robots: int, table: Any, kinds: Mapping[str, Callable[..., Any]], place: Place) -> Any:
    """Make an effect or a failure, and refuse one that is about a robot that is not there."""
    for key in ABOUT_ROBOTS:
        value, spot = table.get(key) if isinstance(table, dict) else None, place.at(key)
        named = [number(text, spot.at(text)) for text in value] if isinstance(value, dict) else flat(value)
        for one in named:
            if not 0 <= one < robots:
                raise spot.error(
                    f"{spot.title} names robot {one}; robots are numbered from 0 to {robots - 1}"
                )
    return make(table, kinds, place)


def flat(value: Any) -> Iterator[int]:
    """Go through all whole numbers in arrays of arrays."""
    if isinstance(value, list):
        for one in value:
            yield from flat(one)
    elif isinstance(value, int):
        yield value


def number(text: str, place: Place) -> Address:
    """Read the number of a robot."""
    if not text.isdecimal():
        raise place.error(f"{place.title} is no number of a robot; the keys of this table are, from 0 on")
    return int(text)


def endpoint(text: str, place: Place) -> Endpoint:
    """Read a host and a port."""
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise place.error(f'{place.title} is {text!r}; it takes "host:port", with a port from 1 to 65535')
    return host, int(port)
