"""Which walls stand around uploaded code?

Bubblewrap gives it namespaces of its own: no network, no other processes, and no files but those listed here, which cannot be
written. They are Python's, the parts of kumi that a program is written with, and the packages that those need. Nothing is
writable, so no memory hides in files. Seccomp takes away the calls that make processes, reach for the kernel, or hold memory
that limits do not count. Limits of the system bound memory, time and open files, and so does a control group where one can be
had (see `cgroup`). Where bubblewrap or libseccomp are missing, code is refused: there is no lesser wall.

A process of root becomes an unprivileged user before bubblewrap starts: to the kernel, root in a namespace still owns what
root owns outside. Files in a folder that only root may enter are mounted at an open place first, in a mount namespace of their own.

Hashes are the same in every run, so that sets of texts are gone through in the same order.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from math import inf
from pathlib import Path
from shlex import quote
from typing import IO

from kumi.installation import DOCTOR, part_command

MEGABYTE = 1024 * 1024
NOBODY = 65534
"""The user and the group that code runs as, within the walls, and outside where the station runs as root."""
STAGED = "/sys"
"""Where files in folders that only root may enter are mounted first: nothing in it is needed, and no other process sees it."""
PACKAGES = "/packages"
"""Where the sandbox has kumi and what it needs."""
SHOWN_PARTS = (
    *("__init__.py", "installation.py", "lazy.py", "maths.py", "teaching.py", "version.py"),
    *(
        "contract",
        "devs",
        "geometry",
        "link",
        "mapping",
        "motion",
        "network",
        "planning",
        "programs",
        "protocols",
    ),
    *("recording", "reserving", "robot", "sensing", "stage", "world"),
    *("station/__init__.py", "station/sandbox"),
)
"""What of kumi can be imported in the sandbox."""
NEEDED = ("msgspec", "numpy", "typing_extensions")
"""The packages that those parts import."""

FORBIDDEN = (
    "fork",
    "vfork",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "mount",
    "umount2",
    "pivot_root",
    "chroot",
    "setns",
    "unshare",
    "keyctl",
    "add_key",
    "request_key",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "io_uring_setup",
    "init_module",
    "finit_module",
    "delete_module",
    "kexec_load",
    "reboot",
    "swapon",
    "socket",
    "socketpair",
    # memory that the limit does not count
    "memfd_create",
    "memfd_secret",
    "shmget",
    "msgget",
    "semget",
    "mq_open",
    "io_setup",
    # other ways to files, mounts and processes
    "fsopen",
    "fsmount",
    "open_tree",
    "move_mount",
    "mount_setattr",
    "name_to_handle_at",
    "open_by_handle_at",
    "pidfd_getfd",
    "process_madvise",
    "kcmp",
    "fanotify_init",
    "quotactl",
    "acct",
    "syslog",
    "settimeofday",
    "clock_settime",
    "adjtimex",
    "clock_adjtime",
    "swapoff",
    "personality",
)
CLONE_THREAD = 0x00010000


class NoSandbox(Exception):
    """Code cannot be run here, since it could not be contained."""


@dataclass(frozen=True)
class CodeLimits:
    """What uploaded code may use; it is ended when it takes more."""

    seconds: float = 600.0
    cpu_seconds: int = 60
    memory: int = 512 * MEGABYTE
    words: int = MEGABYTE
    """Bytes of what it prints and notes."""
    traffic: int = 64 * MEGABYTE
    """Bytes of all that it says, what it shows and sends by radio included."""
    calls: int = 100_000
    """Calls of its robot, waits included."""
    turn: float = inf
    """Seconds from one call to the next, in which it computes or sleeps; waiting for the processor does not count."""


@dataclass(frozen=True)
class Mount:
    """A file or folder of the host, and where the code sees it."""

    source: Path
    target: str


def command(limits: CodeLimits, filter_fd: int) -> list[str]:
    """Return the command that runs Python within the walls, once a line has come to its input."""
    python = Path(sys.base_prefix)
    home = python if python.is_relative_to("/usr") else Path("/python")
    mounts = [*([] if home == python else [Mount(python, str(home))]), *mounted_packages()]
    if os.geteuid() != 0:
        return bounded(limits, walls(filter_fd, home, mounts))
    hidden = sorted({folder for mount in mounts if (folder := hidden_folder(mount.source))})
    staged = {folder: Path(STAGED, str(number)) for number, folder in enumerate(hidden)}
    mounts = [Mount(moved(mount.source, staged), mount.target) for mount in mounts]
    steps = [
        "read go",
        f"mount -t tmpfs -o mode=755,size=1m kumi {STAGED}",
        *(f"mkdir {place} && mount --bind {quote(str(one))} {place}" for one, place in staged.items()),
        'exec "$@"',
    ]
    return [
        *(tool("unshare"), "--mount", "--propagation", "private"),
        *("/bin/sh", "-c", " && ".join(steps), "sh"),
        *unprivileged(),
        *bounded(limits, walls(filter_fd, home, mounts), begins=""),
    ]


def unprivileged() -> list[str]:
    """Return the words before a command that root has run by an unprivileged user; none for other users."""
    if os.geteuid() != 0:
        return []
    return [tool("setpriv"), f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


def tool(name: str) -> str:
    """Return where a program of the system is."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/bin:/bin:/usr/sbin:/sbin")
    if found is None:
        raise NoSandbox(
            f"uploaded code needs {name} of util-linux where the station runs as root, and it is not here; run it as another user"
        )
    return found


def hidden_folder(path: Path) -> Path | None:
    """Return the folder around a file that only its owner may enter, down to the file; None where all may read it."""
    is_open = all(parent.stat().st_mode & 0o001 for parent in path.parents)
    if not path.stat().st_mode & 0o004:
        raise NoSandbox(
            f"uploaded code runs as another user than root, who may not read {path}; `chmod -R o+rX {path}` lets it"
        )
    return None if is_open else path if path.is_dir() else path.parent


def moved(path: Path, staged: dict[Path, Path]) -> Path:
    """Return where a file is once the hidden folders are mounted elsewhere."""
    for folder, place in staged.items():
        if path.is_relative_to(folder):
            return place / path.relative_to(folder)
    return path


def walls(filter_fd: int, home: Path, mounts: list[Mount]) -> list[str]:
    """Return the command of bubblewrap, with Python in `home`."""
    wrap = shutil.which("bwrap")
    if wrap is None:
        raise NoSandbox(
            f"uploaded code needs bubblewrap, which is not here; `sudo apt-get install bubblewrap` brings it, and {DOCTOR}"
        )
    links = [
        part
        for name in ("lib", "lib64", "bin")
        if Path(f"/{name}").is_symlink()
        for part in ("--symlink", f"usr/{name}", f"/{name}")
    ]
    system = [
        Mount(Path(f"/{name}"), f"/{name}")
        for name in ("usr", "lib", "lib64")
        if Path(f"/{name}").is_dir() and not Path(f"/{name}").is_symlink()
    ]
    binds = [part for one in (*system, *mounts) for part in ("--ro-bind", str(one.source), one.target)]
    variables = {
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": PACKAGES,
        "OPENBLAS_NUM_THREADS": "1",
        "LD_LIBRARY_PATH": str(home / "lib"),
    }
    return [
        *(wrap, "--unshare-all", "--die-with-parent", "--new-session"),
        *("--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "sandbox"),
        *links,
        *binds,
        *("--proc", "/proc", "--dev", "/dev"),
        *("--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"),
        *("--clearenv", *(part for name, value in variables.items() for part in ("--setenv", name, value))),
        *("--seccomp", str(filter_fd)),
        str(home / "bin" / f"python3.{sys.version_info.minor}"),
        *("-P", "-s", "-S", "-m", "kumi.station.sandbox.inside"),
    ]


def mounted_packages() -> list[Mount]:
    """Return kumi's parts, its native core, and the packages that they need."""
    own, core = Path(__file__).parents[2], origin_of("kumi._core")
    mounts = {f"kumi/{part}": own / part for part in SHOWN_PARTS} | {f"kumi/{core.name}": core}
    for name in NEEDED:
        spec = find_spec(name)
        assert spec is not None
        origin = origin_of(name)
        where = origin.parent if spec.submodule_search_locations else origin
        libraries = where.with_name(f"{name}.libs")
        mounts |= {where.name: where} | ({libraries.name: libraries} if libraries.is_dir() else {})
    return [Mount(source, f"{PACKAGES}/{target}") for target, source in mounts.items()]


def origin_of(module: str) -> Path:
    """Return the file of a module, without importing it."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin)


def filter_file() -> IO[bytes]:
    """Return a file with the filter of system calls."""
    try:
        import pyseccomp as seccomp  # type: ignore[import-untyped]  # it has no types
    except ModuleNotFoundError as error:
        raise NoSandbox(
            f"uploaded code needs pyseccomp, which is not here; `{part_command('station')}` brings it, and {DOCTOR}"
        ) from error
    except (ImportError, OSError, RuntimeError) as error:
        raise NoSandbox(
            f"uploaded code needs libseccomp ({error}); `sudo apt-get install libseccomp2` brings it, and {DOCTOR}"
        ) from error
    rules = seccomp.SyscallFilter(defaction=seccomp.ALLOW)
    for name in FORBIDDEN:
        try:
            rules.add_rule(seccomp.ERRNO(errno.EPERM), name)
        except OSError:
            continue  # unknown to this libseccomp, so to its kernels, or to this processor
    rules.add_rule(
        seccomp.ERRNO(errno.ENOSYS), "clone3"
    )  # its flags cannot be looked at; Python then uses clone
    no_thread = seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_THREAD, 0)
    rules.add_rule(seccomp.ERRNO(errno.EPERM), "clone", no_thread)
    file = tempfile.TemporaryFile()  # noqa: SIM115 - whoever asked for it closes it
    rules.export_bpf(file)
    file.seek(0)
    return file


def bounded(limits: CodeLimits, words: list[str], begins: str = "read go && ") -> list[str]:
    """Return a command that waits for a line, sets the limits of the system, and then becomes another one.

    A shell sets them: the caller has threads, and nothing of Python may run between their fork and the command.
    """
    settings = {"v": limits.memory // 1024, "t": limits.cpu_seconds, "f": 0, "n": 64, "c": 0}
    bounds = " && ".join(f"ulimit -{kind} {most}" for kind, most in settings.items())
    return ["/bin/sh", "-c", f'{begins}{bounds} && exec nice -n 10 "$@"', "sh", *words]
