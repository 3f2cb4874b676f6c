"""Judging replicated logs and what stands on them."""

from __future__ import annotations

from math import inf
from typing import Any

from kumi.checking.linearizability import Call, unexplained
from kumi.checking.monitors import Monitor, RunEnding, broken, names
from kumi.contract.messages import Address
from kumi.protocols.guarantees import ReplicatedLog
from kumi.protocols.raft import Restored
from kumi.protocols.register import AtomicRegisters


class SameLog(Monitor):
    """Of what any two nodes tell, in any of their lives, one is the beginning of the other.

    A node that comes back tells the log from the beginning, so nothing told before a crash is contradicted
    after it. In place of a beginning a node may tell a state, which must be the tuple of its commands.
    """

    watches = ReplicatedLog

    def __init__(self) -> None:
        self.log: list[tuple[int, object]] = []
        self.first: list[tuple[float, Address]] = []
        self.length: dict[Address, int] = {}

    def crashed(self, time: float, address: Address) -> None:
        """Let a node tell anew."""
        self.length.pop(address, None)

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Compare with the longest log."""
        place, command = event
        if isinstance(command, Restored):
            self._restored(time, address, place, command.state)
            return
        length = self.length.get(address, 0)
        if length == len(self.log):
            if self.log and place <= self.log[-1][0]:
                raise broken(
                    "places grow",
                    f"node {address} tells place {place} at {time:.3f} s after place {self.log[-1][0]}",
                )
            self.log.append((place, command))
            self.first.append((time, address))
        elif self.log[length] != (place, command):
            (other_place, other), (when, node) = self.log[length], self.first[length]
            raise broken(
                "same log",
                f"node {address} tells {command!r} at place {place} at {time:.3f} s",
                f"node {node} told {other!r} at place {other_place} at {when:.3f} s",
            )
        self.length[address] = length + 1

    def _restored(self, time: float, address: Address, place: int, state: Any) -> None:
        length = sum(told <= place for told, _ in self.log)
        commands = tuple(command for _, command in self.log[:length])
        if tuple(state) != commands:
            raise broken(
                "same log",
                f"node {address} restores {state!r} at place {place} at {time:.3f} s",
                f"the commands up to there are {commands!r}",
            )
        self.length[address] = length

    def finish(self, ending: RunEnding) -> None:
        """Look for a node that has not caught up."""
        late = [node for node in ending.up if self.length.get(node, 0) < len(self.log)]
        if late:
            raise broken(
                "all catch up",
                f"at {ending.time:g} s nodes {names(late)} have not told all {len(self.log)} commands",
            )


class NothingInvented(Monitor):
    """What is told was asked for."""

    watches = ReplicatedLog

    def __init__(self) -> None:
        self.asked: set[object] = set()

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Keep a command."""
        if what == "append":
            self.asked.add(event[0])

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Judge a command."""
        place, command = event
        if not isinstance(command, Restored) and command not in self.asked:
            raise broken(
                "no creation",
                f"node {address} tells {command!r} at place {place} at {time:.3f} s",
                "nobody asked for it",
            )


class AskedIsTold(Monitor):
    """What a correct node asks for, again and again, is told."""

    watches = ReplicatedLog

    def __init__(self) -> None:
        self.asked: dict[object, tuple[float, Address]] = {}
        self.known: set[object] = set()

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Keep a command."""
        if what == "append":
            self.asked.setdefault(event[0], (time, address))

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Keep what is known."""
        command = event[1]
        if not isinstance(command, Restored):
            self.known.add(command)

    def finish(self, ending: RunEnding) -> None:
        """Look for a command that is missing."""
        for command, (time, node) in self.asked.items():
            if node in ending.correct and command not in self.known:
                raise broken(
                    "progress",
                    f"{command!r}, asked for by node {node} from {time:.3f} s on, is not in the log at "
                    f"{ending.time:g} s",
                )


class OneLeaderATerm(Monitor):
    """No term has two leaders."""

    watches = ReplicatedLog

    def __init__(self) -> None:
        self.leaders: dict[int, tuple[float, Address]] = {}

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Judge a new leader."""
        if what != "lead":
            return
        term = event[0]
        when, other = self.leaders.setdefault(term, (time, address))
        if other != address:
            raise broken(
                "one leader a term",
                f"node {address} leads in term {term} from {time:.3f} s",
                f"node {other} has led in it since {when:.3f} s",
            )


class Linearizable(Monitor):
    """Each operation seems to happen at one instant between call and return; all of correct nodes return."""

    watches = AtomicRegisters

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.asked: dict[Address, list[int]] = {}
        self.events = 0

    def crashed(self, time: float, address: Address) -> None:
        """Leave open what a node had under way."""
        self.asked.pop(address, None)

    def request(self, time: float, address: Address, what: str, event: tuple[Any, ...]) -> None:
        """Keep a call; events are numbered, so that ties are broken as they happened."""
        self.events += 1
        key, *arguments = event
        argument = None if not arguments else arguments[0] if len(arguments) == 1 else tuple(arguments)
        self.asked.setdefault(address, []).append(len(self.calls))
        self.calls.append(Call(f"node {address}", key, what, argument, None, self.events))

    def indicated(self, time: float, address: Address, event: tuple[Any, ...]) -> None:
        """Keep a return."""
        self.events += 1
        number, result = event
        place = self.asked[address][number]
        call = self.calls[place]
        if not call.is_open:
            raise broken("one result", f"node {address} is told twice, at {time:.3f} s, of {call}")
        self.calls[place] = Call(
            call.client, call.key, call.operation, call.argument, result, call.called, self.events
        )

    def finish(self, ending: RunEnding) -> None:
        """Look for an order that explains all."""
        calls = unexplained(self.calls)
        if calls is not None:
            raise broken("linearizability", "no order explains these calls", *map(str, shortest(calls)))
        for address in sorted(ending.correct):
            for place in self.asked.get(address, []):
                if self.calls[place].is_open:
                    raise broken("every call returns", str(self.calls[place]))


def shortest(calls: list[Call]) -> list[Call]:
    """Return the shortest beginning of a history that no order explains."""
    ends = sorted(call.returned for call in calls if not call.is_open)
    for end in ends:
        seen = [call if call.returned <= end else cut_open(call) for call in calls if call.called <= end]
        if unexplained(seen) is not None:
            return seen
    return calls


def cut_open(call: Call) -> Call:
    """Return a call whose outcome is not known yet."""
    return Call(call.client, call.key, call.operation, call.argument, None, call.called, inf)
