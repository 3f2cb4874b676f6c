"""A run plays inside a notebook, and in what is exported from it, without a server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

import kumi
from kumi.recording import RunFile, RunFileError, player
from kumi.recording.player import PlayerError
from tests.view.browser import NEEDS_BROWSER, a_browser, a_page, screen
from tests.view.runs import write_errand
from tests.waiting import PATIENCE

CELLS = (
    """
import kumi
from kumi.stage import Stage
from kumi.recording import RunFile
from kumi.world import World

async def there(robot) -> None:
    await robot.move_to((1.0, 0.0))

with Stage(World(), record="there.kumi") as stage:
    stage.add(there, at=(0.0, 0.0))
    outcome = stage.run(10.0)
""",
    "outcome.show()",
    'kumi.show("there.kumi", height=300)',
    'RunFile("there.kumi").show()',
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as browser:
        yield browser


@pytest.fixture
def run(tmp_path: Path) -> RunFile:
    return RunFile(write_errand(tmp_path / "errand.kumi"))


def scrub(inside: FrameLocator | Page, share: float) -> None:
    button = inside.get_by_role("button", name=re.compile("^(Pause|Play)$"))
    button.evaluate("one => { if (one.ariaLabel === 'Pause') one.click(); }")  # it may have come to its end
    inside.get_by_role("slider", name="Time").fill(str(1000.0 * share))


@pytest.mark.slow
@NEEDS_BROWSER
def test_a_notebook_that_was_run_and_exported_plays_its_runs(browser: Browser, tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbconvert = pytest.importorskip("nbconvert")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    nbclient.NotebookClient(
        notebook, timeout=PATIENCE, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    text, _ = nbconvert.HTMLExporter(embed_images=True).from_notebook_node(notebook)
    (tmp_path / "exported.html").write_text(text)
    (tmp_path / "there.kumi").unlink()

    context = browser.new_context(offline=True, viewport={"width": 1000, "height": 700})
    page = context.new_page()
    page.goto((tmp_path / "exported.html").as_uri())
    expect(page.locator("iframe")).to_have_count(3)
    for number, height in enumerate((480, 300, 480)):
        frame = page.locator("iframe").nth(number)
        frame.scroll_into_view_if_needed()
        inside = frame.content_frame
        expect(inside.get_by_text("1 robot")).to_be_visible()
        scrub(inside, 0.5)
        expect(inside.get_by_role("timer")).to_have_text("5.000 s")
        box = frame.bounding_box()
        assert box
        assert box["height"] == pytest.approx(height, abs=3)
    screen(page, "notebook")
    context.close()


@pytest.mark.slow
@NEEDS_BROWSER
def test_a_saved_player_asks_for_nothing_and_runs_no_markup(browser: Browser, run: RunFile) -> None:
    path = run.show().save(run.path.with_suffix(".html"))
    run.path.unlink()
    with a_page(browser, "about:blank") as page:
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        expect(page.get_by_text("2 robots")).to_be_visible()
        scrub(page, 0.5)
        expect(page.get_by_role("timer")).to_have_text("4.000 s")
        page.keyboard.press("n")
        expect(page.get_by_role("heading", name="ann", exact=True)).to_be_visible()
        assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]


@pytest.mark.slow
@NEEDS_BROWSER
def test_a_damaged_run_plays_to_the_damage(browser: Browser, run: RunFile) -> None:
    data = bytearray(run.path.read_bytes())
    data[run.chunks[3].at + 30] ^= 0xFF
    run.path.write_bytes(data)
    path = run.show().save(run.path.with_suffix(".html"))
    with a_page(browser, path.as_uri()) as page:
        page.keyboard.press("End")
        expect(page.get_by_role("alert")).to_contain_text("is damaged at byte")
        expect(page.get_by_text("2 robots")).to_be_visible()


def test_a_run_that_is_too_large_is_refused_with_the_way_to_see_it(
    run: RunFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player, "MOST_BYTES", 100)
    with pytest.raises(
        PlayerError, match=r"takes 0 MB, and a notebook is given 0 MB at most; `kumi view .*` shows"
    ):
        run.show()


def test_what_is_no_recorded_run_is_refused(run: RunFile, tmp_path: Path) -> None:
    class Unrecorded:
        record = None

    with pytest.raises(
        TypeError, match="show takes a RunFile, the path of one, or the outcome of a recorded run, not int"
    ):
        kumi.show(5)  # type: ignore[arg-type]
    with pytest.raises(PlayerError, match="was not recorded; `record` of a stage names a file"):
        kumi.show(Unrecorded())
    with pytest.raises(RunFileError, match=r"missing\.kumi: there is no such file"):
        kumi.show(tmp_path / "missing.kumi")
    assert "errand.kumi, 0 to 8 s" in repr(kumi.show(str(run.path)))
