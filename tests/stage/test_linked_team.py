"""A team's program runs unchanged on real robots: two that answer at pseudo-terminals, each with a link of its own."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import numpy as np

from kumi import Map, Stage, Team, Wheel, sleep
from kumi.link.calibration import Calibration
from kumi.sensing import Infrared
from kumi.stage import RobotPort
from tests.stage.test_links import BAUD, RATE, emulated
from tests.waiting import PATIENCE

NEAR = 0.5
PLACES = [(1.4, 0.5), (1.8, 1.0)]
SPEED = 0.1
STOPPED = Calibration.default().stop_byte


async def approach(team: Team, seen: list[Any]) -> None:
    """Go ahead until the wall is near, each by its own ranger, in steps of a fifth of a second."""
    seen.append(team.present.tolist())
    while True:
        ahead = (await team.eye.read())[:, 0]
        seen.append((ahead, team.positions, team.velocities))
        is_near = ahead < NEAR
        team.steer(SPEED, which=~is_near & ~team.is_moving)
        team.stop(which=is_near)
        if is_near.all():
            break
        await sleep(0.2)
    assert not team.is_moving.any()


def test_a_team_program_leads_simulated_and_linked_robots_alike() -> None:
    """Both stop within a period's way of half a metre from the wall at x = 3, where they believe to stand and where they do."""
    simulated: list[Any] = []
    with Stage(Map(3.0, 2.0)) as stage:
        eye = Infrared(0.0, reach=0.8, min_reach=0.1)
        team = stage.add_team(
            approach, 2, simulated, at=PLACES, radius=0.1, drive=Wheel(), sensors={"eye": eye}
        )
        stage.run()
        stood = team.positions

    linked: list[Any] = []
    with ExitStack() as stack:
        robots = [stack.enter_context(emulated(at)) for at in PLACES]
        stage = stack.enter_context(Stage(Map(3.0, 2.0), pace=RATE))
        ports = [RobotPort(port, baud=BAUD, aliases={"eye": "front"}) for port, _ in robots]
        team = stage.add_team(approach, 2, linked, at=PLACES, ports=ports)
        outcome = stage.run(PATIENCE)
        believed = team.positions
        true = np.array([tuple(hardware.body.position) for _, hardware in robots])

    assert outcome.end == "all programs have ended"
    assert outcome.errors == ()
    assert simulated[0] == linked[0] == [True, True]
    for seen, places in ((simulated, stood), (linked, believed)):
        first, last = seen[1], seen[-1]
        assert first[0].shape == (2,)
        assert (first[2] == 0.0).all()
        assert (last[0] < NEAR).all()
        assert (places[:, 0] > np.array(PLACES)[:, 0] + 0.1).all()
        np.testing.assert_allclose(places[:, 1], np.array(PLACES)[:, 1], atol=0.05)
    np.testing.assert_allclose(believed, true, atol=0.05)
    assert any(np.isclose(velocities[:, 0], SPEED).any() for _, _, velocities in linked[1:])


def test_a_linked_robot_that_is_removed_leaves_a_mask() -> None:
    """It stops; the other keeps its number and drives on; a simulated one comes, and gets the next."""
    seen: list[Any] = []

    async def drive(team: Team) -> None:
        team.steer(SPEED)
        await sleep(1.0)
        stage.remove(team.robots[0])
        (new,) = stage.add_to_team(team, 1, at=[(0.3, 1.7)])
        assert new is team.robots[2]
        team.steer([np.nan, SPEED, SPEED])
        while robots[0][1].motor != STOPPED or team.positions[1, 0] < 0.65:
            await sleep(0.1)
        seen.append((team.present.tolist(), team.positions[:, 0]))
        team.stop()

    with ExitStack() as stack:
        robots = [stack.enter_context(emulated(at)) for at in ((0.5, 0.5), (0.5, 1.0))]
        stage = stack.enter_context(Stage(Map(3.0, 2.0), pace=RATE))
        ports = [RobotPort(port, baud=BAUD) for port, _ in robots]
        stage.add_team(drive, 2, at=[(0.5, 0.5), (0.5, 1.0)], ports=ports)
        outcome = stage.run(PATIENCE)

    assert outcome.errors == ()
    ((present, places),) = seen
    assert present == [False, True, True]
    assert places[0] < places[1]
    assert places[2] > 0.3
