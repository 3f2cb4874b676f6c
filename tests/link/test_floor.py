"""Emulated robots of several processes stand on one floor: they see each other, and a dead one stands still."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from kumi.experiment.loop.plan import ROBOT
from kumi.geometry import Disc, Point, Polygon, Pose
from kumi.link.calibration import Calibration
from kumi.link.devices import Device
from kumi.link.emulators import Emulation, Floor, Make, Standing
from kumi.link.emulators.floor import STALE, Outline
from kumi.link.ports import PtyPair
from kumi.world import Map, World

ROUND = Outline(0.1, -0.1, 0.1, True)
CALIBRATION = Calibration.load(ROBOT)


def test_what_is_written_is_read_by_others(tmp_path: Path) -> None:
    with Floor(tmp_path / "floor") as one, Floor(tmp_path / "floor") as other:
        assert other.read(3) is None
        one.write(3, Standing(Pose(Point(1.0, 2.0), 0.5), 0.0, 0.0, ROUND))

        assert other.read(3) == Standing(Pose(Point(1.0, 2.0), 0.5), 0.0, 0.0, ROUND)
        assert other.read(2) is None


def test_one_that_moves_is_carried_on_and_one_that_is_silent_stands(tmp_path: Path) -> None:
    """At 0.5 m/s it is at most 0.1 m farther before it counts as gone; then it is where it was last."""
    with Floor(tmp_path / "floor") as floor:
        floor.write(0, Standing(Pose(Point(1.0, 2.0)), 0.5, 0.0, ROUND))
        time.sleep(0.02)
        moving = floor.read(0)
        time.sleep(STALE)
        silent = floor.read(0)

    assert moving is not None
    assert 1.01 <= moving.pose.position.x <= 1.1
    assert silent == Standing(Pose(Point(1.0, 2.0)), 0.0, 0.0, ROUND)


def test_a_place_that_was_torn_is_not_taken(tmp_path: Path) -> None:
    with Floor(tmp_path / "floor") as floor:
        floor.write(0, Standing(Pose(Point(1.0, 2.0)), 0.0, 0.0, ROUND))
        data = bytearray((tmp_path / "floor").read_bytes())
        data[10] ^= 0xFF
        (tmp_path / "floor").write_bytes(data)

        assert floor.read(0) is None


def test_an_address_beyond_those_of_robots_is_refused(tmp_path: Path) -> None:
    with (
        Floor(tmp_path / "floor") as floor,
        pytest.raises(ValueError, match="an address from 0 to 14, not 15"),
    ):
        floor.read(15)


@pytest.mark.parametrize(("outline", "kind"), [(ROUND, Disc), (Outline(0.2, -0.1, 0.1, False), Polygon)])
def test_an_outline_has_its_shape(outline: Outline, kind: type) -> None:
    assert isinstance(outline.shape, kind)


def test_a_robot_sees_one_of_another_emulation(tmp_path: Path) -> None:
    """They stand 0.5 m apart, 0.3 m from edge to edge; the second one appears when it is there, and is seen at 30 cm."""
    with Floor(tmp_path / "floor") as here, Floor(tmp_path / "floor") as there:
        make = Make(calibration=CALIBRATION)
        with (
            Emulation(World(Map(4.0, 3.0)), floor=here) as one,
            Emulation(World(Map(4.0, 3.0)), floor=there, rate=2.0) as other,
        ):
            back = one.add(PtyPair(), 0, at=(1.0, 1.5), make=make).hardware
            one.run(0.05)
            nothing = CALIBRATION.range_of(back.read(Device.IR_FRONT))
            other.add(PtyPair(), 1, at=(1.5, 1.5), make=replace(make))
            other.run(0.05)
            one.run(0.1)
            seen = CALIBRATION.range_of(back.read(Device.IR_FRONT))

    assert nothing is None
    assert seen == pytest.approx(0.3, abs=0.005)
