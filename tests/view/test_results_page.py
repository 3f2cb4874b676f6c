"""A person looks at the results of a study: the plot, the table, and the run behind a point."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from kumi.study import Results
from kumi.study.executors import workers_on
from kumi.study.files import load_study
from kumi.study.study import StudySession, conduct
from kumi.study.summary import summary
from kumi.view import StudyPages, ViewServer
from tests.view.browser import NEEDS_BROWSER, a_browser, a_page, screen

COUNTING = Path(__file__).parents[1] / "study" / "counting.py"
BY_ITSELF = f"""
name = "sums"
experiment = "{COUNTING}:Sum"
seeds = 2
[vary]
a = [1.0, 2.0]
"""


WANDERING = f"""
name = "wander"
experiment = "{COUNTING}:Wandering"
seeds = 4
[set]
deadline = 20.0
[vary]
robots = [1, 3]
"""


def studied(folder: Path, what: str | Path) -> Path:
    """Do a study in a folder."""
    session = StudySession(load_study(str(what)), folder)
    conduct(session, lambda: workers_on("local", 2))
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two combinations with three seeds; the hash of row 5 is not that of its run."""
    folder = tmp_path_factory.mktemp("study")
    study = folder / "gathering.toml"
    study.write_text(
        'scenario = "gathering"\nmetrics = ["way", "events"]\nseeds = 3\n[set]\nuntil = 60.0\n[vary]\nrobots.count = [5, 10]\n'
    )
    results = studied(folder / "gathering.results", study)
    runs = [json.loads(line) for line in (results / "runs.jsonl").read_text().splitlines()]
    for run in runs:
        if run["row"] == 5:
            run["trace_hash"] = "0" * 32
    (results / "runs.jsonl").write_text(
        "".join(json.dumps(run, separators=(",", ":")) + "\n" for run in runs)
    )
    return results


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[ViewServer]:
    pages = StudyPages(Results.read(folder))
    with ViewServer(pages) as server:
        yield server
    pages.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with a_browser() as browser:
        yield browser


@pytest.fixture
def page(browser: Browser, server: ViewServer) -> Iterator[Page]:
    with a_page(browser, server.url, color_scheme="light") as page:
        expect(page.get_by_text("6 runs, 2 combinations")).to_be_visible()
        yield page


@pytest.mark.slow
@NEEDS_BROWSER
def test_a_click_on_a_point_replays_a_run_that_is_the_one_measured(page: Page, folder: Path) -> None:
    """The plot has the means and intervals of `kumi study`; the run nearest to the mean is shown."""
    five = summary(Results.read(folder))[0]
    way = five.means["way"]
    point = page.get_by_role("button", name="robots.count = 5: way")
    expect(point).to_have_attribute("aria-label", expected(way.mean, way.low, way.high))
    screen(page, "results")
    point.click()

    runs = [run for run in Results.read(folder).runs if run["parameters"]["robots.count"] == 5]
    nearest = min(runs, key=lambda run: abs(run["metrics"]["way"] - way.mean))
    beside = page.get_by_role("complementary", name="Run")
    expect(beside.get_by_role("heading")).to_contain_text(f"Row {nearest['row']}: robots.count = 5")
    expect(beside).to_contain_text(f"The same as measured: trace hash {nearest['trace_hash']}")
    shown = page.frame_locator("iframe")
    expect(shown.get_by_text("5 robots")).to_be_attached()
    shown.get_by_role("slider", name="Time").fill("1000")
    expect(shown.get_by_role("timer")).to_have_text("1:00.000")
    screen(page, "results-replay")
    assert (folder / "replays" / f"row-{nearest['row']}.kumi").exists()


def expected(mean: float, low: float, high: float) -> str:
    mean, low, high = (float(f"{value:.5g}") for value in (mean, low, high))
    return f"robots.count = 5: way {mean:g}, 95 % from {low:g} to {high:g}, 3 runs"


@pytest.mark.slow
@NEEDS_BROWSER
def test_rows_are_sorted_and_filtered_and_a_click_replays(page: Page, server: ViewServer) -> None:
    table = page.get_by_role("table", name="Runs")
    page.get_by_role("button", name="way", exact=True).click()
    page.get_by_role("button", name="way ▴").click()
    column = [float(cell) for cell in table.locator("tbody tr td:nth-child(4)").all_inner_texts()]
    assert column == sorted(column, reverse=True)
    assert len(column) == 6

    page.get_by_role("searchbox", name="Filter runs").fill("count=10")
    expect(page.get_by_text("3 of 6 runs")).to_be_visible()
    table.locator("tbody tr").first.click()
    expect(page.frame_locator("iframe").get_by_text("10 robots")).to_be_attached()


@pytest.mark.slow
@NEEDS_BROWSER
def test_a_run_that_comes_out_otherwise_is_named(page: Page) -> None:
    page.get_by_role("row", name="5 10 2").click()
    expect(page.get_by_role("alert")).to_contain_text("not the run that was measured")
    expect(page.frame_locator("iframe").get_by_text("10 robots")).to_be_attached()


@pytest.mark.slow
@NEEDS_BROWSER
def test_a_run_that_cannot_be_seen_says_so(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "sums.toml").write_text(BY_ITSELF)
    pages = StudyPages(Results.read(studied(tmp_path / "sums.results", tmp_path / "sums.toml")))
    with ViewServer(pages) as server, a_page(browser, server.url) as page:
        page.get_by_role("row", name="0 1 0").click()
        expect(page.get_by_role("alert")).to_have_text(
            "Sum makes its runs itself and has no `record`, so there is nothing to be seen of them."
        )
        page.get_by_label("Metric").select_option("worker")
        expect(page.get_by_text("No run has a number for worker.")).to_be_visible()
    pages.close()


@pytest.mark.slow
@NEEDS_BROWSER
def test_a_time_that_did_not_come_is_a_ring_and_counted(browser: Browser, tmp_path: Path) -> None:
    """A robot alone touches nobody within 20 s; three were asked for, too, and all levels are at the axis."""
    (tmp_path / "wander.toml").write_text(WANDERING)
    pages = StudyPages(Results.read(studied(tmp_path / "wander.results", tmp_path / "wander.toml")))
    with ViewServer(pages) as server, a_page(browser, server.url, color_scheme="light") as page:
        page.get_by_label("Metric").select_option("first")
        plot = page.get_by_role("group", name="first over robots")
        point = page.get_by_role("button", name="robots = 1: first (mean up to 20) 20")
        expect(point).to_have_attribute("aria-label", re.compile("0 of 4, median not reached"))
        expect(plot.locator('circle.run[fill="none"]').first).to_be_attached()
        expect(plot.get_by_text("first (mean up to 20), s")).to_be_visible()
        expect(page.get_by_role("cell", name="> 20").first).to_be_visible()
        expect(page.get_by_text("restricted, since it may not come")).to_be_visible()
        screen(page, "results-times")
    pages.close()


@pytest.mark.slow
@NEEDS_BROWSER
def test_a_run_that_is_made_again_shows_its_progress(browser: Browser, server: ViewServer) -> None:
    """After 1 s of the 4 s that it took, a quarter is done."""
    running = {"state": "running", "time": 12.5, "elapsed": 1.0, "took": 4.0}
    with a_page(browser, server.url) as page:
        page.route("**/replay", lambda route: route.fulfill(json=running))
        page.get_by_role("row").nth(1).click()
        bar = page.get_by_label("Progress of the run")
        expect(bar).to_have_attribute("value", "0.25")
        expect(page.get_by_label("Run", exact=True).get_by_role("status")).to_have_text(
            "Running it again: 12.500 s of the run, 1.0 s; it took 4 s when it was measured"
        )
        screen(page, "progress")


@pytest.mark.slow
def test_a_row_that_is_made_again_tells_how_long_it_took_and_takes(folder: Path) -> None:
    pages = StudyPages(Results.read(folder))
    told = pages.replays.begin(1)
    pages.close()
    assert told["state"] == "running"
    assert told["elapsed"] >= 0.0
    assert told["took"] == next(run["wall_seconds"] for run in pages.replays.results.runs if run["row"] == 1)


def test_only_the_page_may_ask_and_only_for_rows_there_are(server: ViewServer) -> None:
    asked = httpx.post(server.url + "rows/0/replay", headers={"Origin": "http://evil.example"})
    assert asked.status_code == 403
    assert httpx.post(server.url + "rows/77/replay").status_code == 404
    assert httpx.get(server.url + "rows/77/run").status_code == 404
    assert httpx.get(server.url + "results", headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.slow
def test_a_recorded_row_is_taken_from_the_folder_the_second_time(folder: Path) -> None:
    pages = StudyPages(Results.read(folder))
    with ViewServer(pages) as server:
        first = wait_ready(server, 2)
    pages.close()
    written = (folder / "replays" / "row-2.kumi").stat().st_mtime_ns
    again = StudyPages(Results.read(folder))
    assert again.replays.begin(2) == first
    assert (folder / "replays" / "row-2.kumi").stat().st_mtime_ns == written


def wait_ready(server: ViewServer, row: int) -> dict[str, object]:
    state: dict[str, object] = httpx.post(f"{server.url}rows/{row}/replay").json()
    while state["state"] == "running":
        state = httpx.get(f"{server.url}rows/{row}/replay").json()
    assert state["state"] == "ready"
    return state


@pytest.mark.slow
def test_the_command_writes_the_run_of_a_row(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "row.kumi"
    done = subprocess.run(
        [sys.executable, "-m", "kumi", "study", str(folder), "--row", "0", "--record", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "The same again." in done.stdout
    assert file.exists()
