"""Messages for kumi, as a user would send them: by nodes on a network, through layers, by robots' radios."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt, log10
from resource import RUSAGE_SELF, getrusage
from time import process_time
from typing import TYPE_CHECKING, Any

from benchmarks.tasks import DELAY, NEIGHBOURS, Sample, check, first_sending, swarm_side
from kumi import sleep
from kumi.contract.messages import Address, Message
from kumi.devs import Simulation
from kumi.geometry import Disc
from kumi.motion import Omni
from kumi.network import Constant, Node, SimulatedNetwork
from kumi.network.radio import RadioWaves
from kumi.protocols import (
    Acknowledged,
    Aodv,
    Flood,
    FloodedBroadcast,
    Gossip,
    Hops,
    Layer,
    Links,
    SharedMap,
    Stack,
    TotalOrderBroadcast,
)
from kumi.protocols.fifo import InOrder
from kumi.protocols.lamport_order import LamportOrder
from kumi.stage.stage import Stage
from kumi.world import World
from kumi.world.ether import WorldEther

if TYPE_CHECKING:
    from collections.abc import Callable

    from kumi.protocols.stack import Observation
    from kumi.robot import Robot


@dataclass(frozen=True, slots=True)
class Ball(Message):
    """What is passed on."""

    number: int


class Passing:
    """Who takes part in the bare network: passes each message on to the next."""

    __slots__ = ("address", "is_up", "network", "next")

    def __init__(self, network: SimulatedNetwork, address: Address, following: Address) -> None:
        self.network = network
        self.address = address
        self.next = following
        self.is_up = True
        network.join(address, self)

    def begin(self) -> None:
        """Send the first one."""
        self.network.send(self.address, self.next, Ball(self.address))

    def arrive(self, message: Message, _sender: Address) -> None:
        """Pass it on."""
        self.network.send(self.address, self.next, message)


def messages(number: int, messages: int) -> Sample:
    simulation = Simulation(seed=1)
    network = SimulatedNetwork(simulation, Constant(DELAY))
    for address in range(number):
        node = Passing(network, address, (address + 1) % number)
        simulation.schedule(first_sending(address), node.begin)
    end = DELAY * (messages // number)
    started = process_time()
    simulation.run(until=end)
    seconds = process_time() - started
    check("messages", network.delivered, sum_of_rounds(number, end))
    return {"figure": network.delivered / seconds}


def sum_of_rounds(number: int, end: float) -> int:
    """Count the arrivals by hand: node i's ball arrives one delay after its first sending, then each delay."""
    arrived = 0
    for index in range(number):
        time = first_sending(index) + DELAY
        while time <= end:
            arrived += 1
            time += DELAY
    return arrived


class Talk(Layer[()]):
    """Broadcasts again and again."""

    order: TotalOrderBroadcast

    def __init__(self, times: int) -> None:
        self.left = times
        self.heard = 0

    def begin(self) -> None:
        """Listen, and begin to talk."""
        self.order.listen(self._hear)
        self.node.after(first_sending(self.node.address), self._say)

    def _say(self) -> None:
        self.left -= 1
        self.order.broadcast(Ball(self.left))
        if self.left:
            self.node.after(DELAY, self._say)

    def _hear(self, _message: Message, _sender: Address) -> None:
        self.heard += 1


def talk(number: int, each: int, observe: Any = None) -> tuple[float, SimulatedNetwork, list[Node]]:
    simulation = Simulation(seed=1)
    network = SimulatedNetwork(simulation, Constant(DELAY))

    def move_in(node: Node) -> Stack:
        stack = Stack(Talk(each), LamportOrder(), InOrder(), Acknowledged())
        return stack.settle(node, observe)

    group = tuple(range(number))
    nodes = [Node(simulation, network, address, group=group, move_in=move_in) for address in range(number)]
    for node in nodes:
        node.start()
    started = process_time()
    simulation.run(until=DELAY * (each + 100.0))
    seconds = process_time() - started
    for node in nodes:
        stack: Any = node.resident
        check("deliveries", stack[Talk].heard, number * each)
    return seconds, network, nodes


def total_order(number: int, broadcasts: int) -> Sample:
    """An event is what is asked of a layer, or told by it; the network is a layer, too."""
    each = max(1, broadcasts // number)
    events = 0

    def count(_seen: Observation) -> None:
        nonlocal events
        events += 1

    talk(number, each, count)
    seconds, network, _ = talk(number, each)
    return {
        "figure": events / seconds,
        "broadcasts_per_second": number * each / seconds,
        "sent": network.sent,
    }


async def wander_and_call(robot: Robot, rounds: int) -> None:
    """Go about, and call once a second whoever is near."""
    chance = robot.chance
    await sleep(chance.uniform())
    for _ in range(rounds):
        robot.stop()
        robot.steer(chance.uniform(0.5, 1.5))
        await robot.radio.broadcast(Ball(robot.number))
        await sleep(1.0)


def swarm(number: int, rounds: int) -> Sample:
    side = swarm_side(number)
    world = World(width=side, height=side, ghost=True)
    with Stage(world, seed=1) as stage:
        waves = RadioWaves(
            WorldEther(world), power=20.0, sensitivity=-20.0, exponent=2.0, loss_at_one_metre=0.0
        )
        stage.connect(SimulatedNetwork(stage.simulation, waves, Constant(DELAY)))
        chance = stage.simulation.chance("places")
        drive, shape = Omni(speed=1.0), Disc(0.1)
        for _ in range(number):
            place = (chance.uniform(1.0, side - 1.0), chance.uniform(1.0, side - 1.0))
            stage.add(wander_and_call, rounds, at=place, shape=shape, drive=drive)
        stage.run(until=0.0)  # the radios come up
        started = process_time()
        outcome = stage.run(until=rounds + 2.0)
        seconds = process_time() - started
    assert outcome.messages is not None
    check("broadcasts", outcome.messages.sent, number * rounds)
    heard = outcome.messages.arrived / outcome.messages.sent
    assert 0.7 * NEIGHBOURS < heard < 1.1 * NEIGHBOURS, heard
    return {
        "figure": number * rounds / seconds,
        "us_per_broadcast": 1e6 * seconds / (number * rounds),
        "heard": heard,
    }


@dataclass(frozen=True, slots=True)
class Rumour(Message):
    """What is to reach everybody."""

    text: str


class Listener(Layer[()]):
    """Hears a rumour over links; node 0 sends it to the node that is farthest away."""

    links: Links

    def __init__(self, target: Address) -> None:
        self.target = target
        self.has_heard = False

    def begin(self) -> None:
        """Listen, and begin the rumour."""
        self.links.listen(self._hear)
        if self.node.address == 0:
            self.node.after(0.0, lambda: self.links.send(Rumour("psst"), self.target))

    def _hear(self, _message: Message, _sender: Address) -> None:
        self.has_heard = True


class Teller(Layer[()]):
    """Hears a rumour by flooding; node 0 begins it."""

    cast: FloodedBroadcast

    def __init__(self) -> None:
        self.has_heard = False

    def begin(self) -> None:
        """Listen, and begin the rumour."""
        self.cast.listen(self._hear)
        if self.node.address == 0:
            self.node.after(0.0, lambda: self.cast.broadcast(Rumour("psst")))

    def _hear(self, _message: Message, _sender: Address) -> None:
        self.has_heard = True


class Reader(Layer[()]):
    """Reads a map that all can write; node 0 writes the rumour."""

    map: SharedMap

    def __init__(self) -> None:
        self.has_heard = False

    def begin(self) -> None:
        """Listen, and begin the rumour."""
        self.map.listen(self._told)
        if self.node.address == 0:
            self.node.after(0.0, lambda: self.map.put("rumour", "psst"))

    def _told(self, _key: str, _value: object) -> None:
        self.has_heard = True


def rumour_by_gossip(number: int) -> Sample:
    """A map that all can write, over a network on which everybody reaches everybody."""
    simulation = Simulation(seed=1)
    network = SimulatedNetwork(simulation, Constant(DELAY))
    return spread(simulation, network, number, lambda: Stack(Reader(), Gossip()), Reader)


def rumour_by_flooding(number: int) -> Sample:
    """From neighbour to neighbour, by radio."""
    simulation, network = air(number)
    return spread(simulation, network, number, lambda: Stack(Teller(), Flood(hops=number)), Teller)


def rumour_by_routing(number: int) -> Sample:
    """To the farthest node, by radio: the question for the way reaches all, and the rumour goes back along it."""
    simulation, network = air(number)
    return spread(
        simulation,
        network,
        number,
        lambda: Stack(Listener(number - 1), Acknowledged(), Aodv(), Hops()),
        Listener,
        heard_by=1,
    )


def air(number: int) -> tuple[Simulation, SimulatedNetwork]:
    """Put nodes on a square grid where each hears the eight around it."""
    side = isqrt(number)
    check("nodes on a square", side * side, number)
    world = World(width=side + 1.0, height=side + 1.0)
    for address in range(number):
        row, column = divmod(address, side)
        world.add_body((column + 0.5, row + 0.5), shape=Disc(0.1))
    simulation = Simulation(world, seed=1)
    # With these numbers a robot is heard 1.5 m away: -10 dBm arrive at a metre, and 35 dB less are enough.
    waves = RadioWaves(
        WorldEther(world),
        power=20.0,
        sensitivity=-10.0 - 20.0 * log10(1.5),
        exponent=2.0,
        loss_at_one_metre=30.0,
    )
    return simulation, SimulatedNetwork(simulation, waves, Constant(DELAY))


def spread(
    simulation: Simulation,
    network: SimulatedNetwork,
    number: int,
    make: Callable[[], Stack],
    hearer: type[Reader | Teller | Listener],
    heard_by: int | None = None,
) -> Sample:
    """Let a rumour spread among so many nodes until all, or so many, have heard it; set-up counts, too."""
    started = process_time()
    nodes = [
        Node(
            simulation,
            network,
            address,
            group=range(number),
            move_in=lambda node: make().settle(node),
        )
        for address in range(number)
    ]
    for node in nodes:
        node.start()
    wanted = number if heard_by is None else heard_by
    heard = 0
    while heard < wanted:
        simulation.run(until=simulation.now + 1.0)
        check("time", simulation.now < 600.0, True)
        stacks: list[Any] = [node.resident for node in nodes]
        heard = sum(stack[hearer].has_heard for stack in stacks)
    seconds = process_time() - started
    return {
        "figure": seconds,
        "megabytes": getrusage(RUSAGE_SELF).ru_maxrss / 1024.0,
        "simulated_seconds": simulation.now,
        "sent": network.sent,
    }
