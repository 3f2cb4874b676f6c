"""Contacts that are let pass: each is told once where it begins, and once where it ends."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import combinations
from random import Random
from typing import Any, Literal, TypeAlias

import numpy as np
import pytest

from kumi.contract import Contact, MoveTo
from kumi.devs import Simulation
from kumi.geometry import BodyShape, Disc, Ellipse, Outline, Point, Polygon, Rectangle
from kumi.motion import Leg, Omni, Wheel
from kumi.recording import JournalReader, Moves, Touched
from kumi.robot import Robot
from kumi.world import Block, Map, Pillar, SimulatedBody, Slow, Wall, World
from kumi.world.world import Policy, PolicyName
from tests.world import oracle
from tests.world.intervals import Floats, Numbers, Span, Step, Track, arc, forward, line, rest, spans, spin
from tests.world.oracle import Bar, Form, Place
from tests.world.play import about, world_with

Event: TypeAlias = Literal["begins", "ends"]
Ledger: TypeAlias = dict[tuple[str, str], list[tuple[float, Event]]]
"""What each body was told of its contacts with each other thing, in order."""


def let_pass(body: SimulatedBody, contact: Contact) -> PolicyName:
    """Pass, as the word does."""
    return "pass"


both_ways = pytest.mark.parametrize("policy", ["pass", let_pass], ids=["word", "function"])


async def hear_ends(body: SimulatedBody, ledger: Ledger) -> None:
    """Write down the ends of a body's contacts."""
    async for parting in body.partings:
        ledger[body.name, parting.by].append((parting.time, "ends"))


def keep_ledger(simulation: Simulation, bodies: Sequence[SimulatedBody]) -> Ledger:
    """Return a ledger of all that these bodies are told."""
    ledger: Ledger = defaultdict(list)

    def begins(body: SimulatedBody, contact: Contact) -> None:
        ledger[body.name, contact.by].append((contact.time, "begins"))

    for body in bodies:
        body.on_contact(partial(begins, body))
        simulation.start(hear_ends, body, ledger)
    return ledger


def check_ledger(ledger: Ledger, expected: dict[tuple[str, str], list[Span] | None], end: float) -> int:
    """Hold the law: what was told are the true contacts, each begin and each end once; return how many there were."""
    true = 0
    for key in {*ledger, *expected}:
        found = expected.get(key, [])
        if found is None:
            continue
        told = ledger.get(key, [])
        due: list[tuple[tuple[float, float], Event]] = []
        for span in found:
            due.append((span.begins, "begins"))
            if span.ends[0] < end:
                due.append((span.ends, "ends"))
        assert [event for _, event in told] == [event for _, event in due], (key, told, found)
        for (time, _), ((low, high), _) in zip(told, due, strict=True):
            assert low - 1e-7 <= time <= high + 1e-7, (key, told, found)
        true += len(found)
    return true


def disc_gap(tracks: Sequence[Track], radii: Floats, pairs: Numbers) -> Callable[[Numbers, Floats], Floats]:
    """Return the gaps of pairs of discs."""

    def gap(which: Numbers, times: Floats) -> Floats:
        ones, others = pairs[which].T
        x, y = np.empty((2, len(times))), np.empty((2, len(times)))
        for side, numbers in enumerate((ones, others)):
            for number in np.unique(numbers):
                here = numbers == number
                x[side, here], y[side, here], _ = tracks[number].poses(times[here])
        apart: Floats = np.hypot(x[0] - x[1], y[0] - y[1]) - radii[ones] - radii[others]
        return apart

    return gap


def expected_of_discs(
    tracks: Sequence[Track], radii: Sequence[float], end: float
) -> dict[tuple[str, str], list[Span] | None]:
    """Return the true contacts of all pairs of discs."""
    pairs = np.array(list(combinations(range(len(tracks)), 2)))
    speeds = np.array([track.top_speed for track in tracks])
    times = sorted({0.0, end, *(time for track in tracks for time in track.starts if 0 < time < end)})
    gap = disc_gap(tracks, np.array(radii), pairs)
    return by_names(pairs, spans(gap, speeds[pairs].sum(axis=1) + 1e-9, times))


def random_steps(
    chance: Random, track: Track, time: float, side: float, is_free: Callable[[Point], bool]
) -> list[Step]:
    """Draw some legs: lines, arcs, turns and rests, at one speed or faster and faster."""
    steps: list[Step] = []
    here = track.pose(time)[:2]
    for _ in range(chance.randint(1, 5)):
        match chance.choice(["line", "line", "arc", "spin", "rest", "forward"]):
            case "line":
                goal = here
                while goal == here or not is_free(Point(*goal)):
                    goal = chance.uniform(0, side), chance.uniform(0, side)
                steps.append(line(here, goal, chance.uniform(0.3, 3.0)))
                here = goal
                continue
            case "arc":
                radius = chance.choice([-1, 1]) * chance.uniform(0.3, 3.0)
                steps.append(arc(radius, chance.uniform(-6, 6), chance.uniform(0.3, 3.0)))
            case "spin":
                steps.append(spin(chance.uniform(-3, 3), 2.0))
            case "rest":
                steps.append(rest(chance.uniform(0.1, 1.0)))
            case "forward":
                steps.append(
                    forward(chance.uniform(0.5, 4), chance.uniform(0.1, 1), chance.choice([0.0, 0.7]))
                )
        probe = Track(*track.pose(time))
        probe.go(1.0, steps)
        here = probe.pose(1e9)[:2]
    return steps


def let_roam(
    world: World,
    shapes: Sequence[BodyShape],
    places: Sequence[tuple[float, float]],
    end: float,
    chance: Random,
) -> tuple[Ledger, list[Track]]:
    """Let bodies go about on all kinds of ways that begin and stop at any time; return what they are told."""
    side = max(max(place) for place in places)
    bodies: list[SimulatedBody] = []
    tracks: list[Track] = []
    for shape, at in zip(shapes, places, strict=True):
        heading = chance.uniform(-3, 3)
        bodies.append(world.add_body(at, heading=heading, shape=shape, name=f"body {len(bodies)}"))
        tracks.append(Track(*at, heading))
    with Simulation(world) as simulation:
        ledger = keep_ledger(simulation, bodies)
        for body, track in zip(bodies, tracks, strict=True):
            time = chance.uniform(0.0, 1.0)
            while time < end:
                steps = random_steps(chance, track, time, side, lambda at: not world.is_solid(at))
                simulation.schedule(time, partial(body.start, [step.leg for step in steps]))
                over = track.go(time, steps)
                time += chance.uniform(0.2, 1.3) * (over - time)
                if chance.random() < 0.3 and time < end:
                    simulation.schedule(time, body.stop)
                    track.go(time)
                    time += chance.uniform(0.0, 1.0)
        simulation.run(until=end)
    return ledger, tracks


def play_scene(seed: int, policy: Policy, count: int = 12, end: float = 12.0) -> int:
    """Let discs cross each other on all kinds of ways; hold the law."""
    chance = Random(seed)
    radii = [chance.uniform(0.1, 0.6) for _ in range(count)]
    places = [((number % 4) * 1.5, (number // 4) * 1.5) for number in range(count)]
    ledger, tracks = let_roam(
        World(on_contact=policy), [Disc(radius) for radius in radii], places, end, chance
    )
    return check_ledger(ledger, expected_of_discs(tracks, radii, end), end) // 2


@both_ways
@pytest.mark.parametrize("seed", range(6))
def test_discs_on_all_ways_are_told_of_each_contact_once(seed: int, policy: Policy) -> None:
    assert play_scene(seed, policy) > 5


@pytest.mark.slow
@both_ways
@pytest.mark.parametrize("seed", range(100, 250))
def test_discs_on_all_ways_are_told_of_each_contact_once_in_many_scenes(seed: int, policy: Policy) -> None:
    assert play_scene(seed, policy) > 5


TRIANGLE = Polygon([(0.5, 0.0), (-0.3, 0.4), (-0.3, -0.4)])
ASIDE = Polygon([(0.1, -0.2), (0.9, -0.2), (0.9, 0.3), (0.1, 0.3)])
THINGS: dict[str, tuple[Any, list[Form]]] = {
    "wall": (Wall((3.0, 0.5), (3.0, 4.0), 0.2, "wall"), [Bar((3.0, 0.5), (3.0, 4.0), 0.1)]),
    "line": (Wall((3.5, 6.4), (6.5, 5.6), 0.0, "line"), [Bar((3.5, 6.4), (6.5, 5.6), 0.0)]),
    "pillar": (Pillar((5.2, 1.2), 0.5, "pillar"), [Bar((5.2, 1.2), (5.2, 1.2), 0.5)]),
    "block": (
        Block(Outline([(6.0, 3.0), (9.0, 3.0), (8.0, 5.0)]), "block"),
        [Polygon([(6.0, 3.0), (9.0, 3.0), (8.0, 5.0)])],
    ),
}
BORDER: list[Form] = [
    Bar((0.0, 0.0), (10.0, 0.0), 0.0),
    Bar((10.0, 0.0), (10.0, 8.0), 0.0),
    Bar((10.0, 8.0), (0.0, 8.0), 0.0),
    Bar((0.0, 8.0), (0.0, 0.0), 0.0),
]


def form_gap(one: BodyShape, here: Track, forms: Sequence[Form], there: Track) -> Callable[[float], float]:
    """Return the gap of a body to the nearest of some forms; where they are well apart, something less."""

    def to_one(form: Form, at: Place, at_other: Place) -> float:
        if isinstance(form, Bar):
            far = oracle.to_segment(at[:2], form.start, form.end) - form.radius - one.reach
        else:
            far = math.dist(at[:2], at_other[:2]) - form.reach - one.reach
        return far if far > 0.1 * one.reach else oracle.gap(one, at, form, at_other)

    def apart(time: float) -> float:
        at, at_other = here.pose_at(time), there.pose_at(time)
        return min(to_one(form, at, at_other) for form in forms)

    return apart


def play_shapes(seed: int, policy: Policy, end: float = 4.0) -> int:
    """Let bodies of all shapes go through each other, obstacles and the border; hold the law."""
    chance = Random(seed)
    kinds: list[BodyShape] = [Disc(0.3), Disc(0.15), TRIANGLE, ASIDE, Ellipse(1.0, 0.4), Ellipse(0.3, 0.5)]
    shapes = chance.sample(kinds, 3)
    places = [(1.3, 1.3), (1.5, 6.5), (4.6, 3.6)]
    chance.shuffle(places)
    world = World(Map(10, 8, obstacles=[thing for thing, _ in THINGS.values()]), on_contact=policy)
    ledger, tracks = let_roam(world, shapes, places, end, chance)
    still = Track(0.0, 0.0)
    cases: list[tuple[str, str, int, Callable[[float], float], float]] = []
    for number, (shape, track) in enumerate(zip(shapes, tracks, strict=True)):
        speed = track.top_speed + track.top_turning * shape.reach
        for name, (_, forms) in [*THINGS.items(), ("border", (None, BORDER))]:
            cases.append((f"body {number}", name, number, form_gap(shape, track, forms, still), speed))
        for other in range(number):
            both = speed + tracks[other].top_speed + tracks[other].top_turning * shapes[other].reach
            gap = form_gap(shape, track, [shapes[other]], tracks[other])
            cases.append((f"body {number}", f"body {other}", number, gap, both))

    def gaps(which: Numbers, times: Floats) -> Floats:
        return np.array([cases[case][3](time) for case, time in zip(which, times, strict=True)])

    starts = {time for track in tracks for time in track.starts if 0 < time < end}
    found = spans(gaps, np.array([case[4] for case in cases]) + 1e-9, sorted({0.0, end, *starts}), 1e-7)
    expected: dict[tuple[str, str], list[Span] | None] = {}
    for which, contacts in found.items():
        one, other_name = cases[which][:2]
        expected[one, other_name] = contacts
        if other_name.startswith("body"):
            expected[other_name, one] = contacts
    return check_ledger(ledger, expected, end)


@pytest.mark.some_of(3)
@both_ways
@pytest.mark.parametrize("seed", [0, 2])
def test_all_shapes_are_told_once_of_each_body_and_each_obstacle_they_pass(seed: int, policy: Policy) -> None:
    assert play_shapes(seed, policy) > 0


@pytest.mark.slow
@both_ways
@pytest.mark.parametrize("first", range(100, 160, 10))
def test_all_shapes_are_told_once_of_all_they_pass_in_many_scenes(first: int, policy: Policy) -> None:
    assert sum(play_shapes(seed, policy) for seed in range(first, first + 10)) > 10


def expected_of_straights(
    tracks: Sequence[Track], radius: float, end: float
) -> dict[tuple[str, str], list[Span] | None]:
    """Return the true contacts of many discs on straight ways, all of them counted at once."""
    count = len(tracks)
    pairs = np.array(list(combinations(range(count), 2)))
    longest = max(len(track.starts) for track in tracks)
    starts = np.full((count, longest), np.inf)
    pieces = np.zeros((count, longest, 4))
    for number, track in enumerate(tracks):
        starts[number, : len(track.starts)] = track.starts
        pieces[number, : len(track.starts)] = track.straights
    speeds = np.array([track.top_speed for track in tracks])

    def places(numbers: Numbers, times: Floats) -> tuple[Floats, Floats]:
        which = (starts[numbers] <= times[:, None]).sum(axis=1) - 1
        x, y, vx, vy = pieces[numbers, which].T
        passed = times - starts[numbers, which]
        return x + vx * passed, y + vy * passed

    def gap(which: Numbers, times: Floats) -> Floats:
        (x, y), (u, v) = (places(numbers, times) for numbers in pairs[which].T)
        apart: Floats = np.hypot(x - u, y - v) - 2 * radius
        return apart

    times = np.linspace(0.0, end, 1 + round(end)).tolist()
    return by_names(pairs, spans(gap, speeds[pairs].sum(axis=1), times))


def by_names(pairs: Numbers, found: dict[int, list[Span] | None]) -> dict[tuple[str, str], list[Span] | None]:
    """Return the contacts of pairs by the names of both, in either order."""
    expected: dict[tuple[str, str], list[Span] | None] = {}
    for pair, contacts in found.items():
        one, other = (f"body {number}" for number in pairs[pair])
        expected[one, other] = expected[other, one] = contacts
    return expected


class Crowd:
    """Many discs that go from place to place, their tracks side by side."""

    def __init__(self, count: int, side: float, radius: float, end: float, seed: int) -> None:
        chance = Random(seed)
        self.radius = radius
        self.places: list[tuple[float, float]] = []
        self.steps: list[list[Step]] = []
        self.tracks: list[Track] = []
        taken: dict[tuple[int, int], tuple[float, float]] = {}
        while len(self.places) < count:
            at = chance.uniform(0, side), chance.uniform(0, side)
            cell = int(at[0] / radius / 4), int(at[1] / radius / 4)
            if cell not in taken and all(
                math.dist(at, other) > 2 * radius
                for dx in (-1, 0, 1)
                for dy in (-1, 0, 1)
                if (other := taken.get((cell[0] + dx, cell[1] + dy))) is not None
            ):
                taken[cell] = at
                self.places.append(at)
        for at in self.places:
            track, time, here = Track(*at), 0.0, at
            steps: list[Step] = []
            while time < end:
                goal = chance.uniform(0, side), chance.uniform(0, side)
                steps.append(line(here, goal, chance.uniform(0.5, 2.0)))
                time += steps[-1].duration
                here = goal
            track.go(0.0, steps)
            self.steps.append(steps)
            self.tracks.append(track)


@cache
def crowd_of(count: int, end: float) -> tuple[Crowd, dict[tuple[str, str], list[Span] | None]]:
    """Return a crowd on a plane with one for each square metre, and its true contacts, which take long to count."""
    crowd = Crowd(count, math.sqrt(count), 0.1, end, seed=1)
    return crowd, expected_of_straights(crowd.tracks, 0.1, end)


def play_crowd(count: int, policy: Policy, way: str, end: float = 20.0) -> int:
    """Let a crowd walk through each other, on one motion each or from goal to goal; hold the law."""
    crowd, expected = crowd_of(count, end)
    world = World(on_contact=policy)
    bodies = [
        world.add_body(at, shape=Disc(0.1), drive=Omni(), name=f"body {number}")
        for number, at in enumerate(crowd.places)
    ]

    async def walk(body: SimulatedBody, steps: Sequence[Step]) -> None:
        for step in steps:
            assert step.goal is not None
            await body.carry_out(MoveTo(step.goal, step.speed))

    with Simulation(world) as simulation:
        ledger = keep_ledger(simulation, bodies)
        for body, steps in zip(bodies, crowd.steps, strict=True):
            if way == "follow":
                body.start([step.leg for step in steps])
            else:
                simulation.start(walk, body, steps)
        simulation.run(until=end)
    true = check_ledger(ledger, expected, end) // 2
    begun = sum(event == "begins" for told in ledger.values() for _, event in told) // 2
    assert begun == world.contact_count
    return true


ways_of_crowds = pytest.mark.parametrize("way", ["follow", "walk"])


@both_ways
@ways_of_crowds
def test_walkers_that_pass_through_each_other_are_told_of_all_contacts(policy: Policy, way: str) -> None:
    assert play_crowd(100, policy, way, 10.0) > 100


@pytest.mark.slow
@both_ways
@ways_of_crowds
def test_a_thousand_walkers_are_told_of_all_contacts(policy: Policy, way: str) -> None:
    assert play_crowd(1000, policy, way) > 5000


def ledger_of(
    world: World, bodies: Sequence[SimulatedBody], act: Callable[[Simulation], object], end: float
) -> Ledger:
    """Return what bodies are told by the end, when `act` begins what happens."""
    with Simulation(world) as simulation:
        ledger = keep_ledger(simulation, bodies)
        act(simulation)
        simulation.run(until=end)
    return ledger


def pair(policy: Policy, at: float = 5.0) -> tuple[World, SimulatedBody, SimulatedBody]:
    """Return a disc of 0.5 m at 0 and one that stands some metres ahead."""
    world = World(on_contact=policy)
    mover = world.add_body((0, 0), shape=Disc(0.5), drive=Wheel(), name="mover")
    return world, mover, world.add_body((at, 0), shape=Disc(0.5), name="stander")


@both_ways
def test_a_pair_that_meets_three_times_on_one_follow_is_told_three_times(policy: Policy) -> None:
    """To and fro over x = 5 at 1 m/s: it touches at a distance of 1 m, and parts there."""
    world, mover, stander = pair(policy)

    async def follow() -> None:
        mover.drive = Omni()
        await Robot(mover).follow([(10, 0), (0, 0), (10, 0)], speed=1.0)

    ledger = ledger_of(world, [mover, stander], lambda simulation: simulation.start(follow), 40.0)
    told = [
        (4.0, "begins"),
        (6.0, "ends"),
        (14.0, "begins"),
        (16.0, "ends"),
        (24.0, "begins"),
        (26.0, "ends"),
    ]
    assert ledger == {("mover", "stander"): told, ("stander", "mover"): told}
    assert world.contact_count == 3


@both_ways
def test_who_stops_and_goes_on_within_another_is_told_once(policy: Policy) -> None:
    world, mover, stander = pair(policy)

    def act(simulation: Simulation) -> None:
        mover.start(Leg.line((10, 0), 1.0))
        for time in (4.25, 4.5, 5.0, 5.5):
            simulation.schedule(time, mover.stop)
            simulation.schedule(time, partial(mover.start, [Leg.spin(1.0, 100.0), Leg.line((10, 0), 1.0)]))

    ledger = ledger_of(world, [mover, stander], act, 20.0)
    told = [(4.0, "begins"), (pytest.approx(6.0 + 4 * 0.01), "ends")]
    assert ledger == {("mover", "stander"): told, ("stander", "mover"): told}


def test_who_turns_into_a_contact_and_out_of_it_is_told_of_both() -> None:
    """A bar of 2 m turns by a quarter a second beside a disc at (1.5, 0) of 0.6 m: it is within it around heading 0."""
    world = World(on_contact="pass")
    bar = world.add_body(
        (0, 0), heading=-math.pi / 2, shape=Polygon([(-1, -0.1), (1, -0.1), (1, 0.1), (-1, 0.1)])
    )
    disc = world.add_body((1.5, 0), shape=Disc(0.6))
    ledger = ledger_of(world, [bar, disc], lambda _: bar.start(Leg.spin(math.tau, math.pi / 4)), 9.0)
    (begins, ends), again = ledger["robot 0", "robot 1"][:2], ledger["robot 0", "robot 1"][2:]
    assert (begins[1], ends[1]) == ("begins", "ends")
    assert (begins[0] + ends[0]) / 2 == pytest.approx(2.0, abs=1e-9)
    assert [event for _, event in again] == ["begins", "ends"]  # the other end of the bar
    assert (again[0][0] + again[1][0]) / 2 == pytest.approx(6.0, abs=1e-9)


def test_who_is_put_into_another_begins_a_contact_and_who_is_put_away_ends_it() -> None:
    world, mover, stander = pair("pass")

    def act(simulation: Simulation) -> None:
        simulation.schedule(1.0, lambda: mover.teleport((4.5, 0)))
        simulation.schedule(2.0, lambda: mover.teleport((5.2, 0)))  # still within: nothing is told
        simulation.schedule(3.0, lambda: mover.teleport((9, 0)))
        simulation.schedule(4.0, lambda: mover.teleport((6, 0)))  # touches, no more
        simulation.schedule(5.0, lambda: mover.resize(Disc(0.7)))
        simulation.schedule(6.0, lambda: mover.resize(Disc(0.4)))
        simulation.schedule(7.0, lambda: world.add_body((5, 0.2), shape=Disc(0.1), name="third"))
        simulation.schedule(8.0, stander.remove)

    ledger = ledger_of(world, [mover, stander], act, 9.0)
    told = [(1.0, "begins"), (3.0, "ends"), (5.0, "begins"), (6.0, "ends")]
    assert ledger["mover", "stander"] == ledger["stander", "mover"] == told
    assert ledger["stander", "third"][0] == (7.0, "begins")


def test_who_is_removed_parts_from_those_within_it() -> None:
    world, mover, stander = pair("pass")

    def act(simulation: Simulation) -> None:
        mover.start(Leg.line((10, 0), 1.0))
        simulation.schedule(5.0, stander.remove)

    ledger = ledger_of(world, [mover, stander], act, 9.0)
    assert ledger["mover", "stander"] == [(4.0, "begins"), (5.0, "ends")]


@both_ways
def test_an_obstacle_that_is_taken_away_ends_the_contact_and_another_begins_its_own(policy: Policy) -> None:
    world = world_with(Wall((5, -1), (5, 1), 0.0, "curtain"), on_contact=policy)
    body = world.add_body((0, 0), shape=Disc(0.5), name="mover")

    def act(simulation: Simulation) -> None:
        body.start(Leg.line((20, 0), 1.0))
        simulation.schedule(5.0, lambda: world.remove_obstacle("curtain"))
        simulation.schedule(6.0, lambda: world.add_obstacle(Pillar((10, 0), 0.5, "pillar")))

    ledger = ledger_of(world, [body], act, 30.0)
    assert ledger == {
        ("mover", "curtain"): [(4.5, "begins"), (5.0, "ends")],
        ("mover", "pillar"): [(9.0, "begins"), (about(11.0, abs=1e-9), "ends")],
    }


@both_ways
def test_a_block_is_one_contact_from_side_to_side(policy: Policy) -> None:
    """Well within the block it touches none of its sides, and is in contact all the same."""
    world = world_with(Block(Rectangle(2, -3, 6, 6), "block"), on_contact=policy)
    body = world.add_body((0, 0), shape=Disc(0.5), name="mover")
    ledger = ledger_of(world, [body], lambda _: body.start(Leg.line((12, 0), 1.0)), 20.0)
    assert ledger == {("mover", "block"): [(1.5, "begins"), (about(8.5, abs=1e-9), "ends")]}


@both_ways
def test_slow_ground_delays_begin_and_end(policy: Policy) -> None:
    """Half as fast between x = 3 and x = 5: touched at x = 4, after 3 + 2 s; abreast at 7 s, parted at 8 s."""
    world = world_with(terrain=[Slow(Rectangle(3, -1, 2, 2), 0.5)], on_contact=policy)
    mover = world.add_body((0, 0), shape=Disc(0.5), name="mover")
    stander = world.add_body((5, 0), shape=Disc(0.5), name="stander")
    ledger = ledger_of(world, [mover, stander], lambda _: mover.start(Leg.line((9, 0), 1.0)), 20.0)
    told = [(5.0, "begins"), (8.0, "ends")]
    assert ledger == {("mover", "stander"): told, ("stander", "mover"): told}


def test_where_one_passes_and_the_other_stops_the_contact_lasts_until_they_part() -> None:
    """They meet at 4.5 s; the one that stops at 5.5 goes on, within the other, and is not stopped by it again."""
    world = World(on_contact=lambda body, _: "pass" if body.name == "mover" else "stop")
    mover = world.add_body((0, 0), shape=Disc(0.5), name="mover")
    other = world.add_body((10, 0), shape=Disc(0.5), name="other")

    def act(simulation: Simulation) -> None:
        mover.start(Leg.line((20, 0), 1.0))
        other.start(Leg.line((0, 0), 1.0))
        simulation.schedule(5.0, lambda: other.start(Leg.line((5.5, 9), 0.5)))

    ledger = ledger_of(world, [mover, other], act, 20.0)
    told = ledger["mover", "other"]
    assert [event for _, event in told] == ["begins", "ends"]
    # From 5 s on the two are (t - 5.5) and 0.5 (t - 5) apart: 1 m where 1.25 t² - 13.5 t + 35.5 = 0.
    assert [time for time, _ in told] == [4.5, pytest.approx((13.5 + math.sqrt(13.5**2 - 5 * 35.5)) / 2.5)]
    assert ledger["other", "mover"] == told


@pytest.mark.parametrize("policy", ["stop", "slide"])
def test_a_contact_that_is_not_let_pass_ends_where_the_body_leaves(policy: Policy) -> None:
    """It touches the wall at 4.5 s, presses on at 6 s, which is a contact again, and goes away at 7 s."""
    world = world_with(Wall((5, -9), (5, 9), 0.0, "wall"), on_contact=policy)
    body = world.add_body((0, 0), shape=Disc(0.5), name="mover")

    def act(simulation: Simulation) -> None:
        body.start(Leg.line((9, 0), 1.0))
        simulation.schedule(6.0, lambda: body.start(Leg.line((9, 0), 1.0)))
        simulation.schedule(7.0, lambda: body.start(Leg.line((0, 0), 1.0)))

    ledger = ledger_of(world, [body], act, 20.0)
    assert ledger == {("mover", "wall"): [(4.5, "begins"), (6.0, "begins"), (about(7.0, abs=1e-9), "ends")]}


def test_native_walkers_pass_through_each_other_and_count_each_contact_once() -> None:
    """What the journal has of walkers that pass are the true contacts of their ways."""
    world = World(width=12, height=12, on_contact="pass")
    places = [0.8 + 1.1 * k for n in range(100) for k in (n % 10, n // 10)]
    world.keep_journal(True)
    world.add_walkers(np.array(places).tobytes(), 0.2, 0.5, 2.0, 7)
    with Simulation(world) as simulation:
        simulation.run(until=10.0)
    tracks = [Track(*at) for at in zip(places[::2], places[1::2], strict=True)]
    ledger: Ledger = defaultdict(list)
    for record in JournalReader().read(world.take_journal()):
        if isinstance(record, Moves):
            start, goal = record.pose(record.time).position, record.pose(math.inf).position
            tracks[record.body].go(record.time, [line((start.x, start.y), (goal.x, goal.y), record.speed)])
        if isinstance(record, Touched):
            ledger[f"body {record.body}", f"body {record.other}"].append((record.time, "begins"))
    both: dict[tuple[str, str], list[Span] | None] = {
        (min(key), max(key)): found and [Span(span.begins, (math.inf, math.inf)) for span in found]
        for key, found in expected_of_straights(tracks, 0.2, 10.0).items()
    }
    told: Ledger = defaultdict(list)
    for (one, other), times in ledger.items():
        told[min(one, other), max(one, other)] += times
    assert check_ledger(told, both, 10.0) == world.contact_count > 100
