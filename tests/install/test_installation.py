"""How kumi was installed is known from what the installer noted, and every command that is named fits it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from kumi import installation as here
from kumi.cli.doctor_parts import OPTIONAL
from kumi.installation import (
    Installation,
    InstalledAs,
    install_command,
    needed,
    noted_in,
    part_command,
    parts,
)

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
GUIDE = (ROOT / "docs" / "installing.md").read_text()


@pytest.mark.parametrize(
    ("noted", "way", "source", "again"),
    [
        (
            {"url": "file:///kumi", "dir_info": {"editable": True}},
            InstalledAs.CHECKOUT,
            "/kumi",
            "--editable /kumi",
        ),
        ({"url": "file:///my%20kumi", "dir_info": {}}, InstalledAs.FOLDER, "/my kumi", "'/my kumi'"),
        (
            {"url": "file:///kumi-1.whl", "archive_info": {}},
            InstalledAs.ARCHIVE,
            "/kumi-1.whl",
            "/kumi-1.whl",
        ),
        (
            {"url": "https://kumi.example/kumi.tar.gz", "archive_info": {"hash": "sha256=0"}},
            InstalledAs.ARCHIVE,
            "https://kumi.example/kumi.tar.gz",
            "https://kumi.example/kumi.tar.gz",
        ),
        (
            {"url": "https://kumi.example/kumi", "vcs_info": {"vcs": "git", "commit_id": "c0ffee"}},
            InstalledAs.ARCHIVE,
            "git+https://kumi.example/kumi@c0ffee",
            "git+https://kumi.example/kumi@c0ffee",
        ),
    ],
)
def test_what_an_installer_noted_tells_how_to_install_it_again(
    noted: dict[str, Any], way: InstalledAs, source: str, again: str
) -> None:
    assert noted_in(noted) == Installation(way, source)
    assert noted_in(noted).again().endswith(f" install --force-reinstall --no-deps {again}")


def test_what_comes_from_an_index_is_installed_again_by_its_version() -> None:
    assert Installation(InstalledAs.INDEX, "kumi==0.1.0").again().endswith(" --no-deps kumi==0.1.0")


def test_a_checkout_knows_that_it_is_one() -> None:
    assert here.installation() == Installation(InstalledAs.CHECKOUT, str(ROOT))


def test_the_metadata_names_the_packages_of_every_part() -> None:
    asked = {name: lines for name, lines in PROJECT["optional-dependencies"].items() if name != "all"}

    assert {name: sorted(lines) for name, lines in parts().items()} == {
        name: sorted(lines) for name, lines in asked.items()
    }
    assert sorted(needed()) == sorted(PROJECT["dependencies"])


def test_the_command_for_a_part_names_packages_and_never_kumi() -> None:
    """kumi may be on no index; its packages are."""
    for part in OPTIONAL:
        words = shlex.split(part_command(part))
        assert words[words.index("install") + 1 :] == parts()[part]


def test_a_command_is_for_the_python_that_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By the pip beside it where that is the first on the path, else by its own, else by uv."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", "/env/bin/python")

    monkeypatch.setattr("kumi.installation.shutil.which", lambda _name: "/env/bin/pip")
    assert install_command("av>=14.0") == "pip install 'av>=14.0'"

    monkeypatch.setattr("kumi.installation.shutil.which", lambda _name: "/usr/bin/pip")
    assert install_command("av") == "/env/bin/python -m pip install av"

    monkeypatch.setattr("kumi.installation.find_spec", lambda _name: None)
    assert install_command("av") == "uv pip install --python /env/bin/python av"

    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    assert install_command("av") == "uv pip install --python .venv/bin/python av"


def test_a_core_that_cannot_be_loaded_says_how_to_install_it_again(tmp_path: Path) -> None:
    program = "import sys\nsys.modules['kumi._core'] = None\nimport kumi"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert re.match(
        r"ImportError: the core of kumi cannot be loaded: .*; `.* install --force-reinstall --no-deps --editable .*` "
        r"installs it again",
        done.stderr.splitlines()[-1],
    )


# The sizes that are stated.


def closure(lines: list[str]) -> set[str]:
    """Return the packages that are installed for some requirements, with all that they need themselves."""
    found: set[tuple[str, frozenset[str]]] = set()
    left = [Requirement(line) for line in lines]
    while left:
        one = left.pop()
        name = re.sub(r"[-_.]+", "-", one.name).lower()
        if (name, frozenset(one.extras)) in found:
            continue
        found.add((name, frozenset(one.extras)))
        inner = map(Requirement, distribution(name).requires or ())
        asked = [{"extra": extra} for extra in ("", *one.extras)]
        left += [need for need in inner if need.marker is None or any(map(need.marker.evaluate, asked))]
    return {name for name, _ in found}


def megabytes(packages: set[str], *, with_byte_code: bool = False) -> float:
    """Return how much packages bring, or also take with the byte code that is made of them."""
    paths = [
        Path(str(distribution(name).locate_file(file)))
        for name in packages
        for file in distribution(name).files or ()
        if with_byte_code or file.suffix != ".pyc"
    ]
    return sum(path.stat().st_size for path in paths if path.is_file()) / 1e6


def test_the_base_install_is_small() -> None:
    """With its byte code; kumi itself, with less than 15 MB, is the rest. See test_wheel."""
    assert megabytes(closure(needed()), with_byte_code=True) <= 106.0


def test_what_make_demo_installs_leaves_room_for_the_clone_within_350_megabytes() -> None:
    """CMake goes when the core is built. The page with its pictures takes at most 120, see test_demo; the sources, what is
    built from them, and the npm packages that build the page less than 70.
    """
    locks = [(ROOT / f"requirements-{name}.txt").read_text().splitlines() for name in ("build", "run")]
    packages = {line.partition("==")[0] for lines in locks for line in lines if not line.startswith("#")}

    assert megabytes(packages - {"cmake"} | {"pip"}, with_byte_code=True) <= 160.0


@pytest.mark.parametrize("part", OPTIONAL)
def test_a_part_is_as_large_as_is_stated(part: str) -> None:
    beyond = megabytes(closure(parts()[part]) - closure(needed()))

    assert OPTIONAL[part].megabytes == pytest.approx(beyond, rel=0.2, abs=2.0)  # other Pythons, other wheels


def test_the_guide_states_the_same_parts_and_sizes() -> None:
    rows = re.findall(r"^\| `([\w]+)` \| (.*?) \| (\d+) MB \|$", GUIDE, re.MULTILINE)

    assert {name: (purpose, int(size)) for name, purpose, size in rows} == {
        name: (what.purpose, what.megabytes) for name, what in OPTIONAL.items()
    }
    assert OPTIONAL.keys() == parts().keys()
