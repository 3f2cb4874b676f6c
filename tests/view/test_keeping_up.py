"""Pages show the instant they should: tiles of a wall the same, one that slept the present again, far places exactly."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

import pytest
from playwright.sync_api import Browser, Page, expect

from kumi.recording import RunFile, RunMeta, RunSummary, RunWriter
from kumi.recording.palette import LIGHT, rgb
from kumi.view import RecordedFeed, ViewServer
from tests.recording.journals import Journal, disc, line
from tests.view.browser import (
    NEEDS_BROWSER,
    a_browser,
    a_page,
    color_at,
    place_of,
    screen,
    wait_drawn,
    wait_until,
)
from tests.view.test_live_page import command

pytestmark = NEEDS_BROWSER

FRAME = 1 / 60
SESSION = "document.querySelector('kumi-view').session"
BEHIND = f"""() => {{
    // What a frame shows now, and when that is by a clock that all pages of this machine have.
    {SESSION}.frame();
    return (performance.timeOrigin + performance.now()) / 1000 - {SESSION}.now;
}}"""
LIVE = ("run", "random-movement", "--view", "--pace", "5", "--until", "3600", "--set", "robots.count=300")
END = 600.0


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFile:
    """One robot, 0.2 m around, that goes along x at 1 m/s for ten minutes, in a corner of a world of 1000 km."""
    path = tmp_path_factory.mktemp("keeping") / "far.kumi"
    journal = Journal().time(0.0).add(0, 900_000.0, 123_456.5, shape=disc(0.2))
    journal.move(0, line(900_000.0, 123_456.5, 0.0, END, 1.0))
    with RunWriter(path, RunMeta(map={"width": 1e6, "height": 1e6})) as writer:
        writer.write(journal.data)
        writer.close(RunSummary(end=END))
    return RunFile(path)


def behind(page: Page) -> float:
    """Return by how much what a page shows is behind the wall clock, whatever else the machine does."""
    return median(float(page.evaluate(BEHIND)) for _ in range(15))


@pytest.mark.slow
def test_two_tiles_show_the_same_instant_within_a_frame(browser: Browser, run: RunFile) -> None:
    with (
        ViewServer(RecordedFeed(run)) as server,
        a_page(browser, server.url + "?tile=0,0/2x1") as left,
        a_page(browser, server.url + "?tile=1,0/2x1") as right,
    ):
        for page in (left, right):
            wait_until(page, f"{SESSION}.now > 1.5")  # the server's clock was heard several times
        assert abs(behind(left) - behind(right)) < FRAME

        # One of them is set to another instant, and both go on from there.
        left.keyboard.press("End")
        wait_until(left, f"!{SESSION}.playing.isPlaying")
        left.keyboard.press("Home")
        left.keyboard.press("Space")
        wait_until(right, f"{SESSION}.playing.isPlaying && {SESSION}.now < 60")
        wait_until(left, f"{SESSION}.playing.isPlaying && {SESSION}.now < 60")
        assert abs(behind(left) - behind(right)) < FRAME


def caught_up(page: Page) -> int:
    """Return how many frames a page takes from now on until it shows the present of a live run."""
    view = "document.querySelector('kumi-view')"
    first = page.evaluate(f"{view}.frameCount")
    wait_until(page, f"{SESSION}.live.latest - {SESSION}.now < 2.5")  # half a second at five times the pace
    last: int = page.evaluate(f"{view}.frameCount")
    return int(last - first)


@pytest.mark.slow
def test_a_page_that_was_blocked_shows_the_present_within_some_frames(browser: Browser) -> None:
    with command(*LIVE) as (_, address), a_page(browser, address) as page:
        expect(page.get_by_text("300 robots")).to_be_visible()
        wait_until(page, f"{SESSION}.now > 2")
        before = page.evaluate(f"{SESSION}.now")
        page.evaluate("() => { const end = performance.now() + 5000; while (performance.now() < end); }")
        wait_until(page, f"{SESSION}.live.latest > {before} + 15")  # it hears that the run went on
        assert caught_up(page) < 60
        assert page.evaluate(f"{SESSION}.now") > before + 12.0
        expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.slow
def test_a_page_that_was_frozen_shows_the_present_again(browser: Browser) -> None:
    """So does a browser with a window that nobody sees."""
    with command(*LIVE) as (_, address), a_page(browser, address) as page:
        expect(page.get_by_text("300 robots")).to_be_visible()
        wait_until(page, f"{SESSION}.now > 2")
        before = page.evaluate(f"{SESSION}.now")
        lifecycle = page.context.new_cdp_session(page)
        lifecycle.send("Page.setWebLifecycleState", {"state": "frozen"})
        page.wait_for_timeout(3000)
        lifecycle.send("Page.setWebLifecycleState", {"state": "active"})
        wait_until(page, f"{SESSION}.live.latest > {before} + 10")
        assert caught_up(page) < 120
        assert page.evaluate(f"{SESSION}.now") > before + 7.0
        expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.slow
def test_a_small_robot_in_a_huge_world_is_found_and_drawn_exactly(browser: Browser, run: RunFile) -> None:
    """From 1000 km across the screen to a robot of 40 cm, which is where it should be to a pixel."""
    with ViewServer(RecordedFeed(run)) as server, a_page(browser, server.url, color_scheme="light") as page:
        expect(page.get_by_text("1 robot")).to_be_visible()
        page.keyboard.press("Space")
        page.get_by_role("slider", name="Time").fill("500")
        expect(page.get_by_role("timer")).to_have_text("5:00.000")
        page.keyboard.press("n")
        page.keyboard.press("l")
        for _ in range(56):
            page.keyboard.press("+")
        wait_drawn(page)
        picture = screen(page, "huge-world")
        x, _ = place_of(page, 900_300.0, 123_456.5)
        assert x == pytest.approx(310.0, abs=1.0)  # the middle of the work space
        for dx, dy in ((-0.1, 0.0), (0.0, 0.15), (0.0, -0.15)):
            assert color_at(picture, *place_of(page, 900_300.0 + dx, 123_456.5 + dy)) == rgb(LIGHT["moving"])
        assert color_at(picture, *place_of(page, 900_300.0 - 0.23, 123_456.5 + 0.1))[0] > 240
