"""Lorries take parcels round three sorting halls, each run by a process of its own; the results are those of one.

A lorry drives for 8 s, and the road says so: that much the halls can run ahead of each other.
"""

from collections import deque
from dataclasses import dataclass

from kumi.devs import Atomic, Coupled
from kumi.distributed import run_distributed, run_whole

HALLS = ("north", "east", "south")
DRIVE = 8.0


@dataclass(frozen=True)
class Parcel:
    """Something on its way, and how many halls it has seen."""

    number: int
    halls: int = 0


class Sorter(Atomic):
    """Takes one parcel after the other, each for a random while."""

    def __init__(self, name: str, parcels: int) -> None:
        super().__init__(name)
        self.arriving = self.add_input("arriving", tuple[Parcel, ...])
        self.leaving = self.add_output("leaving", Parcel)
        self.line = deque(Parcel(number) for number in range(parcels))
        self.sorted = 0

    def begin(self) -> None:
        self.work()

    def work(self) -> None:
        if self.line:
            self.hold(self.chance.exponential(0.1))

    def external(self) -> None:
        was_idle = not self.line
        for load in self.arriving:
            self.line.extend(load)
        if was_idle:
            self.work()

    def output(self) -> None:
        parcel = self.line[0]
        self.leaving.send(Parcel(parcel.number, parcel.halls + 1))

    def internal(self) -> None:
        self.line.popleft()
        self.sorted += 1
        self.work()


class Dock(Atomic):
    """Collects parcels; a lorry leaves with what there is every ten seconds."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.loading = self.add_input("loading", Parcel)
        self.leaving = self.add_output("leaving", tuple[Parcel, ...])
        self.load: tuple[Parcel, ...] = ()
        self.hold(10.0)

    def external(self) -> None:
        self.load += tuple(self.loading)

    def output(self) -> None:
        self.leaving.send(self.load)

    def internal(self) -> None:
        self.load = ()
        self.hold(10.0)


class Road(Atomic):
    """Each lorry arrives a fixed time after it left."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(name)
        self.seconds = seconds
        self.leaving = self.add_input("leaving", tuple[Parcel, ...])
        self.arriving = self.add_output("arriving", tuple[Parcel, ...])
        self.lorries: deque[tuple[float, tuple[Parcel, ...]]] = deque()

    def external(self) -> None:
        self.lorries.extend((self.now + self.seconds, load) for load in self.leaving)
        self.hold_until(self.lorries[0][0])

    def output(self) -> None:
        self.arriving.send(self.lorries[0][1])

    def internal(self) -> None:
        self.lorries.popleft()
        if self.lorries:
            self.hold_until(self.lorries[0][0])


def halls(parcels: int = 60) -> Coupled:
    """Build three halls in a ring."""
    ring = Coupled("ring")
    for name in HALLS:
        hall = ring.add(Coupled(name))
        arriving, leaving = (
            hall.add_input("arriving", tuple[Parcel, ...]),
            hall.add_output("leaving", tuple[Parcel, ...]),
        )
        sorter, dock = hall.add(Sorter("sorter", parcels)), hall.add(Dock("dock"))
        road = hall.add(Road("road", DRIVE))
        hall.couple(arriving, sorter.arriving)
        hall.couple(sorter.leaving, dock.loading)
        hall.couple(dock.leaving, road.leaving)
        hall.couple(road.arriving, leaving)
    for source, target in zip(HALLS, (*HALLS[1:], HALLS[0]), strict=True):
        ring.couple(ring[source].outputs[0], ring[target].inputs[0])
    return ring


def parcels_sorted(hall: Coupled) -> int:
    """Collect how many parcels a hall has sorted."""
    sorter = hall["sorter"]
    assert isinstance(sorter, Sorter)
    return sorter.sorted


if __name__ == "__main__":
    parts = {name: [name] for name in HALLS}
    roads = {f"{name}.road": DRIVE for name in HALLS}
    one = run_whole(halls, parts, seed=7, until=200.0, collect=parcels_sorted)
    in_turn = run_distributed(halls, parts, seed=7, until=200.0, collect=parcels_sorted)
    ahead = run_distributed(halls, parts, lookahead=roads, seed=7, until=200.0, collect=parcels_sorted)
    for path, count in ahead.values.items():
        print(f"{path} sorted {count} parcels")
    print(f"{ahead.events} transitions in three processes")
    print(f"in turn: asked {in_turn.rounds} times; the same as in one process: {in_turn == one}")
    print(f"ahead: asked {ahead.rounds} times; the same as in one process: {ahead == one}")
