"""Which exact versions do we develop with?

Asks pip to resolve the requirements that `pyproject.toml` states loosely, and writes what it chose: what the build needs,
what kumi needs to run, its optional parts with what tests and checks need, and the peers of the benchmarks. Each file leaves out
what is in the one before, so that they can be installed one after the other.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
HEADING = "# Written by `make lock` from pyproject.toml; change that file instead of this one.\n"


def main() -> None:
    """Resolve and write all files."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project, groups = pyproject["project"], pyproject["dependency-groups"]
    run = project["dependencies"]
    parts = {name: lines for name, lines in project["optional-dependencies"].items() if name != "all"}
    test = [*groups["dev"], *chain.from_iterable(parts.values())]
    # All in one first: a version that suits the build alone need not suit the rest.
    everything = resolve([*groups["build"], *run, *test])
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as chosen:
        chosen.write("\n".join(everything))
        chosen.flush()
        build = resolve([*groups["build"], "--constraint", chosen.name])
        running = resolve([*run, "--constraint", chosen.name])
        peers = resolve([*groups["bench"], "--constraint", chosen.name])
    write("build", build)
    write("run", running - build)
    write("dev", everything - running - build)
    write("bench", (peers | resolve(["--no-deps", *groups["alone"]])) - everything)


def resolve(requirements: Sequence[str]) -> set[str]:
    """Return the packages, as `name==version`, that pip would install for the requirements."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
        subprocess.run([*pip, "--report", report.name, *requirements], cwd=ROOT, check=True)
        installs = json.loads(Path(report.name).read_text())["install"]
    return {f"{plain(item['metadata']['name'])}=={item['metadata']['version']}" for item in installs}


def plain(name: str) -> str:
    """Return a package's name in its normal form."""
    return re.sub(r"[-_.]+", "-", name).lower()


def write(name: str, packages: set[str]) -> None:
    """Write one locked package a line, in order."""
    path = ROOT / f"requirements-{name}.txt"
    path.write_text(HEADING + "".join(f"{package}\n" for package in sorted(packages)))
    print(f"{path.name}: {len(packages)} packages")


if __name__ == "__main__":
    main()
