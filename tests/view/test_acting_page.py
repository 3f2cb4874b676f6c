"""A person acts on a run in the page: chooses a robot, sends it, stops it, draws walls, gives code, and is refused."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from math import atan2, hypot, pi
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from kumi.control import LiveActions
from kumi.control import warnings as outlook
from kumi.recording import BodyNote, RunFile, RunMeta, RunSummary, RunWriter
from kumi.robot import Robot
from kumi.stage import Stage
from kumi.view import LiveFeed, ViewServer
from kumi.world import Map, Wall, World, map_to_table
from tests.control.stages import rest
from tests.view.browser import (
    NEEDS_BROWSER,
    a_browser,
    a_page,
    likeness,
    place_of,
    screen,
    wait_drawn,
    wait_until,
)

pytestmark = NEEDS_BROWSER


PACE = 2.0
NAMES = {0: "ann", 1: "<img src=x onerror=alert(1)>"}
SESSION = "document.querySelector('kumi-view').session"
MONITOR = (
    "document.querySelector('kumi-view').shadowRoot.querySelector('kumi-monitor').shadowRoot.textContent"
)


async def patrol(robot: Robot) -> None:
    """Go to and fro between (14, 2) and (18, 2)."""
    while True:
        await robot.move_to((18.0, 2.0))
        await robot.move_to((14.0, 2.0))


@contextmanager
def shown_run(record: Path | None = None) -> Iterator[tuple[ViewServer, Stage]]:
    """Show a run of two robots on a plane of 20 by 10 metres: ann rests at (2, 5), the other patrols."""
    acting = LiveActions(may_give_code=True)
    world = World(Map(20.0, 10.0))
    feed = LiveFeed(RunMeta(map=map_to_table(world.map), robots=NAMES), "By hand", world.snapshot, acting)
    with (
        closing(Both(feed, record, world)) as both,
        Stage(world, between=acting.between, pace=PACE, recorder=both) as stage,
    ):
        stage.add(rest, at=(2.0, 5.0), name="ann")
        stage.add(patrol, at=(14.0, 2.0), name="other")
        acting.join(stage)
        thread = threading.Thread(target=lambda: stage.run(1e6, on_progress=feed.tell))
        thread.start()
        try:
            with ViewServer(feed) as server:
                yield server, stage
        finally:
            stage.end()
            thread.join()


class Both:
    """Hands the journal to the feed, and keeps it for a run file."""

    def __init__(self, feed: LiveFeed, record: Path | None, world: World) -> None:
        meta = RunMeta(map=map_to_table(world.map), robots=NAMES)
        self._feed = feed
        self._file = None if record is None else RunWriter(record, meta, snapshot=world.snapshot)

    def write(self, journal: bytes) -> None:
        """Take whole records."""
        self._feed.write(journal)
        if self._file is not None:
            self._file.write(journal)

    def close(self) -> None:
        """Finish the run file."""
        if self._file is not None:
            self._file.close(RunSummary(end=self._feed.clock()["time"]))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as browser:
        yield browser


def opened(page: Page) -> Page:
    """Wait until robots are drawn."""
    expect(page.get_by_text("2 robots")).to_be_visible()
    wait_until(page, f"{SESSION}.swarm.bodies.size === 2")
    return page


def test_where_warnings_are_off_the_page_says_so(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlook, "MOST_ROBOTS", 1)
    with shown_run() as (server, _), a_page(browser, server.url) as page:
        expect(page.get_by_text("Warnings are off: there are 2 robots")).to_be_visible()


def click_plane(page: Page, x: float, y: float) -> None:
    page.mouse.click(*place_of(page, x, y))


def place_in_page(page: Page, robot: int) -> list[float]:
    """Return where the page has a robot at the end of its last motion."""
    piece = f"{SESSION}.swarm.bodies.get({robot}).piece"
    return [page.evaluate(f"{piece}.lastX"), page.evaluate(f"{piece}.lastY")]


def lately(page: Page, robot: int) -> list[tuple[float, str]]:
    """Return what happened to a robot, the oldest first, as the log of the page has it."""
    happened = page.evaluate(
        f"{SESSION}.timeline.latest({SESSION}.now, 50, (one) => one.body === {robot})"
        ".map((one) => [one.time, `${one.kind}: ${one.text}`])"
    )
    return [(time, text) for time, text in reversed(happened)]


def wait_lately(page: Page, robot: int, kind: str, count: int) -> float:
    """Wait until something has happened to a robot so many times, and return when it last did."""
    wait_until(
        page,
        f"{SESSION}.timeline.latest({SESSION}.now, 50, (one) => one.body === {robot} && one.kind === {kind!r})"
        f".length >= {count}",
    )
    return [time for time, text in lately(page, robot) if text.startswith(kind)][-1]


@pytest.mark.slow
def test_a_robot_is_chosen_sent_seen_to_arrive_and_stopped(browser: Browser, tmp_path: Path) -> None:
    record = tmp_path / "run.kumi"
    with shown_run(record) as (server, _), a_page(browser, server.acting_url, color_scheme="light") as page:
        opened(page)
        expect(page).to_have_url(server.url)  # the key does not stay in the address
        click_plane(page, 2.0, 5.0)
        expect(page.get_by_role("heading", name="ann")).to_be_visible()
        expect(page.get_by_role("tabpanel").get_by_text("at rest")).to_be_visible()
        expect(page.get_by_text("(2.000, 5.000) m")).to_be_visible()
        page.get_by_role("tab", name="Do").click()
        screen(page, "do")

        # Go to: it arrives where and when the closed form says, at a metre a second.
        page.get_by_role("button", name="Go to (G)").click()
        expect(page.get_by_text("Click where the robot shall go.")).to_be_visible()
        click_plane(page, 5.0, 5.0)
        arrived = wait_lately(page, 0, "arrived", 1)
        expect(page.get_by_text("It waits for orders.")).to_be_visible()
        x, y = place_in_page(page, 0)
        assert (x, y) == pytest.approx((5.0, 5.0), abs=0.02)
        begun = next(time for time, text in lately(page, 0) if text.startswith("command: move to"))
        turn = abs(atan2(y - 5.0, x - 2.0)) / (pi / 2)
        assert arrived - begun == pytest.approx(turn + hypot(x - 2.0, y - 5.0))
        screen(page, "arrived")

        # By keyboard, and stopped on the way.
        page.keyboard.press("g")
        click_plane(page, 18.0, 8.0)
        wait_lately(page, 0, "command", 2)
        page.keyboard.press("s")
        wait_lately(page, 0, "stopped", 1)
        x, _ = place_in_page(page, 0)
        assert x < 17.0
        # Back in time and to the present: acting did not disturb it.
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("button", name="● live")).to_have_attribute("aria-pressed", "false")
        expect(page.get_by_text("You look at what was.")).to_be_visible()
        page.get_by_role("button", name="● live").click()
        page.get_by_role("button", name="Release").click()
        expect(page.get_by_text("Its own program drives it.")).to_be_visible()
    said = [one.text for one in RunFile(record).records() if isinstance(one, BodyNote) and one.body == 0]
    assert [re.sub(r"\(.*\)", "()", text) for text in said] == [
        "by hand: go to ()",
        "by hand: go to ()",
        "by hand: stop",
        "by hand: release",
    ]


@pytest.mark.slow
def test_a_path_is_clicked_and_ended_by_enter_or_left_by_escape(browser: Browser) -> None:
    with shown_run() as (server, stage), a_page(browser, server.acting_url) as page:
        opened(page)
        page.keyboard.press("n")
        page.keyboard.press("a")
        click_plane(page, 3.0, 5.0)
        page.keyboard.press("Escape")
        page.keyboard.press("a")
        click_plane(page, 2.0, 6.0)
        click_plane(page, 3.0, 6.0)
        screen(page, "path")
        page.keyboard.press("Enter")
        wait_lately(page, 0, "arrived", 1)
        assert place_in_page(page, 0) == pytest.approx([3.0, 6.0], abs=0.03)
        # Who patrols is stopped with all, and released by its key.
        page.keyboard.press("Shift+S")
        stopped = wait_lately(page, 1, "stopped", 1)
        page.keyboard.press("n")
        page.keyboard.press("r")
        wait_lately(page, 1, "note", 1)
        wait_until(page, f"{SESSION}.swarm.bodies.get(1).piece.time > {stopped}")
        assert stage.outcome.errors == ()


@pytest.mark.slow
def test_the_world_is_changed_by_walls_robots_noise_and_maps(browser: Browser, tmp_path: Path) -> None:
    with shown_run() as (server, stage), a_page(browser, server.acting_url) as page:
        opened(page)
        page.get_by_role("tab", name="World").click()
        page.get_by_role("button", name="Draw a wall (W)").click()
        click_plane(page, 6.0, 3.0)
        click_plane(page, 6.0, 7.0)
        expect(page.get_by_text("The wall stands.")).to_be_visible()
        wait_until(page, f"{SESSION}.swarm.came.size === 1")
        screen(page, "wall")

        # Through a robot it is refused, in one sentence, and nothing changes.
        page.keyboard.press("w")
        click_plane(page, 1.0, 5.0)
        click_plane(page, 3.0, 5.0)
        expect(page.get_by_role("alert")).to_contain_text("cannot stand there: robot 0 is in its place.")
        assert page.evaluate(f"{SESSION}.swarm.came.size") == 1
        screen(page, "refused")

        page.get_by_role("button", name="Place a robot").click()
        click_plane(page, 10.0, 8.0)
        wait_until(page, f"{SESSION}.swarm.bodies.size === 3")
        expect(page.get_by_role("alert")).to_have_count(0)

        page.get_by_label("Motion: error of ways and turns, %").fill("5")
        page.get_by_role("button", name="Set").click()
        expect(page.get_by_text("The noise is set.")).to_be_visible()
        wait_until(page, f"{SESSION}.done.noise.motion === 0.05")
        assert repr(stage.world.bodies[0].drive.noise) == "Gaussian(distance=0.05, drift=0.05, angle=0.05)"

        with page.expect_download() as download:
            page.get_by_role("button", name="Save as a file").click()
        saved = tmp_path / "map.toml"
        download.value.save_as(saved)
        assert saved.read_text().count("wall = ") == 1
        page.get_by_role("button", name="Remove a wall").click()
        click_plane(page, 6.0, 5.0)
        wait_until(page, f"{SESSION}.swarm.came.size === 0")
        page.get_by_label("File with a map").set_input_files(saved)
        wait_until(page, f"{SESSION}.swarm.came.size === 1")


@pytest.mark.slow
def test_code_and_commands_are_given(browser: Browser) -> None:
    with shown_run() as (server, _), a_page(browser, server.acting_url) as page:
        opened(page)
        page.keyboard.press("n")
        page.get_by_role("tab", name="Do").click()
        page.get_by_label("Code of a robot program").fill(
            "async def main(robot):\n    await robot.move_to((2.0, 6.0))\n"
        )
        page.get_by_role("button", name="Run in this robot").click()
        expect(page.get_by_text("Robot 0 runs the code.")).to_be_visible()
        wait_lately(page, 0, "arrived", 1)
        assert place_in_page(page, 0) == [2.0, 6.0]
        page.get_by_label("List of commands").fill("foward 10 cm")
        page.get_by_role("button", name="Carry out").click()
        expect(page.get_by_role("alert")).to_contain_text("did you mean 'forward'?")
        page.get_by_label("List of commands").fill("forward 50 cm")
        page.get_by_role("button", name="Carry out").click()
        expect(page.get_by_role("alert")).to_have_count(0)
        wait_lately(page, 0, "arrived", 2)
        assert place_in_page(page, 0) == pytest.approx([2.0, 6.5])  # it looks along y since its code


@pytest.mark.slow
def test_mistakes_in_code_are_shown_beside_it_with_their_lines_and_it_is_not_run(browser: Browser) -> None:
    with shown_run() as (server, stage), a_page(browser, server.acting_url) as page:
        opened(page)
        page.keyboard.press("n")
        page.get_by_role("tab", name="Do").click()
        editor, run = (
            page.get_by_label("Code of a robot program"),
            page.get_by_role("button", name="Run in this robot"),
        )
        mistakes = page.get_by_label("Mistakes in the code").get_by_role("listitem")
        editor.fill("async def main(robot):\n    robot.forward(1.0)\n    await slep(1.0)")
        expect(mistakes).to_have_text(
            [re.compile("line 2.*await robot.forward"), re.compile("line 3.*is 'sleep' meant")]
        )
        run.click()
        screen(page, "mistakes")
        page.get_by_role("button", name="line 2").click()
        chosen = "(field) => field.value.slice(field.selectionStart, field.selectionEnd)"
        assert editor.evaluate(chosen) == "    robot.forward(1.0)"
        editor.fill("def main(robot): pass")
        expect(mistakes).to_have_text([re.compile("line 1.*write `async def main")])

        # What only the run can tell is told there, too, and the other robot goes on.
        editor.fill(
            "async def main(robot):\n    await robot.turn(0.1)\n    go = robot.forward\n    go(1.0)\n"
        )
        expect(mistakes).to_have_count(0)
        run.click()
        expect(mistakes).to_have_text([re.compile("line 4.*was never awaited")])
        screen(page, "failed-code")
        commands = len([text for _, text in lately(page, 1) if text.startswith("command")])
        wait_lately(page, 1, "command", commands + 1)
        assert stage.is_under_way
        editor.fill("async def main(robot):\n    await robot.move_to((2.0, 6.0))\n")
        expect(mistakes).to_have_count(0)
        run.click()
        wait_until(page, f"{SESSION}.swarm.bodies.get(0).piece.lastY === 6")
        expect(mistakes).to_have_count(0)

        # What was said of code that ran is not said of code that does not.
        expect(page.get_by_text("Robot 0 runs the code.")).to_be_visible()
        editor.fill("x = 1")
        run.click()
        expect(mistakes).to_have_text([re.compile("line 1.*There is no program")])
        expect(page.get_by_text("Robot 0 runs the code.")).to_have_count(0)


@pytest.mark.slow
def test_walls_and_ways_are_dragged_and_typed(browser: Browser) -> None:
    with shown_run() as (server, stage), a_page(browser, server.acting_url) as page:
        opened(page)
        before = place_of(page, 0.0, 0.0)
        page.keyboard.press("w")
        drag(page, (6.0, 3.0), (6.0, 7.0))
        expect(page.locator("kumi-in-reach")).not_to_contain_text("Drag")
        wait_until(page, f"{SESSION}.swarm.came.size === 1")
        assert place_of(page, 0.0, 0.0) == before  # the picture was not panned
        (wall,) = stage.world.map.obstacles
        assert isinstance(wall, Wall)
        assert (*wall.start, *wall.end) == pytest.approx((6.0, 3.0, 6.0, 7.0), abs=0.03)
        page.get_by_role("tab", name="World").click()
        page.get_by_label("Ends of a wall").fill("9, 1; 9, 2.5")
        page.get_by_label("Ends of a wall").press("Enter")
        wait_until(page, f"{SESSION}.swarm.came.size === 2")
        typed = stage.world.map.obstacles[1]
        assert isinstance(typed, Wall)
        assert ((*typed.start,), (*typed.end,)) == ((9.0, 1.0), (9.0, 2.5))
        page.get_by_label("Ends of a wall").fill("9, 1")
        page.get_by_label("Ends of a wall").press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("Here, 2 are asked for.")

        page.keyboard.press("Escape")
        page.mouse.click(*place_of(page, 2.0, 5.0))
        page.get_by_role("tab", name="Do").click()
        page.get_by_label("Places to go to").fill("2, 6; 3, 6")
        page.get_by_role("button", name="Go", exact=True).click()
        wait_lately(page, 0, "arrived", 1)
        assert place_in_page(page, 0) == [3.0, 6.0]
        page.get_by_role("button", name="Follow path (A)").click()
        drag(page, (3.0, 6.0), (4.0, 6.0), (4.0, 8.0))
        wait_lately(page, 0, "arrived", 2)
        assert place_in_page(page, 0) == pytest.approx([4.0, 8.0], abs=0.05)


def drag(page: Page, *places: tuple[float, float]) -> None:
    """Draw from place to place with the mouse."""
    page.mouse.move(*place_of(page, *places[0]))
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place_of(page, *place), steps=8)
    page.mouse.up()


@pytest.mark.slow
def test_the_tour_has_ten_things_to_try_and_each_does_something(browser: Browser) -> None:
    with shown_run() as (server, stage), a_page(browser, f"{server.url}?tour#key={server.key}") as page:
        opened(page)
        steps = page.locator("kumi-tour").get_by_role("listitem").get_by_role("button")
        expect(steps).to_have_count(10)
        expect(steps.nth(9)).to_be_enabled()
        steps.nth(0).click()
        expect(page.get_by_role("heading", name="ann")).to_be_visible()
        scale = "document.querySelector('kumi-view').shadowRoot.querySelector('kumi-work-space').picture.camera.scale"
        whole = page.evaluate(scale)
        steps.nth(1).click()
        wait_until(page, f"{scale} > 2 * {whole}")
        steps.nth(2).click()
        wait_until(page, f"{scale} === {whole}")
        steps.nth(3).click()
        expect(page.get_by_role("button", name="Play")).to_be_visible()
        steps.nth(4).click()
        expect(page.get_by_role("button", name="● live")).to_have_attribute("aria-pressed", "true")
        steps.nth(5).click()
        expect(page.get_by_label("Filter of the diagram")).to_be_visible()
        steps.nth(6).click()
        expect(page.get_by_label("Speed", exact=True)).to_have_value("20")
        steps.nth(7).click()
        wait_until(page, f"{SESSION}.swarm.bodies.get(0).piece.lastX === 10")
        steps.nth(8).click()
        wait_until(page, f"{SESSION}.swarm.came.size === 1")
        steps.nth(9).click()
        expect(steps.nth(9)).to_have_text(re.compile("✓"))
        wait_until(page, f"Object.keys({SESSION}.done.held).length === 0")
        screen(page, "tour")
        assert stage.is_under_way
        page.get_by_role("button", name="Close the tour").click()
        expect(steps).to_have_count(0)
    with shown_run() as (server, _), a_page(browser, f"{server.url}?tour") as page:
        opened(page)
        steps = page.locator("kumi-tour").get_by_role("listitem").get_by_role("button")
        expect(steps.nth(0)).to_be_enabled()
        expect(steps.nth(8)).to_be_disabled()
        expect(steps.nth(8)).to_have_attribute("title", re.compile("You may look, but not act"))


@pytest.mark.slow
def test_who_may_not_act_sees_no_tools_and_why_the_pace_cannot_be_set(browser: Browser) -> None:
    with shown_run() as (server, _):
        for address, sentence in (
            (server.url, "You may look, but not act"),
            (f"{server.url}#key=of-an-earlier-run", "is not, or no longer, that of this run"),
        ):
            with a_page(browser, address) as page:
                opened(page)
                speed = page.get_by_label("Speed", exact=True)
                why, bar = page.locator("#why"), page.locator("kumi-time-bar")
                expect(why).to_contain_text(sentence)
                expect(page.get_by_label("Lateness")).not_to_be_empty()
                boxes = [one.bounding_box() for one in (bar, why, page.get_by_label("Lateness"))]
                tops, bottoms = zip(
                    *((box["y"], box["y"] + box["height"]) for box in boxes if box), strict=True
                )
                assert (
                    tops[0] <= min(tops[1:]) <= max(bottoms[1:]) <= bottoms[0] <= tops[0] + 75.0
                )  # one row, at 1,000 px
                expect(speed).to_be_disabled()
                expect(speed).to_have_value("2")
                expect(page.get_by_role("tab")).to_have_text(["Robot", "Events", "Space–time", "Plots"])
                expect(page.get_by_role("button", name="Stop")).to_have_count(0)
                page.keyboard.press("n")
                page.keyboard.press("g")
                click_plane(page, 5.0, 5.0)
                page.keyboard.press("]")
                assert place_in_page(page, 0) == [2.0, 5.0]
                assert page.evaluate(f"Object.keys({SESSION}.done.held).length") == 0
                # What was, everybody plays as fast as they like.
                page.keyboard.press("ArrowLeft")
                expect(speed).to_be_enabled()
                expect(speed).to_have_value("1")


@pytest.mark.slow
def test_who_has_the_key_sets_the_pace_for_all(browser: Browser) -> None:
    with (
        shown_run() as (server, stage),
        a_page(browser, server.acting_url) as page,
        a_page(browser, server.url) as other,
    ):
        for one in (page, other):
            opened(one)
            expect(one.get_by_label("Speed", exact=True)).to_have_value("2")
        page.get_by_label("Speed", exact=True).select_option("5")
        for one in (page, other):
            expect(one.get_by_label("Speed", exact=True)).to_have_value("5")
        wait_until(page, f"{SESSION}.live.pace > 3")
        page.keyboard.press("[")
        expect(other.get_by_label("Speed", exact=True)).to_have_value("2")
        expect(page.get_by_role("button", name="● live")).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_label("Lateness")).to_have_text(re.compile(r"on time|ms late|s lost"))
        assert stage.is_under_way


@pytest.mark.slow
def test_a_contact_to_come_is_warned_of(browser: Browser) -> None:
    with shown_run() as (server, _), a_page(browser, server.acting_url) as page:
        opened(page)
        page.keyboard.press("w")
        click_plane(page, 8.0, 4.0)
        click_plane(page, 8.0, 6.0)
        page.keyboard.press("n")
        page.keyboard.press("g")
        click_plane(page, 9.0, 5.0)
        expect(page.get_by_label("Warnings")).to_contain_text(re.compile(r"ann will hit wall 1 in [\d.]+ s"))
        screen(page, "warning")
        wait_until(page, f"{SESSION}.swarm.touches.length > 0")
        expect(page.get_by_label("Warnings")).to_have_count(0)


@pytest.mark.slow
def test_names_with_markup_are_text_where_one_acts(browser: Browser) -> None:
    with shown_run() as (server, _), a_page(browser, server.acting_url) as page:
        opened(page)
        page.keyboard.press("n")
        page.keyboard.press("n")
        page.get_by_role("tab", name="Do").click()
        expect(page.get_by_role("heading", name=NAMES[1])).to_be_visible()
        assert page.locator("img").count() == 0


@pytest.fixture(scope="module")
def server() -> Iterator[ViewServer]:
    with shown_run() as (server, _):
        yield server


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1000), ("dark", 1000), ("light", 390)])
def test_the_page_looks_as_it_should(
    browser: Browser, server: ViewServer, scheme: Literal["light", "dark"], width: int
) -> None:
    """The stop button is red, large and not covered; light is light and dark is dark; nothing sticks out."""
    with a_page(browser, server.acting_url, color_scheme=scheme) as page:
        page.set_viewport_size({"width": width, "height": 700})
        wait_until(page, f"{SESSION}.swarm.bodies.size === 2")
        page.keyboard.press("n")
        for panel in ("Do", "World"):
            page.get_by_role("tab", name=panel).click()
            wait_drawn(page)
            picture = screen(page, f"{panel.lower()}-{scheme}-{width}")
            stop = page.get_by_role("button", name="■ Stop").bounding_box()
            assert stop is not None
            assert stop["width"] >= 100
            assert stop["height"] >= 48
            share = likeness(picture)
            assert (share["bright"] > 0.6) == (scheme == "light")
            assert (share["dark"] > 0.6) == (scheme == "dark")
            assert share["red"] * 700 * width > 0.6 * stop["width"] * stop["height"]
            assert page.evaluate("document.documentElement.scrollWidth") <= width
