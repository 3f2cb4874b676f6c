"""The table of the world: robots that wander, in number and density, by kumi and by its peers.

Many rows look at the same runs: at their speed, their contacts, their memory. A lead is wanted only over
peers that are used here as they were when the targets were set. pymunk, ir-sim and the yardstick are used
in a faster way since, and navground's agents react to contacts, which shows where there are few of them.
"""

from __future__ import annotations

from benchmarks.rows import KUMI, Row, Run

NAVGROUND = "navground"
IRSIM = "irsim"
PYMUNK = "pymunk"
GRADYSIM = "gradysim"
KDTREE = "kdtree"
EVENTS = "events"
PEERS = (NAVGROUND, IRSIM, PYMUNK, GRADYSIM, KDTREE, EVENTS)

PART = "World"
DENSITY = 0.05
BUDGET = 1.0
"""CPU seconds for a peer."""

KUMI_BUDGET = 2.0
LARGE = 10_000
"""Up to so many robots a run is short enough to be repeated."""

KNOWN = {
    100: {GRADYSIM: 297.0, KDTREE: 1_449.0},
    1_000: {NAVGROUND: 50.0, GRADYSIM: 22.5, KDTREE: 260.0},
    10_000: {NAVGROUND: 0.39, GRADYSIM: 1.66, KDTREE: 24.7},
}


def kumi(number: int, *, native: bool = False, density: float = DENSITY) -> Run:
    """Describe a run of kumi, with programs in Python or with the native walker."""
    budget = KUMI_BUDGET if number <= LARGE else 5.0 * KUMI_BUDGET
    params = {"number": number, "density": density, "budget": budget, "native": native}
    return Run(
        KUMI,
        params,
        repeats=3 if number <= LARGE and density == DENSITY else 1,
        quick={"budget": 0.5} if number <= LARGE and density == DENSITY else None,
        module="world_kumi",
    )


def peer(engine: str, number: int, density: float = DENSITY) -> Run:
    """Describe a run of a peer; `--quick` has some of them, at a thousand robots."""
    return Run(
        engine,
        {"number": number, "density": density, "budget": BUDGET},
        repeats=3 if density == DENSITY else 1,
        quick={"budget": 0.5} if number == 1_000 and engine in {PYMUNK, KDTREE, EVENTS} else None,
    )


def speed(number: int, target: float | None = None, *, native: bool = False) -> Row:
    """Describe a row of speed; beside the native walker stand the peers that are native, too."""
    peers = (NAVGROUND, PYMUNK, KDTREE) if native else PEERS
    known = KNOWN.get(number, {})
    return Row(
        name=f"world-{number}" + ("-native" if native else ""),
        title=f"{number:,} robots, " + ("native walker" if native else "programs in Python"),
        unit="simulated s/CPU s",
        task="world",
        runs=(
            kumi(number, native=native),
            *(peer(engine, number) for engine in peers if number <= LARGE),
        ),
        target=target,
        more_is_better=True,
        known={engine: known[engine] for engine in peers if engine in known},
        part=PART,
    )


def contacts(*, native: bool) -> Row:
    """Describe a row of contacts per second, at ten thousand robots."""
    peers = (EVENTS, PYMUNK) if native else (EVENTS, PYMUNK, NAVGROUND, IRSIM)
    return Row(
        name="world-contacts" + ("-native" if native else ""),
        title=f"Contacts of {LARGE:,} robots, " + ("native walker" if native else "programs in Python"),
        unit="contacts/CPU s",
        task="world",
        runs=(kumi(LARGE, native=native), *(peer(engine, LARGE) for engine in peers)),
        more_is_better=True,
        key="contacts_per_second",
        part=PART,
    )


def events() -> Row:
    """Describe the row of events per second, at ten thousand robots."""
    return Row(
        name="world-events",
        title=f"Events of {LARGE:,} robots, native walker",
        unit="events/CPU s",
        task="world",
        runs=(kumi(LARGE, native=True), peer(EVENTS, LARGE)),
        target=1e6,
        more_is_better=True,
        key="events_per_second",
        part=PART,
    )


def cost_of_event(number: int) -> Row:
    """Describe a row of what an event costs: with N it may grow by the logarithm, not more."""
    return Row(
        name=f"world-event-{number}",
        title=f"An event among {number:,} robots, native walker",
        unit="µs/event",
        task="world",
        runs=(kumi(number, native=True), *((peer(EVENTS, number),) if number <= LARGE else ())),
        key="us_per_event",
        part=PART,
    )


def memory(number: int, target: float | None = None, *, native: bool = False) -> Row:
    """Describe a row of resident bytes; the target is for what the core takes."""
    return Row(
        name=f"world-memory-{number}" + ("-native" if native else ""),
        title=f"Memory of one of {number:,} robots, " + ("native walker" if native else "with its program"),
        unit="bytes",
        task="world",
        runs=(
            kumi(number, native=native),
            *(peer(engine, number) for engine in PEERS if number <= LARGE and not native),
        ),
        target=target,
        key="bytes_per_robot",
        part=PART,
    )


def crowd(density: float, *, native: bool = False) -> Row:
    """Describe a row of what density costs."""
    return Row(
        name=f"world-density-{100 * density:g}" + ("-native" if native else ""),
        title=f"{LARGE:,} robots, density {100 * density:g} %, "
        + ("native walker" if native else "programs in Python"),
        unit="CPU µs per robot and simulated s",
        task="world",
        runs=(
            kumi(LARGE, native=native, density=density),
            *(peer(engine, LARGE, density) for engine in (PYMUNK, KDTREE, EVENTS)),
        ),
        key="us_per_robot_second",
        part=PART,
    )


def missed(metres_per_second: float) -> Row:
    """Describe a row of what a step overlooks; the scene's discs of radius 5 are measured in centimetres."""
    params = {"number": 2_000, "density": DENSITY, "speed": 100.0 * metres_per_second, "steps": 200}
    return Row(
        name=f"world-missed-{metres_per_second:g}",
        title=f"Contacts missed at a step of 100 ms, discs of radius 5 cm at {metres_per_second:g} m/s",
        unit="%",
        task="missed",
        runs=(Run(KDTREE, params, repeats=1),),
        part=PART,
    )


def churn(gone: int, alive: int) -> Row:
    """Describe a row of what a body costs that comes and goes, after so many others."""
    return Row(
        name=f"world-churn-{gone}-{alive}",
        title=f"A body comes and goes after {gone:,} others, beside {alive:,}",
        unit="CPU µs",
        task="churn",
        runs=(Run(KUMI, {"gone": gone, "alive": alive}, quick=None, module="world_kumi"),),
        part=PART,
    )


ROWS: tuple[Row, ...] = (
    speed(100, 10_000.0),
    speed(1_000, 1_200.0),
    speed(10_000, 120.0),
    speed(100_000),
    speed(1_000_000),
    speed(100, 50_000.0, native=True),
    speed(1_000, 6_000.0, native=True),
    speed(10_000, 600.0, native=True),
    speed(100_000, native=True),
    speed(1_000_000, native=True),
    contacts(native=False),
    contacts(native=True),
    events(),
    *(cost_of_event(number) for number in (100, 1_000, 10_000, 100_000, 1_000_000)),
    memory(10_000),
    memory(100_000),
    memory(100_000, 1_000.0, native=True),
    *(crowd(density) for density in (0.01, 0.05, 0.1, 0.2)),
    *(crowd(density, native=True) for density in (0.01, 0.05, 0.1, 0.2)),
    missed(1.0),
    missed(2.0),
    *(churn(gone, alive) for alive in (10, 1_000) for gone in (10_000, 1_000_000)),
)
