"""How was kumi installed here, and which command brings what is missing?

The installer notes where a package came from (`direct_url.json`, PEP 610): a checkout whose files are used in place, a
folder, an archive, or nothing for an index. The optional parts of kumi and their packages stand in its metadata. Commands
are for the Python that runs, and name packages that any index has: kumi itself need not be on one.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from importlib.metadata import Distribution

DOCTOR = "`kumi doctor` tells what is here and what is not"
PAGE = Path(__file__).parent / "view" / "page"
"""Where the page was built to."""
PAGE_FILES = ("index.html", "page.css", "page.js", "results.html", "results.js")


class InstalledAs(StrEnum):
    """A way in which kumi came here."""

    CHECKOUT = "checkout"
    """Its files are used in place."""
    FOLDER = "folder"
    """It was built from a folder."""
    ARCHIVE = "archive"
    """It comes from a wheel, an sdist or a repository."""
    INDEX = "index"
    """It comes from an index of packages."""


@dataclass(frozen=True)
class Installation:
    """How kumi came here, and from where: a path, an address, or what an installer calls it."""

    way: InstalledAs
    source: str

    def __str__(self) -> str:
        words = {
            InstalledAs.CHECKOUT: "used in place from",
            InstalledAs.FOLDER: "built from",
            InstalledAs.ARCHIVE: "installed from",
            InstalledAs.INDEX: "installed as",
        }
        return f"{words[self.way]} {self.source}"

    def again(self) -> str:
        """Return the command that installs it once more, with all that belongs to it."""
        place = ["--editable", self.source] if self.way is InstalledAs.CHECKOUT else [self.source]
        return install_command("--force-reinstall", "--no-deps", *place)


@cache
def installation() -> Installation:
    """Return how kumi was installed."""
    kumi = installed("kumi")
    if kumi is None:
        return Installation(InstalledAs.CHECKOUT, str(Path(__file__).parents[2]))
    noted = kumi.read_text("direct_url.json")
    if noted is None:
        return Installation(InstalledAs.INDEX, f"kumi=={kumi.version}")
    return noted_in(json.loads(noted))


def noted_in(origin: dict[str, Any]) -> Installation:
    """Read what an installer noted about where a package came from."""
    url = origin["url"]
    source = unquote(urlsplit(url).path) if url.startswith("file:") else url
    match origin:
        case {"dir_info": {"editable": True}}:
            return Installation(InstalledAs.CHECKOUT, source)
        case {"dir_info": _}:
            return Installation(InstalledAs.FOLDER, source)
        case {"vcs_info": {"vcs": kind, "commit_id": commit}}:
            return Installation(InstalledAs.ARCHIVE, f"{kind}+{url}@{commit}")
    return Installation(InstalledAs.ARCHIVE, source)


def missing_of_page() -> list[str]:
    """Return the files of the page that are not here."""
    return [name for name in PAGE_FILES if not (PAGE / name).is_file()]


def page_complaint() -> str:
    """Return what to say where the page is missing."""
    return f"the page of the view is missing; `{installation().again()}` brings it, and {DOCTOR}"


def parts() -> dict[str, list[str]]:
    """Return the packages of each optional part, as its metadata asks for them; of the part `all`, none."""
    found: dict[str, list[str]] = {}
    for package, marker in requirements():
        named = re.search(r"""extra\s*==\s*['"]([\w-]+)['"]""", marker)
        if named and named[1] != "all":
            found.setdefault(named[1], []).append(package)
    return found


def needed() -> list[str]:
    """Return the packages that kumi cannot do without, as its metadata asks for them."""
    return [package for package, marker in requirements() if "extra" not in marker]


def requirements() -> list[tuple[str, str]]:
    """Return the packages that kumi's metadata asks for, each with when it does."""
    kumi = installed("kumi")
    lines = (kumi.requires if kumi else None) or []
    return [(package.strip(), marker) for package, _, marker in (line.partition(";") for line in lines)]


def installed(requirement: str) -> Distribution | None:
    """Return a package that is here, by its name or by a line such as `polars>=1.20`, or None."""
    from importlib.metadata import PackageNotFoundError, distribution  # Late: it takes long to load.

    try:
        return distribution(re.split(r"[^\w.-]", requirement)[0])
    except PackageNotFoundError:
        return None


def part_command(part: str) -> str:
    """Return the command that installs an optional part."""
    return install_command(*parts().get(part, [f"kumi[{part}]"]))


def install_command(*what: str) -> str:
    """Return the command that installs packages for the Python that runs."""
    python = shown(Path(sys.executable))
    if shutil.which("pip") == str(Path(sys.executable).with_name("pip")):
        pip = ["pip"]
    elif find_spec("pip") is not None:
        pip = [python, "-m", "pip"]
    else:
        pip = ["uv", "pip"]
    where = ["--python", python] if pip[0] == "uv" else []
    return shlex.join([*pip, "install", *where, *what])


def shown(path: Path) -> str:
    """Return a path as it is shortest from here."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
