"""Robots are what one sees first: large enough, with their heading, above all else; and what is seen is explained."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import cos, pi, sin
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from kumi.geometry import Point
from kumi.recording import (
    Leaving,
    ReservedZone,
    RunFile,
    RunMeta,
    RunSummary,
    RunWriter,
    reserved_record,
    sent_record,
)
from kumi.recording.palette import LIGHT, rgb
from kumi.view import RecordedFeed, ViewServer
from tests.recording.journals import Journal, disc, line, polygon
from tests.view.browser import NEEDS_BROWSER, a_browser, a_page, color_at, place_of, screen, wait_drawn

pytestmark = [NEEDS_BROWSER, pytest.mark.slow]

SIZES = [(400, 300), (800, 800), (390, 844)]
PLACES = [(20.0, 20.0), (180.0, 20.0), (20.0, 180.0), (180.0, 180.0), (100.0, 100.0)]
TURN = pi / 3
DARK = (36, 41, 47)
"""The mark on a robot whose colour is bright."""


def write_small_robots(path: Path) -> Path:
    """Five robots of 10 cm rest on a plane of 200 m: a millimetre of the screen each. All send to all; one car is 2 m long."""
    journal = Journal().time(0.0)
    for number, (x, y) in enumerate(PLACES):
        journal.add(number, x, y, heading=TURN, shape=disc(0.1))
    journal.add(
        5, 60.0, 140.0, heading=TURN, shape=polygon((-1.0, -0.5), (1.0, -0.5), (1.0, 0.5), (-1.0, 0.5))
    )
    zone = ReservedZone((Point(20.0, 20.0), Point(180.0, 20.0)), 5.0)
    journal.data += reserved_record(0, [zone])
    for number in range(5):
        others = [other for other in range(5) if other != number]
        journal.data += sent_record(number + 1, number, others, "News", "")
    with RunWriter(path, RunMeta(map={"width": 200.0, "height": 200.0}, until=1.0)) as run:
        run.write(journal.data)
        run.close(RunSummary(end=1.0, robots=6))
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    run = RunFile(write_small_robots(tmp_path_factory.mktemp("first") / "small.kumi"))
    with ViewServer(RecordedFeed(run)) as server:
        yield server.url


def in_size(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.reload()
    expect(page.get_by_label("Scale", exact=False)).to_be_visible()
    page.keyboard.press("Space")
    wait_drawn(page, 10)


def near(one: tuple[int, int, int], other: tuple[int, int, int], slack: int = 40) -> bool:
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= slack


@pytest.mark.parametrize("size", SIZES)
def test_a_robot_has_twelve_pixels_and_a_heading_above_messages_and_floor(
    browser: Browser, url: str, size: tuple[int, int]
) -> None:
    """Along its heading, from the middle to the rim, there is its mark; aside and behind, its colour; around it, no line."""
    resting = rgb(LIGHT["resting"])
    with a_page(browser, url, color_scheme="light") as page:
        in_size(page, size)
        picture = screen(page, f"first-{size[0]}x{size[1]}")
        for place in PLACES:
            x, y = place_of(page, *place)
            assert near(beside(picture, x, y, 3.0, TURN), DARK, 90), place
            for eighth in (0, 3, 4, 5, 6, 7):  # messages go along some of them
                assert near(beside(picture, x, y, 3.0, 0.25 * pi * eighth), resting), (place, eighth)
            around = [beside(picture, x, y, 4.8, 0.25 * pi * eighth) for eighth in range(8)]
            assert not any(near(colour, (255, 255, 255), 10) for colour in around), place


def beside(picture: Path, x: float, y: float, away: float, turn: float) -> tuple[int, int, int]:
    """Return the colour so many pixels from a place, in a direction."""
    return color_at(picture, x + away * cos(turn), y - away * sin(turn))


def test_a_body_that_is_no_disc_is_enlarged_in_its_own_shape(browser: Browser, url: str) -> None:
    """At 200 m in some 600 pixels, a car of 2 m would have 6: it has 12 along its heading, and less across."""
    with a_page(browser, url, color_scheme="light") as page:
        in_size(page, (800, 800))
        picture = screen(page, "first-car")
        x, y = place_of(page, 60.0, 140.0)
        resting = rgb(LIGHT["resting"])
        behind = [color_at(picture, x - away * cos(TURN), y + away * sin(TURN)) for away in (2.0, 4.0)]
        across = color_at(picture, x - 4.5 * sin(TURN), y - 4.5 * cos(TURN))
        assert all(near(colour, resting, 60) for colour in behind)
        assert not near(across, resting, 60)


NAMES = """async () => {
    const overlay = document.querySelector("kumi-view").shadowRoot.querySelector("kumi-work-space").shadowRoot.querySelector("canvas.overlay");
    const context = overlay.getContext("2d");
    const written = [];
    const write = context.fillText.bind(context);
    context.fillText = (text, x, y) => { written.push([text, x, y, context.measureText(text).width]); write(text, x, y); };
    await new Promise(requestAnimationFrame);
    written.length = 0;
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    delete context.fillText;
    const half = written.length / 2;
    return Number.isInteger(half) && half > 0 && written[0][0] === written[half][0] ? written.slice(0, half) : written;
}"""


def write_crowd(path: Path) -> Path:
    """A hundred robots stand 3 m apart on a plane of 200 m, and one alone."""
    journal = Journal().time(0.0)
    for number in range(100):
        journal.add(number, 80.0 + 3.0 * (number % 10), 80.0 + 3.0 * (number // 10), shape=disc(0.5))
    journal.add(100, 20.0, 20.0, shape=disc(0.5))
    with RunWriter(path, RunMeta(map={"width": 200.0, "height": 200.0}, until=1.0)) as run:
        run.write(journal.data)
        run.close(RunSummary(end=1.0, robots=101))
    return path


def written_names(page: Page) -> list[tuple[str, float, float, float]]:
    found: list[Any] = page.evaluate(NAMES)
    return [(text, x, y, width) for text, x, y, width in found]


def on_canvas(page: Page, x: float, y: float) -> list[float]:
    space = "document.querySelector('kumi-view').shadowRoot.querySelector('kumi-work-space')"
    found: list[float] = page.evaluate(f"{space}.picture.camera.toScreen({x}, {y})")
    return found


@pytest.mark.parametrize("size", SIZES)
def test_names_are_thinned_where_robots_crowd_and_none_lies_upon_another(
    browser: Browser, tmp_path: Path, size: tuple[int, int]
) -> None:
    run = RunFile(write_crowd(tmp_path / "crowd.kumi"))
    with ViewServer(RecordedFeed(run)) as server, a_page(browser, server.url) as page:
        in_size(page, size)
        names = written_names(page)
        screen(page, f"names-{size[0]}x{size[1]}")
        robots = [
            on_canvas(page, 80.0 + 3.0 * (number % 10), 80.0 + 3.0 * (number // 10))
            for number in (0, 9, 45, 90, 99)
        ]
        assert 1 < len(names) < 101
        assert "100" in {text for text, *_ in names}
        for at, (_, x, y, width) in enumerate(names):
            for _, other_x, other_y, other_width in names[:at]:
                assert abs(x - other_x) >= (width + other_width) / 2 or abs(y - other_y) >= 11
            for robot_x, robot_y in robots:  # none lies upon the middle of one
                assert abs(x - robot_x) > width / 2 or not y - 11 < robot_y < y


def test_the_name_of_a_chosen_robot_is_written_before_others(browser: Browser, tmp_path: Path) -> None:
    run = RunFile(write_crowd(tmp_path / "crowd.kumi"))
    with ViewServer(RecordedFeed(run)) as server, a_page(browser, server.url) as page:
        in_size(page, (800, 800))
        page.mouse.click(*place_of(page, 95.0, 95.0))
        wait_drawn(page)
        assert written_names(page)[0][0] == "55"


def test_the_legend_explains_what_is_seen_and_nothing_else(browser: Browser, url: str) -> None:
    with a_page(browser, url) as page:
        in_size(page, (800, 800))
        entries = page.get_by_label("Legend", exact=True).get_by_role("listitem")
        expect(entries).to_have_text(["moving", "at rest", "News", "lost message", "reserved", "waited for"])
        page.keyboard.press("y")
        page.get_by_role("checkbox", name="messages").uncheck()
        expect(entries).to_have_text(["moving", "at rest", "reserved", "waited for"])


def write_talk(path: Path) -> Path:
    """Two robots say each of six types of messages."""
    journal = Journal().time(0.0)
    journal.add(0, 20.0, 20.0).add(1, 180.0, 180.0)
    for number, kind in enumerate(("RouteRequest", "RouteReply", "HopReceipt", "Broken", "Alive", "News")):
        journal.data += sent_record(number + 1, 0, [1], kind, "")
    with RunWriter(path, RunMeta(map={"width": 200.0, "height": 200.0}, until=1.0)) as run:
        run.write(journal.data)
        run.close(RunSummary(end=1.0, robots=2))
    return path


@pytest.mark.parametrize("size", SIZES)
def test_no_entry_of_a_full_legend_is_cut(browser: Browser, tmp_path: Path, size: tuple[int, int]) -> None:
    """The scale and nine entries lie wholly within the strip; in the lowest window the last ones are behind a button."""
    run = RunFile(write_talk(tmp_path / "talk.kumi"))
    with ViewServer(RecordedFeed(run)) as server, a_page(browser, server.url) as page:
        in_size(page, size)
        entries = page.get_by_label("Legend", exact=True).get_by_role("listitem")
        more = page.locator("kumi-legend .more")
        is_low = size == (400, 300)
        if is_low:
            expect(more).to_have_text(re.compile(r"\+[1-8]"))
        else:
            expect(more).to_be_hidden()
        seen = 9 - int(more.inner_text() if is_low else 0)
        expect(entries).to_have_count(seen)
        strip = page.locator("kumi-legend").bounding_box()
        assert strip is not None
        shown = [more] if is_low else []
        for one in (page.get_by_label("Scale", exact=False), *entries.all(), *shown):
            box = one.bounding_box()
            assert box is not None
            assert strip["y"] <= box["y"]
            assert box["y"] + box["height"] <= strip["y"] + strip["height"]
            assert box["x"] + box["width"] <= strip["x"] + strip["width"]
        if is_low:
            more.click()
            expect(entries).to_have_count(9)
            expect(entries.last).to_be_in_viewport(ratio=1.0)
            more.click()
            expect(entries).to_have_count(seen)


@pytest.mark.parametrize("size", SIZES)
def test_the_scale_bar_is_as_long_as_it_says_and_covers_nothing(
    browser: Browser, url: str, size: tuple[int, int]
) -> None:
    with a_page(browser, url) as page:
        in_size(page, size)
        for _ in range(3):
            bar = page.get_by_label("Scale", exact=False)
            said = bar.get_attribute("aria-label")
            assert said is not None
            length, unit = said.removeprefix("Scale: ").split()
            metres = float(length) * {"m": 1.0, "cm": 0.01}[unit]
            box = bar.locator("svg").bounding_box()
            (x, _), (far, _) = place_of(page, 0.0, 0.0), place_of(page, metres, 0.0)
            assert box is not None
            assert box["width"] == pytest.approx(far - x, rel=1e-3)
            assert 60.0 <= box["width"] <= 151.0
            space = page.locator("kumi-work-space").bounding_box()
            assert space is not None
            assert space["height"] >= 100.0
            assert box["y"] >= space["y"] + space["height"] - 1.0
            page.keyboard.press("+")
            page.keyboard.press("+")
            wait_drawn(page, 10)


def test_the_place_under_the_pointer_is_told_and_the_grid_lies_on_round_numbers(
    browser: Browser, url: str
) -> None:
    """In 800 x 800 a cell has 50 m: a line goes through (50, 70), none through (60, 70), and without the grid none at all."""
    grid, plane = rgb(LIGHT["grid"]), rgb(LIGHT["plane"])
    with a_page(browser, url, color_scheme="light") as page:
        in_size(page, (800, 800))
        page.mouse.move(*place_of(page, 60.0, 70.0))
        expect(page.get_by_label("Place under the pointer")).to_have_text("x 60 m, y 70 m")
        picture = screen(page, "grid")
        on, beside = place_of(page, 50.0, 70.0), place_of(page, 60.0, 65.0)
        around = [color_at(picture, on[0] + away, on[1]) for away in (-1, 0)]
        assert any(near(colour, grid, 4) or max(plane) - min(colour) > 8 for colour in around)
        assert color_at(picture, *beside) == plane
        page.keyboard.press("y")
        page.get_by_role("checkbox", name="grid").uncheck()
        page.keyboard.press("y")
        wait_drawn(page)
        picture = screen(page, "no-grid")
        assert all(color_at(picture, on[0] + away, on[1]) == plane for away in (-1, 0))


def test_a_lost_robot_and_a_contact_are_explained_when_they_are_there(
    browser: Browser, tmp_path: Path
) -> None:
    journal = Journal().time(0.0).add(0, 5.0, 5.0).add(1, 9.0, 5.0)
    journal.time(1.0).touch(0, 7.0, 5.0, other=1)
    journal.time(1.0).gone(1, Leaving.FELL)
    journal.time(2.0).move(0, line(5.0, 5.0, 0.0, 1.0, 1.0))
    path = tmp_path / "lost.kumi"
    with RunWriter(path, RunMeta(map={"width": 10.0, "height": 10.0}, until=3.0)) as run:
        run.write(journal.data)
        run.close(RunSummary(end=3.0, robots=2))
    with ViewServer(RecordedFeed(RunFile(path))) as server, a_page(browser, server.url) as page:
        page.keyboard.press("End")
        entries = page.get_by_label("Legend", exact=True).get_by_role("listitem")
        expect(entries).to_have_text(["moving", "at rest", "contact", "lost robot"])
