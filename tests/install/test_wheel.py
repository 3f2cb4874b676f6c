"""What is committed becomes an sdist and a wheel that work on a machine with neither compiler nor Node."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from kumi.installation import PAGE_FILES
from tests.test_examples import PROGRAM
from tests.view.browser import FOUND, a_browser, a_page, shown_time
from tests.waiting import PATIENCE, read_until, wait_for
from tools.wheels import ROOT, check_pages, clean_clone, make_sdist, make_wheel, platform_of, renamed

LARGEST = 120.0
"""Megabytes that the base install may take, with the byte code that pip makes of it."""
TRIED = ("--help", "list", "run", "show", "log", "plan")
"""Commands of the documents that end by themselves, and need no optional part."""
PIP = ("pip", "--disable-pip-version-check", "--quiet")


class Machine:
    """An empty environment with kumi from a wheel; nothing else is on the path."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.folder = folder
        self.home = folder / "environment"
        self.bin = self.home / "bin"
        venv.create(self.home, with_pip=True, symlinks=True)
        before = self.megabytes()
        shutil.copytree(ROOT / "examples", folder / "examples")
        locked = str(ROOT / "requirements-run.txt")
        self.call(*PIP, "install", "--only-binary=:all:", "--constraint", locked, str(wheel))
        self.brought = self.megabytes() - before

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a command."""
        return subprocess.Popen(
            [str(self.bin / words[0]), *words[1:]],
            cwd=self.folder,
            env={"PATH": str(self.bin), "HOME": str(self.folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def said(self, *words: str) -> tuple[int, str]:
        """Run a command, and return its exit code and all it said."""
        process = self.start(*words)
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out + err

    def call(self, *words: str) -> str:
        """Run a command that has to succeed, and return all it said."""
        code, said = self.said(*words)
        assert code == 0, said
        return said

    def remedy(self, *words: str) -> None:
        """Run a command that has to fail, and then the one that it names."""
        code, said = self.said(*words)
        assert code == 1, said
        assert "`kumi doctor`" in said
        self.call(*shlex.split(re.findall(r"`(.*?)`", said)[0]))

    def megabytes(self) -> float:
        """Return how much the installed packages take, with their byte code."""
        packages = next(self.home.glob("lib/python3*/site-packages"))
        return sum(path.stat().st_size for path in packages.rglob("*") if path.is_file()) / 1e6

    @contextmanager
    def viewing(self, *what: str) -> Iterator[str]:
        """Serve the page, and give its address."""
        with self.start("kumi", "view", *what, "--no-open") as process:
            try:
                found = re.search(r"view: (\S+)", read_until(process.stderr, "^view: "))
                assert found is not None
                yield found[1]
            finally:
                process.kill()


def commands() -> list[list[str]]:
    """Return the commands of the list of documents that can be tried, in order, without what they are piped into."""
    lines = re.findall(r"^(kumi \S.*)$", (ROOT / "docs" / "README.md").read_text(), re.MULTILINE)
    words = [shlex.split(line.partition(" | ")[0], comments=True) for line in lines]
    return [one for one in words if one[1] in TRIED and not any("-in-the-loop" in word for word in one)]


def program() -> tuple[str, str]:
    """Return the program of the README, and what it prints."""
    found = PROGRAM.search((ROOT / "README.md").read_text())
    assert found is not None
    return found["program"], found["output"]


def names_in(sdist: Path, wheel: Path) -> tuple[set[str], set[str]]:
    """Return the names of the files in an sdist and in a wheel, from the package on."""
    with tarfile.open(sdist) as packed, zipfile.ZipFile(wheel) as zipped:
        return {name.partition("/src/")[2] for name in packed.getnames()}, {*zipped.namelist()}


def look(browser: Browser, url: str) -> None:
    """Open the page as a person does, and see robots whose time goes on."""
    with a_page(browser, url) as page:
        expect(page.get_by_text(re.compile(r"\d+ robots")).first).to_be_visible()
        wait_for(lambda: shown_time(page) > 0.0)


def test_a_wheel_is_named_after_the_systems_on_which_it_can_be_used(tmp_path: Path) -> None:
    """In its name and in itself, of which each file has its hash in the record; the old one is gone."""
    wheel = tmp_path / "some-1.0-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as zipped:
        zipped.writestr("some/__init__.py", "")
        zipped.writestr("some-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\n")
        zipped.writestr(
            "some-1.0.dist-info/RECORD",
            "some/__init__.py,,\nsome-1.0.dist-info/WHEEL,sha256=old,1\nsome-1.0.dist-info/RECORD,,\n",
        )
    new = renamed(wheel, "manylinux_2_34_x86_64")

    assert (
        [path.name for path in tmp_path.iterdir()]
        == ["some-1.0-cp311-cp311-manylinux_2_34_x86_64.whl"]
        == [new.name]
    )
    with zipfile.ZipFile(new) as zipped:
        tags = zipped.read("some-1.0.dist-info/WHEEL")
        lines = zipped.read("some-1.0.dist-info/RECORD").decode().splitlines()
    assert tags == b"Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_34_x86_64\n"
    sealed = urlsafe_b64encode(sha256(tags).digest()).decode().rstrip("=")
    assert lines == [
        "some/__init__.py,,",
        f"some-1.0.dist-info/WHEEL,sha256={sealed},{len(tags)}",
        "some-1.0.dist-info/RECORD,,",
    ]
    assert renamed(new, "manylinux_2_34_x86_64") == new


@pytest.mark.slow
def test_a_wheel_of_what_is_committed_works_without_compiler_and_node(tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("nothing is committed here: this is no clone")
    sdist = make_sdist(clean_clone(tmp_path / "clone"), tmp_path / "dist")
    wheel = make_wheel(sdist, tmp_path / "dist", sys.executable)
    page = {f"kumi/view/page/{name}" for name in PAGE_FILES}
    packed, zipped = names_in(sdist, wheel)
    assert page <= packed
    assert page == {name for name in zipped if name.startswith("kumi/view/page/")}
    check_pages(sdist, wheel)
    assert platform_of(wheel).startswith("manylinux_2_")
    assert wheel.name.endswith(f"-{platform_of(wheel)}.whl")

    machine = Machine(tmp_path, wheel)
    assert machine.brought <= LARGEST
    assert f"installed from {wheel}" in machine.call("kumi", "doctor")
    source, printed = program()
    assert machine.call("python", "-c", source) == printed
    assert [command[1] for command in commands()].count("run") >= 2
    for command in commands():
        machine.call(*command)

    machine.call("kumi", "run", "random-movement", "--until", "60", "--record", "look.kumi")
    if FOUND is not None:
        with a_browser() as browser:
            for what in (["look.kumi"], ["gathering"]):
                with machine.viewing(*what) as url:
                    look(browser, url)

    next(machine.home.glob("lib/python3*/site-packages/kumi/view/page/page.js")).unlink()
    machine.remedy("kumi", "view", "look.kumi", "--no-open")
    machine.remedy("kumi", "video", "look.kumi", "-o", "film.mp4")
    assert "\nmissing  film" not in machine.call("kumi", "doctor")
    machine.call("kumi", "video", "look.kumi", "-o", "film.mp4", "--to", "1", "--size", "320x180")
