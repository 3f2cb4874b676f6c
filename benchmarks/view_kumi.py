"""The page in a browser: how long a frame takes, how soon the first picture is there, how many bytes come.

Robots wander as in the part about the world, in real time; the page looks at them in Chromium without a window.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from math import pi, sqrt
from statistics import quantiles
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from benchmarks.tasks import Sample, Skipped
from tools.setup import BROWSERS

RADIUS = 5.0
FILLED = 0.05
STATE = """() => {
    const view = document.querySelector("kumi-view");
    const memory = performance.memory ? performance.memory.usedJSHeapSize : 0;
    if (window.shown === undefined) {
        window.shown = [];
        const note = (time) => { window.shown.push(time); requestAnimationFrame(note); };
        requestAnimationFrame(note);
    }
    return { frames: [...view.frames], shown: window.shown, count: view.frameCount, first: view.firstPicture, bytes: view.session.bytesReceived,
        now: view.session.now, at: performance.now(), robots: view.session.swarm.bodies.size, memory };
}"""


def view_live(robots: int, seconds: float) -> Sample:
    """Look at robots that move, for some seconds."""
    width = round(sqrt(robots * pi * RADIUS**2 / FILLED))
    changes = [
        f"robots.count={robots}",
        f"map.width={width}",
        f"map.height={width}",
        f"robots.radius={RADIUS}",
    ]
    settings = [part for change in changes for part in ("--set", change)]
    command = [sys.executable, "-m", "kumi", "run", "random-movement", "--view", "--until", "3600", *settings]
    run = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert run.stderr
    try:
        address = next(found[1] for line in run.stderr if (found := re.match(r"view: (\S+)", line)))
        first, last = look(address, robots, seconds)
    finally:
        run.kill()
        run.communicate()
    frames = quantiles(last["frames"][-round(len(last["frames"]) * 0.8) :], n=20)
    between = quantiles(np.diff(last["shown"]).tolist(), n=20)
    wall = (last["at"] - first["at"]) / 1000.0
    return {
        "figure": frames[9],
        "p95": frames[18],
        "interval": between[9],
        "interval_p95": between[18],
        "frames": (last["count"] - first["count"]) / wall,
        "first_picture": last["first"] / 1000.0,
        "kilobytes": (last["bytes"] - first["bytes"]) / wall / 1000.0,
        "pace": (last["now"] - first["now"]) / wall,
        "megabytes": last["memory"] / 1e6,
    }


def look(address: str, robots: int, seconds: float) -> tuple[dict[str, Any], dict[str, Any]]:
    """Open the page, and return what it tells once all robots are there, and some seconds later."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        page = opened.new_page(viewport={"width": 1280, "height": 800})
        page.goto(address)
        while (first := page.evaluate(STATE))["robots"] < robots:
            page.wait_for_timeout(20)
        page.wait_for_timeout(seconds * 1000.0)
        last = page.evaluate(STATE)
        opened.close()
    return first, last


def browser_path() -> str:
    """Return where Chromium is."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        raise Skipped("no Chromium here")
    return found
