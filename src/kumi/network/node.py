"""One who takes part: an address on a network, with timers, a clock and a memory that survives a crash.

Protocols live on a node and reach nothing else: they send, set timers, ask for the time and for random
numbers, and store what must not be forgotten. So the same protocol runs on a simulated network and on a
real one.

A node can crash, come back, and be held still for a while. A node that is down neither sends nor receives,
and its timers do not fire; whatever its code still does at the instant of the crash has no effect. A paused
one sends, receives and fires when it goes on.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol

from kumi.contract.messages import Address, Message
from kumi.devs import Chance, Event, Signal, Simulation, Task
from kumi.devs.ranks import MESSAGE_RANK
from kumi.network.clock import Clock
from kumi.network.errors import UnknownNode
from kumi.network.group import Others, SendWindow
from kumi.network.network import Network, in_short
from kumi.network.storage import Storage

SENDER_DOWN = "sender down"
BACKLOG = 10_000
"""How many messages a paused node keeps, timers not counted; what comes then is dropped and counted."""


class Resident(Protocol):
    """What lives on a node while it is up."""

    def begin(self) -> None:
        """Start."""

    def receive(self, message: Message, sender: Address) -> None:
        """Take a message from the network."""


class Timer:
    """A call to come; see `Node.after`."""

    __slots__ = ("_action", "_event", "_life", "_node")

    def __init__(self, node: Node, life: int, due: float, action: Callable[[], object]) -> None:
        self._node = node
        self._life = life
        self._action: Callable[[], object] | None = action
        self._event: Event = node.simulation.schedule(due, self._fire, rank=MESSAGE_RANK)

    @property
    def is_set(self) -> bool:
        """Whether it is still to come."""
        return self._action is not None and self._node.is_life(self._life) and self._node.is_up

    def cancel(self) -> None:
        """Forget it; one that has fired or was cancelled stays so."""
        self._action = None
        if self._event.is_planned:
            self._event.withdraw()

    def _fire(self) -> None:
        """Call, unless it was cancelled; a paused node does so when it goes on."""
        if self._action is None or not self._node.is_up or not self._node.is_life(self._life):
            return
        if self._node.is_paused:
            self._node.put_off(self._fire)  # there are no more of them than were set before
            return
        action, self._action = self._action, None
        self._node.act(action)


class OfOneLife(Storage):
    """A storage as one life of a node has it: what is written after the crash is not."""

    def __init__(self, kept: Storage, is_now: Callable[[], bool]) -> None:
        super().__init__()
        self._kept = kept
        self._is_now = is_now

    def put(self, name: str, value: Any) -> None:
        """Keep a value under a name."""
        if self._is_now():
            self._kept.put(name, value)

    def get(self, name: str, default: Any = None) -> Any:
        """Return what is kept under a name."""
        return self._kept.get(name, default)

    def remove(self, name: str) -> None:
        """Forget what is kept under a name."""
        if self._is_now():
            self._kept.remove(name)

    def clear(self) -> None:
        """Forget everything."""
        if self._is_now():
            self._kept.clear()

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)


class Node:
    """An address on a network, in a group of addresses; `move_in` says who lives there, and is asked again after a crash.

    A `salt` makes its random numbers differ from those of another run with the same seed, as they must where a
    process that comes back is to be told from the one before. What the code that lives there raises comes out of the run; with `on_error` the node crashes, and that is
    told instead.
    """

    def __init__(
        self,
        simulation: Simulation,
        network: Network,
        address: Address,
        *,
        group: Iterable[Address],
        move_in: Callable[[Node], Resident],
        name: str | None = None,
        clock: Clock | None = None,
        storage: Storage | None = None,
        salt: str = "",
        on_error: Callable[[Exception], object] | None = None,
    ) -> None:
        self.simulation = simulation
        self.network = network
        self.address = address
        self.group = network.shared_group(group)
        if not self._is_in_group():
            raise UnknownNode(f"node {address} is not in its own group, or that is not in order")
        self.name = f"node {address}" if name is None else name
        self.clock = Clock() if clock is None else clock
        self.kept = Storage() if storage is None else storage
        self.storage: Storage = self.kept
        self.is_up = False
        self.is_paused = False
        self._salt = salt
        self._move_in = move_in
        self._on_error = on_error
        self._life = 0  # counts the times it came up; what an earlier life planned does not happen
        self._backlog: deque[Callable[[], None]] = deque()
        self._tasks: dict[Task[Any], None] = {}
        self._resident: Resident | None = None
        self._sends_left: int | None = None
        self._has_retired = False
        self._acting = 0  # how deep in its own code it is
        self.room = SendWindow(self.name)
        network.join(address, self)

    def _is_in_group(self) -> bool:
        place = bisect_left(self.group, self.address)
        return place < len(self.group) and self.group[place] == self.address

    @property
    def others(self) -> Sequence[Address]:
        """All of the group but itself, in order."""
        return Others(self.group, bisect_left(self.group, self.address))

    @property
    def now(self) -> float:
        """The time on its own clock, in seconds."""
        return self.clock.at(self.simulation.now)

    @property
    def rssi(self) -> float | None:
        """The power in dBm of the frame that it is receiving now; None at other times, and without a radio model."""
        return self.network.rssi

    @property
    def chance(self) -> Chance:
        """Its own random numbers."""
        return self.simulation.chance(self.name + self._salt)

    @property
    def resident(self) -> Resident:
        """The program of this node; while the node is down, its last one."""
        if self._resident is None:
            raise UnknownNode(f"{self.name} has not been started; call start()")
        return self._resident

    def retire(self) -> None:
        """Go down for good."""
        self.crash()
        self._has_retired = True

    def start(self) -> None:
        """Come up."""
        if self.is_up or self._has_retired:
            return
        self.is_up = True
        self._life += 1
        self.storage = OfOneLife(self.kept, partial(self.is_life, self._life))
        try:
            self._resident = self._move_in(self)
            self._resident.begin()
        except Exception as error:
            error.add_note(f"at the start of {self.name}, at t = {self.simulation.now:g} s")
            if self._on_error is None:
                raise
            self._fail(error)

    def crash(self) -> None:
        """Go down at once; all but the storage is lost."""
        self.is_up = self.is_paused = False
        self._life += 1
        self._sends_left = None
        self._backlog.clear()
        self.room.clear()
        for task in tuple(self._tasks):
            task.cut()

    def crash_after_sends(self, sends: int) -> None:
        """Crash in the middle: when that many more messages have been sent, those after them are lost."""
        self._sends_left = sends
        if sends <= 0:
            self.crash()

    def restart(self, *, forget: bool = False) -> None:
        """Come back, with what was stored, or with nothing.

        Called by code of the node itself, it comes back when that code has done, which is of the old life.
        """
        if self.is_up:
            self.crash()
        if forget:
            self.kept.clear()
        if self._acting:
            self.simulation.schedule(self.simulation.now, self.start, rank=MESSAGE_RANK)
        else:
            self.start()

    def is_life(self, life: int) -> bool:
        """Whether the life of that number goes on."""
        return life == self._life

    def pause(self) -> None:
        """Stand still, like a process that was stopped."""
        self.is_paused = self.is_up

    def resume(self) -> None:
        """Go on: what came meanwhile happens now, in order."""
        self.is_paused = False
        while self._backlog and not self.is_paused:
            try:
                self._backlog.popleft()()
            except Exception:
                if self._backlog:  # what else came is not to be lost with it
                    self.simulation.schedule(self.simulation.now, self.resume, rank=MESSAGE_RANK)
                raise

    def send(self, message: Message, to: Address) -> None:
        """Send to one node; to itself, too."""
        if self.is_paused:
            self._put_off_message(partial(self.send, message, to))
        elif not self.is_up:
            self.network.count_drop(SENDER_DOWN)
        elif self._may_send():
            self.network.send(self.address, to, message)

    def multicast(self, message: Message, to: Sequence[Address]) -> None:
        """Send to several nodes, one after the other."""
        if self.is_paused:
            self._put_off_message(partial(self.multicast, message, to))
        elif self._sends_left is not None:
            for address in to:
                self.send(message, address)
        elif self.is_up:
            self.network.multicast(self.address, to, message)
        else:
            self.network.dropped[SENDER_DOWN] += len(to)

    def broadcast(self, message: Message) -> None:
        """Send to all who hear it, except itself."""
        if self.is_paused:
            self._put_off_message(partial(self.broadcast, message))
        elif not self.is_up:
            self.network.count_drop(SENDER_DOWN)
        elif self._may_send():
            self.network.broadcast(self.address, message)

    def _may_send(self) -> bool:
        if self._sends_left is None:
            return True
        self._sends_left -= 1
        if self._sends_left < 0:
            self.crash()
            return False
        return True

    def after(self, delay: float, action: Callable[[], object]) -> Timer:
        """Call back after that many seconds of its own clock."""
        return Timer(self, self._life, self.simulation.now + self.clock.duration(delay), action)

    async def sleep(self, delay: float) -> None:
        """Wait for so many seconds of its own clock, and for as long as it is paused then."""
        over: Signal[None] = Signal(f"{self.name} sleeps", once=True)
        self.after(delay, over.fire)
        await over.next()

    def begin_task(self, program: Callable[[], Coroutine[Any, Any, Any]], name: str) -> None:
        """Start a program that ends when the node crashes; one that is down starts none."""
        if not self.is_up:
            return
        task = self.simulation.begin_task(
            program, (), name=f"{self.name} {name}", parent=None, on_end=self._ended
        )
        self._tasks[task] = None

    def _ended(self, task: Task[Any]) -> None:
        self._tasks.pop(task, None)
        if isinstance(task.error, Exception):
            self._fail(task.error)

    def act(self, action: Callable[[], object]) -> None:
        """Do what a timer was set for."""
        self._acting += 1
        try:
            action()
        except Exception as error:
            error.add_note(f"in a timer of {self.name}, at t = {self.now:g} s")
            if self._on_error is None:
                raise
            self._fail(error)
        finally:
            self._acting -= 1

    def _fail(self, error: Exception) -> None:
        if self._on_error is None:
            self.simulation.fail(error)
        else:
            self.crash()
            self._on_error(error)

    def arrive(self, message: Message, sender: Address) -> None:
        """Take a message from the network."""
        if not self.is_up:
            return
        if self.is_paused:
            self._put_off_message(partial(self.arrive, message, sender))
            return
        resident = self._resident
        assert resident is not None
        self._acting += 1
        try:
            resident.receive(message, sender)
        except Exception as error:
            error.add_note(
                f"in {self.name}, on {in_short(message)} from node {sender}, at t = {self.now:g} s"
            )
            if self._on_error is None:
                raise
            self._fail(error)
        finally:
            self._acting -= 1

    def put_off(self, call: Callable[[], None]) -> None:
        """Do something when the node goes on."""
        self._backlog.append(call)

    def _put_off_message(self, call: Callable[[], None]) -> None:
        """Send or take a message when the node goes on; what is too much is dropped and counted."""
        if len(self._backlog) >= BACKLOG:
            self.network.count_drop("message for a paused node with a full backlog")
        else:
            self._backlog.append(call)

    def __repr__(self) -> str:
        return f"<Node '{self.name}'>"
