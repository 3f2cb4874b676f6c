"""Programs that wait for floor: when each gets its zone, and that a cut leaves nothing behind."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import suppress
from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kumi
from kumi import Signal, Task, after, now, sleep, together, unless, until
from kumi.devs import Interrupted, NoRun, Stalled
from kumi.geometry import Bounds, Point
from kumi.planning import Reservations, Space, WallSpace, Way, Zone, ZoneRefused

RADIUS = 0.25
SPEED = 1.0


def place(x: float, y: float = 0.0) -> Zone:
    return Zone((Point(x, y),), RADIUS)


def way(*points: tuple[float, float], chunk: float = 2.0, stays: bool = False) -> Way:
    return Way.along(points, RADIUS, chunk, stays=stays)


async def drive(zone: Zone) -> None:
    """Take the time that a robot needs for a zone."""
    await sleep(sum(one.distance_to(other) for one, other in pairwise(zone.path)) / SPEED)


def play(*programs: Callable[[], Coroutine[Any, Any, Any]]) -> None:
    """Run programs beside each other, in this order."""

    async def all_of_them() -> None:
        async with together() as tasks:
            for number, program in enumerate(programs):
                tasks.start(program, name=f"program-{number}")

    kumi.run(all_of_them)


def is_empty(floor: Reservations[Any]) -> bool:
    """Return whether nobody is on a floor, holds any of it, or waits for it."""
    return not (len(floor._bookings) or floor._held or floor._asked or floor._ways or floor._waiters)


def test_a_program_gets_its_zones_one_after_the_other() -> None:
    """Bob is on the middle of ada's way until t = 4 s; she waits at 2 m for that, and drives on then."""
    floor: Reservations[str] = Reservations()
    log: list[tuple[float, str, Point]] = []

    async def go(name: str, trip: Way) -> None:
        async with floor.visit(name, Zone(trip.first.path[:1], RADIUS)):
            async for zone in floor.along(name, trip):
                log.append((now(), name, zone.path[-1]))
                await drive(zone)
                assert floor.held(name)[-1] == zone
            assert floor.held(name) == (trip.zones[-1].end,)

    play(lambda: go("ada", way((0, 0), (6, 0))), lambda: go("bob", way((3, -2), (3, 2))))
    assert log == [
        (0.0, "ada", Point(2, 0)),
        (0.0, "bob", Point(3, 0)),
        (2.0, "bob", Point(3, 2)),
        (4.0, "ada", Point(4, 0)),
        (6.0, "ada", Point(6, 0)),
    ]
    assert is_empty(floor)


def test_who_comes_in_waits_until_its_place_is_free_and_leaves_at_the_end_of_its_block() -> None:
    floor: Reservations[str] = Reservations()
    log: list[tuple[float, str]] = []

    async def stand(name: str, seconds: float) -> None:
        async with floor.visit(name, place(0)) as here:
            assert here == place(0)
            log.append((now(), name))
            await sleep(seconds)

    play(lambda: stand("ada", 3.0), lambda: stand("bob", 2.0), lambda: stand("cat", 1.0))
    assert log == [(0.0, "ada"), (3.0, "bob"), (5.0, "cat")]
    assert is_empty(floor)


def test_a_way_on_which_no_waiting_helps_is_refused_to_the_program() -> None:
    floor: Reservations[str] = Reservations()

    async def main() -> None:
        floor.enter("ada", place(0))
        async with floor.visit("bob", place(4)):
            floor.request("ada", way((0, 0), (4, 0), stays=True))
            with pytest.raises(
                ZoneRefused, match=r"bob does not get .*: no waiting helps because of bob, ada;"
            ):
                await floor.reserve("bob", way((4, 0), (0, 0), stays=True))
            assert floor.held("bob") == (place(4),)

    kumi.run(main)


@pytest.mark.parametrize("cut_first", [True, False])
@pytest.mark.parametrize("how", ["task", "until", "unless"])
def test_who_is_cut_at_the_instant_of_its_grant_leaves_no_trace(cut_first: bool, how: str) -> None:
    """If it was cut first it never gets the floor; if it was granted first it leaves at its next wait."""
    floor: Reservations[str] = Reservations()
    stop = Signal[None]("stop")
    log: list[tuple[float, str]] = []

    async def victim() -> None:
        try:
            with until(stop) if how == "until" else unless(stop):
                async with floor.visit("victim", place(0)):
                    log.append((now(), "victim"))
                    await sleep(10.0)
        except Interrupted:
            pass

    async def following() -> None:
        async with floor.visit("next", place(0)):
            log.append((now(), "next"))

    def cut(task: Task[None]) -> None:
        if how == "task":
            task.cut()
        else:
            stop.fire()

    async def controls() -> None:
        floor.enter("holder", place(0))
        async with together() as tasks:
            task = tasks.start(victim)
            await sleep(0)
            tasks.start(following)
            await sleep(2.0)
            if cut_first:
                cut(task)
            floor.leave("holder")
            await sleep(0)
            if not cut_first:
                cut(task)

    kumi.run(controls)
    assert log == ([] if cut_first else [(2.0, "victim")]) + [(2.0, "next")]
    assert is_empty(floor)


def test_nobody_is_refused_because_of_a_way_that_was_cut_at_this_instant() -> None:
    """Ada waits to go through bob's place; cut, she does not want that any more, and bob may go where she stands."""
    floor: Reservations[str] = Reservations()

    async def ada() -> None:
        with until(after(1.0)):
            await floor.reserve("ada", way((0, 0), (4, 0), chunk=4.0, stays=True))

    async def bob() -> None:
        await sleep(1.0)
        assert [answer.is_granted for answer in floor.request("bob", way((4, 0), (0, 0)))] == [True]

    floor.enter("ada", place(0))
    floor.enter("bob", place(4))
    play(ada, bob)
    assert floor.rest("ada") == ()


def test_a_request_that_another_program_takes_back_ends_the_wait() -> None:
    floor: Reservations[str] = Reservations()

    async def waits() -> None:
        with pytest.raises(ZoneRefused, match=r"the request of bob for .* was taken back"):
            await floor.reserve("bob", way((4, 0), (0, 0)))
        assert (now(), floor.held("bob")) == (1.0, (place(4),))

    async def takes_back() -> None:
        await sleep(1.0)
        floor.withdraw("bob")

    floor.enter("ada", place(2))
    floor.enter("bob", place(4))
    play(waits, takes_back)


def test_what_is_withdrawn_is_in_nobodys_way() -> None:
    """Bob announced to stay at 0; when he has withdrawn that, ada may pass there and come back."""
    floor: Reservations[str] = Reservations()
    floor.enter("ada", place(-2))
    floor.enter("bob", place(4))
    floor.request("bob", way((4, 0), (0, 0), stays=True))
    floor.arrive("bob")
    assert not floor.request("ada", way((-2, 0), (6, 0), chunk=1.0, stays=True))[0].is_granted
    floor.withdraw("bob")
    assert floor.rest("bob") == ()
    assert floor.request("ada", way((-2, 0), (6, 0), chunk=1.0, stays=True))[0].is_granted


def test_a_mistake_in_a_request_changes_nothing() -> None:
    floor: Reservations[str] = Reservations()

    async def main() -> None:
        async with floor.visit("ada", place(0)):
            await floor.reserve("ada", way((0, 0), (4, 0)))
            with pytest.raises(ValueError, match="which is not in what it holds"):
                await floor.reserve("ada", way((9, 0), (4, 0)))
            assert floor.rest("ada") == way((0, 0), (4, 0)).zones[1:]

    kumi.run(main)
    with pytest.raises(NoRun, match=r"reserve\(\) belongs inside a program"):
        floor.reserve("ada").send(None)


def test_nobody_waits_for_a_place_where_another_will_stay() -> None:
    """Bob would come where Ada's way ends; once she has gone elsewhere, he may."""
    floor: Reservations[str] = Reservations()
    floor.enter("ada", place(0))
    floor.request("ada", way((0, 0), (2, 0), stays=True))

    async def main() -> None:
        with pytest.raises(ZoneRefused, match=r"bob does not get .* no waiting helps because of"):
            async with floor.visit("bob", place(2)):
                pass
        floor.leave("ada")
        async with floor.visit("bob", place(2)):
            assert floor.held("bob") == (place(2),)

    kumi.run(main)
    assert is_empty(floor)


def test_who_waits_for_ever_is_named() -> None:
    floor: Reservations[str] = Reservations()
    floor.enter("ada", place(0))

    async def main() -> None:
        async with floor.visit("bob", place(0)):
            pass

    with pytest.raises(Stalled, match="floor for bob"):
        kumi.run(main)


# Whatever programs do, and whenever they are cut.

points = st.tuples(st.integers(0, 4), st.integers(0, 4))
errands = st.tuples(
    st.lists(points, min_size=2, max_size=4, unique=True),
    st.integers(0, 6),
    st.one_of(st.none(), st.integers(0, 12)),
    st.booleans(),
)


@given(st.lists(errands, min_size=1, max_size=5), st.sampled_from(["safe", "held", "order"]))
def test_held_floor_never_overlaps_and_a_cut_at_any_instant_leaves_nothing(
    crowd: list[tuple[list[tuple[int, int]], int, int | None, bool]], policy: str
) -> None:
    """Robots on whole metres at 1 m/s, so that grants, arrivals and cuts fall on the same instants."""
    floor: Reservations[int] = Reservations(policy)

    def check() -> None:
        held = [floor.held(robot) for robot in floor._held]
        for one, other in combinations(held, 2):
            assert not any(mine.overlaps(theirs) for mine in one for theirs in other)

    async def errand(robot: int, path: list[tuple[int, int]], start: int, stays: bool) -> None:
        await sleep(start)
        with suppress(ZoneRefused):  # where another will stay
            async with floor.visit(robot, place(*path[0])):
                try:
                    async for zone in floor.along(robot, way(*path, chunk=1.0, stays=stays)):
                        check()
                        await drive(zone)
                except ZoneRefused:
                    await sleep(1.0)
        check()

    async def main() -> None:
        async with together() as tasks:
            for robot, (path, start, end, stays) in enumerate(crowd):
                task = tasks.start(errand, robot, path, start, stays)
                tasks.start(cut_at, task, 30 if end is None else end)

    async def cut_at(task: Task[None], end: float) -> None:
        await sleep(end)
        task.cut()

    kumi.run(main)
    assert is_empty(floor)


@given(st.lists(errands, min_size=2, max_size=5), points)
def test_a_way_that_is_offered_is_not_refused(
    crowd: list[tuple[list[tuple[int, int]], int, int | None, bool]], goal: tuple[int, int]
) -> None:
    """Whatever others hold and announced: the way to a goal, and the way aside, are taken when they are announced."""
    for offer in ("way_to", "way_aside"):
        for stays in (False, True):
            floor: Reservations[int] = Reservations()
            for robot, (path, pieces, gone, waits) in enumerate(crowd):
                floor.enter(robot, place(*path[0]))
                if robot and robot in floor and floor.held(robot):
                    floor.request(robot, way(*path, chunk=1.0, stays=waits))
                    for _ in range(pieces):
                        if robot in floor._asked or not floor.rest(robot):
                            break
                        floor.arrive(robot)
                        floor.request(robot)
                    if gone == 0:
                        floor.give_up(robot)
            found = (
                floor.way_to(0, goal, stays=stays, chunk=1.0)
                if offer == "way_to"
                else floor.way_aside(0, chunk=1.0)
            )
            if found is not None:
                refused = [one for one in floor.request(0, found) if one.robot == 0 and not one.is_granted]
                assert not refused, (offer, stays)


async def travel(floor: Reservations[int], robot: int, goals: list[Point], space: Space, stays: bool) -> None:
    """Go from goal to goal; the floor never overlaps."""
    start, *rest = goals
    async with floor.visit(robot, Zone((start,), RADIUS)):
        for goal in rest:
            async for zone in floor.trip(robot, goal, chunk=1.0, stays=stays, space=space):
                assert not any(
                    zone.overlaps(theirs)
                    for other in floor._held
                    if other != robot
                    for theirs in floor.held(other)
                )
                await drive(zone)
            assert floor.held(robot)[-1].path[-1] == goal
        await sleep(1000.0)


@given(st.permutations(range(10)), st.permutations(range(10)), st.integers(2, 6))
def test_on_a_well_formed_floor_every_trip_comes_to_its_end(
    starts: list[int], goals: list[int], count: int
) -> None:
    """Places 1.5 m apart on the long sides of a hall 4 m wide: from each to each a way leads past all others."""
    space = Space(bounds=Bounds(0.0, 0.0, 9.0, 4.0))
    places = [Point(1.5 + 1.5 * (number % 5), 0.5 if number < 5 else 3.5) for number in range(10)]
    free = [number for number in goals if number not in starts[:count]]
    floor: Reservations[int] = Reservations()

    async def main() -> None:
        async with together() as tasks:
            for robot in range(min(count, len(free))):
                trip = [places[starts[robot]], places[free[robot]]]
                tasks.start(travel, floor, robot, trip, space, True)

    kumi.run(main)


def test_two_that_swap_places_give_way_to_each_other() -> None:
    """No way is free to where the other stands, so one steps aside; in a hall there is room for that."""
    space = Space(bounds=Bounds(-1.0, -2.0, 5.0, 2.0))
    floor: Reservations[int] = Reservations()
    play(
        lambda: travel(floor, 0, [Point(0, 0), Point(4, 0)], space, True),
        lambda: travel(floor, 1, [Point(4, 0), Point(0, 0)], space, True),
    )


def test_a_nook_is_where_one_steps_aside_in_a_corridor() -> None:
    """A corridor of 0.8 m, for robots of 0.5 m, with a nook in its middle: the one that is refused goes in there."""
    walls = [
        WallSpace((-2, -0.4), (6, -0.4)),
        WallSpace((-2, 0.4), (1.5, 0.4)),
        WallSpace((2.5, 0.4), (6, 0.4)),
        WallSpace((1.5, 0.4), (1.5, 1.4)),
        WallSpace((2.5, 0.4), (2.5, 1.4)),
        WallSpace((1.5, 1.4), (2.5, 1.4)),
        WallSpace((-2, -0.4), (-2, 0.4)),
        WallSpace((6, -0.4), (6, 0.4)),
    ]
    floor: Reservations[int] = Reservations()
    play(
        lambda: travel(floor, 0, [Point(0, 0), Point(4, 0)], Space(walls), True),
        lambda: travel(floor, 1, [Point(4, 0), Point(0, 0)], Space(walls), True),
    )


def test_in_a_dead_end_nobody_can_give_way_and_both_are_named() -> None:
    space = Space(bounds=Bounds(-0.5, -0.4, 4.5, 0.4))
    floor: Reservations[int] = Reservations()
    with pytest.raises(Stalled, match="a change of the floor"):
        play(
            lambda: travel(floor, 0, [Point(0, 0), Point(4, 0)], space, True),
            lambda: travel(floor, 1, [Point(4, 0), Point(0, 0)], space, True),
        )


def test_a_trip_goes_around_a_robot_that_is_taken_for_gone() -> None:
    """Bob stops answering in the middle of ada's way: she goes around him, and keeps clear of what he holds."""
    floor: Reservations[str] = Reservations()
    seen: list[Point] = []

    async def ada() -> None:
        async with floor.visit("ada", place(0)):
            async for zone in floor.trip("ada", (6, 0), chunk=1.0):
                await drive(zone)
                seen.append(zone.path[-1])

    async def gone() -> None:
        floor.enter("bob", place(3, 3))
        floor.request("bob", way((3, 3), (3, 0), chunk=3.0))
        await sleep(1.0)
        floor.give_up("bob")

    play(gone, ada)
    assert seen[-1] == Point(6, 0)
    assert min(point.y for point in seen) < -0.4
