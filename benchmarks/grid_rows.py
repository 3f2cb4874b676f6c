"""The table of grid search: the five maps of Skadsem (2006), and maps of the character of the Moving AI benchmarks.

Every engine starts from the same array of cells in the same row. Beside kumi stand the packages that people use;
slow ones are left out of large maps, where a query takes them more than some seconds. `coarse` is kumi with a coarse
map first, as she has it: it is not part of kumi, because it wins nowhere.
"""

from __future__ import annotations

from benchmarks.rows import KUMI, Row, Run

TCOD = "tcod"
SKIMAGE = "skimage"
PATHFINDING = "pathfinding"
NETWORKX = "networkx"
PYASTAR2D = "pyastar2d"

PART = "Grid search"
SIDE = 512
QUERIES = 40
MODULE = "grid_kumi"

WIDE_SIDE = 2000
ANY_ANGLE = (
    "open",
    "random-05",
    "random-10",
    "random-20",
    "random-30",
    "random-35",
    "blocks",
    "rooms",
    "maze-8",
    "maze-1",
    "warehouse",
)

OPEN = ("random-10", "rooms", "maze-8", "warehouse", "caves")
CLUTTER = ("random-20", "random-35", "random-40", "maze-1")


def thesis(side: int, reading: int, number: int, target: float | None) -> Row:
    """Describe a row of one of the five maps, from corner to corner with 4 neighbours."""
    params = {"side": side, "reading": reading, "number": number}
    engines = [PYASTAR2D]
    if reading == 1:
        engines = [TCOD, PYASTAR2D]
    if reading == 1 and side <= 700:
        engines = [TCOD, SKIMAGE, PYASTAR2D]
    if side <= 100 or (reading, side, number) == (1, 700, 1):
        engines += [PATHFINDING, NETWORKX]
    return Row(
        name=f"grid-thesis-{side}-{reading}-{number}",
        title=f"Thesis map {number}, {side} × {side}, {'anti-diagonal' if reading == 1 else 'horizontal'} wall",
        unit="ms",
        task="grid_thesis",
        runs=(
            Run(KUMI, params, module=MODULE),
            *(Run(engine, params, repeats=1, quick=None) for engine in engines),
        ),
        target=target,
        part=PART,
    )


def kind(name: str, moves: int) -> Row:
    """Describe a row of the median query on a map; peers in plain Python get fewer queries."""
    params = {"kind": name, "side": SIDE, "moves": moves, "queries": QUERIES}
    engines = (TCOD, SKIMAGE, PYASTAR2D) if moves == 4 else (TCOD, SKIMAGE)
    few = {**params, "queries": 1}
    return Row(
        name=f"grid-{name}-{moves}",
        title=f"{name}, {SIDE} × {SIDE}, {moves} neighbours, from the array",
        unit="ms/query",
        task="grid_kind",
        runs=(
            Run(KUMI, params, module=MODULE),
            *(Run(engine, params, repeats=1, quick=None) for engine in engines),
            *(Run(engine, few, repeats=1, quick=None) for engine in (PATHFINDING, NETWORKX)),
        ),
        part=PART,
    )


def ready(name: str, target: float) -> Row:
    """Describe a row of the median query on a map that is kept ready."""
    params = {"kind": name, "side": SIDE, "moves": 8, "queries": 10 * QUERIES}
    return Row(
        name=f"grid-{name}-ready",
        title=f"{name}, {SIDE} × {SIDE}, 8 neighbours, map kept ready",
        unit="ms/query",
        task="grid_ready",
        runs=(Run(KUMI, params, module=MODULE, quick={"queries": QUERIES}),),
        target=target,
        part=PART,
    )


def costs(name: str) -> Row:
    """Describe a row of the median query where cells beside obstacles cost more."""
    params = {"kind": name, "side": SIDE, "queries": QUERIES}
    return Row(
        name=f"grid-{name}-costs",
        title=f"{name}, {SIDE} × {SIDE}, 4 neighbours, 10 beside obstacles",
        unit="ms/query",
        task="grid_costs",
        runs=(
            Run(KUMI, params, module=MODULE),
            *(Run(engine, params, repeats=1, quick=None) for engine in (TCOD, PYASTAR2D)),
        ),
        part=PART,
    )


def wide(side: int, share: float) -> tuple[Row, Row]:
    """Describe two rows of one measurement: a search over a large map of scattered cells, and its memory."""
    params = {"side": side, "share": share}
    mine = Run(KUMI, params, repeats=3, module=MODULE, quick={"side": side // 10})
    title = f"{share:.0%} scattered, {side:,} × {side:,}, 8 neighbours, corner to corner"
    time = Row(
        name=f"grid-wide-{side}",
        title=title,
        unit="s",
        task="grid_wide",
        runs=(mine, Run(TCOD, params, repeats=1, quick=None)),
        target=3.0,
        part=PART,
    )
    above = Row(
        name=f"grid-wide-{side}-memory",
        title=f"Memory above the array: {title}",
        unit="MB",
        task="grid_wide",
        runs=(mine,),
        target=300.0,
        key="memory",
        part=PART,
    )
    return time, above


def any_angle(name: str) -> Row:
    """Describe a row of a way at any angle over a large map."""
    return Row(
        name=f"grid-any-angle-{name}",
        title=f"{name}, {WIDE_SIDE:,} × {WIDE_SIDE:,}, any angle, corner to corner, from the array",
        unit="ms",
        task="grid_any_angle",
        runs=(Run(KUMI, {"kind": name, "side": WIDE_SIDE}, module=MODULE, quick={"side": 500}),),
        target=50.0,
        part=PART,
    )


def memory(moves: int) -> Row:
    """Describe a row of the memory above the array."""
    return Row(
        name=f"grid-memory-{moves}",
        title=f"Memory for the maps of Skadsem (2006), 5000 × 5000, {moves} neighbours",
        unit="MB",
        task="grid_memory",
        runs=(Run(KUMI, {"side": 5000, "moves": moves}, repeats=1, module=MODULE),),
        target=200.0,
        part=PART,
    )


def coarse(name: str) -> Row:
    """Describe a row of the coarse map first, beside the row of the same map without it."""
    params = {"kind": name, "side": SIDE, "moves": 4, "queries": QUERIES}
    return Row(
        name=f"grid-{name}-coarse",
        title=f"{name}, {SIDE} × {SIDE}, 4 neighbours, coarse map first",
        unit="ms/query",
        task="grid_kind_coarse",
        runs=(Run(KUMI, params, module=MODULE, quick=None),),
        part=PART,
    )


def coarse_thesis(number: int) -> Row:
    """Describe a row of the coarse map first on her map of 5000."""
    return Row(
        name=f"grid-thesis-5000-1-{number}-coarse",
        title=f"Thesis map {number}, 5000 × 5000, coarse map first",
        unit="ms",
        task="grid_thesis_coarse",
        runs=(Run(KUMI, {"side": 5000, "reading": 1, "number": number}, module=MODULE, quick=None),),
        part=PART,
    )


ROWS: tuple[Row, ...] = (
    *(thesis(side, 1, number, None) for side in (10, 100, 2000) for number in range(1, 6)),
    *(thesis(700, reading, number, 0.3) for reading in (1, 2) for number in range(1, 6)),
    *(thesis(5000, reading, number, 5.0) for reading in (1, 2) for number in range(1, 6)),
    *(kind(name, moves) for name in (*OPEN, *CLUTTER) for moves in (4, 8)),
    *(ready(name, 0.2) for name in OPEN),
    *(ready(name, 2.0) for name in CLUTTER),
    *(costs(name) for name in ("random-35", "rooms", "warehouse", "caves")),
    memory(4),
    memory(8),
    *wide(10_000, 0.2),
    *(any_angle(name) for name in ANY_ANGLE),
    *(coarse(name) for name in ("rooms", "random-35")),
    coarse_thesis(1),
    coarse_thesis(2),
)
