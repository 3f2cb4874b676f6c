"""Are all hashes the same whatever builds and runs kumi? A table: compilers, optimisations, Pythons.

    make portability
    make portability ARGS="--python python3.12 --compiler clang++-14 --level O1"
    make portability ARGS=--arm

Builds the core with each compiler and level for each Python into build/portability/, with the packages that kumi always
comes with, runs everything of tests/golden/hashes.toml there, and compares. A golden that needs more than those packages is
named and left out. By hand, before a version: it takes long.

With `--arm` the core is compiled for 64-bit ARM, and qemu runs it in the Python that Debian has for that processor. The
packages of both are fetched into build/portability/; the system is left as it is.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "portability"
PYTHONS = [f"python3.{minor}" for minor in range(11, 15)]
COMPILERS = ["g++", "clang++", *(f"clang++-{version}" for version in range(14, 22))]
LEVELS = ["O1", "O3"]

ARM = "arm"
"""In place of an interpreter: that of Debian for 64-bit ARM, run by qemu."""
ARM_COMPILER = "aarch64-linux-gnu-g++"
ARM_NEEDS = {"qemu-aarch64": "qemu-user", ARM_COMPILER: "g++-aarch64-linux-gnu", "apt-get": "apt"}
"""Commands, and the Debian packages that have them."""
ARM_PACKAGES = ["python3", "libpython3-dev", "libstdc++6"]
"""What is fetched for ARM, with all that it depends on."""
ARM_FOLDER = FOLDER / "environment-arm"
ARM_SYSTEM = ARM_FOLDER / "system"


class CannotBuild(Exception):
    """A combination is not to be had here; the message says which command failed."""


@dataclass(frozen=True)
class Combination:
    """What builds the core, how, and what runs it."""

    python: str
    compiler: str
    level: str

    @property
    def name(self) -> str:
        """Return a name for a folder: by the version, for interpreters in many places are all called python3."""
        return f"{name_of(self.python)}-{Path(self.compiler).name}-{self.level}"


def main() -> int:
    """Build and run each combination, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--python", action="append", help="an interpreter; repeatable [those of 3.11 to 3.14 on PATH]"
    )
    parser.add_argument(
        "--compiler", action="append", help="a compiler; repeatable [g++ and clang++ on PATH]"
    )
    parser.add_argument("--level", action="append", help="of optimisation; repeatable [O1 and O3]")
    parser.add_argument(
        "--arm", action="store_true", help="an emulated ARM instead of this machine's processor"
    )
    chosen = parser.parse_args()
    pythons, compilers = there(chosen.python or PYTHONS), there(chosen.compiler or COMPILERS)
    if chosen.arm:
        pythons, compilers = [ARM], [ARM_COMPILER]
        missing = [package for command, package in ARM_NEEDS.items() if not there([command])]
        if missing:
            print(
                f"Error: an emulated ARM needs what these packages have: {', '.join(missing)}.",
                file=sys.stderr,
            )
            return 2
    if not pythons or not compilers:
        print("Error: there is no such Python or no such compiler on this machine.", file=sys.stderr)
        return 2
    listed = tomllib.loads((ROOT / "tests" / "golden" / "hashes.toml").read_text())["hashes"]
    are_same = True
    for parts in product(pythons, compilers, chosen.level or LEVELS):
        combination = Combination(*parts)
        try:
            line, is_same = compared(listed, hashes_of(combination))
        except CannotBuild as error:
            line, is_same = f"cannot be had: {error}", True
        are_same = are_same and is_same
        print(
            f"{name_of(combination.python):<10} {combination.compiler:<12} {combination.level:<4} {line}",
            flush=True,
        )
    return 0 if are_same else 1


def there(commands: list[str]) -> list[str]:
    """Return those of some commands that are on this machine."""
    return [command for command in commands if shutil.which(command)]


def compared(listed: dict[str, str], found: dict[str, str]) -> tuple[str, bool]:
    """Return in words how many hashes are the same, and whether all are."""
    others = [name for name, one in found.items() if listed.get(name) != one]
    without = [name for name in listed if name not in found]
    words = [f"{len(found) - len(others)} of {len(found)} hashes are the same"]
    words += [f"other: {'; '.join(others)}"] if others else []
    words += [f"left out for want of a package: {'; '.join(without)}"] if without else []
    return ". ".join(words), not others


def hashes_of(combination: Combination) -> dict[str, str]:
    """Build kumi, put it in place of the one before, run everything, and return the hashes."""
    python = environment(combination.python)
    build = FOLDER / combination.name
    call(
        "cmake", "-S", ROOT, "-B", build, "-DCMAKE_BUILD_TYPE=Release", f"-DPython_EXECUTABLE={python}",
        f"-DCMAKE_CXX_COMPILER={shutil.which(combination.compiler)}",
        f"-DCMAKE_CXX_FLAGS_RELEASE=-{combination.level} -DNDEBUG",
        *([f"-DCMAKE_CXX_FLAGS=-idirafter {ARM_SYSTEM / 'usr' / 'include'}"] if combination.python == ARM else []),
    )  # fmt: skip
    call("cmake", "--build", build, "--parallel", "2")
    site = put_in_place(python)
    call("cmake", "--install", build, "--prefix", site)
    return run_all(python)


def run_all(python: Path) -> dict[str, str]:
    """Run everything with an interpreter that has kumi, and return the hashes."""
    found: dict[str, str] = json.loads(call(python, "-m", "tests.golden.runs"))
    return found


def put_in_place(python: Path) -> Path:
    """Copy the Python part of kumi to where an interpreter finds its packages, also from inside a sandbox."""
    site = packages_of(python)
    shutil.rmtree(site / "kumi", ignore_errors=True)
    shutil.copytree(
        ROOT / "src" / "kumi", site / "kumi", ignore=shutil.ignore_patterns("__pycache__", "*.so")
    )
    write_metadata(site)
    return site


def packages_of(python: Path) -> Path:
    """Return the folder where an interpreter finds its packages."""
    return Path(call(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())


def write_metadata(site: Path) -> None:
    """Let who asks for the version of kumi find it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    folder = site / f"{project['name']}-{project['version']}.dist-info"
    folder.mkdir(exist_ok=True)
    text = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (folder / "METADATA").write_text(text)


def environment(python: str) -> Path:
    """Return an interpreter with the packages that kumi needs, made if it is not there."""
    if python == ARM:
        return arm_environment()
    folder = FOLDER / f"environment-{version_of(python)}"
    own = folder / "bin" / "python"
    if not (folder / "ready").exists():
        call(python, "-m", "venv", "--clear", folder)
        call(own, "-m", "pip", "install", "--quiet", *needed())
        (folder / "ready").touch()
    return own


def arm_environment() -> Path:
    """Return a command that runs Debian's Python for ARM, with what kumi needs, under qemu."""
    own = ARM_FOLDER / "python"
    if not (ARM_FOLDER / "ready").exists():
        shutil.rmtree(ARM_FOLDER, ignore_errors=True)
        fetch_arm_system()
        own.write_text(
            f'#!/bin/sh\nexec qemu-aarch64 -L "{ARM_SYSTEM}" "{ARM_SYSTEM}/usr/bin/python3" "$@"\n'
        )
        own.chmod(0o755)
        # Wheels name the oldest C library that they run with.
        tags = [f"--platform=manylinux_2_{minor}_aarch64" for minor in range(17, 37)]
        call(
            sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", packages_of(own),
            "--only-binary=:all:", f"--python-version={version_of(str(own))}", *tags, *needed(),
        )  # fmt: skip
        (ARM_FOLDER / "ready").touch()
    return own


def fetch_arm_system() -> None:
    """Unpack Python for ARM, and what it depends on, from the packages of Debian."""
    lists, archives = ARM_FOLDER / "apt" / "lists", ARM_FOLDER / "apt" / "archives"
    for folder in (lists, archives):
        (folder / "partial").mkdir(parents=True)
    installed = ARM_FOLDER / "apt" / "status"
    installed.touch()
    settings = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "Dir::State": ARM_FOLDER / "apt",
        "Dir::State::status": installed,
        "Dir::Cache": ARM_FOLDER / "apt",
    }
    apt = ["apt-get", "--quiet", *(f"--option={name}={value}" for name, value in settings.items())]
    call(*apt, "update")
    call(*apt, "install", "--yes", "--no-install-recommends", "--download-only", *ARM_PACKAGES)
    for package in sorted(archives.glob("*.deb")):
        call("dpkg", "--extract", package, ARM_SYSTEM)


def needed() -> list[str]:
    """Return the packages that kumi needs to be built and to run."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return [*project["project"]["dependencies"], *project["build-system"]["requires"]]


def name_of(python: str) -> str:
    """Return the version of an interpreter, or the name of its processor if that is another one."""
    return python if python == ARM else version_of(python)


def version_of(python: str) -> str:
    """Return the version of an interpreter."""
    return call(python, "-c", "import platform; print(platform.python_version())").strip()


def call(*command: str | Path) -> str:
    """Run a command in the checkout and return what it printed; CannotBuild with the last line of what went wrong."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        last = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()][-1:]
        raise CannotBuild(f"`{' '.join(words[:4])}` failed: {' '.join(last)}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
