"""A person sees in the page what programs show: as colours with a legend, in the panel, in plots and in the log."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from kumi import sleep
from kumi.geometry import Disc
from kumi.recording import RunFile
from kumi.recording.palette import LIGHT, WordColours, rgb
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.view import RecordedFeed, ViewServer
from kumi.world import Map, World
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

pytestmark = NEEDS_BROWSER

END = 10.0


async def lead(robot: Robot) -> None:
    """Lead from second 4 on, with a map of four cells and a mark."""
    robot.show("state", "follows")
    robot.show("battery", 1.0)
    await sleep(4.0)
    robot.show("state", "leads")
    robot.show("battery", 0.75)
    robot.show_map([[0.0, 1.0], [0.0, 1.0]], cell=1.0, corner=(1.0, 1.0))
    robot.show_map([[0.0]], "map of robot 1", cell=1.0, corner=(8.0, 8.0))
    robot.show_mark((3.0, 7.0), "victim")
    robot.show_path([(4.0, 9.0), (8.0, 9.0)])


async def follow(robot: Robot) -> None:
    """Follow all the time."""
    robot.show("state", "follows")
    robot.show("battery", 0.5)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ViewServer]:
    path: Path = tmp_path_factory.mktemp("page") / "shown.kumi"
    with Stage(World(Map(10.0, 10.0)), record=path) as stage:
        stage.add(lead, at=(5.0, 3.0), shape=Disc(0.5), name="ann")
        stage.add(follow, at=(5.0, 6.0), shape=Disc(0.5))
        stage.run(END)
    with ViewServer(RecordedFeed(RunFile(path))) as server:
        yield server


@pytest.fixture
def page(browser: Browser, server: ViewServer) -> Iterator[Page]:
    """The page, stopped at second 5."""
    with a_page(browser, server.url, color_scheme="light") as page:
        expect(page.get_by_text("2 robots")).to_be_visible()
        page.keyboard.press("Space")
        page.get_by_role("slider", name="Time").fill("500")
        wait_shown(page, 5.0)
        yield page


def test_robots_have_the_colours_of_the_legend(page: Page) -> None:
    """Before second 4 both follow; then one leads. By battery, the fuller one has the last colour of the ramp."""
    colours = WordColours()
    follows, leads = rgb(colours.of("follows")), rgb(colours.of("leads"))
    legend = page.get_by_role("list", name="Legend")
    expect(legend).to_contain_text("follows: 1")
    expect(legend).to_contain_text("leads: 1")
    wait_drawn(page)
    picture = screen(page, "shown")
    assert is_paler(color_at(picture, *place_of(page, 4.7, 3.0)), leads)
    assert is_paler(color_at(picture, *place_of(page, 4.7, 6.0)), follows)
    page.get_by_role("slider", name="Time").fill("200")
    wait_shown(page, 2.0)
    expect(legend).to_contain_text("follows: 2")
    wait_drawn(page)
    assert is_paler(color_at(screen(page, "shown-before"), *place_of(page, 4.7, 3.0)), follows)
    page.get_by_role("button", name="Layers").click()
    page.get_by_role("combobox", name="Colour robots by").select_option("battery")
    expect(legend).to_contain_text("0.5")


def is_paler(found: tuple[int, int, int], colour: tuple[int, int, int]) -> bool:
    """Tell whether a colour is another one at three fifths on white, as that of a robot that rests."""
    return max(abs(255 + 0.6 * (one - 255) - other) for one, other in zip(colour, found, strict=True)) < 6


def test_maps_marks_and_paths_lie_on_the_plane_until_their_layer_is_put_out(page: Page) -> None:
    """Cells at (1.5, 1.5) are free and at (2.5, 1.5) taken; the map of the other name is not drawn unless asked for."""
    wait_drawn(page)
    picture = screen(page, "shown-map")
    plane = rgb(LIGHT["plane"])
    free, taken = (color_at(picture, *place_of(page, x, 1.4)) for x in (1.4, 2.4))
    assert free not in {plane, taken}
    assert near(color_at(picture, *place_of(page, 3.0, 7.0)), rgb(LIGHT["mark"]))
    assert color_at(picture, *place_of(page, 6.7, 9.0)) != plane
    assert color_at(picture, *place_of(page, 8.4, 8.4)) == plane
    page.get_by_role("button", name="Layers").click()
    page.get_by_role("combobox", name="Which maps").select_option("map of robot 1")
    page.get_by_role("checkbox", name="paths and marks").uncheck()
    wait_drawn(page)
    picture = screen(page, "shown-other-map")
    assert color_at(picture, *place_of(page, 1.4, 1.4)) == plane
    assert color_at(picture, *place_of(page, 8.4, 8.4)) == free
    for place in ((3.0, 7.0), (6.7, 9.0)):
        assert color_at(picture, *place_of(page, *place)) == plane
    page.get_by_role("checkbox", name="maps that robots drew").uncheck()
    wait_drawn(page)
    assert color_at(screen(page, "shown-no-map"), *place_of(page, 8.4, 8.4)) == plane


def near(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    """Tell whether two colours can hardly be told apart."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) < 6


@pytest.mark.slow
def test_the_panel_has_a_table_of_all_and_the_values_of_one(page: Page) -> None:
    panel = page.get_by_role("tabpanel", name="Robot")
    expect(panel.get_by_role("row")).to_have_count(3)
    expect(panel.get_by_role("row").nth(1)).to_have_text("ann0.75leads")
    panel.get_by_role("row").nth(1).click()
    expect(panel.get_by_role("heading", name="ann")).to_be_visible()
    for text in ("battery0.75", "stateleads", "victim(3, 7)", "map4 m² seen", "path2 places, 4 m"):
        expect(panel).to_contain_text(text)
    expect(panel.get_by_role("img", name="The map as it is believed")).to_have_count(2)
    screen(page, "shown-panel")


@pytest.mark.slow
def test_values_are_plotted_over_time_numbers_as_they_are_and_words_by_how_many(page: Page) -> None:
    page.get_by_role("tab", name="Plots").click()
    expect(page.locator("kumi-shown-plots .u-title")).to_have_text(["battery", "state: robots"])
    lines = page.locator("kumi-shown-plots .u-label")
    expect(lines).to_have_text(["ann", "robot 1", "follows", "leads"])
    wait_drawn(page)
    screen(page, "shown-plots")


@pytest.mark.slow
def test_the_log_is_filtered_by_what_is_shown(page: Page) -> None:
    page.get_by_role("tab", name="Events").click()
    rows = page.get_by_role("list", name="Events").get_by_role("listitem")
    kinds = page.get_by_role("combobox", name="Kind of event")
    kinds.select_option(label="shows state")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("shows: state: leads")
    page.get_by_role("searchbox", name="Filter events by words").fill("leads")
    expect(rows).to_have_count(1)
    page.get_by_role("searchbox", name="Filter events by words").fill("")
    kinds.select_option("shows")
    expect(rows).to_have_count(10)


async def tell_much(robot: Robot) -> None:
    """Show values with long names."""
    robot.show("metres to the middle of all", 253.6)
    robot.show("state", "goes to the middle of all of them")


def test_no_word_in_the_head_of_a_table_is_broken(browser: Browser, tmp_path: Path) -> None:
    """Long cells give way, also on a phone."""
    with Stage(World(Map(10.0, 10.0)), record=(path := tmp_path / "long.kumi")) as stage:
        stage.add(tell_much, at=(5.0, 3.0), shape=Disc(0.5))
        stage.run(END)
    with (
        ViewServer(RecordedFeed(RunFile(path))) as server,
        a_page(browser, server.url) as page,
    ):
        page.set_viewport_size({"width": 390, "height": 844})
        head = page.locator("th", has_text=re.compile("^robot$")).first
        expect(head).to_be_visible()
        lines = "head => { const all = document.createRange(); all.selectNodeContents(head); return all.getClientRects().length }"
        assert head.evaluate(lines) == 1
