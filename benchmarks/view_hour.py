"""What do the page and the server keep after an hour of live data of many robots?

The robots are native walkers, so the hour is over in minutes: a step of it is simulated, and the page is waited for until
it has all of that. So every byte of the hour reaches the page, over the same socket as from a live run.

What is told is the memory that the page's process in the browser, its JavaScript heap and the server's process have to
themselves, after their garbage was collected: when a tenth, half and all of the hour was sent. The page keeps the last
128 MiB of a live run to go back in, up to a state between (`MEMORY` in `web/src/session.ts`); so beyond what it needs to
show anything at all, that is what it may grow by, and not more. The server keeps nothing of what was sent.
"""

from __future__ import annotations

import gc
import os
from math import pi, sqrt
from pathlib import Path
from time import monotonic, sleep

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.tasks import Sample
from benchmarks.view_kumi import FILLED, RADIUS, browser_path
from kumi.recording import RunMeta
from kumi.stage import Stage
from kumi.view import LiveFeed, ViewServer
from kumi.world import World, map_to_table

STEP = 24.0
"""Simulated seconds that are sent at once; less than the page may be behind."""
SLOWEST, FASTEST = 2.0, 4.0
"""Metres a second of robots 10 m wide, which touch each other so often that the hour is more than the page keeps."""
SESSION = "document.querySelector('kumi-view').session"
PATIENCE = 60.0
SHARES = (0.1, 0.5, 1.0)


def view_hour(robots: int, seconds: float) -> Sample:
    """Send so many seconds of live data, and tell what the page and the server have grown to."""
    side = round(sqrt(robots * pi * RADIUS**2 / FILLED))
    world = World(width=side, height=side)
    feed = LiveFeed(RunMeta(map=map_to_table(world.map)), "an hour", world.snapshot)
    sent = Counted(feed)
    with ViewServer(feed) as server, Stage(world, recorder=sent) as stage, sync_playwright() as playwright:
        world.add_walkers(places(robots, world), RADIUS, SLOWEST, FASTEST, 1)
        browser = playwright.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 320, "height": 240})
        page.goto(server.url)
        page.wait_for_selector("kumi-view")
        sizes = []
        for share in SHARES:
            while stage.simulation.now < share * seconds:
                advance(stage, feed, page)
            sizes.append(memory(browser, page))
        received = page.evaluate(f"{SESSION}.bytesReceived")
        kept = page.evaluate(f"{SESSION}.timeline.chunks.reduce((sum, one) => sum + one.size, 0)")
        browser.close()
    if received < sent.bytes:
        raise ValueError(f"the page got {received} bytes of {sent.bytes} that were sent")
    (early, _, server_early), (half, _, _), (last, heap, server_last) = sizes
    return {
        "figure": last,
        "early": early,
        "half": half,
        "beyond": last - early,
        "heap": heap,
        "server": server_last,
        "server_early": server_early,
        "kept": kept / 1e6,
        "megabytes": received / 1e6,
    }


class Counted:
    """Counts the bytes of a journal on their way to a feed."""

    def __init__(self, feed: LiveFeed) -> None:
        self.bytes = 0
        self._feed = feed

    def write(self, journal: bytes) -> None:
        """Take whole records, the next of the run."""
        self.bytes += len(journal)
        self._feed.write(journal)


def places(robots: int, world: World) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return where so many robots begin, on a grid over the world."""
    side = world.map.width or 0.0
    row = (np.arange(round(sqrt(robots))) + 0.5) * side / round(sqrt(robots))
    return np.array([(x, y) for x in row for y in row])


def advance(stage: Stage, feed: LiveFeed, page: Page) -> None:
    """Let a step happen, and wait until the page has it."""
    stage.run(stage.simulation.now + STEP, on_progress=feed.tell)
    deadline = monotonic() + PATIENCE
    while page.evaluate(f"{SESSION}.live.latest") < stage.simulation.now:
        if monotonic() > deadline:
            raise TimeoutError(f"the page did not get {stage.simulation.now:g} s within {PATIENCE:g} s")
        sleep(0.01)


def memory(browser: Browser, page: Page) -> tuple[float, float, float]:
    """Return the megabytes of the page's process, of its JavaScript heap, and of this process, without garbage."""
    gc.collect()
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    found = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    shown = max(resident(one["id"]) for one in found if one["type"] == "renderer")
    return shown, heap, resident(os.getpid())


def resident(process: int) -> float:
    """Return the megabytes that a process has to itself."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return next(
        int(line.split()[1]) * 1024 / 1e6 for line in status.splitlines() if line.startswith("RssAnon")
    )
