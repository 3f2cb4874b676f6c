"""One pair, one warning; and an all-clear is said only where it is true of the pair."""

from __future__ import annotations

from itertools import pairwise
from math import radians

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.control.session import WarningWatch
from kumi.control.steps import Aim, Go
from kumi.control.telling import Telling, Trouble, Warned, WarningCleared
from kumi.control.warnings import Danger, grown
from kumi.control.words import parse_orders
from kumi.geometry import Disc, Ellipse, Point, Polygon, Pose
from kumi.world import SimulatedBody
from tests.control.test_session import bench
from tests.link.emulated import place

HERE = Point(0.0, 0.0)


def contact(robot: str, other: str, seconds: float) -> Danger:
    return Danger(robot, other, seconds, HERE)


@given(st.lists(st.tuples(st.booleans(), st.floats(0.0, 30.0) | st.none()), max_size=12))
def test_a_pair_is_warned_of_by_one_name_and_cleared_when_no_contact_comes(
    looks: list[tuple[bool, float | None]],
) -> None:
    """Whoever the engine says touches the other; a contact beyond the horizon is not told, and clears nothing."""
    watch, told = WarningWatch(10.0), list[str]()
    names, is_standing = ("", ""), False
    for number, (is_swapped, seconds) in enumerate(looks):
        pair = ("two", "one") if is_swapped else ("one", "two")
        found = [] if seconds is None else [contact(*pair, seconds)]
        warned, cleared = watch.take(100.0 * number, found, (), lambda _: False)
        if seconds is None:
            assert warned == []
            assert len(cleared) == is_standing  # ninety seconds after it was due, or before
            is_standing = False
            continue
        assert cleared == []
        if not is_standing and seconds <= 10.0:
            is_standing, names = True, pair
            assert len(warned) == 1
        told += [one.robot for one in warned]
        assert all((one.robot, one.other) == names for one in warned)
    assert all({one, other} <= {"one", "two"} for one, other in pairwise(told))


def test_a_contact_that_has_come_is_not_taken_back() -> None:
    watch = WarningWatch(10.0)
    assert watch.take(0.0, [contact("one", "two", 2.0)], (), lambda _: False)[1] == []
    assert watch.take(2.1, [], {"two"}, lambda _: True) == ([], [])
    assert watch.take(60.0, [], (), lambda _: False) == ([], [])  # it is over, and was told by the robot


def test_what_seems_to_touch_is_not_cleared_until_it_is_apart() -> None:
    watch = WarningWatch(10.0)
    watch.take(0.0, [contact("one", "two", 2.0)], (), lambda _: False)
    for time in (2.0, 3.0, 8.0):
        assert watch.take(time, [], (), lambda _: True) == ([], [])
    (cleared,) = watch.take(9.0, [], (), lambda _: False)[1]
    assert (cleared.robot, cleared.other) == ("one", "two")


def test_a_touch_elsewhere_long_before_clears_what_will_not_come() -> None:
    """One has driven into a wall and stays: it will not meet two in five seconds."""
    watch = WarningWatch(10.0)
    watch.take(0.0, [contact("one", "two", 5.0)], (), lambda _: False)
    (cleared,) = watch.take(0.1, [], {"one"}, lambda _: False)[1]
    assert cleared.other == "two"


LISTS = (
    ("0: forward 80 cm\n1: wait 2 s\n1: forward 80 cm", 0.0),
    ("0: forward; 0: wait 20 s\n1: forward; 1: wait 20 s", 0.08),
    ("0: left 12 deg\n0: forward 90 cm\n1: wait 1 s\n1: right 5 deg\n1: wait 1 s\n1: forward 80 cm", 0.05),
    ("0: wait 3 s\n0: read all\n0: forward 30 cm\n0: wait 1 s\n0: forward 60 cm\n1: read all", -0.08),
    ("0: forward 60 cm\n1: back 20 cm", 0.0),
    ("0: forward 20 cm\n0: back 10 cm\n1: left 40 deg\n1: forward 1 m", 0.1),
)


@pytest.mark.parametrize(("words", "aside"), LISTS)
@pytest.mark.parametrize("is_other_way_round", [False, True])
def test_whoever_was_cleared_of_a_collision_has_none(
    words: str, aside: float, is_other_way_round: bool
) -> None:
    """Two robots face each other, and carry out lists that nobody changes: after an all-clear they do not touch."""
    poses = [place(0.4, 1.0, 0.0), place(1.55, 1.0 + aside, 180.0)]
    contacts: list[float] = []
    with bench(*(reversed(poses) if is_other_way_round else poses)) as it:
        bodies = [robot.hardware.body for robot in it.robots]
        names = {body.name for body in bodies}
        for body in bodies:
            listen(body, names, contacts)
        it.session.give(parse_orders(words))
        it.session.close_lists()
        it.session.run()

    of_pair = [
        one for one in it.told if isinstance(one, Warned | WarningCleared) and one.other.startswith("robot")
    ]
    assert len({(one.robot, one.other) for one in of_pair}) <= 1
    for one, after in pairwise([*of_pair, None]):
        if isinstance(one, WarningCleared):
            assert not [time for time in contacts if time >= one.time - 0.2], lines(it.told)
            assert not isinstance(after, WarningCleared)
    if contacts:
        assert isinstance(of_pair[-1], Warned), lines(it.told)
        assert [one for one in it.told if isinstance(one, Trouble)]


@pytest.mark.parametrize("beyond", [1, 3, 8])
def test_a_way_that_ends_millimetres_behind_a_wall_is_not_cleared_while_the_robot_rolls(beyond: int) -> None:
    """77.5 cm to the wall, in two ways; at the end of the first one it rolls a centimetre with its motor stopped."""
    contacts: list[float] = []
    with bench(place(1.0, 2.0, 0.0)) as it:
        it.robots[0].hardware.body.on_contact(lambda touch: contacts.append(touch.time))
        it.do(f"forward 40 cm; straight; forward {37.5 + beyond / 10} cm")

    assert it.of(Warned)
    assert not it.of(WarningCleared) or not contacts, lines(it.told)


@pytest.mark.parametrize(("side", "is_cleared"), [(0.40, True), (0.23, False)])
def test_who_would_pass_by_less_than_a_hands_breadth_is_not_cleared(side: float, is_cleared: bool) -> None:
    """A second later the other one turns out to stand aside: the lists lead past it by 20 cm, or by 3 cm."""
    with bench(place(0.5, 1.0, 0.0), place(1.5, 1.0, 180.0)) as it:
        session = it.session
        session.give(parse_orders("0: forward\n0: wait 20 s\n1: wait 20 s"))
        other = session.units[1].reckoning

        def stand_aside() -> None:
            other.pose = Pose(Point(1.5, 1.0 + side), other.pose.heading)

        session.simulation.schedule(1.0, stand_aside)
        session.simulation.schedule(3.0, session.halt)
        session.run()

    assert it.of(Warned)
    assert any(one.time < 3.0 for one in it.of(WarningCleared)) == is_cleared


def test_shapes_grow_to_all_sides() -> None:
    assert grown(Disc(0.2), 0.1) == Disc(0.2 + 0.1)
    assert grown(Ellipse(0.4, 0.2), 0.1) == Ellipse(0.4 + 0.2, 0.2 + 0.2)
    square = grown(Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)]), 0.5)
    assert isinstance(square, Polygon)
    found = {(round(corner.x, 9), round(corner.y, 9)) for corner in square.corners}
    assert found == {
        (x, y) for one, other in ((1.5, 1), (1, 1.5)) for x in (-one, one) for y in (-other, other)
    }


def listen(body: SimulatedBody, names: set[str], contacts: list[float]) -> None:
    """Note when a robot truly touches another."""
    body.on_contact(lambda touch: contacts.append(touch.time) if touch.by in names else None)


def lines(told: list[Telling]) -> str:
    return "\n".join(f"{one.time:.2f} {one.robot} {one}" for one in told if not hasattr(one, "ranges"))


def test_what_is_planned_and_what_was_driven_is_always_the_whole_way() -> None:
    """Also while a step is on its way to the robot: else others would be cleared of it for that time."""
    wholes: list[float] = []
    wheels: list[float] = []
    with bench(place(0.4, 1.0, 0.0)) as it:
        unit, simulation = it.session.units[0], it.session.simulation

        def look() -> None:
            plan = unit.plan
            way = it.robots[0].hardware.way
            wholes.append(way + sum(step.way for step in plan if isinstance(step, Go)))
            aims = [step.angle for step in plan if isinstance(step, Aim)]
            wheels.append(aims[-1] if aims else unit.steering)
            if way < 0.5 - 0.05:
                simulation.schedule(simulation.now + 0.004, look)

        simulation.schedule(0.0, look)
        it.do("forward 20 cm; left 24 deg; forward 30 cm")

    assert min(wholes) > 0.5 - 0.03
    assert max(wholes) < 0.5 + 0.03
    assert min(wheels) > radians(24) - 0.03
