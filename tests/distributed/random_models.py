"""Random coupled models that tell when order is not kept: each state sums up its whole past, in order."""

from __future__ import annotations

from typing import Any

from kumi import sleep
from kumi.devs import Atomic, Coupled, Model, Program, atomics, chance, note


class Cell(Atomic):
    """Sends its state to others, and mixes what comes in order into it; waits are drawn from few numbers."""

    def __init__(self, name: str, rank: int, delays: list[float]) -> None:
        super().__init__(name, rank=rank)
        self.into = self.add_input("into", int)
        self.also = self.add_input("also", int)
        self.out = self.add_output("out", int)
        self.delays = delays
        self.state = len(name)
        self.zeros = 0

    def begin(self) -> None:
        self.hold(self.chance.choice([0.0, 1.0, 1.0, 2.0]))

    def output(self) -> None:
        for extra in range(1 + self.state % 2):
            self.out.send(self.state * 2 + extra)

    def internal(self) -> None:
        self.mix(1)
        self.plan()

    def external(self) -> None:
        for value in (*self.into, 7, *self.also):
            self.mix(value)
        if self.state % 3 == 0:
            self.plan()

    def confluent(self) -> None:
        if self.state % 2:
            super().confluent()
        else:
            self.external()
            self.internal()

    def mix(self, value: int) -> None:
        self.state = (self.state * 31 + value + round(self.elapsed * 8)) % 1_000_003

    def plan(self) -> None:
        wait = self.chance.choice(self.delays)
        self.zeros = self.zeros + 1 if wait == 0.0 else 0
        if self.zeros > 3:
            wait, self.zeros = 1.0, 0
        self.hold(wait)


class Link(Atomic):
    """Carries values to other groups of cells; each takes a second or two, as its number says."""

    def __init__(self, name: str, rank: int, delay: float) -> None:
        super().__init__(name, rank=rank)
        self.into = self.add_input("into", int)
        self.out = self.add_output("out", int)
        self.delay = delay
        self.queue: list[tuple[float, int]] = []

    def external(self) -> None:
        self.queue += [(self.now + self.delay, value) for value in self.into]
        self.hold_until(self.queue[0][0])

    def output(self) -> None:
        for due, value in self.queue:
            if due == self.now:
                self.out.send(value)

    def internal(self) -> None:
        self.queue = [(due, value) for due, value in self.queue if due > self.now]
        if self.queue:
            self.hold_until(self.queue[0][0])


class Walker(Program):
    """A program among the cells."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.into = self.add_input("into", int)
        self.also = self.add_input("also", int)
        self.out = self.add_output("out", int)
        self.state = 0

    async def run(self) -> None:
        for number in range(12):
            await sleep(chance().choice([0.5, 1.0]))
            self.state = self.state * 3 + number
            note(self.state)
            self.out.send(self.state % 1000)
            value = await self.into.arrivals.next()
            self.state = (self.state + value) % 1_000_003


def build(spec: dict[str, Any]) -> Coupled:
    """Build the model of a spec, given as plain values; with links, groups of cells meet through them alone."""
    root = Coupled("root")
    made: list[Any] = []
    groups = spec["groups"]
    for number in range(len(groups)):
        if number in spec["programs"]:
            cell: Any = Walker(f"c{number}")
        else:
            cell = Cell(f"c{number}", spec["ranks"][number], spec["delays"])
        if spec["nested"] and number % 2:
            holder = root.add(Coupled(f"box{number}"))
            outside = (
                holder.add_input("into", int),
                holder.add_input("also", int),
                holder.add_output("out", int),
            )
            holder.add(cell)
            holder.couple(outside[0], cell.into)
            holder.couple(outside[1], cell.also)
            holder.couple(cell.out, outside[2])
            made.append(outside)
        else:
            root.add(cell)
            made.append((cell.into, cell.also, cell.out))
    links = [root.add(Link(f"link{group}", *manner)) for group, manner in enumerate(spec["links"])]
    for source, target in spec["couplings"]:
        port = made[source][2]
        if links and groups[source] != groups[target]:
            link = links[groups[source]]
            if (port, link.into) not in root.couplings:
                root.couple(port, link.into)
            port = link.out
        root.couple(port, made[target][(source + target) % 2])
    return root


def state(model: Model) -> list[int]:
    """Collect the states of a component."""
    return [atomic.state for atomic in atomics(model) if isinstance(atomic, Cell | Walker)]


def parts_of(spec: dict[str, Any]) -> dict[str, list[str]]:
    """Give each group of cells a part of its own, with its link."""
    parts: dict[str, list[str]] = {}
    for number, group in enumerate(spec["groups"]):
        boxed = spec["nested"] and number % 2
        parts.setdefault(f"p{group}", []).append(f"box{number}" if boxed else f"c{number}")
    for group in range(len(spec["links"])):
        parts.setdefault(f"p{group}", []).append(f"link{group}")
    return parts


def lookahead_of(spec: dict[str, Any]) -> dict[str, float]:
    """Give what links promise."""
    return {f"link{group}": delay for group, (_, delay) in enumerate(spec["links"])}
