"""What came out: `results.json` for a machine, `RESULTS.md` and a table on the screen for people."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.grid_rows import NETWORKX, PATHFINDING, PYASTAR2D, SKIMAGE, TCOD
from benchmarks.machine import machine
from benchmarks.mapf_rows import W9
from benchmarks.measuring import key_of
from benchmarks.plan_rows import TOPPRA
from benchmarks.rows import KUMI, PYTHONPDEVS, SALABIM, SIMPY, XDEVS
from benchmarks.world_rows import EVENTS, GRADYSIM, IRSIM, KDTREE, NAVGROUND, PYMUNK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.measuring import Outcomes
    from benchmarks.rows import Row

PEERS = {
    XDEVS: "xdevs.py",
    PYTHONPDEVS: "PythonPDEVS",
    SIMPY: "SimPy",
    SALABIM: "salabim",
    NAVGROUND: "navground",
    IRSIM: "ir-sim",
    PYMUNK: "pymunk",
    GRADYSIM: "gradysim",
    KDTREE: "numpy + cKDTree",
    EVENTS: "exact events in pure Python",
    TCOD: "tcod",
    SKIMAGE: "scikit-image",
    PATHFINDING: "pathfinding",
    NETWORKX: "networkx",
    PYASTAR2D: "pyastar2d",
    W9: "w9-pathfinding",
    TOPPRA: "toppra",
}
NOTES = {
    "Kernel": """\
PythonPDEVS has no distribution of its own on PyPI; measured is version 2.2.1 as `devsimpy` carries
it, without the minimal kernel of later versions.
""",
    "World": """\
Discs of radius 5 wander at speed 10 by random waypoints in a square arena, of which they fill 5 % where
nothing else is said; who touches another turns away. Time is CPU time of all threads, without the making
of the world. kumi and the yardstick in pure Python are exact; the others step by 100 ms. numpy + cKDTree
finds overlaps and does nothing about them, and gradysim knows no contacts at all. A peer gets a second of
CPU time, so a slow one sees less of the same world. No lead is wanted over pymunk, ir-sim and the
yardstick, which are used in a faster way here than when the targets were set.

Not measured: VMAS, since PyTorch from PyPI brings some gigabytes; ARGoS and Stage, which are not on PyPI.
""",
    "Control loops": """\
Robots of 8.5 cm radius at 0.2 m/s are steered ten times a second by random rates up to 2 rad/s. At 5 % of the floor they drive
against each other and against the border, several contacts a robot and second. `results.json` has for each row the
microseconds of a straight step of the same process, and the ratio to it.

ORCA drives discs that fill a twentieth of a square to places of their own, at one density for all numbers of robots. A step with
a sensor reads it and steers straight on, alone or as a team; sensors that report on their own, and recording, are measured on robots
that walk at random. Others used both cores meanwhile: the time is that of the processor, but its caches were shared.

The peers step by 100 ms and are told rates of turning of the same kind; numpy + cKDTree finds overlaps and does nothing about
them. ARGoS is not on PyPI: its foot-bot diffusion, a loop with a proximity ring, in C++ and with steps of 10 ms, reached
89, 4.6 and 0.15 simulated seconds a CPU second with 100, 1,000 and 10,000 robots (11, 22 and 67 µs a robot and control step),
on a quiet machine with two cores; not measured anew, and quoted on 2026-11-19.
""",
    "Network": """\
Messages are passed on in a ring, each node sending what it got to the next, a hundredth of a second away: for kumi
by receivers on the bare network, with the content of each sending in the hash of the trace; for SimPy by a process
for each node and for each message under way, as its own example has it; for gradysim by its communication handler.
A protocol event is what is asked of a layer, or told by it; the network counts as a layer. Calls in a swarm are
those of robots that move and send a message each second to all within 100 m, about ten; gradysim looks at all nodes
for each.
""",
    "View": """\
Robots wander as in the part about the world, in real time, and Chromium without a window looks at them by the live feed,
1280 by 800 pixels. JavaScript a frame is all that the page does for one: reading the journal, poses, upload, trails and
names; drawing by the graphics card, here by software, is not in it. A run of 30 s is measured from when all robots are there.
The hour of live data is that of native walkers, sent in steps as fast as the page takes them, so that every byte of it arrives;
the page keeps the last 128 MB to go back in. Memory is that of the browser's process that shows the page, all in all.
""",
    "Mapping": """\
Three robots at once on six seeds, 18 m each, with noise on beams, wheel and steering; the error is that of the
estimate while they drive. A cell of the map counts as right if it lies in solid matter or within 7.5 cm of it.
Robots explore from two starts each; what is told is the mean time of one robot over that of three.
""",
    "Studies": """\
Thirty robots with infrared and whiskers follow each other for 1,000 steps of the leader, or until the convoy breaks up; runs of
fresh seeds, contacts and break-ups among them, in runs a second of processor time on one core.
""",
    "Station": """\
Simulated robots report ten times a second over Zenoh from processes of their own, and users ask and give tasks over HTTP, all on
this machine. Latency is from the call to its answer, of a stop from the call to the robot that halts.
""",
    "Distributed": """\
Two yards of 20 workers each, one process or two, with the start of the processes; every 10 s a number crosses by a road
that takes 5 s. All ways have the same trace. Wall time depends on how busy the machine is. The CPU time on the path is
that of all processes where they take turns, and that of the busiest where they run ahead: what the run takes at the least
with a core for each. Without a lookahead, dividing a model costs time; it is done for memory or place.
""",
    "Cliffs": """\
Work whose cost once grew with something that it need not depend on, for three sizes each. Targets are twice what such
work takes at least, on a quiet machine; measured was one that others used, too. A study's runs are those of two workers on this machine, by the wall's clock.
""",
    "Many robots": """\
Robots move in steps to 4 neighbours, never two in one cell or changing places; every plan is checked. The maps have
the character of random-32-32-20 and warehouse-10-20-10-2-1 and are made from a seed. The lower bound is the sum of the
shortest ways. w9-pathfinding plans one robot after the other (HCA*), which fails where the first ones shut others in.
No package on PyPI has LaCAM.
""",
    "Grid search": """\
A query counts from the array of cells to the length of the way, as a user meets it: packing, graphs and tables of the
engines are made anew for each, but where a map is kept ready. The maps of Skadsem (2006) are searched from corner to corner with
4 neighbours; the others hold queries between random cells, of which the median is told. All lengths are compared.
With 8 neighbours a move goes diagonally only between two free cells; tcod cuts corners and scikit-image as well, so
their ways may be shorter there. Engines in plain Python get one query, and slow engines are left out of large maps. pyastar2d knows no rule for corners, and is left out with 8 neighbours. A coarse map first, as Skadsem (2006) has
it, wins nowhere against the plain search, and is no part of kumi.
""",
    "Plans": """\
CPU time, the space made anew each time. Paths between headings are compared with the shortest drives of a least radius, by
the formulas of Shkel and Lumelsky. toppra solves for one joint, the way along the path, on the same places.
""",
}
REMAINING = Path(__file__).with_name("remaining.md")


@dataclass(frozen=True)
class Line:
    """One row with what was measured."""

    row: Row
    figures: dict[str, float]
    samples: dict[str, list[dict[str, float]]]
    problems: dict[str, str]
    date: str

    @property
    def ours(self) -> float | None:
        """Kumi's figure."""
        return self.figures.get(KUMI)

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.row.target is None or self.ours is None:
            return None
        return self.row.reaches(self.ours, self.row.target)

    def ratio(self, peer: str) -> float | None:
        """Tell how many times better kumi is than a peer."""
        if self.ours is None or peer not in self.figures:
            return None
        return self.row.ratio(self.ours, self.figures[peer])

    def wanted(self, peer: str) -> float | None:
        """Tell how many times better the target is than what the peer was known to reach."""
        if self.row.target is None or peer not in self.row.known:
            return None
        return self.row.ratio(self.row.target, self.row.known[peer])

    def met_as_ratio(self) -> bool | None:
        """Whether kumi leads every peer of the row by as much as the target does."""
        verdicts = [
            ratio >= wanted
            for peer in self.row.known
            if (ratio := self.ratio(peer)) is not None and (wanted := self.wanted(peer)) is not None
        ]
        return all(verdicts) if verdicts else None


def lines(rows: Sequence[Row], outcomes: Outcomes, *, quick: bool) -> list[Line]:
    """Put rows and samples together."""
    result = []
    for row in rows:
        figures, samples, problems = {}, {}, {}
        for run in row.runs:
            outcome = outcomes.get(key_of(row, run, quick=quick))
            if outcome is None:
                continue
            samples[run.engine] = outcome.samples
            if best := row.best(outcome.samples):
                figures[run.engine] = best[row.key]
            if outcome.problem:
                problems[run.engine] = outcome.problem
        result.append(Line(row, figures, samples, problems, machine()["date"]))
    return result


def stored(found: Sequence[dict[str, Any]], rows: Sequence[Row]) -> list[Line]:
    """Return what was measured before, of the rows that there still are."""
    by_name = {row.name: row for row in rows}
    return [
        Line(by_name[one["name"]], one["best"], one["samples"], one["problems"], one["date"])
        for one in found
        if one["name"] in by_name
    ]


def as_json(
    table: Sequence[Line], machine: dict[str, str], versions: dict[str, str], *, quick: bool
) -> dict[str, Any]:
    """Return everything that was measured, in a form for JSON."""
    return {
        "machine": machine,
        "versions": versions,
        "quick": quick,
        "rows": [
            {
                "part": line.row.part,
                "name": line.row.name,
                "date": line.date,
                "title": line.row.title,
                "unit": line.row.unit,
                "more_is_better": line.row.more_is_better,
                "target": line.row.target,
                "met": line.met,
                "met_as_ratio": line.met_as_ratio(),
                "best": line.figures,
                "ratios": {peer: line.ratio(peer) for peer in line.figures if peer != KUMI},
                "wanted_ratios": {peer: line.wanted(peer) for peer in line.row.known},
                "samples": line.samples,
                "problems": line.problems,
            }
            for line in table
        ],
    }


def cells(line: Line) -> list[str]:
    """Write a line for people: task, kumi, target, met, met as ratio, and each peer."""
    row = line.row
    at_least = "≥" if row.more_is_better else "≤"
    return [
        f"{row.title}, {row.unit}",
        line.problems.get(KUMI) or number(line.ours),
        "–" if row.target is None else f"{at_least} {number(row.target)}",
        verdict(line.met),
        verdict(line.met_as_ratio()),
        "; ".join(peer_cell(line, run.engine) for run in row.runs if run.engine != KUMI) or "–",
    ]


HEADERS = ["what", "kumi", "target", "met", "met as ratio", "peers: figure, kumi's lead (lead wanted)"]


def peer_cell(line: Line, peer: str) -> str:
    """Write what a peer reached, how far kumi leads, and how far it should."""
    name = PEERS[peer]
    if peer in line.problems:
        return f"{name} {line.problems[peer]}"
    if peer not in line.figures:
        return f"{name} not measured"
    text = f"{name} {number(line.figures[peer])}"
    ratio, wanted = line.ratio(peer), line.wanted(peer)
    if ratio is not None:
        text += f", {number(ratio)}×"
    if wanted is not None:
        text += f" ({number(wanted)}×)"
    return text


def number(value: float | None) -> str:
    """Write a number with three digits that count."""
    if value is None:
        return "–"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def verdict(met: bool | None) -> str:
    """Write whether a target is met."""
    return "–" if met is None else ("yes" if met else "**no**")


def as_markdown(table: Sequence[Line], machine: dict[str, str], versions: dict[str, str]) -> str:
    """Write `RESULTS.md`."""
    head = [
        "# Results of the benchmarks",
        "",
        "Written by `make bench`. Each figure is the best of three samples, or of one where a run is long, as many",
        "for kumi as for its peers. Each sample has a fresh process, the engines in turn; garbage collection is as",
        "Python sets it. Runs check their counts.",
        "",
        "Machine: {processor}, {cores} cores, {memory}, {system}, {python}.".format(**machine),
        "Versions: " + ", ".join(f"{name} {version}" for name, version in versions.items()) + ".",
        "",
        "To compare, read kumi's figure and its lead over each peer: a lead of 10× means ten times as fast or a",
        "tenth of the memory. Targets are what the project aims at, as a figure for a quiet machine like this",
        "one, and as a lead for any machine: the target over what the peer reached when the target was set.",
        "",
    ]
    for part in dict.fromkeys(line.row.part for line in table):
        dates = sorted({line.date for line in table if line.row.part == part})
        head += [
            f"## {part}",
            "",
            f"Measured on {' and '.join(dates)}.",
            "",
            "| " + " | ".join(HEADERS) + " |",
            "|---|---:|---:|---|---|---|",
            *("| " + " | ".join(cells(line)) + " |" for line in table if line.row.part == part),
            "",
            NOTES[part],
        ]
    text = "\n".join(head)
    if REMAINING.exists():
        text += "\n" + REMAINING.read_text(encoding="utf-8")
    return text
