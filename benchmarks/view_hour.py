"""What does the page's process keep after an hour of live data of many robots?

The robots are native walkers, so the hour is over in minutes: a step of it is simulated, and the page is waited for
until it has all of that. So every byte of the hour reaches the page. What is told is the memory of the browser's process
that shows the page, everything in it, after its garbage was collected.
"""

from __future__ import annotations

from math import pi, sqrt
from pathlib import Path
from time import monotonic, sleep

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.tasks import Sample
from benchmarks.view_kumi import FILLED, RADIUS, browser_path
from kumi.experiment import Stage
from kumi.recording import RunMeta
from kumi.view import LiveFeed, ViewServer
from kumi.world import World, map_to_table

STEP = 20.0
"""Simulated seconds that are sent at once; less than the page may be behind."""
SLOWEST, FASTEST = 3.0, 6.0
SESSION = "document.querySelector('kumi-view').session"
PATIENCE = 60.0


def view_hour(robots: int, seconds: float) -> Sample:
    """Send so many seconds of live data, and tell what the page's process has grown to."""
    side = round(sqrt(robots * pi * RADIUS**2 / FILLED))
    row = (np.arange(round(sqrt(robots))) + 0.5) * side / round(sqrt(robots))
    world = World(width=side, height=side)
    feed = LiveFeed(RunMeta(map=map_to_table(world.map)), "an hour", world.snapshot)
    with ViewServer(feed) as server, Stage(world, recorder=feed) as stage, sync_playwright() as playwright:
        world.add_walkers(np.array([(x, y) for x in row for y in row]), RADIUS, SLOWEST, FASTEST, 1)
        browser = playwright.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 320, "height": 240})
        page.goto(server.url)
        page.wait_for_selector("kumi-view")
        sizes = []
        for share in (0.1, 0.5, 1.0):
            while stage.simulation.now < share * seconds:
                advance(stage, feed, page)
            sizes.append(memory(browser, page))
        received = page.evaluate(f"{SESSION}.bytesReceived")
        browser.close()
    return {
        "figure": sizes[-1],
        "grown": sizes[2] - sizes[1],
        "early": sizes[0],
        "megabytes": received / 1e6,
    }


def advance(stage: Stage, feed: LiveFeed, page: Page) -> None:
    """Let a step happen, and wait until the page has it."""
    stage.run(stage.simulation.now + STEP, on_progress=feed.tell)
    deadline = monotonic() + PATIENCE
    while page.evaluate(f"{SESSION}.live.latest") < stage.simulation.now:
        if monotonic() > deadline:
            raise TimeoutError(f"the page did not get {stage.simulation.now:g} s within {PATIENCE:g} s")
        sleep(0.01)


def memory(browser: Browser, page: Page) -> float:
    """Return the megabytes of the process that shows the page, without garbage."""
    page.context.new_cdp_session(page).send("HeapProfiler.collectGarbage")
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    return max(resident(one["id"]) for one in found if one["type"] == "renderer")


def resident(process: int) -> float:
    """Return the megabytes that a process has to itself."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return next(
        int(line.split()[1]) * 1024 / 1e6 for line in status.splitlines() if line.startswith("RssAnon")
    )
