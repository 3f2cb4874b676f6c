"""A person looks at a simulation while it runs."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests.view.browser import NEEDS_BROWSER, a_browser, a_page, screen, wait_drawn, wait_until
from tests.waiting import PATIENCE, read_until

pytestmark = NEEDS_BROWSER


@contextmanager
def command(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `kumi` with a view, and return the process and the address of its page."""
    process = subprocess.Popen(
        [sys.executable, "-m", "kumi", *arguments], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        said = read_until(process.stderr, r"^view: \S")
        yield process, said.splitlines()[-1].split()[1]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_a_shipped_simulation_runs_and_ends_at_ctrl_c() -> None:
    now = "document.querySelector('kumi-view').session.now"
    with (
        command("view", "--no-open") as (process, address),
        a_browser() as browser,
        a_page(browser, address) as page,
    ):
        expect(page.get_by_text("10 robots")).to_be_visible()
        wait_until(page, f"{now} > 3")
        expect(page.get_by_role("button", name="● live")).to_have_attribute("aria-pressed", "true")
        screen(page, "live")

        # Back to what was seen, and to the present again.
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("button", name="● live")).to_have_attribute("aria-pressed", "false")
        held = page.evaluate(now)
        wait_drawn(page, 20)
        assert page.evaluate(now) == held
        page.get_by_role("button", name="● live").click()
        wait_until(page, f"{now} > {held} + 1")

        # The address that was printed has the key: all stop.
        page.keyboard.press("Shift+S")
        wait_until(page, "Object.keys(document.querySelector('kumi-view').session.done.held).length === 10")
        expect(page.get_by_role("alert")).to_have_count(0)

        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 130
        expect(page.get_by_role("alert")).to_contain_text("The server is gone")
        expect(page.get_by_text("10 robots")).to_be_visible()


@pytest.mark.slow
def test_a_run_that_is_over_stays_to_be_looked_at() -> None:
    arguments = (
        "run",
        "random-movement",
        "--view",
        "--until",
        "2",
        "--pace",
        "20",
        "--set",
        "robots.count=5",
    )
    with command(*arguments) as (process, address), a_browser() as browser, a_page(browser, address) as page:
        expect(page.get_by_text("the run is over")).to_be_visible()
        expect(page.get_by_text("5 robots")).to_be_visible()
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
