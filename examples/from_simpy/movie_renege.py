"""One ticket counter for three films: when a film is sold out, who waits for it leaves the line.

After SimPy's example "Movie Renege". That a film is sold out is a signal that fires once and stays fired.
"""

from dataclasses import dataclass, field

import kumi
from kumi import Resource, Signal, chance, now, sleep, together

TICKETS = 50
INTERVAL = 0.5
"""Minutes between two groups of people, in the mean."""
END = 120.0
"""Minutes."""
TITLES = "The Long Corridor", "Night Shift", "Two Robots"


@dataclass
class Film:
    """A film, its tickets, and who left the line without one, when."""

    title: str
    tickets: int = TICKETS
    left: list[float] = field(default_factory=list)
    sold_out_at: float | None = None
    sold_out: Signal[None] = field(default_factory=lambda: Signal("sold out", once=True))


async def group(film: Film, people: int, counter: Resource) -> None:
    with counter.request() as turn:
        await (turn.granted | film.sold_out).next()
        if not turn.is_held:
            film.left.append(now())
        elif film.tickets < people:
            await sleep(0.5)  # they talk about it
        else:
            film.tickets -= people
            if film.tickets < 2:
                film.tickets = 0
                film.sold_out_at = now()
                film.sold_out.fire()
            await sleep(1.0)


async def cinema(films: list[Film]) -> None:
    counter = Resource(name="counter")
    async with together() as tasks:
        while True:
            await sleep(chance().exponential(INTERVAL))
            film, people = chance().choice(films), chance().integer(1, 6)
            if film.tickets > 0:
                tasks.start(group, film, people, counter)


def simulate(seed: int) -> list[Film]:
    films = [Film(title) for title in TITLES]
    kumi.run(cinema, films, seed=seed, until=END)
    return films


if __name__ == "__main__":
    for film in simulate(seed=1):
        if film.sold_out_at is not None:
            print(
                f"{film.title!r} was sold out after {film.sold_out_at:.1f} minutes; {len(film.left)} groups left"
            )
