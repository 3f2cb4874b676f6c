"""Where robots are: fixes with noise, drop-outs and jumps, reckoning that drifts, and what to make of both."""

from __future__ import annotations

import asyncio
import re
from math import atan2, cos, hypot, pi, remainder, sin, tau

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.devs.chance import stream
from kumi.geometry import Point
from kumi.geometry import Pose as Place
from kumi.link.emulators.er1 import serve_er1
from kumi.mapping.pose_filter import AGREEING_FIXES, KEPT_FIXES, Fix, PoseFilter
from kumi.station.callers import STATION
from kumi.station.entering.correction import Correction
from kumi.station.entering.enter_linked import Er1Line, LinkedEntrant, enter_linked
from kumi.station.operations.maps import Locate, MakeFeedKey
from kumi.station.operations.robots import Corrected, ReportPosition
from kumi.station.positioning.positioning import Positioning, is_worth_telling
from kumi.station.positioning.sources import FixFeed, Simulated, source_named
from kumi.station.records import PlaceRecord, PoseRecord
from kumi.station.refusals import Reason, Refused
from kumi.station.wire.carrier import Carrier
from tests.station.conftest import Little
from tests.station.test_entering import HALL, TAG, Play, played
from tests.waiting import PATIENCE, free_port, until

seeds = st.integers(0, 2**32)
ERROR = 0.05


def circle(step: int) -> PoseRecord:
    """A robot on a circle of 2 m: 0.1 m a step."""
    angle = step * 0.05
    return PoseRecord(x=2.0 * cos(angle), y=2.0 * sin(angle), heading=angle + pi / 2)


def posed(x: float, y: float, heading: float = 0.0) -> Place:
    return Place(Point(x, y), heading)


def on_circle(step: int) -> Place:
    return posed(circle(step).x, circle(step).y, circle(step).heading)


def gap(one: Place, other: Place) -> float:
    return one.position.distance_to(other.position)


def seen(truth: Place, seed: int, step: int) -> Fix:
    chance, (x, y) = stream(seed, f"step {step}"), truth.position
    return Fix(x + chance.normal(0.0, ERROR), y + chance.normal(0.0, ERROR), error=ERROR)


def test_without_fixes_a_robot_is_where_it_says() -> None:
    positioning = Positioning()
    assert all(positioning.report("r", circle(step)) is not None for step in range(3))
    assert [positioning.report("r", circle(step)) for step in range(9)] == [circle(step) for step in range(9)]


@settings(max_examples=20, deadline=None)
@given(seeds, st.floats(0.0, 0.9))
def test_noise_and_drop_outs_are_smoothed(seed: int, dropout: float) -> None:
    """With exact reckoning the estimate ends nearer than three errors of one fix, and no good fix begins it anew."""
    estimate = PoseFilter(on_circle(0))
    for step in range(1, 100):
        estimate.move(on_circle(step))
        if not stream(seed, f"drop {step}").happens(dropout):
            estimate.fix(seen(on_circle(step), seed, step))

    assert gap(estimate.pose, on_circle(99)) < 3 * ERROR
    assert estimate.restarts == 0


@settings(max_examples=20, deadline=None)
@given(seeds, st.floats(0.0, 0.4))
def test_outliers_do_not_lead_astray(seed: int, share: float) -> None:
    """Up to two in five fixes are anywhere within 20 m."""
    estimate = PoseFilter(on_circle(0))
    for step in range(1, 150):
        estimate.move(on_circle(step))
        chance = stream(seed, f"outlier {step}")
        if chance.happens(share):
            estimate.fix(Fix(chance.uniform(-10, 10), chance.uniform(-10, 10), error=ERROR))
        else:
            estimate.fix(seen(on_circle(step), seed, step))
        if step > 20:
            assert gap(estimate.pose, on_circle(step)) < 8 * ERROR


@settings(max_examples=20, deadline=None)
@given(seeds, st.floats(-pi, pi), st.floats(2.0, 50.0))
def test_a_robot_that_was_carried_elsewhere_is_found_there(seed: int, way: float, far: float) -> None:
    """Its reckoning knows nothing of it; as many fixes as must agree suffice, where the noise lets them."""
    estimate = PoseFilter(on_circle(0))
    for step in range(1, 40):
        estimate.move(on_circle(step))
        estimate.fix(seen(on_circle(step), seed, step))
    there = posed(
        x=on_circle(39).position.x + far * cos(way),
        y=on_circle(39).position.y + far * sin(way),
        heading=on_circle(39).heading,
    )
    for look in range(2 * KEPT_FIXES):
        estimate.fix(seen(there, seed, 1000 + look))

    assert estimate.restarts == 1
    assert gap(estimate.pose, there) < 4 * ERROR


def test_fewer_than_enough_that_agree_change_nothing() -> None:
    estimate = PoseFilter(on_circle(0))
    for _ in range(20):
        estimate.fix(Fix(2.0, 0.0))
    before = estimate.pose
    believed = [estimate.fix(Fix(9.0, 9.0)) for _ in range(AGREEING_FIXES)]

    assert believed == [False] * (AGREEING_FIXES - 1) + [True]
    assert gap(before, posed(x=2.0, y=0.0)) < 0.01
    assert gap(estimate.pose, posed(x=9.0, y=9.0)) < 0.01


@settings(max_examples=20, deadline=None)
@given(seeds, st.floats(-0.4, 0.4))
def test_a_wrong_heading_is_noticed_by_driving(seed: int, wrong: float) -> None:
    """The robot believes in a plane that is turned; fixes tell places alone."""
    turned = Correction(wrong, Point(0.1, -0.1))

    def believed(step: int) -> Place:
        place = turned.to_body(on_circle(step).position)
        return posed(x=place.x, y=place.y, heading=on_circle(step).heading - wrong)

    estimate = PoseFilter(believed(0))
    for step in range(1, 125):
        estimate.move(believed(step))
        estimate.fix(seen(on_circle(step), seed, step))

    assert abs(remainder(estimate.pose.heading - on_circle(124).heading, tau)) < 0.12
    assert gap(estimate.pose, on_circle(124)) < 3 * ERROR


@given(st.floats(-9, 9), st.floats(-9, 9), st.floats(-3, 3), st.floats(-9, 9), st.floats(-9, 9))
def test_a_correction_leads_there_and_back(
    x: float, y: float, heading: float, to_x: float, to_y: float
) -> None:
    believed = PoseRecord(x=x, y=y, heading=heading)
    correction = Correction.from_poses(believed, PoseRecord(x=1.0, y=2.0, heading=0.5))

    assert abs(correction.to_station(Point(x, y)) - Point(1.0, 2.0)) < 1e-9
    ahead = correction.to_station(Point(x, y) + Point.polar(1.0, heading)) - Point(1.0, 2.0)
    assert atan2(ahead.y, ahead.x) == pytest.approx(0.5)
    place = Point(to_x, to_y)
    assert abs(correction.to_body(correction.to_station(place)) - place) < 1e-9


def test_a_simulated_system_drops_out_jumps_and_errs_as_often_as_it_says() -> None:
    source = Simulated(noise=0.05, dropout=0.2, jump=0.1, far=5.0)
    fixes = [source.look("r", PoseRecord(x=1.0, y=1.0)) for _ in range(2000)]
    there = [hypot(fix.x - 1.0, fix.y - 1.0) for fix in fixes if fix is not None]

    assert 1 - len(there) / 2000 == pytest.approx(0.2, abs=0.03)
    assert sum(one > 0.3 for one in there) / len(there) == pytest.approx(0.1, abs=0.03)
    again = Simulated(noise=0.05, dropout=0.2, jump=0.1, far=5.0)
    assert fixes == [again.look("r", PoseRecord(x=1.0, y=1.0)) for _ in range(2000)]


@pytest.mark.parametrize(
    "text", ["gps", "simulated:0", "simulated:1:2", "simulated:x", "feed:3", "simulated:1:0:0:9"]
)
def test_a_system_that_cannot_be_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="positioning"):
        source_named(text)


@pytest.mark.parametrize("off", [0.004, -0.004, 0.006, -0.006])
def test_a_correction_below_half_a_centimetre_or_five_milliradians_is_not_worth_telling(off: float) -> None:
    believed = PoseRecord(x=1.0, y=2.0, heading=3.0)

    for elsewhere in (
        PoseRecord(x=1.0 + off, y=2.0, heading=3.0),
        PoseRecord(x=1.0, y=2.0 + off, heading=3.0),
        PoseRecord(x=1.0, y=2.0, heading=3.0 + off),
        PoseRecord(x=1.0, y=2.0, heading=3.0 - tau + off),
    ):
        assert is_worth_telling(believed, elsewhere) == (abs(off) > 0.005)


def test_the_corrected_position_is_kept_and_answered(little: Little) -> None:
    little.again(positioning=Positioning(FixFeed()))
    answer = Corrected(pose=PoseRecord(x=2.1, y=3.1))
    for _ in range(30):
        fix = Locate(robot=TAG, at=PlaceRecord(x=2.0, y=3.0), error=0.05)
        little.call(fix, "positioning system")
        answer = little.call(ReportPosition(pose=PoseRecord(x=2.1, y=3.1)), TAG)

    assert (answer.pose.x, answer.pose.y) == pytest.approx((2.0, 3.0), abs=0.01)


def test_a_feed_has_a_key_of_its_own_that_can_be_replaced(little: Little) -> None:
    little.again(positioning=Positioning(FixFeed()))
    old = little.tokens["positioning system"]
    little.call(MakeFeedKey(), STATION)

    with pytest.raises(Refused) as caught:
        little.service.known.caller(old)
    assert caught.value.reason is Reason.NOT_KNOWN
    little.again()
    with pytest.raises(Refused, match="takes no fixes"):
        little.call(Locate(robot=TAG, at=PlaceRecord(x=0.0, y=0.0)), STATION)
    with pytest.raises(Refused, match="no robot 'ghost'"):
        little.call(Locate(robot="ghost", at=PlaceRecord(x=0.0, y=0.0)), STATION)


@pytest.mark.slow
def test_a_robot_that_is_wrong_about_its_place_still_arrives_where_it_is_sent(little: Little) -> None:
    """An ER1 that stands at (1, 1) was told that it stands at (1.3, 0.8); a feed sees where it truly is."""
    little.again(positioning=Positioning(FixFeed()))
    port = free_port()

    async def enter(carrier: Carrier) -> None:
        ready = asyncio.Event()
        start = Place(Point(1.0, 1.0), 0.0)
        centre = serve_er1(
            HALL, start, host="127.0.0.1", port=port, seconds=PATIENCE, ready=lambda _: ready.set()
        )
        serving = asyncio.ensure_future(centre)
        try:
            await ready.wait()
            line = Er1Line("127.0.0.1", port, speed=1.0)
            entrant = LinkedEntrant(TAG, little.keys[TAG], line, Place(Point(1.3, 0.8), 0.0))
            await enter_linked(carrier, [entrant], period=0.05)
        finally:
            serving.cancel()

    async def story(play: Play) -> None:
        async def is_corrected() -> bool:
            await little.service.call(
                Locate(robot=TAG, at=PlaceRecord(x=1.0, y=1.0), heading=0.0, error=0.02),
                little.caller("positioning system"),
            )
            pose = (await play.monitor()).robot.pose
            return pose is not None and hypot(pose.x - 1.0, pose.y - 1.0) < 0.01

        await until(is_corrected)
        ended = await play.end_of(await play.go(2.0, 1.0))
        assert ended.state == "done", ended.outcome
        x, y = map(float, re.findall(r"\d\.\d\d", ended.outcome))
        assert hypot(x - 2.0, y - 1.0) <= 0.02  # what the fixes are good for

    played(little, story, enter=enter)
