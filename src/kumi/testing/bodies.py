"""Does a body keep the laws of motion?

The same laws hold for a simulated body, for a robot at the other end of a link, and for one of your own.
Each law is a small program that is run on a body fresh from its maker.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from math import inf
from typing import Any, TypeAlias

from kumi.contract import Blocked, Body, Busy, Contact, Forward, Steer
from kumi.devs import Simulation, after, now, sleep, together, until
from kumi.geometry import Point
from kumi.testing.demands import demand

Law: TypeAlias = Callable[[Body, float], Coroutine[Any, Any, None]]

SPEED = 0.5
LIMIT = 60.0
"""Simulated seconds that a law may take."""


def check_body(make: Callable[[], tuple[Simulation, Body]], *, tolerance: float = 1e-9) -> None:
    """Raise AssertionError, with a sentence, where a body of your own breaks a law.

    `make` gives a new simulation each time, and in it a body at rest with a free way of 2 m ahead that ends
    at an obstacle within 10 m. Places are compared within the tolerance, in metres.
    """
    for law in (
        leaving_a_motion_stops_it,
        a_task_that_is_cut_stops_its_robot,
        one_motion_at_a_time,
        stop_always_works,
        a_position_is_exact_on_the_way,
        the_contact_comes_before_the_end,
        a_contact_cuts_before_it_raises,
        steering_goes_on_until_it_is_stopped,
    ):
        simulation, body = make()
        with simulation:
            task = simulation.start(law, body, tolerance)
            simulation.run(LIMIT)
            demand(task.has_ended, f"{law.__name__}: the motion did not end within {LIMIT:g} s")


async def leaving_a_motion_stops_it(body: Body, tolerance: float) -> None:
    """However a motion is left, the body stops at that instant, where it is."""
    start = body.position
    with until(after(1.0)):
        await body.carry_out(Forward(2.0, SPEED))
    demand(not body.is_moving, "a motion was left, and the body is still moving; leaving a motion stops it")
    place = body.position
    _check_place(
        place, _ahead(body, start, SPEED * 1.0), tolerance, "a motion of 0.5 m/s that was left after 1 s"
    )
    await sleep(1.0)
    _check_place(body.position, place, tolerance, "a body that was stopped a second ago")


async def a_task_that_is_cut_stops_its_robot(body: Body, tolerance: float) -> None:
    """A task that ends takes its motion with it."""
    start = body.position
    async with together() as tasks:
        tasks.start(_drive, body, 2.0)
        await sleep(1.0)
        tasks.cut()
    demand(not body.is_moving, "the task that moved the body was cut, and the body is still moving")
    _check_place(
        body.position, _ahead(body, start, SPEED * 1.0), tolerance, "a body whose task was cut after 1 s"
    )


async def one_motion_at_a_time(body: Body, tolerance: float) -> None:
    """A second command gets Busy, and the first motion goes on."""
    start = body.position
    async with together() as tasks:
        tasks.start(_drive, body, 1.0)
        await sleep(0.5)
        try:
            await body.carry_out(Forward(-1.0, SPEED))
        except Busy:
            pass
        else:
            raise AssertionError("a second motion was carried out while one was under way; it raises Busy")
    _check_place(
        body.position, _ahead(body, start, 1.0), tolerance, "a motion that a second one tried to replace"
    )


async def stop_always_works(body: Body, tolerance: float) -> None:
    """At rest it does nothing; in motion, whoever waits for it gets the place where it stopped."""
    body.stop()
    start = body.position
    ended: list[Point | Exception] = []
    async with together() as tasks:
        tasks.start(_drive_and_tell, body, 2.0, ended)
        await sleep(1.0)
        body.stop()
        demand(not body.is_moving, "stop() was called, and the body is still moving")
    (place,) = ended
    demand(
        not isinstance(place, Exception),
        f"stop() was called, and the motion under way raised {place!r}; it gives where the body stopped",
    )
    assert isinstance(place, Point)
    _check_place(place, body.position, tolerance, "what a motion gave that was stopped")
    _check_place(
        body.position, _ahead(body, start, SPEED * 1.0), tolerance, "a body stopped after 1 s at 0.5 m/s"
    )
    await body.carry_out(Forward(0.1, SPEED))


async def a_position_is_exact_on_the_way(body: Body, tolerance: float) -> None:
    """At any instant a body knows where it is."""
    start = body.position
    async with together() as tasks:
        tasks.start(_drive, body, 1.0)
        for step in range(1, 8):
            await sleep(0.25)
            demand(
                body.is_moving, f"a body 0.5 m/s fast on a way of 1 m does not move after {0.25 * step:g} s"
            )
            where = _ahead(body, start, SPEED * 0.25 * step)
            _check_place(body.position, where, tolerance, f"a body on its way for {0.25 * step:g} s")


async def the_contact_comes_before_the_end(body: Body, _tolerance: float) -> None:
    """Cause before consequence: the contact, and at the same instant the end of the motion by Blocked."""
    heard: list[Contact] = []
    async with together() as tasks:
        tasks.start(_listen, body, heard)
        await sleep(0.0)
        try:
            await body.carry_out(Forward(inf, SPEED))
        except Blocked as blocked:
            demand(
                len(heard) == 1, f"a motion ended by {blocked!r}, but {len(heard)} contacts were told before"
            )
            contact = heard[0]
            demand(
                contact.time == now(),
                f"the contact is told for t = {contact.time!r} s, the end for {now()!r} s",
            )
            demand(
                contact.at == blocked.at, f"the contact was at {contact.at}, but Blocked says {blocked.at}"
            )
        else:
            raise AssertionError("a motion without an end arrived; at an obstacle it raises Blocked")
        demand(not body.is_moving, "the motion ended by Blocked, and the body is still moving")
        tasks.cut()


async def a_contact_cuts_before_it_raises(body: Body, _tolerance: float) -> None:
    """A block that a contact ends is ended by it, not by Blocked."""
    try:
        with until(body.contacts) as cut:
            await body.carry_out(Forward(inf, SPEED))
    except Blocked:
        raise AssertionError(
            "a block until(contacts) was ended by Blocked; the contact is told first, so it ends the block"
        ) from None
    demand(isinstance(cut.event, Contact), f"the contacts of a body are told as Contact, not {cut.event!r}")


async def steering_goes_on_until_it_is_stopped(body: Body, tolerance: float) -> None:
    """Nobody waits for it, and stop() ends it."""
    start = body.position
    body.steer(Steer(SPEED))
    await sleep(1.0)
    demand(body.is_moving, "a body was told to steer, and does not move")
    body.stop()
    demand(not body.is_moving, "stop() was called, and the body steers on")
    _check_place(
        body.position, _ahead(body, start, SPEED * 1.0), tolerance, "a body that steered for 1 s at 0.5 m/s"
    )


async def _drive(body: Body, distance: float) -> None:
    await body.carry_out(Forward(distance, SPEED))


async def _drive_and_tell(body: Body, distance: float, ended: list[Point | Exception]) -> None:
    try:
        ended.append(await body.carry_out(Forward(distance, SPEED)))
    except Exception as error:  # noqa: BLE001  # the law says what it should have been
        ended.append(error)


async def _listen(body: Body, heard: list[Contact]) -> None:
    async for contact in body.contacts:
        heard.append(contact)  # noqa: PERF401  # at its instant, not at the end


def _ahead(body: Body, start: Point, distance: float) -> Point:
    return start + Point.polar(distance, body.heading)


def _check_place(place: Point, wanted: Point, tolerance: float, what: str) -> None:
    demand(
        place.distance_to(wanted) <= tolerance,
        f"{what} is at ({place.x:g}, {place.y:g}), {place.distance_to(wanted):.3g} m from "
        f"({wanted.x:g}, {wanted.y:g}), where it should be",
    )
