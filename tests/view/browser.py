"""A browser, as a person has one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect, sync_playwright

from tests.waiting import PATIENCE
from tools.setup import BROWSERS, BUILD

expect.set_options(timeout=1000.0 * PATIENCE)

SCREENS = BUILD / "view-screens"
"""Where pictures of the page are kept, to be looked at."""
FOUND = next(filter(None, map(shutil.which, BROWSERS)), None)
NEEDS_BROWSER = pytest.mark.skipif(
    FOUND is None, reason="no Chromium here: `apt-get install chromium` brings it"
)


@contextmanager
def a_browser() -> Iterator[Browser]:
    """Open a browser without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=FOUND, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def a_page(browser: Browser, url: str, **settings: Any) -> Iterator[Page]:
    """Open a page; an error in it, a dialog, or what its policy forbids fails the test."""
    context = browser.new_context(viewport={"width": 1000, "height": 700}, **settings)
    context.set_default_timeout(1000.0 * PATIENCE)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))

    def refuse(dialog: Dialog) -> None:
        wrong.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", refuse)
    page.on("console", lambda line: wrong.append(line.text) if "Security Policy" in line.text else None)
    page.goto(url)
    yield page
    context.close()
    assert wrong == []


def shown_time(page: Page) -> float:
    """Return the time that the page shows, in seconds; the run is short."""
    return float(page.get_by_role("timer").inner_text().removesuffix(" s"))


def wait_shown(page: Page, time: float) -> None:
    """Wait until the page shows an instant."""
    expect(page.get_by_role("timer")).to_have_text(f"{time:.3f} s")


def wait_until(page: Page, claim: str) -> None:
    """Wait until something said in JavaScript holds; the page's policy lets no text be run, so it is asked from outside."""
    deadline = monotonic() + PATIENCE
    while not page.evaluate(claim):
        assert monotonic() < deadline, claim
        page.wait_for_timeout(30)


def wait_drawn(page: Page, frames: int = 4) -> None:
    """Wait until what was done is drawn: it is seen in the next frame, and panels draw in the one after that."""
    page.evaluate(
        """async (frames) => {
            for (let frame = 0; frame < frames; frame++) await new Promise(requestAnimationFrame);
        }""",
        frames,
    )


def place_of(page: Page, x: float, y: float) -> tuple[float, float]:
    """Return where on the screen a place of the plane is."""
    left, top, px, py = page.evaluate(
        """([x, y]) => {
            const space = document.querySelector("kumi-view").shadowRoot.querySelector("kumi-work-space");
            const box = space.getBoundingClientRect();
            return [box.left, box.top, ...space.picture.camera.toScreen(x, y)];
        }""",
        [x, y],
    )
    return left + px, top + py


def color_at(picture: Path, x: float, y: float) -> tuple[int, int, int]:
    """Return the colour of the pixel of a picture of the page that a place on the screen lies in."""
    from PIL import Image

    with Image.open(picture) as image:
        red, green, blue = image.convert("RGB").getpixel((int(x), int(y)))  # type: ignore[misc]
        return red, green, blue


def screen(page: Page, name: str) -> Path:
    """Keep a picture of the page."""
    SCREENS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENS / f"{name}.png")
    return SCREENS / f"{name}.png"


def likeness(picture: Path) -> dict[str, float]:
    """Return which part of a picture is bright, dark and red: enough to see that a page looks as it should."""
    from PIL import Image

    with Image.open(picture) as image:
        small = image.convert("RGB").resize((image.width // 4, image.height // 4))
        pixels = [small.getpixel((x, y)) for x in range(small.width) for y in range(small.height)]
    colours = [pixel for pixel in pixels if isinstance(pixel, tuple)]
    return {
        "bright": sum(min(one) > 200 for one in colours) / len(colours),
        "dark": sum(max(one) < 60 for one in colours) / len(colours),
        "red": sum(one[0] > 150 and one[1] < 80 and one[2] < 80 for one in colours) / len(colours),
    }
