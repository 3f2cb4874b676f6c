"""Who may use a station, and what was asked of it, in a browser: a super-user sees and changes all, others see themselves."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from kumi.station.client import Client
from kumi.station.operations.output import TellOutput
from kumi.station.operations.people import ListPeople
from kumi.station.operations.robots import ListRobots, Welcome
from kumi.station.operations.tasks import RequestTask, SendCode, TaskDone
from kumi.station.records import PoseRecord
from kumi.station.refusals import Refused
from tests.station.conftest import FIRST_PASSWORD, PASSWORD
from tests.station.processes import Running, running
from tests.station.test_page import STATION, log_in, panel
from tests.view.browser import NEEDS_BROWSER, a_browser, a_page, screen
from tests.waiting import free_port

pytestmark = NEEDS_BROWSER

Template = tuple[Path, dict[str, str], dict[str, str]]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def station(template: Template, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A station without robots."""
    folder = tmp_path_factory.mktemp("people")
    shutil.copy(template[0], folder / "station.db")
    with running(folder, free_port()) as station:
        yield station


def opened(page: Page, who: str, part: str) -> None:
    """Log in, and open a part of the station's panel, once what the user may do has brought all tabs."""
    log_in(page, who)
    expect(page.get_by_role("dialog")).to_have_count(0)
    if who == "chief":
        expect(page.get_by_role("tab", name="World")).to_be_visible()
    panel(page, part)


@pytest.mark.slow
def test_a_super_user_sees_people_and_changes_them(
    browser: Browser, station: Running, template: Template
) -> None:
    _, tokens, _ = template
    with a_page(browser, station.url, color_scheme="light") as page:
        opened(page, "chief", "People")
        rows = page.get_by_role("table", name="People").get_by_role("row")
        expect(rows).to_have_count(1 + 7)
        expect(rows.nth(1)).to_contain_text("blue commander")
        expect(rows.nth(1)).to_contain_text("team blue")

        page.get_by_label("Name of the team").fill("green")
        page.get_by_role("button", name="Make a team").click()
        expect(page.get_by_text("There is a team green now.")).to_be_visible()
        page.get_by_label("Name of the person").fill("gina")
        page.get_by_label("Password of the person").fill(FIRST_PASSWORD)
        page.get_by_label("Team of the person").select_option("green")
        page.get_by_label("Role of the person").select_option("commander")
        page.get_by_role("button", name="Let in").click()
        expect(page.get_by_text("gina may log in now, and then chooses another password.")).to_be_visible()
        expect(rows).to_have_count(1 + 8)

        page.get_by_label("Role of red observer").select_option("commander")
        expect(page.get_by_text("red observer is commander now.")).to_be_visible()
        expect(page.get_by_label("Role of red observer")).to_have_value("commander")
        page.get_by_role("button", name="Revoke all tokens of blue observer").click()
        expect(page.get_by_text("blue observer has to log in again.")).to_be_visible()
        expect(page.get_by_role("button", name="Revoke all tokens of blue observer")).to_be_disabled()
        screen(page, "station-people")

        page.get_by_label("Role of chief").select_option("observer")
        expect(page.get_by_role("alert")).to_have_text("Chief has no team, and so can only be a super-user.")
        expect(page.get_by_label("Role of chief")).to_have_value("super-user")

    with Client(station.url, tokens["chief"]) as chief:
        found = chief.call(ListPeople())
    assert {one.name: one.role for one in found.people if one.name in ("gina", "red observer")} == {
        "gina": "commander",
        "red observer": "commander",
    }
    assert found.teams == ("blue", "green", "red")
    assert "blue observer" not in found.tokens
    with Client(station.url, tokens["blue observer"]) as revoked, pytest.raises(Refused, match="revoked"):
        revoked.call(ListRobots())


@pytest.mark.slow
def test_the_audit_shows_the_latest_first_and_finds_words(browser: Browser, station: Running) -> None:
    with a_page(browser, station.url, color_scheme="dark") as page:
        opened(page, "chief", "People")
        page.get_by_label("Role of blue commander").select_option("observer")
        expect(page.get_by_text("blue commander is observer now.")).to_be_visible()
        page.get_by_label("Role of chief").select_option("observer")
        expect(page.get_by_role("alert")).to_be_visible()

        panel(page, "Audit")
        entries = page.get_by_role("list", name="Audit").get_by_role("listitem")
        expect(entries.filter(has_text="set role chief").first).to_contain_text("chief has no team")
        words = page.get_by_label("Words in the audit")
        words.fill("SET_role done blue")
        expect(entries).to_have_count(1)
        expect(entries).to_have_text(re.compile(r"chief\s+set role blue commander\s*done"))
        screen(page, "station-audit")
        words.fill("100% nothing")
        expect(page.get_by_text("Nothing fits.")).to_be_visible()


@pytest.mark.slow
def test_others_see_their_own_account_and_the_station_refuses_more(
    browser: Browser, station: Running
) -> None:
    with a_page(browser, station.url) as page:
        opened(page, "blue observer", "People")
        expect(page.get_by_text("observer: looks at everything of the own team")).to_be_visible()
        expect(page.get_by_role("table", name="People")).to_have_count(0)
        expect(page.get_by_role("button", name="Audit", exact=True)).to_have_count(0)
        for operation in ("list_people", "audit", "set_role"):
            ask = f"{STATION}.api.call('{operation}', {{name: 'blue observer', role: 'super-user'}})"
            said = page.evaluate(f"() => {ask}.then(() => '', (error) => error.message)")
            assert "needs the role" in said or "takes no 'name'" in said, said


@pytest.mark.slow
def test_a_team_head_sees_to_the_own_team_and_a_first_password_is_changed_when_logging_in(
    browser: Browser, station: Running, template: Template
) -> None:
    with a_page(browser, station.url, color_scheme="light") as page:
        opened(page, "blue team-head", "People")
        rows = page.get_by_role("table", name="People").get_by_role("row")
        expect(rows).to_have_count(1 + 3)
        expect(page.get_by_role("table", name="People")).not_to_contain_text("red")
        expect(page.get_by_label("Role of the person")).not_to_contain_text("super-user")
        page.get_by_label("Name of the person").fill("bea")
        page.get_by_label("Password of the person").fill(FIRST_PASSWORD)
        page.get_by_role("button", name="Let in").click()
        expect(rows.filter(has_text="bea")).to_contain_text("team blue, first password")

        page.get_by_role("button", name="bea", exact=True).click()
        page.get_by_role("button", name="Lock bea", exact=True).click()
        expect(rows.filter(has_text="bea")).to_contain_text("locked")
        page.get_by_role("button", name="Unlock bea").click()
        expect(page.get_by_text("bea may log in again.")).to_be_visible()
        page.get_by_label("First password of bea").fill("forgotten again")
        page.get_by_role("button", name="Reset password").click()
        expect(page.get_by_text("bea logs in with that password")).to_be_visible()
        page.get_by_label("Other team of bea").select_option("red")
        page.get_by_role("button", name="Move", exact=True).click()
        expect(page.get_by_text("bea is offered to team red")).to_be_visible()
        screen(page, "station-team-head")

    with a_page(browser, station.url) as page:
        log_in(page, "bea", "forgotten again")
        expect(page.get_by_role("alert")).to_contain_text("Somebody else chose this password")
        page.get_by_label("New password").fill(PASSWORD)
        page.get_by_label("Stay logged in for").select_option("an hour")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("dialog")).to_have_count(0)
        panel(page, "People")
        page.get_by_label("Your password", exact=True).fill("not this one")
        page.get_by_label("Your new password").fill("yet another one")
        page.get_by_role("button", name="Change", exact=True).click()
        expect(page.get_by_role("alert")).to_have_text("This is not your present password.")
        page.get_by_label("Your password", exact=True).fill(PASSWORD)
        page.get_by_role("button", name="Change", exact=True).click()
        expect(page.get_by_text("Your password is changed")).to_be_visible()

    with a_page(browser, station.url) as page:
        opened(page, "red team-head", "People")
        page.get_by_role("button", name="bea", exact=True).click()
        page.get_by_role("button", name="Move", exact=True).click()
        expect(page.get_by_text("bea is in team red now.")).to_be_visible()
        page.get_by_role("button", name="Remove bea", exact=True).click()
        page.get_by_role("button", name="Really remove bea").click()
        expect(page.get_by_text("bea is gone.")).to_be_visible()


@pytest.mark.slow
def test_what_code_prints_is_seen_while_it_runs(
    browser: Browser, station: Running, template: Template
) -> None:
    _, tokens, keys = template
    with (
        Client(station.url, f"robot:red robot:{keys['red robot']}") as robot,
        Client(station.url, tokens["red commander"]) as commander,
        a_page(browser, station.url, color_scheme="light") as page,
    ):
        robot.call(Welcome(pose=PoseRecord(x=1.0, y=1.0)))
        given = commander.call(SendCode(robot="red robot", name="speak", code="print(1)"))
        robot.call(RequestTask())
        robot.call(TellOutput(task=given.task, piece="a", text="first line\n"))
        opened(page, "red commander", "Tasks")
        page.get_by_role("img", name="Work space").focus()
        page.keyboard.press("n")
        page.get_by_role("button", name="Output of run_code speak").click()
        shown = page.get_by_label("Output", exact=True)
        expect(shown).to_have_text("first line\n")
        robot.call(TellOutput(task=given.task, piece="b", text="<b>second</b>\n"))
        expect(shown).to_have_text("first line\n<b>second</b>\n")
        screen(page, "station-output")
        robot.call(TaskDone(task=given.task, succeeded=False, outcome="line 3: it failed"))
        expect(page.get_by_role("list", name="Did")).to_contain_text("line 3: it failed")
