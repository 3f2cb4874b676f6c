"""Teams, sensors and lost robots in the page, from what a run file says of its robots."""

from __future__ import annotations

from collections.abc import Iterator
from math import tau
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from kumi.recording import Leaving, RunFile, RunMeta, RunSummary, RunWriter
from kumi.recording.meta import RobotGroup, SensorField
from kumi.recording.palette import LIGHT, PALETTE, rgb
from kumi.scenario import RunOutput, Staging, load_scenario
from kumi.view import RecordedFeed, ViewServer
from tests.recording.journals import Journal, disc
from tests.view.browser import (
    NEEDS_BROWSER,
    a_browser,
    a_page,
    color_at,
    place_of,
    screen,
    wait_drawn,
    wait_shown,
)

EYE = SensorField(name="eye", reach=5.0, offset=1.0)
EAR = SensorField(name="ear", reach=2.0, view=tau)
SCENARIO = """
until = 1.0
[map]
width = 20.0
height = 10.0
[[robots]]
name = "red"
count = 2
radius = 0.5
program = "random-movement"
parameters = { width = 20.0, height = 10.0 }
sensors = { eyes = { kind = "lidar", rays = 24, reach = 4.0 }, where = "positions" }
[[robots]]
name = "blue"
radius = 0.5
program = "random-movement"
parameters = { width = 20.0, height = 10.0 }
sensors = { nose = { kind = "infrared", reach = 2.0, bearing = 0.5 }, feeler = { kind = "whisker", length = 0.3 } }
count = 3
"""


def write_teams(path: Path) -> Path:
    """Two robots of one team and one of another rest; a fourth falls into a hole at second 2."""
    groups = (
        RobotGroup(first=0, count=2, team="red", sensors=(EYE,)),
        RobotGroup(first=2, count=2, team="blue", sensors=(EAR,)),
    )
    plane = {"width": 20.0, "height": 10.0, "obstacles": [{"block": [7.0, 4.0], "size": [1.0, 2.0]}]}
    meta = RunMeta(map=plane, groups=groups, until=4.0)
    beginning = Journal().time(0.0)
    for number, (x, y) in enumerate([(2.0, 5.0), (2.0, 8.0), (15.0, 5.0), (12.0, 2.0)]):
        beginning.add(number, x, y, shape=disc(0.8))
    with RunWriter(path, meta) as run:
        run.write(beginning.data)
        run.flush()
        run.write(Journal().time(2.0).gone(3, Leaving.FELL).data)
        run.close(RunSummary(end=4.0))
    return path


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    """The page at the end, without names."""
    feed = RecordedFeed(RunFile(write_teams(tmp_path / "teams.kumi")))
    with (
        ViewServer(feed) as server,
        a_browser() as browser,
        a_page(browser, server.url, color_scheme="light") as page,
    ):
        expect(page.get_by_text("robots")).to_be_visible()
        page.keyboard.press("End")
        wait_shown(page, 4.0)
        yield page


def alike(one: tuple[int, int, int], other: tuple[int, int, int], slack: int = 12) -> bool:
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= slack


@pytest.mark.slow
@NEEDS_BROWSER
def test_teams_sensors_and_the_lost_are_seen_and_switched(page: Page) -> None:
    """A resting robot has its team's colour at 0.6 on white. The beam begins 1 m before the middle and meets the block at 7."""
    page.keyboard.press("y")
    for name in ("sensors", "teams", "lost robots"):
        expect(page.get_by_role("checkbox", name=name)).to_be_enabled()
    page.get_by_role("checkbox", name="sensors").check()
    page.get_by_role("checkbox", name="grid").uncheck()
    page.keyboard.press("Escape")
    wait_drawn(page)
    picture = screen(page, "layers-teams")

    def paled(colour: str) -> tuple[int, int, int]:
        red, green, blue = (round(0.6 * part + 0.4 * 255) for part in rgb(colour))
        return red, green, blue

    for place, team in (((1.6, 5.3), 0), ((1.6, 8.3), 0), ((14.6, 5.3), 1)):
        assert alike(color_at(picture, *place_of(page, *place)), paled(PALETTE.teams[team]))
    x, y = place_of(page, 5.0, 5.0)
    on_beam = min(color_at(picture, x, y + shift)[2] for shift in (-1, 0, 1))
    assert on_beam < 200  # orange has little blue
    assert color_at(picture, *place_of(page, 7.5, 5.0)) == rgb(LIGHT["obstacle"])
    assert color_at(picture, *place_of(page, 15.0, 6.9)) != (255, 255, 255)  # within the ear's 2 m
    assert color_at(picture, *place_of(page, 15.0, 7.3)) == (255, 255, 255)
    x, y = place_of(page, 12.0, 2.0)
    assert alike(color_at(picture, x, y), rgb(LIGHT["contact"]), 60)

    page.keyboard.press("y")
    for name in ("sensors", "teams", "lost robots"):
        page.get_by_role("checkbox", name=name).uncheck()
    page.keyboard.press("Escape")
    wait_drawn(page)
    picture = screen(page, "layers-plain")
    assert alike(color_at(picture, *place_of(page, 1.6, 5.3)), rgb(LIGHT["resting"]))
    assert color_at(picture, *place_of(page, 12.0, 2.0)) == (255, 255, 255)


def test_a_run_says_which_robots_are_alike_and_where_their_sensors_look(tmp_path: Path) -> None:
    """Two groups, for which each robot is not written down; a sensor of all positions looks nowhere."""
    (tmp_path / "teams.toml").write_text(SCENARIO)
    staging = Staging(load_scenario(str(tmp_path / "teams.toml")))
    with RunOutput(staging.scenario, only=tmp_path / "run.kumi") as output, staging.stage(output) as stage:
        output.open(stage.world, staging.names)
        output.finish(stage.run(1.0))

    red, blue = RunFile(tmp_path / "run.kumi").meta.groups
    assert (red.first, red.count, red.team) == (0, 2, "red")
    assert (blue.first, blue.count, blue.team) == (2, 3, "blue")
    assert red.sensors == (SensorField(name="eyes", reach=4.0, view=tau, rays=24),)
    assert blue.sensors == (
        SensorField(name="nose", reach=2.0, bearing=0.5, offset=0.5),
        SensorField(name="feeler", reach=0.3, offset=0.5),
    )
