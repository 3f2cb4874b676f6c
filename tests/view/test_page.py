"""A person looks at a recorded run: plays it, scrubs, steps, points, reads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from kumi.recording import RunFile, RunMeta, RunSummary, RunWriter
from kumi.recording.palette import LIGHT, rgb
from kumi.view import RecordedFeed, ViewServer
from tests.view.browser import (
    NEEDS_BROWSER,
    a_browser,
    a_page,
    color_at,
    place_of,
    screen,
    shown_time,
    wait_drawn,
    wait_shown,
    wait_until,
)
from tests.view.runs import END, NAMES, TITLE, pieces, write_errand

pytestmark = NEEDS_BROWSER

MOVING, RESTING = rgb(LIGHT["moving"]), rgb(LIGHT["resting"])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFile:
    return RunFile(write_errand(tmp_path_factory.mktemp("page") / "errand.kumi"))


@pytest.fixture(scope="module")
def server(run: RunFile) -> Iterator[ViewServer]:
    with ViewServer(RecordedFeed(run)) as server:
        yield server


@pytest.fixture
def page(browser: Browser, server: ViewServer) -> Iterator[Page]:
    """The page, stopped at the beginning."""
    with a_page(browser, server.url, color_scheme="light") as page:
        expect(page.get_by_text("2 robots")).to_be_visible()
        page.keyboard.press("Space")
        page.keyboard.press("Home")
        wait_shown(page, 0.0)
        yield page


def scrub(page: Page, time: float) -> None:
    page.get_by_role("slider", name="Time").fill(str(time / END * 1000.0))
    wait_shown(page, time)


@pytest.mark.slow
def test_it_plays_by_itself_and_stops_at_a_press(browser: Browser, server: ViewServer) -> None:
    with a_page(browser, server.url) as page:
        expect(page.get_by_role("button", name="Pause")).to_be_visible()
        wait_until(page, "document.querySelector('kumi-view').session.now > 0.3")
        page.get_by_role("button", name="Pause").click()
        wait_drawn(page)
        stopped = shown_time(page)
        wait_drawn(page, 12)
        assert shown_time(page) == stopped


def test_a_robot_is_drawn_where_the_closed_form_says(page: Page) -> None:
    """Ann is at 2 + 2 (t - 1) while she goes, and blue; the other rests at (10, 2), orange."""
    for time in (2.0, 4.5, 6.25):
        scrub(page, time)
        picture = screen(page, f"errand-{time:g}")
        x = 2.0 + 2.0 * (time - 1.0)
        assert close(color_at(picture, *place_of(page, x - 0.2, 5.0)), MOVING)
        assert close(color_at(picture, *place_of(page, 10.0 - 0.2, 2.0)), RESTING)
    for _ in range(6):
        page.keyboard.press("+")
    wait_drawn(page)
    assert close(color_at(screen(page, "errand-near"), *place_of(page, 12.5 - 0.2, 5.0)), MOVING)


@pytest.mark.slow
def test_a_click_on_a_robot_shows_its_monitor(page: Page) -> None:
    scrub(page, 4.0)
    page.mouse.click(*place_of(page, 8.0, 5.0))
    monitor = page.get_by_role("tabpanel", name="Robot")

    expect(monitor.get_by_role("heading", name="ann")).to_be_visible()
    expect(monitor).to_contain_text("(8.000, 5.000) m")
    expect(monitor).to_contain_text("2.000 m/s")
    expect(monitor).to_contain_text("(14, 5)")
    expect(monitor).to_contain_text("sent: News")
    screen(page, "monitor")


@pytest.mark.slow
def test_a_step_names_the_event_that_it_led_to_until_time_goes_on(page: Page) -> None:
    scrub(page, 0.5)
    reached = page.get_by_label("Event reached")
    expect(reached).to_have_count(0)
    for words in (
        "command ann: move to (14, 5)",
        "sent ann: News '<script>alert(2)</script>' to robot 1",
        f"received {NAMES[1]}: News from robot 0, and 1 more at this instant",
        "arrived ann: at (14, 5)",
        "contact ann: touches robot 1 at (14, 4.5)",
    ):
        page.get_by_role("button", name="Step forward by one event").click()
        expect(reached).to_have_text(words)
    screen(page, "reached")
    page.get_by_role("button", name="Step back by one event").click()
    expect(reached).to_have_text("arrived ann: at (14, 5)")
    scrub(page, 2.0)
    expect(reached).to_have_count(0)


@pytest.mark.slow
def test_the_diagram_is_zoomed_by_the_wheel_and_filtered_by_words(page: Page) -> None:
    scrub(page, 4.0)
    page.keyboard.press("3")
    canvas = page.get_by_role("img", name="Space–time diagram")
    box = canvas.bounding_box()
    assert box is not None
    span = page.get_by_label("Span of the diagram")
    expect(span).to_have_value("10")
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.wheel(0, -400)
    expect(span).to_have_value("5.49")  # 10 exp(-0.6)
    page.mouse.move(box["x"] + 100, box["y"] + 0.75 * box["height"])
    lines = "document.querySelector('kumi-view').shadowRoot.querySelector('kumi-diagram').lines.map((one) => one.robot)"
    assert page.evaluate(lines) == [0, 1]
    page.get_by_label("Filter of the diagram").fill("ann")
    wait_until(page, f"JSON.stringify({lines}) === '[0]'")
    screen(page, "diagram-filtered")
    page.get_by_label("Filter of the diagram").fill("news")
    wait_until(page, f"JSON.stringify({lines}) === '[0,1]'")


@pytest.mark.slow
def test_steps_go_from_event_to_event_and_back(page: Page) -> None:
    for time in (1.0, 3.0, 4.0, 7.0, 8.0):
        page.keyboard.press("ArrowRight")
        wait_shown(page, time)
    for time in (7.0, 4.0, 3.0, 1.0, 0.0):
        page.get_by_role("button", name="Step back by one event").click()
        wait_shown(page, time)


@pytest.mark.slow
def test_the_log_is_filtered_by_words_and_kind(page: Page) -> None:
    page.keyboard.press("End")
    wait_shown(page, END)
    page.get_by_role("tab", name="Events").click()
    rows = page.get_by_role("list", name="Events").get_by_role("listitem")
    expect(rows).to_have_count(8)
    page.get_by_role("searchbox", name="Filter events by words").fill("ann ARRIVED")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("7.000")
    page.get_by_role("searchbox", name="Filter events by words").fill("")
    page.get_by_role("combobox", name="Kind of event").select_option("contact")
    expect(rows).to_contain_text("touches robot 1")
    rows.get_by_role("button").click()
    wait_shown(page, 8.0)


@pytest.mark.slow
def test_markup_in_names_is_text_and_runs_no_script(page: Page) -> None:
    """Title, names, notes and messages come from elsewhere; `a_page` fails at a dialog."""
    expect(page.get_by_role("heading", level=1)).to_contain_text(TITLE)
    scrub(page, 4.0)
    page.mouse.click(*place_of(page, 10.0, 2.0))
    expect(page.get_by_role("heading", name="<img src=x onerror=alert(1)>")).to_be_visible()
    page.get_by_role("tab", name="Events").click()
    expect(page.get_by_text("note: <script>alert(3)</script> heard")).to_be_visible()
    page.get_by_role("tab", name="Space–time").click()
    page.get_by_role("tab", name="Plots").click()
    wait_drawn(page)
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 1


@pytest.mark.slow
def test_pointing_in_the_diagram_marks_the_robot_in_the_map(page: Page) -> None:
    scrub(page, 4.0)
    page.keyboard.press("3")
    diagram = page.get_by_role("img", name="Space–time diagram")
    expect(page.get_by_role("list", name="Types of messages")).to_contain_text("News")
    before = screen(page, "diagram").read_bytes()
    box = diagram.bounding_box()
    assert box
    page.mouse.move(box["x"] + 300, box["y"] + box["height"] * 0.75)
    wait_until(page, "document.querySelector('kumi-view').pointed.hovered === 1")
    wait_drawn(page)
    assert screen(page, "diagram-hovered").read_bytes() != before
    page.mouse.move(*place_of(page, 8.0, 5.0))
    wait_until(page, "document.querySelector('kumi-view').pointed.hovered === 0")


@pytest.mark.slow
def test_a_robot_is_followed(page: Page) -> None:
    page.keyboard.press("n")
    page.get_by_role("button", name="Follow the chosen robot").click()
    wait_drawn(page)
    middle = place_of(page, 2.0, 5.0)
    scrub(page, 5.0)
    wait_drawn(page)
    assert place_of(page, 10.0, 5.0) == pytest.approx(middle, abs=1.0)


@pytest.mark.slow
def test_layers_go_off_and_on(page: Page) -> None:
    scrub(page, 3.5)
    wait_drawn(page)
    with_all = screen(page, "layers-on").read_bytes()
    page.keyboard.press("y")
    for name in ("names", "messages", "trails"):
        page.get_by_role("checkbox", name=name).uncheck()
    page.keyboard.press("Escape")
    wait_drawn(page)
    assert screen(page, "layers-off").read_bytes() != with_all


@pytest.mark.slow
def test_dark_and_light(page: Page) -> None:
    light = color_at(screen(page, "light"), *place_of(page, 3.0, 2.0))
    page.get_by_role("button", name="Dark or light").click()
    wait_drawn(page)
    dark = color_at(screen(page, "dark"), *place_of(page, 3.0, 2.0))

    assert sum(light) > 700
    assert sum(dark) < 150


@pytest.mark.slow
def test_every_control_has_a_name_and_the_keys_are_told(page: Page) -> None:
    page.get_by_role("button", name="Keys").click()
    expect(page.get_by_text("step by one event")).to_be_visible()
    roles: list[Literal["button", "slider", "combobox", "tab"]] = ["button", "slider", "combobox", "tab"]
    for role in roles:
        for control in page.get_by_role(role).all():
            assert control.get_attribute("aria-label") or control.inner_text().strip(), role


@pytest.mark.slow
def test_a_phone_shows_it_too(browser: Browser, server: ViewServer) -> None:
    with a_page(browser, server.url) as page:
        page.set_viewport_size({"width": 390, "height": 780})
        expect(page.get_by_text("2 robots")).to_be_attached()
        wait_drawn(page)
        screen(page, "phone")
        space = page.locator("kumi-work-space").bounding_box()
        assert space
        assert space["width"] == 390
        assert space["height"] > 200


@pytest.mark.slow
def test_a_tile_that_is_none_is_said_with_those_that_are(browser: Browser, server: ViewServer) -> None:
    with a_page(browser, server.url + "?tile=9,9/2x1") as page:
        expect(page.get_by_role("alert")).to_contain_text("?tile=9,9/2x1 is no tile.")
        expect(page.get_by_role("alert")).to_contain_text("from 0,0/2x1 to 1,0/2x1")


@pytest.mark.slow
def test_tiles_of_a_wall_show_one_instant(browser: Browser, server: ViewServer) -> None:
    now = "document.querySelector('kumi-view').session.now"
    with (
        a_page(browser, server.url + "?tile=0,0/2x1") as left,
        a_page(browser, server.url + "?tile=1,0/2x1") as right,
    ):
        for page in (left, right):
            wait_until(page, f"{now} > 1")
        # In each frame they show the run as far as the server's clock says; they know that clock by its answers.
        behind = (
            f"() => {{ const s = document.querySelector('kumi-view').session; return s.shownStamp - {now}; }}"
        )
        assert left.evaluate(behind) == pytest.approx(right.evaluate(behind), abs=0.1)
        left.keyboard.press("Space")
        wait_until(right, "!document.querySelector('kumi-view').session.playing.isPlaying")
        wait_drawn(right)
        assert left.evaluate(now) == right.evaluate(now)
        edge = place_of(left, 10.0, 5.0)[0]
        assert edge == pytest.approx(1000.0, abs=1.0)
        assert place_of(right, 10.0, 5.0)[0] == pytest.approx(0.0, abs=1.0)


@pytest.mark.slow
def test_a_run_that_was_cut_off_plays_to_where_it_is_good(
    browser: Browser, run: RunFile, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.kumi"
    cut.write_bytes(run.path.read_bytes()[: run.chunks[4].at + 10])
    with ViewServer(RecordedFeed(RunFile(cut))) as server, a_page(browser, server.url) as page:
        expect(page.get_by_role("alert")).to_contain_text("cut off")
        page.keyboard.press("End")
        wait_shown(page, 4.0)
        expect(page.get_by_text("2 robots")).to_be_visible()


@pytest.mark.slow
def test_a_damaged_piece_ends_the_run_before_it(browser: Browser, tmp_path: Path) -> None:
    run = RunFile(write_errand(tmp_path / "damaged.kumi"))
    data = bytearray(run.path.read_bytes())
    data[run.chunks[3].at + 30] ^= 0xFF
    run.path.write_bytes(data)
    with ViewServer(RecordedFeed(run)) as server, a_page(browser, server.url) as page:
        page.keyboard.press("End")
        expect(page.get_by_role("alert")).to_contain_text("is damaged at byte")
        page.get_by_role("slider", name="Time").fill("500")
        expect(page.get_by_text("2 robots")).to_be_visible()


@pytest.mark.slow
def test_a_server_of_another_version_is_named(browser: Browser, server: ViewServer) -> None:
    with a_page(browser, "about:blank") as page:
        page.route("**/run", lambda route: route.fulfill(json={"format": 99}))
        page.goto(server.url)
        expect(page.get_by_role("alert")).to_contain_text("another version of kumi")


@pytest.mark.slow
def test_a_server_that_goes_is_missed_and_found_again(browser: Browser, run: RunFile) -> None:
    feed = RecordedFeed(run)
    with ViewServer(feed) as server, a_page(browser, server.url) as page:
        expect(page.get_by_text("2 robots")).to_be_visible()
        page.keyboard.press("Space")
        server.close()
        expect(page.get_by_role("alert")).to_contain_text("The server is gone")
        expect(page.get_by_text("2 robots")).to_be_visible()
        screen(page, "server-gone")
        space = page.locator("kumi-work-space").bounding_box()
        assert space
        assert space["height"] > 500  # the words leave room for the picture
        with ViewServer(feed, port=server.port):
            expect(page.get_by_role("alert")).to_have_count(0)
            page.keyboard.press("End")
            wait_shown(page, END)


def close(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    """Tell whether two colours look alike."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) < 40


@pytest.mark.slow
def test_a_calibration_is_shown_where_a_robot_has_one(browser: Browser, tmp_path: Path) -> None:
    """A control session writes down those of its robots."""
    scenario = (
        'orders = []\n[[robots]]\nname = "robot 0"\nat = [0, 0, 0]\nwheelbase = 0.14\nmotor = {least = 30}\n'
    )
    path = tmp_path / "session.kumi"
    with RunWriter(path, RunMeta(scenario=scenario)) as writer:
        writer.write(pieces()[0].data)
        writer.close(RunSummary(end=1.0))
    with ViewServer(RecordedFeed(RunFile(path))) as server, a_page(browser, server.url) as page:
        expect(page.get_by_text("2 robots")).to_be_visible()
        page.keyboard.press("n")
        expect(page.get_by_role("heading", name="Calibration")).to_be_visible()
        for words in ("wheelbase", "0.14", "motor least", "30"):
            expect(page.get_by_text(words, exact=True)).to_be_visible()
        page.keyboard.press("n")
        expect(page.get_by_role("heading", name="Calibration")).to_have_count(0)
