"""Which walls stand around uploaded code?

Bubblewrap gives it namespaces of its own: no network, no other processes, and no files but those listed here, which nobody can
write, and an empty folder in memory of limited size. The files are Python's, the parts of kumi that a program is written with, and
the packages that those need. Seccomp takes away the calls that make processes or reach for the kernel. Limits of the system bound
memory, time and open files. Where bubblewrap or libseccomp are missing, code is refused: there is no lesser wall.

Hashes are the same in every run, so that sets of texts are gone through in the same order.
"""

from __future__ import annotations

import errno
import shutil
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import IO

from kumi.installation import DOCTOR, part_command

MEGABYTE = 1024 * 1024
BLOCK = 512
"""Bytes by which a shell counts the size of files."""
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
    folder: int = 16 * MEGABYTE
    words: int = MEGABYTE
    """Bytes of what it prints and notes."""
    traffic: int = 64 * MEGABYTE
    """Bytes of all that it says, what it shows and sends by radio included."""
    calls: int = 100_000
    """Calls of its robot, waits included."""
    turn: float = inf
    """Seconds of the wall clock from one call to the next."""


def command(limits: CodeLimits, filter_fd: int) -> list[str]:
    """Return the command that runs Python within the walls."""
    wrap = shutil.which("bwrap")
    if wrap is None:
        raise NoSandbox(
            f"uploaded code needs bubblewrap, which is not here; `sudo apt-get install bubblewrap` brings it, and {DOCTOR}"
        )
    python = Path(sys.base_prefix)
    home = python if python.is_relative_to("/usr") else Path("/python")
    own = [] if home == python else ["--ro-bind", str(python), str(home)]
    links = [
        part
        for name in ("lib", "lib64", "bin")
        if Path(f"/{name}").is_symlink()
        for part in ("--symlink", f"usr/{name}", f"/{name}")
    ]
    binds = [
        part
        for name in ("lib", "lib64")
        if Path(f"/{name}").is_dir() and not Path(f"/{name}").is_symlink()
        for part in ("--ro-bind", f"/{name}", f"/{name}")
    ]
    return [
        wrap,
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        "--uid",
        "65534",
        "--gid",
        "65534",
        "--hostname",
        "sandbox",
        "--ro-bind",
        "/usr",
        "/usr",
        *links,
        *binds,
        *own,
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--size",
        str(limits.folder),
        "--tmpfs",
        "/own",
        *mounted_packages(),
        "--remount-ro",
        "/dev",
        "--remount-ro",
        "/",
        "--chdir",
        "/own",
        "--clearenv",
        "--setenv",
        "PYTHONDONTWRITEBYTECODE",
        "1",
        "--setenv",
        "PYTHONHASHSEED",
        "0",
        "--setenv",
        "PYTHONPATH",
        PACKAGES,
        "--setenv",
        "OPENBLAS_NUM_THREADS",
        "1",
        "--setenv",
        "LD_LIBRARY_PATH",
        str(home / "lib"),
        "--seccomp",
        str(filter_fd),
        str(home / "bin" / f"python3.{sys.version_info.minor}"),
        "-P",
        "-s",
        "-S",
        "-m",
        "kumi.station.sandbox.inside",
    ]


def mounted_packages() -> list[str]:
    """Return the options that mount kumi's parts, its native core, and the packages that they need, for reading alone."""
    own, core = Path(__file__).parents[2], origin_of("kumi._core")
    mounts = {f"kumi/{part}": own / part for part in SHOWN_PARTS} | {f"kumi/{core.name}": core}
    for name in NEEDED:
        spec = find_spec(name)
        assert spec is not None
        origin = origin_of(name)
        where = origin.parent if spec.submodule_search_locations else origin
        libraries = where.with_name(f"{name}.libs")
        mounts |= {where.name: where} | ({libraries.name: libraries} if libraries.is_dir() else {})
    return [
        part
        for target, source in mounts.items()
        for part in ("--ro-bind", str(source), f"{PACKAGES}/{target}")
    ]


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
        rules.add_rule(seccomp.ERRNO(errno.EPERM), name)
    rules.add_rule(
        seccomp.ERRNO(errno.ENOSYS), "clone3"
    )  # its flags cannot be looked at; Python then uses clone
    no_thread = seccomp.Arg(0, seccomp.MASKED_EQ, CLONE_THREAD, 0)
    rules.add_rule(seccomp.ERRNO(errno.EPERM), "clone", no_thread)
    file = tempfile.TemporaryFile()  # noqa: SIM115 - whoever asked for it closes it
    rules.export_bpf(file)
    file.seek(0)
    return file


def bounded(limits: CodeLimits, words: list[str]) -> list[str]:
    """Return a command that sets the limits of the system, and then becomes another one.

    A shell sets them: whoever runs it has threads, and nothing of Python may run between their fork and the command.
    """
    settings = {
        "v": limits.memory // 1024,
        "t": limits.cpu_seconds,
        "f": limits.folder // BLOCK,
        "n": 64,
        "c": 0,
    }
    bounds = " && ".join(f"ulimit -{kind} {most}" for kind, most in settings.items())
    return ["/bin/sh", "-c", f'{bounds} && exec nice -n 10 "$@"', "sh", *words]
