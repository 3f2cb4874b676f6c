"""A person looks at a station in a browser, and acts: a real station, simulated robots in a process of their own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from kumi.station.client import Client
from kumi.station.contest.board import Board, TeamStanding
from kumi.station.operations.contests import KeepBoard
from kumi.station.operations.finds import MarkObject, Measure
from kumi.station.operations.people import RevokeTokens
from kumi.station.operations.robots import MonitorRobot
from kumi.station.records import PlaceRecord, SampleRecord
from kumi.world import load_map
from tests.station.conftest import PASSWORD
from tests.station.processes import Running, running, started
from tests.station.stillness import Stillness
from tests.view.browser import NEEDS_BROWSER, a_browser, a_page, color_at, place_of, screen, wait_until
from tests.waiting import free_port, wait_for

pytestmark = NEEDS_BROWSER

Template = tuple[Path, dict[str, str], dict[str, str]]
MAP = "[map]\nwidth = 10.0\nheight = 6.0\nobstacles = [{ wall = [[4.0, 4.0], [4.0, 6.0]] }]\n"
STATION = "document.querySelector('kumi-view').session.stationSession"
SECRET = MarkObject(name="<b>red</b> secret", at=PlaceRecord(x=6.0, y=5.0))
CUP = MarkObject(name="blue cup", at=PlaceRecord(x=2.0, y=5.0))
RED, BLUE = 1, 0  # numbers of the robots: by their tags


@dataclass
class Place:
    """A station with robots in it, and what people and robots prove themselves with."""

    station: Running
    folder: Path
    port: int
    door: int
    tokens: dict[str, str]
    keys: dict[str, str]

    def client(self, who: str) -> Client:
        """Return a client of a user or of a robot."""
        return Client(self.station.url, self.tokens.get(who) or f"robot:{who}:{self.keys[who]}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as browser:
        yield browser


@contextmanager
def opened(template: Template, folder: Path) -> Iterator[Place]:
    """A hall with a red robot at (1, 1) and a blue one at (1, 3), both of 1 m/s."""
    path, tokens, keys = template
    shutil.copy(path, folder / "station.db")
    hall = folder / "hall.toml"
    hall.write_text(MAP)
    port, door = free_port(), free_port()
    names = [f"robot:{tag}:{keys[tag]}" for tag in ("red robot", "blue robot")]
    where = ["--station", f"tcp/127.0.0.1:{door}", "--world", str(hall), "--speed", "1"]
    with ExitStack() as stack:
        station = stack.enter_context(running(folder, port, "--map", str(hall), robots=door))
        at = ("--at", "1,1,0", "--at", "1,3,0", "--prop", "8,4,0")
        stack.enter_context(started("robot", "simulated", *names, *where, *at, says="is in"))
        yield Place(station, folder, port, door, tokens, keys)


@pytest.fixture(scope="module")
def place(template: Template, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with opened(template, tmp_path_factory.mktemp("page")) as place:
        yield place


def log_in(page: Page, who: str, password: str = PASSWORD) -> None:
    page.get_by_label("Name").fill(who)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def wait_in(page: Page) -> None:
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("2 robots")).to_be_visible()


def act(page: Page, action: str) -> str:
    """Do something by the actions of the page; return why it was refused, or nothing."""
    said = page.evaluate(f"() => {STATION}.actions.{action}.then(() => '', (error) => error.message)")
    return str(said)


def where(page: Page, robot: int) -> str:
    """Return an expression for where a robot is drawn now: its x and y."""
    return f"""(() => {{
        const {{ session }} = document.querySelector('kumi-view');
        const {{ piece }} = session.swarm.bodies.get({robot});
        const share = Math.min(Math.max(piece.since + piece.rate * (session.now - piece.time), 0), piece.duration);
        const way = piece.speed * share;
        return share >= piece.duration ? [piece.lastX, piece.lastY] : [piece.x + piece.ux * way, piece.y + piece.uy * way];
    }})()"""


def wait_at(page: Page, robot: int, x: float, y: float) -> None:
    wait_until(page, f"(([x, y]) => Math.hypot(x - {x}, y - {y}) < 0.1)({where(page, robot)})")


def choose(page: Page, x: float, y: float) -> None:
    page.mouse.click(*place_of(page, x, y))


def panel(page: Page, part: str) -> None:
    page.get_by_role("tab", name="Station").click()
    page.get_by_role("button", name=part, exact=True).click()


@pytest.mark.slow
def test_a_commander_sends_a_robot_sees_it_arrive_films_and_stops_it(browser: Browser, place: Place) -> None:
    with a_page(browser, place.station.url, color_scheme="light") as page:
        expect(page.get_by_role("dialog", name="Log in to kumi")).to_be_visible()
        assert page.evaluate("document.querySelector('kumi-view').session.swarm.bodies.size") == 0
        log_in(page, "red commander", "not this one")
        expect(page.get_by_role("alert")).to_have_text("The name or the password is wrong.")
        screen(page, "station-log-in")
        tabs = page.locator("[role=tab]").all_text_contents()
        assert tabs
        log_in(page, "red commander")
        wait_in(page)
        expect(page.get_by_text("commander, red")).to_be_visible()
        expect(page.get_by_role("tab", name="Do")).to_be_visible()
        grown = page.locator("[role=tab]").all_text_contents()
        assert grown == [*tabs, *grown[len(tabs) :]], "no tab moves when rights arrive"
        assert "token" not in page.url

        wait_at(page, RED, 1.0, 1.0)
        choose(page, 1.0, 1.0)
        panel(page, "Tasks")
        expect(page.get_by_text("goTo, followPath, examineArea")).to_be_visible()
        page.keyboard.press("g")
        page.mouse.click(*place_of(page, 5.0, 1.0))
        assert act(page, f"followPath({RED}, [{{ x: 5, y: 2 }}, {{ x: 8, y: 2 }}], 'queue')") == ""
        expect(page.get_by_role("list", name="Does")).to_contain_text("goTo (5, 1)")
        expect(page.get_by_role("list", name="Has to do")).to_contain_text("followPath (5, 2) (8, 2)")
        wait_until(page, f"{where(page, RED)}[0] > 2")  # on its way, seen to move
        screen(page, "station-way")
        expect(page.get_by_role("list", name="Did")).to_contain_text("followPath (5, 2) (8, 2) done")
        wait_at(page, RED, 8.0, 2.0)
        expect(page.get_by_role("status", name="Ended tasks")).to_contain_text("red robot: goTo done")

        assert act(page, f"examineArea({RED}, {{ x: 8, y: 3 }}, 'queue')") == ""
        panel(page, "Found")
        page.get_by_role("button", name="Show what was filmed").click()
        wait_until(
            page, _in_panels("kumi-film", "video", "(found.videoWidth > 100 && found.currentTime > 0)")
        )
        screen(page, "station-film")

        panel(page, "Tasks")
        assert act(page, f"goTo({RED}, {{ x: 1, y: 1 }}, 'queue')") == ""
        wait_until(page, f"{where(page, RED)}[0] < 7")
        page.get_by_role("button", name="■ Stop").click()
        expect(page.get_by_role("list", name="Did")).to_contain_text("stopped by red commander")
        page.get_by_role("tab", name="Events").click()
        expect(page.get_by_text("note: was stopped by red commander")).to_be_visible()
        still = Stillness()
        with place.client("red commander") as user:
            wait_for(lambda: still.is_seen(user.call(MonitorRobot(robot="red robot")).robot))
        assert still.place.x > 2.0
        wait_at(page, RED, still.place.x, still.place.y)

        assert act(page, f"goTo({BLUE}, {{ x: 5, y: 1 }}, 'queue')") == (
            "Robot 'blue robot' is not of your team, 'red'."
        )
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        assert page.evaluate("sessionStorage.length") == 0
        assert page.evaluate("document.querySelector('kumi-view').session.swarm.bodies.size") == 0


def _in_panels(element: str, inside: str, claim: str) -> str:
    """Return a claim about something deep in the station's panel."""
    return f"""(() => {{
        const seek = (root) => {{
            for (const one of root.querySelectorAll('*')) {{
                const found = one.localName === '{element}' ? one.shadowRoot?.querySelector('{inside}') : null;
                const deeper = found ?? (one.shadowRoot ? seek(one.shadowRoot) : null);
                if (deeper) return deeper;
            }}
            return null;
        }};
        const found = seek(document);
        return found !== null && {claim};
    }})()"""


@pytest.mark.slow
def test_an_observer_is_refused_and_sees_nothing_of_another_team(browser: Browser, place: Place) -> None:
    with place.client("red robot") as robot:
        robot.call(SECRET)
    with a_page(browser, place.station.url) as page:
        received: list[str | bytes] = []

        def hear(frame: str | bytes) -> None:
            received.append(frame)

        page.on("websocket", lambda socket: socket.on("framereceived", hear))
        page.reload()
        log_in(page, "blue observer")
        wait_in(page)
        choose(page, 1.0, 3.0)
        page.keyboard.press("s")
        expect(page.get_by_role("alert")).to_contain_text(
            "This operation needs the role commander, and blue observer is observer."
        )
        screen(page, "station-refused")
        with place.client("blue robot") as robot:
            robot.call(CUP)
        panel(page, "Found")
        expect(page.get_by_text("blue cup")).to_be_visible()
        expect(page.get_by_text("secret")).to_have_count(0)
        said = b"".join(one.encode() if isinstance(one, str) else one for one in received)
        assert b"blue cup" in said
        assert b"secret" not in said


@pytest.mark.slow
def test_the_super_user_sees_all_what_was_measured_and_the_scoreboard(browser: Browser, place: Place) -> None:
    standings = tuple(
        TeamStanding(number, team, 100.0 - number, 3, 2, 1, 0, 4, 0)
        for number, team in ((1, "searchers"), (2, "<i>others</i>"))
    )
    board = Board("cup", 1, 1, ("searchers",), 4, (), standings)
    with (
        place.client("chief") as chief,
        place.client("red robot") as robot,
        place.client("blue robot") as blue,
    ):
        chief.call(KeepBoard(name="cup", content=msgspec.json.encode(board)))
        samples = tuple(
            SampleRecord(at=PlaceRecord(x=7.0 + 0.25 * k, y=5.0), value=float(k)) for k in range(9)
        )
        robot.call(SECRET)
        blue.call(CUP)
        robot.call(Measure(layer="temperature", samples=samples))
    with a_page(browser, place.station.url, color_scheme="light") as page:
        log_in(page, "chief")
        wait_in(page)
        panel(page, "Found")
        expect(page.get_by_text("<b>red</b> secret")).to_be_visible()
        expect(page.get_by_text("blue cup")).to_be_visible()
        page.get_by_label("Measured").select_option("temperature")
        expect(page.get_by_text("9 places")).to_be_visible()
        picture = screen(page, "station-measured")
        cold, warm = (color_at(picture, *place_of(page, x, 4.91)) for x in (7.0, 9.0))  # below the letters
        assert cold[2] > cold[0] + 50
        assert warm[0] > warm[2] + 50

        assert act(page, "drawWall({ x: 6, y: 4 }, { x: 6, y: 6 })") == ""
        wait_until(page, "document.querySelector('kumi-view').session.meta.map.obstacles.length === 2")
        assert act(page, "removeWall(1)") == ""
        wait_until(page, "document.querySelector('kumi-view').session.meta.map.obstacles.length === 1")

        page.get_by_role("tab", name="World").click()
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save as a file").click()
        wider = place.folder / "wider.toml"
        saved.value.save_as(wider)
        assert load_map(wider).obstacles == load_map(place.folder / "hall.toml").obstacles
        wider.write_text(wider.read_text().replace("width = 10", "width = 11"))
        page.get_by_label("File with a map").set_input_files(wider)
        wait_until(page, "document.querySelector('kumi-view').session.meta.map.width === 11")

        panel(page, "Contest")
        rows = page.get_by_role("table", name="Scoreboard").get_by_role("row")
        expect(rows.nth(1)).to_contain_text("searchers")
        expect(rows.nth(2)).to_contain_text("<i>others</i>")
        expect(rows.nth(1)).to_contain_text("99")
        screen(page, "station-board")


@pytest.mark.slow
@pytest.mark.parametrize("width", [1280, 1100, 800, 390])
def test_all_tabs_of_a_super_user_can_be_seen_and_the_chosen_one_is(
    browser: Browser, place: Place, width: int
) -> None:
    """In one row or two; on a phone in a row that is scrolled to the chosen one."""
    with a_page(browser, place.station.url) as page:
        page.set_viewport_size({"width": width, "height": 800})
        log_in(page, "chief")
        expect(page.get_by_role("tab")).to_have_count(7)
        if width > 720:
            for tab in page.get_by_role("tab").all():
                expect(tab).to_be_in_viewport(ratio=1)
        for name in ("World", "Robot", "Events"):
            page.get_by_role("tab", name=name).click()
            expect(page.get_by_role("tab", name=name)).to_be_in_viewport(ratio=1)
        empty = page.get_by_text("Nothing that fits happened lately.")
        page.get_by_label("Filter events by words").fill("no such words")
        assert empty.evaluate("(one) => parseFloat(getComputedStyle(one).paddingLeft)") >= 8
        screen(page, f"station-tabs-{width}")


@pytest.mark.slow
def test_a_revoked_token_is_said_plainly_and_one_may_log_in_again(browser: Browser, place: Place) -> None:
    with a_page(browser, place.station.url) as page:
        log_in(page, "blue commander")
        wait_in(page)
        page.reload()  # the token is kept in this window
        wait_in(page)
        with place.client("chief") as chief:
            chief.call(RevokeTokens(name="blue commander"))
        expect(page.get_by_role("dialog")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_text(
            "This token is not valid, or was revoked; log in again."
        )
        screen(page, "station-revoked")
        log_in(page, "blue commander")
        wait_in(page)
        assert act(page, f"goTo({BLUE}, {{ x: 2, y: 3 }}, 'queue')") == ""
        wait_at(page, BLUE, 2.0, 3.0)


@pytest.mark.slow
def test_a_station_that_was_killed_is_said_to_be_gone_and_the_page_goes_on(
    browser: Browser, template: Template, tmp_path: Path
) -> None:
    with opened(template, tmp_path) as place, a_page(browser, place.station.url) as page:
        log_in(page, "red observer")
        wait_in(page)
        place.station.kill()
        expect(page.get_by_role("alert")).to_contain_text("The server is gone")
        expect(page.get_by_text("2 robots")).to_be_visible()
        with running(place.folder, place.port, robots=place.door):
            expect(page.get_by_role("alert")).to_have_count(0)
            wait_in(page)
            wait_until(page, f"{STATION}.robots.get({RED}).state === 'connected'")
            wait_until(page, "document.querySelector('kumi-view').session.playing.isLive")
