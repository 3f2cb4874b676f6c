"""Work whose cost once grew where it need not: each task for a size that a row of the table names."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from math import ceil, cos, inf, pi, remainder, sin, sqrt, tau
from pathlib import Path as FilePath
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

import numpy as np

from benchmarks.plan_kumi import best
from benchmarks.plan_scene import LIMITS
from benchmarks.tasks import Sample, check
from kumi import Blocked, sleep
from kumi.contract import Sample as TimedPlace
from kumi.contract.messages import Address, Message
from kumi.devs import Simulation
from kumi.devs.chance import stream
from kumi.geometry import Bounds, Circle, Disc, Point, Polygon, Pose
from kumi.mapping import Exploration, MappingTeam, OccupancyMap, RangeModel, Scan, match
from kumi.mapping.models import PACKET_BEAMS
from kumi.motion import Car, Follower, Wheel
from kumi.network import Constant, Cuts, LinkCut, Node, SimulatedNetwork, Where
from kumi.network.radio import RadioWaves
from kumi.planning import Mover, Path, Space, around, plan_route
from kumi.planning.trajectory import TimedMotion
from kumi.protocols import Links, PhiAccrual, Stack
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.study import Experiment, Ran, vary
from kumi.study.statistics import paired
from kumi.world import Map, Wall, World
from kumi.world.ether import WorldEther


@dataclass(frozen=True, slots=True)
class Call(Message):
    """What is sent."""

    number: int


class Ear:
    """Who takes part in a bare network and hears what comes."""

    __slots__ = ("heard", "is_up")

    def __init__(self) -> None:
        self.heard = 0
        self.is_up = True

    def arrive(self, _message: Message, _sender: Address) -> None:
        """Count it."""
        self.heard += 1


def radio_walls(walls: int, broadcasts: int = 200) -> Sample:
    """Broadcast to 20 hearers within 50 m among so many short walls on 100 × 100 m; microseconds a broadcast."""
    chance = stream(1, "radio walls")
    things = []
    for _ in range(walls):
        x, y, angle = chance.uniform(0.0, 100.0), chance.uniform(0.0, 100.0), chance.uniform(0.0, pi)
        things.append(Wall((x, y), (x + cos(angle), y + sin(angle)), 0.05))
    world = World(Map(100.0, 100.0, obstacles=things), ghost=True)
    simulation = Simulation(world, seed=1)
    ears = [Ear() for _ in range(21)]
    waves = RadioWaves(WorldEther(world), range=1_000.0)
    network = SimulatedNetwork(simulation, waves, Constant(0.001))
    for ear in ears:
        at: Point | None = None
        while at is None or world.near_obstacles(at, 0.02):
            away, angle = 50.0 * sqrt(chance.uniform()), chance.uniform(0.0, tau)
            at = Point(50.0 + away * cos(angle), 50.0 + away * sin(angle))
        network.join(world.add_body(at, shape=Disc(0.01)).number, ear)
    for number in range(broadcasts):
        simulation.schedule(0.01 * number, lambda: network.broadcast(world.bodies[0].number, Call(1)))
    begun = process_time()
    simulation.run(until=0.01 * broadcasts + 1.0)
    seconds = process_time() - begun
    return {"figure": 1e6 * seconds / broadcasts, "heard": sum(ear.heard for ear in ears) / broadcasts}


def link_effects(by: str, links: int, deliveries: int = 20_000) -> Sample:
    """Send over a link that none of so many cuts, or effects of single links, is about; microseconds a delivery."""
    pairs = [(2 * number + 2, 2 * number + 3) for number in range(links)]
    simulation = Simulation(seed=1)
    effects = (
        [Cuts(*(LinkCut(*pair) for pair in pairs))]
        if by == "cuts"
        else [Where(Constant(1.0), links=[pair]) for pair in pairs]
    )
    network = SimulatedNetwork(simulation, Constant(0.001), *effects)
    ear = Ear()
    network.join(0, Ear())
    network.join(1, ear)
    call = Call(1)
    for number in range(deliveries):
        simulation.schedule(0.01 * number, lambda: network.send(0, 1, call))
    begun = process_time()
    simulation.run(until=0.01 * deliveries)
    seconds = process_time() - begun
    check("deliveries", ear.heard, deliveries)
    return {"figure": 1e6 * seconds / deliveries}


def phi_heartbeat(window: int, seconds: float = 200.0) -> Sample:
    """Let four nodes watch each other by so many gaps, over a network that jitters; microseconds a heartbeat."""
    simulation = Simulation(seed=1)
    network = SimulatedNetwork(simulation, Constant(0.01))
    group = tuple(range(4))

    def move_in(node: Node) -> Stack:
        return Stack(PhiAccrual(window=window), Links()).settle(node)

    for address in group:
        Node(simulation, network, address, group=group, move_in=move_in).start()
    begun = process_time()
    simulation.run(until=seconds)
    return {"figure": 1e6 * (process_time() - begun) / network.sent}


def rooms(side: float, turn: float, offset: float) -> OccupancyMap:
    """Draw a square building of rooms of different sizes, turned and moved, as a robot's map has it."""
    cell = 0.05
    chance = stream(7, "rooms")
    count = round(side / cell)
    inside = np.full((count, count), -2.0, dtype=np.float32)
    inside[[0, -1], :] = inside[:, [0, -1]] = 2.0
    for _ in range(int(side * side / 4)):
        x, y = (chance.integer(10, count - 40) for _ in range(2))
        wide, high = chance.integer(5, 30), chance.integer(5, 30)
        inside[y : y + high, x : x + wide] = 2.0
    if turn == 0.0:
        return OccupancyMap(inside, 0, 0, cell)
    wide = round(1.5 * count)
    ys, xs = np.mgrid[0:wide, 0:wide] + 0.5 - wide / 2
    back_x = np.floor(cos(turn) * xs - sin(turn) * ys + count / 2 + offset / cell).astype(int)
    back_y = np.floor(sin(turn) * xs + cos(turn) * ys + count / 2).astype(int)
    within = (back_x >= 0) & (back_x < count) & (back_y >= 0) & (back_y < count)
    turned = np.zeros((wide, wide), dtype=np.float32)
    turned[within] = inside[back_y[within], back_x[within]]
    return OccupancyMap(turned, -wide // 2, -wide // 2, cell)


def match_maps(side: float) -> Sample:
    """Match two maps of a building of so many metres, one of them turned by 1 rad; seconds."""
    first, second = rooms(side, 0.0, 0.0), rooms(side, 1.0, 0.5)
    begun = process_time()
    found = match(first, second)
    seconds = process_time() - begun
    if found is None:
        raise ValueError(f"two maps of one building of {side:g} m were not matched")
    return {"figure": seconds, "overlap": found.overlap, "heading": found.frame.heading}


async def pace(robot: Robot) -> None:
    """Walk about by short ways."""
    while True:
        try:
            await robot.move_to(Point(robot.chance.uniform(1.0, 99.0), robot.chance.uniform(1.0, 99.0)))
        except Blocked:
            await sleep(0.1)


def walked(folder: FilePath, megabytes: int, robots: int = 500) -> FilePath:
    """Record a walk until the file is so large."""
    path = folder / "walk.kumi"
    with Stage(World(width=100.0, height=100.0), seed=1, record=path) as stage:
        for _ in range(robots):
            place = (stage.simulation.chance("places").uniform(1.0, 99.0), 0.0)
            stage.add(pace, at=(place[0], stage.simulation.chance("places").uniform(1.0, 99.0)), radius=0.05)
        until = 0.0
        while not path.exists() or path.stat().st_size < 1e6 * megabytes:
            until += 20.0
            stage.run(until=until)
    return path


def show_at(megabytes: int) -> Sample:
    """Ask a run file of so many megabytes what it holds late in the run, and draw it then; CPU seconds of the process."""
    with TemporaryDirectory() as folder:
        path = walked(FilePath(folder), megabytes)
        size = path.stat().st_size / 1e6
        told = spent("show", path, "--at", "15")
        drawn = spent("show", path, "--at", "15", "-o", f"{folder}/picture.png")
    return {"figure": told + drawn, "told": told, "drawn": drawn, "megabytes": size}


def log_lines(megabytes: int) -> Sample:
    """Write a run file as text; CPU microseconds a line."""
    with TemporaryDirectory() as folder:
        path, text = walked(FilePath(folder), megabytes), FilePath(folder, "log.txt")
        seconds = spent("log", path, "-o", text) - spent("--help")
        with text.open("rb") as lines:
            count = sum(1 for _ in lines)
    return {"figure": 1e6 * seconds / count, "lines": count}


def spent(*words: object) -> float:
    """Return the CPU seconds of a command."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "kumi", *map(str, words)], stdout=subprocess.DEVNULL, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def list_command(times: int) -> Sample:
    """Ask what ships; CPU seconds of the process, the best of some."""
    return {"figure": min(spent("list") for _ in range(times))}


@dataclass(frozen=True, kw_only=True)
class Trivial(Experiment):
    """A run that does nothing."""

    def run(self, seed: int) -> Ran:
        """Return at once."""
        return Ran({"value": float(seed)}, "")


def study_rows(rows: int) -> Sample:
    """Do a study of so many runs that do nothing, kept in a folder; milliseconds of wall time a run."""
    with TemporaryDirectory() as folder:
        vary(Trivial(), seeds=range(8), folder=f"{folder}/warm", workers=2)
        begun = perf_counter()
        few = vary(Trivial(), seeds=range(8), folder=f"{folder}/few", workers=2)
        between = perf_counter()
        results = vary(Trivial(), seeds=range(rows + 8), folder=f"{folder}/many", workers=2)
        end = perf_counter()
    check("runs", len(results.table) - len(few.table), rows)
    return {"figure": 1e3 * ((end - between) - (between - begun)) / rows}


def around_movers(movers: int) -> Sample:
    """Find the profile on 50 m that keeps clear of so many others that cross the way; milliseconds."""
    s = np.linspace(0.0, 50.0, 501)
    path = Path(s, np.zeros(501), np.zeros(501), np.zeros(501), s)
    time = np.linspace(0.0, 60.0, 601)
    others = []
    for number in range(movers):
        x = 5.0 + 40.0 * (number * 0.6180339887498949 % 1.0)
        y = (time - 15.0 - 30.0 * (number * 0.4142135623730950 % 1.0)) * 1.0
        motion = TimedMotion(time, np.full(601, x), y, np.full(601, pi / 2))
        others.append(Mover(Disc(0.3), motion, f"mover {number}"))
    return {"figure": best(lambda: around(path, LIMITS, Disc(0.3), others), 3)}


def polygon_walk(corners: int, robots: int = 100, seconds: float = 100.0) -> Sample:
    """Let polygons of so many corners walk about by straight ways and turns; microseconds a robot and second.

    Who touches another backs off by 2 mm: corners lock each other, and a robot that stays there is blocked again at once.
    """
    side = sqrt(robots * pi * 0.2**2 / 0.05)
    outline = Polygon([(0.2 * cos(tau * k / corners), 0.2 * sin(tau * k / corners)) for k in range(corners)])

    async def walk(robot: Robot) -> None:
        while True:
            try:
                await robot.forward(robot.chance.uniform(0.5, 2.0))
            except Blocked:
                with suppress(Blocked):
                    await robot.forward(-0.002)
            with suppress(Blocked):
                await robot.turn(robot.chance.uniform(-pi, pi))
            await sleep(0.01)

    with Stage(World(width=side, height=side), seed=1) as stage:
        columns = ceil(sqrt(robots))
        for number in range(robots):
            row, column = divmod(number, columns)
            at = ((column + 0.5) * side / columns, (row + 0.5) * side / columns)
            stage.add(walk, at=at, heading=remainder(0.7 * number, tau), shape=outline, drive=Wheel(1.0, 2.0))
        begun = process_time()
        outcome = stage.run(until=seconds)
    figure = 1e6 * (process_time() - begun) / (robots * seconds)
    return {"figure": figure, "contacts_a_robot_second": outcome.contacts / (robots * seconds)}


def observe_scans(metres: float, measured: int = 100) -> Sample:
    """Hand the central planner the scans of a robot that has driven so far across free floor; milliseconds a scan."""
    team = MappingTeam(particles=2, ranges=RangeModel(reach=2.0))
    team.add("scout", stream(1, "scout"), Pose(Point(0.0, 0.0), pi / 4))
    exploration = Exploration(team)
    count = round(metres / 0.05)
    ranges = (inf,) * len(PACKET_BEAMS)
    begun = 0.0
    for number in range(count + measured):
        if number == count:
            begun = process_time()
        exploration.observe("scout", Scan(0.5 * number, 0.05 * number, 0.0, ranges))
    seconds = process_time() - begun
    return {"figure": 1e3 * seconds / measured, "cells": float(team.map.evidence.size)}


def route_grid(obstacles: int) -> Sample:
    """Plan a route over cells on 20 × 20 m with so many pillars; milliseconds."""
    chance = stream(3, "pillars")
    pillars = [
        Circle((chance.uniform(2.0, 18.0), chance.uniform(2.0, 18.0)), 3.0 / sqrt(obstacles) * 0.5)
        for _ in range(obstacles)
    ]

    def work() -> None:
        space = Space(pillars, Bounds(0.0, 0.0, 20.0, 20.0))
        if plan_route(space, (1.0, 1.0), (19.0, 19.0), 0.2, by="grid") is None:
            raise ValueError("no route was found")

    return {"figure": best(work, 5)}


def paired_values(pairs: int) -> Sample:
    """Compare two lists of so many values; seconds."""
    chance = stream(1, "pairs")
    one = [chance.normal() for _ in range(pairs)]
    other = [value + 0.1 * chance.normal() for value in one]
    begun = process_time()
    paired(one, other)
    return {"figure": process_time() - begun}


def car_walk(robots: int, seconds: float = 100.0) -> Sample:
    """Let cars drive to places by chance, nobody near; microseconds a motion."""
    count = 0

    async def drive(robot: Robot) -> None:
        nonlocal count
        home = robot.position
        while True:
            await robot.move_to(
                home + Point(robot.chance.uniform(-40.0, 40.0), robot.chance.uniform(-40.0, 40.0))
            )
            count += 1

    with Stage(World(), seed=1) as stage:
        for number in range(robots):
            stage.add(drive, at=(1_000.0 * number, 0.0), shape=Disc(0.2), drive=Car(0.5, 10.0))
        begun = process_time()
        stage.run(until=seconds)
    return {"figure": 1e6 * (process_time() - begun) / count}


def follower_samples(samples: int) -> Sample:
    """Follow a winding trajectory of so many samples with a lag; microseconds a sample."""
    track = [TimedPlace(0.02 * k, Point(0.02 * k, sin(0.02 * k)), 0.0) for k in range(1, samples + 1)]

    async def follow(robot: Robot) -> None:
        await robot.track(track)

    with Stage(World(), seed=1) as stage:
        stage.add(follow, at=(0.0, 0.0), shape=Disc(0.2), drive=Follower())
        begun = process_time()
        stage.run()
    return {"figure": 1e6 * (process_time() - begun) / samples}
