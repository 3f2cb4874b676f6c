"""How does the kernel bound what a process and its children hold together? In a control group, where one can be had.

A limit of the system counts the addresses of each process for itself. A control group counts the memory that is held, the
kernel's part included, and the threads of all. It can be had by root, and by a service to which systemd delegates its own
(`Delegate=` with `DelegateSubgroup=`). Elsewhere there is none, and the other limits have to do.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import count
from pathlib import Path
from time import monotonic, sleep

MOST_THREADS = 64
EMPTY_TIMEOUT = 2.0
"""Seconds in which killed processes leave their group."""
LOOK_PERIOD = 0.01
"""Seconds between two looks at whether they have left."""
FILES = {"memory": ("memory.max", "memory.limit_in_bytes"), "pids": ("pids.max",)}
"""The file of a limit by its controller: in the second version of control groups, and in the first."""
_numbers = count()


class ControlGroup:
    """Bounds the memory and the threads of the processes that are put into it, as far as this process may."""

    def __init__(self, memory: int) -> None:
        limits = {"memory": memory, "pids": MOST_THREADS}
        name = f"kumi-{os.getpid()}-{next(_numbers)}"
        self._folders: list[Path] = []
        for parent, controllers in own_folders():
            _remove_left(parent)
            folder = parent / name
            with suppress(OSError):
                folder.mkdir()
                if all(_limit(folder, one, limits[one]) for one in controllers):
                    self._folders.append(folder)
                else:
                    folder.rmdir()

    @property
    def bounds_memory(self) -> bool:
        """Whether the kernel counts the memory of the group."""
        return any((folder / name).exists() for folder in self._folders for name in FILES["memory"])

    def add(self, process: int) -> None:
        """Put a process into the group, and all that it starts from now on."""
        for folder in self._folders:
            with suppress(OSError):  # it has ended already, or may not be moved
                (folder / "cgroup.procs").write_text(str(process))

    def close(self) -> None:
        """Remove the group, once its processes are gone."""
        deadline = monotonic() + EMPTY_TIMEOUT
        for folder in self._folders:
            while not _removed(folder) and monotonic() < deadline:
                sleep(LOOK_PERIOD)
        self._folders.clear()


def own_folders() -> list[tuple[Path, tuple[str, ...]]]:
    """Return the folders in which this process may make a group, each with the controllers that bound there."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    except OSError:
        return []
    found: list[tuple[Path, tuple[str, ...]]] = []
    for line in lines:
        _, names, path = line.split(":", 2)
        wanted = tuple(sorted(set(names.split(",")) & FILES.keys()))
        for mount in mounts:
            kind, options = mount[mount.index("-") + 1], mount[-1].split(",")
            if kind == "cgroup" and wanted and set(wanted) <= set(options):
                found.append((Path(mount[4] + path), wanted))
            elif kind == "cgroup2" and not names:
                own = Path(mount[4] + path)
                found += [(one, tuple(FILES)) for one in (own, own.parent) if _can_limit(one)][:1]
    return [(folder, names) for folder, names in found if os.access(folder, os.W_OK)]


def _can_limit(folder: Path) -> bool:
    """Whether the groups in a folder are bounded, after this was asked for."""
    with suppress(OSError):
        (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in FILES))
    try:
        return FILES.keys() <= set((folder / "cgroup.subtree_control").read_text().split())
    except OSError:
        return False


def _limit(folder: Path, controller: str, most: int) -> bool:
    """Set a limit; return whether it is set."""
    for name in FILES[controller]:
        if (folder / name).exists():
            (folder / name).write_text(str(most))
            return True
    return False


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _remove_left(parent: Path) -> None:
    """Remove the empty groups of processes that were killed."""
    for folder in parent.glob("kumi-*-*"):
        if not Path("/proc", folder.name.split("-")[1]).exists():
            _removed(folder)
