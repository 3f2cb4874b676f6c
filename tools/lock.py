"""Which exact versions do we develop with?

Asks pip to resolve the requirements that `pyproject.toml` states loosely, and writes what it chose
to `requirements-dev.txt` and `requirements-bench.txt`. The second file builds on the first, so
that the two can be installed together.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
HEADING = "# Written by `make lock` from pyproject.toml; change that file instead of this one.\n"


def main() -> None:
    """Resolve and write both files."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project, groups = pyproject["project"], pyproject["dependency-groups"]
    develop = resolve([*groups["dev"], *project["dependencies"]])
    write(ROOT / "requirements-dev.txt", develop)
    peers = resolve([*project["optional-dependencies"]["bench"], "--constraint", "requirements-dev.txt"])
    alone = resolve(["--no-deps", *groups["alone"]])
    write(ROOT / "requirements-bench.txt", (peers | alone) - develop)


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


def write(path: Path, packages: set[str]) -> None:
    """Write one locked package a line, in order."""
    path.write_text(HEADING + "".join(f"{package}\n" for package in sorted(packages)))
    print(f"{path.name}: {len(packages)} packages")


if __name__ == "__main__":
    main()
