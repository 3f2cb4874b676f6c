"""The main states of the page look as they did, and the comparison would see that a layer or a panel is gone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import tau
from pathlib import Path

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
    way_record,
)
from kumi.recording.meta import RobotGroup, SensorField
from kumi.recording.records import CommandKind
from kumi.view import RecordedFeed, ViewServer
from tests.recording.journals import Journal, disc, line
from tests.view.browser import NEEDS_BROWSER, a_browser, a_page, screen, wait_drawn, wait_shown
from tests.view.coarse import WITH_LETTERS, WITHOUT_LETTERS, check_looks, share_changed

pytestmark = NEEDS_BROWSER

END = 8.0
REACH = (
    '[network]\neffects = [{ kind = "radio", power = 0.0, sensitivity = -40.0, loss_at_one_metre = 25.0 }]'
)
"""A radio that is heard 4 m away: 10 ** (15 / 25)."""
LAYERS = (
    "reserved floor",
    "trails",
    "goals",
    "radio reach",
    "messages",
    "contacts",
    "sensors",
    "teams",
    "lost robots",
)


def write_all_layers(path: Path) -> Path:
    """Write a run in which, at its end, there is something large in every layer."""
    groups = (
        RobotGroup(first=0, count=2, team="red", sensors=(SensorField(name="ear", reach=3.0, view=tau),)),
        RobotGroup(first=2, count=3, team="blue"),
    )
    plane = {
        "width": 30.0,
        "height": 20.0,
        "obstacles": [{"block": [13.0, 8.0], "size": [3.0, 4.0]}],
        "terrain": [{"slow": [26.0, 3.0], "radius": 2.5}, {"hole": [22.0, 16.0], "radius": 2.0}],
    }
    journal = Journal().time(0.0)
    for number, (x, y) in enumerate([(4.0, 4.0), (4.0, 16.0), (8.0, 9.0), (26.0, 10.0), (22.0, 16.0)]):
        journal.add(number, x, y, shape=disc(1.2))
    zones = [
        ReservedZone((Point(18.0, 3.0), Point(23.0, 8.0)), 1.6),
        ReservedZone((Point(23.0, 8.0), Point(28.0, 14.0)), 1.6, is_granted=False),
    ]
    journal.data += reserved_record(3, zones)
    journal.time(1.0).command(0, CommandKind.FOLLOW, (11.0, 2.0)).move(0, line(4.0, 4.0, 0.0, 6.0, 1.0))
    journal.time(6.0).move(0, line(9.0, 4.0, 1.2, 12.0, 3.0))
    journal.data += way_record(0, [Point(11.0, 10.0), Point(11.0, 18.0), Point(18.0, 18.0), Point(11.0, 2.0)])
    for time, (x, y, heading) in enumerate(
        [(4.0, 16.0, 0.2), (18.0, 19.0, -2.0), (10.0, 14.0, 0.3), (19.0, 17.0, 2.5)], 1
    ):
        journal.time(6.0 + time / 10.0).move(1, line(x, y, heading, 1.0, 9.0))
    journal.command(1, CommandKind.FOLLOW, (28.0, 18.0))
    journal.data += way_record(1, [Point(2.0, 2.0), Point(28.0, 1.0), Point(1.0, 12.0), Point(28.0, 18.0)])
    journal.time(7.0).gone(4, Leaving.FELL)
    journal.data += b"".join(sent_record(number, 3, [to], "News", "") for number, to in enumerate((1, 2), 1))
    for place in range(14):
        journal.time(END).touch(2, 2.0 + place, 1.0, other=1)
    with RunWriter(path, RunMeta(scenario=REACH, map=plane, groups=groups, until=END)) as run:
        run.write(journal.data)
        run.close(RunSummary(end=END))
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    run = RunFile(write_all_layers(tmp_path_factory.mktemp("looks") / "all layers.kumi"))
    with ViewServer(RecordedFeed(run)) as server:
        yield server.url


def at_the_end(page: Page) -> None:
    expect(page.get_by_text("robots", exact=False).first).to_be_visible()
    page.keyboard.press("End")
    wait_shown(page, END)


def switch(page: Page, layer: str) -> None:
    page.keyboard.press("y")
    page.get_by_role("checkbox", name=layer).click()
    page.keyboard.press("y")


def work_space(page: Page, name: str) -> Path:
    """Keep a picture of the work space alone."""
    wait_drawn(page)
    path = screen(page, name)
    page.locator("kumi-work-space").screenshot(path=path)
    return path


@pytest.mark.slow
def test_every_layer_is_seen_and_would_be_missed(browser: Browser, url: str) -> None:
    with a_page(browser, url, color_scheme="light") as page:
        at_the_end(page)
        page.keyboard.press("y")
        for name in LAYERS:
            page.get_by_role("checkbox", name=name).check()
        page.get_by_role("checkbox", name="names").uncheck()  # letters differ from machine to machine
        page.keyboard.press("y")
        whole = work_space(page, "looks-layers")
        check_looks(whole, WITHOUT_LETTERS)
        for name in LAYERS:
            switch(page, name)
            without = work_space(page, "looks-without")
            switch(page, name)
            missed = share_changed(without, whole, WITHOUT_LETTERS)
            assert missed > 2 * WITHOUT_LETTERS.share, f"without {name} the picture is as good as the same"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_looks_as_it_did(browser: Browser, url: str, scheme: str) -> None:
    with a_page(browser, url, color_scheme=scheme) as page:
        at_the_end(page)
        page.keyboard.press("n")
        expect(page.get_by_role("heading", name="Robot 0")).to_be_visible()
        pictures = [screen(page, f"looks-robot-{scheme}")]
        for panel, key in (("events", "2"), ("diagram", "3"), ("plots", "4")):
            page.keyboard.press(key)
            wait_drawn(page)
            pictures.append(screen(page, f"looks-{panel}-{scheme}"))
        for picture in pictures:
            check_looks(picture, WITH_LETTERS)
        page.get_by_role("button", name="Panels").click()
        wait_drawn(page)
        pictures.append(screen(page, f"looks-none-{scheme}"))
        for one, other in combinations(pictures, 2):
            assert (
                share_changed(one, other, WITH_LETTERS) > 1.2 * WITH_LETTERS.share
            )  # two panels of lines are alike


@pytest.mark.slow
def test_another_font_is_no_other_look(browser: Browser, url: str) -> None:
    """Machines have other fonts; the same page in letters with serifs, and in letters of one width, passes all the same."""
    with a_page(browser, url, color_scheme="light") as page:
        at_the_end(page)
        page.keyboard.press("n")
        expect(page.get_by_role("heading", name="Robot 0")).to_be_visible()
        usual = screen(page, "looks-font")
        for font in ("serif", "sans-serif", "monospace"):
            page.evaluate(f"document.body.style.fontFamily = '{font}'")
            wait_drawn(page)
            assert (
                share_changed(screen(page, f"looks-font-{font}"), usual, WITH_LETTERS)
                < 0.7 * WITH_LETTERS.share
            )
