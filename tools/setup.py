"""Can this checkout run? If not yet, what makes it so?

Makes the virtual environment `.venv`, installs the locked packages into it, builds `kumi._core` and
installs kumi so that edits of Python files need no further step. Each finished step leaves a stamp: a hash of all it
depended on. A step runs again only when its stamp no longer fits, so a second run does nothing and says nothing.

What kumi needs to run is all there is at first, with the page of the view. `--test` also installs the optional parts and
what tests and checks need, with a browser; `--bench` also installs the peers of the benchmarks. The core is built while
packages are installed.

Runs with the system's Python and the standard library alone. What the system lacks is installed
with apt-get where that is allowed without a question; elsewhere one sentence says the command.
"""

from __future__ import annotations

import argparse
import fcntl
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tools import page
from tools.page import ROOT, digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VENV = ROOT / ".venv"
VENV_PYTHON = VENV / "bin" / "python"
STAMPS = VENV / "stamps"
BUILD = ROOT / "build"
LOG = BUILD / "setup.log"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
NEWEST_FIRST = ("python3.13", "python3.12", "python3.11", "python3.14")
OLDEST = (3, 11)


class SetupError(Exception):
    """Set-up cannot go on; the message is one sentence for the person at the keyboard."""


def main() -> int:
    """Bring the checkout to where it can run, and return the exit code."""
    parser = argparse.ArgumentParser(description="Make kumi ready to run in this checkout.")
    more = parser.add_mutually_exclusive_group()
    more.add_argument("--test", action="store_true", help="also get ready for tests and checks")
    more.add_argument("--bench", action="store_true", help="also install the peers kumi is measured against")
    asked = parser.parse_args()
    try:
        ensure_python()
        with only_one_at_a_time():
            set_up(is_tested=asked.test or asked.bench, is_measured=asked.bench)
    except SetupError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Error: Set-up was interrupted; run the same command again to go on.", file=sys.stderr)
        return 130
    return 0


def set_up(*, is_tested: bool, is_measured: bool) -> None:
    """Run each step whose stamp no longer fits; packages are installed while the core is built."""
    begun = time.monotonic()
    LOG.write_text("")
    steps = [ensure_environment(), ensure_build_tools(is_tested=is_tested)]
    with ThreadPoolExecutor() as beside:
        build = beside.submit(ensure_built, is_tested=is_tested)
        tools = beside.submit(ensure_packages, "dev") if is_tested else build
        steps.append(ensure_packages("run"))
        if is_tested:
            steps += [ensure_browser(), ensure_sandbox()]
        while wait([build, tools], timeout=10).not_done:
            say("installing packages" if build.done() else f"building kumi._core, {built()} files are done")
        steps += [build.result(), tools.result()]
    if not is_tested and steps[1]:
        drop_cmake()
    if is_measured:
        steps.append(ensure_packages("bench"))
    if any(steps):
        say(f"ready after {time.monotonic() - begun:.0f} s")


def ensure_environment() -> bool:
    """Make `.venv` from the Python that runs this file, unless it already comes from it."""
    wanted = digest(sys.version, sys.base_prefix, str(VENV))
    if has_stamp("environment", wanted) and VENV_PYTHON.exists():
        return False
    ensure_system_packages()
    ensure_compiler()
    say(f"making the virtual environment .venv with Python {sys.version.split()[0]}")
    for stale in (VENV, *BUILD.glob("cp*")):
        shutil.rmtree(stale, ignore_errors=True)
    call([sys.executable, "-m", "venv", str(VENV)], "making the virtual environment")
    put_stamp("environment", wanted)
    return True


def ensure_packages(name: str) -> bool:
    """Install the packages of one lock file, which names all that is needed."""
    lock = f"requirements-{name}.txt"
    wanted = digest((ROOT / lock).read_text())
    if has_stamp(lock, wanted):
        return False
    say(f"installing the packages of {lock}")
    call(pip("install", "--no-deps", "--requirement", lock), f"installing {lock}")
    put_stamp(lock, wanted)
    return True


def ensure_build_tools(*, is_tested: bool) -> bool:
    """Install what the core is built with, unless it is built; tests and checks build it in more ways, and keep that."""
    is_built = has_stamp("kumi", digest(*build_inputs()))
    return (is_tested or not is_built) and ensure_packages("build")


def drop_cmake() -> None:
    """Take CMake away once the core is built: a third of all that was installed, which nothing else uses."""
    (STAMPS / "requirements-build.txt").unlink()
    call(pip("uninstall", "--yes", "cmake"), "taking CMake away")


def ensure_page(*, is_tested: bool) -> bool:
    """Build the page of the view from its TypeScript; tests and checks need more packages for it, and keep Node."""
    if page.is_built() and not is_tested:
        return False
    with node(is_kept=is_tested) as path:
        return any([page.install(path, call, with_checks=is_tested), page.build(path, call)])


@contextmanager
def node(*, is_kept: bool) -> Iterator[str]:
    """Give the path on which Node is found. Where there is none, it is larger than all the rest, and need not be kept."""
    path = page.node_path(VENV / "bin")
    if path is not None:
        yield path
        return
    home = VENV if is_kept else BUILD / "node"
    say(f"installing Node into {home.relative_to(ROOT)}")
    try:
        if not is_kept:
            call([sys.executable, "-m", "venv", str(home)], "making room for Node")
        call(pip("install", page.NODE, home=home), "installing Node")
        yield f"{home / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
    finally:
        if not is_kept:
            shutil.rmtree(home, ignore_errors=True)


def ensure_browser() -> bool:
    """Install Chromium for the tests of the page where that is allowed; without it they say so and are left out."""
    if has_stamp("browser", "tried") or any(map(shutil.which, BROWSERS)):
        return False
    put_stamp("browser", "tried")
    try:
        install_with_apt(["chromium"], "Chromium, with which the page is tested")
    except SetupError as error:
        say(f"{error} The tests of the page are left out.")
        return False
    return True


def ensure_sandbox() -> bool:
    """Install what contains uploaded code where that is allowed; without it such code is refused, and its tests fail."""
    if has_stamp("sandbox", "tried") or shutil.which("bwrap"):
        return False
    put_stamp("sandbox", "tried")
    try:
        install_with_apt(["bubblewrap", "libseccomp2"], "bubblewrap, which contains uploaded code")
    except SetupError as error:
        say(f"{error} Without it uploaded code is refused.")
        return False
    return True


def ensure_built(*, is_tested: bool) -> bool:
    """Build the page, then the core: whoever installs kumi builds a page that is missing, and two at once would clash."""
    return any([ensure_page(is_tested=is_tested), ensure_kumi()])


def ensure_kumi() -> bool:
    """Build the native core and install kumi, so that Python files are read from `src`."""
    wanted = digest(*build_inputs())
    if has_stamp("kumi", wanted):
        return False
    ensure_compiler()
    say("building kumi._core and installing kumi")
    call(pip("install", "--no-build-isolation", "--no-deps", "--editable", "."), "building kumi")
    put_stamp("kumi", wanted)
    return True


def built() -> int:
    """Return how many files the present build has made."""
    return sum(len(log.read_text().splitlines()) - 1 for log in BUILD.glob("cp*/.ninja_log"))


def build_inputs() -> Iterator[str]:
    """Yield all that the built module depends on."""
    import tomllib  # Late: an older Python must get as far as the sentence that says it is too old.

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    tables = [project["build-system"], project["project"], project["tool"]["scikit-build"]]
    yield json.dumps(tables, sort_keys=True)
    yield (ROOT / "requirements-build.txt").read_text()
    yield os.environ.get("CXX", "")
    yield from sorted(
        str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("__init__.py")
    )  # listed once
    sources = [path for folder in ("core", "twins") for path in sorted((ROOT / folder).rglob("*.[ch]*"))]
    for path in (ROOT / "CMakeLists.txt", *sources):
        yield str(path.relative_to(ROOT))
        yield path.read_text()


def ensure_python() -> None:
    """Go on under a Python that is new enough, if need be another one of this machine."""
    if sys.version_info >= OLDEST:
        return
    other = next(filter(is_new_enough, NEWEST_FIRST), None)
    if other is None:
        install_with_apt(["python3.11", "python3.11-venv", "python3.11-dev"], "Python 3.11 or newer")
        other = "python3.11"
    os.execvp(other, [other, "-m", "tools.setup", *sys.argv[1:]])  # noqa: S606


def is_new_enough(python: str) -> bool:
    """Tell whether a command runs a Python that kumi can use; a name on the path may be an empty shim."""
    if shutil.which(python) is None:
        return False
    probe = [python, "-c", f"import sys; sys.exit(sys.version_info < {OLDEST})"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def ensure_system_packages() -> None:
    """Install what Debian packs apart from Python: ensurepip and the header files."""
    series = f"python3.{sys.version_info.minor}"
    missing = {}
    if importlib.util.find_spec("ensurepip") is None:
        missing[f"{series}-venv"] = "ensurepip"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        missing[f"{series}-dev"] = "Python.h"
    if not missing:
        return
    what = " and ".join(missing.values())
    if sys.base_prefix != "/usr":
        raise SetupError(
            f"{sys.executable} comes without {what}: run `make PYTHON=...` with a complete Python."
        )
    install_with_apt(list(missing), what)


def ensure_compiler() -> None:
    """Check that the C++ compiler is there and knows C++20."""
    compiler = shlex.split(os.environ.get("CXX", "g++"))
    if shutil.which(compiler[0]) is None:
        if compiler != ["g++"]:
            raise SetupError(f"The C++ compiler {compiler[0]!r} named by CXX is not on the path.")
        install_with_apt(["g++"], "the C++ compiler g++")
    probe = [*compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", "-"]
    source = "#include <concepts>\n#include <span>\nstatic_assert(std::integral<int>);\n"
    if subprocess.run(probe, input=source, text=True, capture_output=True, check=False).returncode:
        raise SetupError(f"{compiler[0]} does not know C++20: run `make CXX=...` with g++ 11 or newer.")


def install_with_apt(packages: Sequence[str], what: str) -> None:
    """Install Debian packages, or say the command where that is not allowed without a question."""
    sentence = f"This machine lacks {what}: run `sudo apt-get install {' '.join(packages)}`, then try again."
    if shutil.which("apt-get") is None:
        raise SetupError(f"This machine lacks {what}: install what is missing, then try again.")
    prefix = privileges()
    if prefix is None:
        raise SetupError(sentence)
    say(f"installing {' '.join(packages)} with apt-get")
    apt = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    install = [*apt, "install", "--yes", "--no-install-recommends", *packages]
    if run_logged(install)[0] and (run_logged([*apt, "update"])[0] or run_logged(install)[0]):
        raise SetupError(f"{sentence} (apt-get failed here; {LOG.relative_to(ROOT)} has its words.)")
    importlib.invalidate_caches()


def privileges() -> list[str] | None:
    """Return what to put before a command to run it as root without a question, or None."""
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0:
        return [sudo, "-n"]
    return None


def pip(*arguments: str, home: Path = VENV) -> list[str]:
    """Return the command that runs pip inside a virtual environment."""
    return [
        str(home / "bin" / "python"),
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--no-input",
        *arguments,
    ]


def call(command: Sequence[str], what: str) -> None:
    """Run a command in silence; when it fails, show the end of what it said."""
    code, said = run_logged(command)
    if code:
        print("\n".join(said.splitlines()[-30:]), file=sys.stderr)
        raise SetupError(f"{what} failed; {LOG.relative_to(ROOT)} has the whole story.")


def run_logged(command: Sequence[str]) -> tuple[int, str]:
    """Run a command, write all its words to the log, and return its exit code and its words."""
    words = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    done = subprocess.run(command, cwd=ROOT, check=False, **words)  # type: ignore[call-overload]
    with LOG.open("a") as log:  # in one piece: two commands may run at a time
        log.write(f"$ {shlex.join(command)}\n{done.stdout}")
    return done.returncode, done.stdout


@contextmanager
def only_one_at_a_time() -> Iterator[None]:
    """Hold a lock, so that two makes at once do not build into each other."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def has_stamp(step: str, wanted: str) -> bool:
    """Tell whether a step was finished with the same inputs."""
    stamp = STAMPS / step
    return stamp.exists() and stamp.read_text() == wanted


def put_stamp(step: str, wanted: str) -> None:
    """Note that a step was finished with these inputs."""
    STAMPS.mkdir(exist_ok=True)
    (STAMPS / step).write_text(wanted)


def say(progress: str) -> None:
    """Show one line of progress."""
    print(f"set-up: {progress}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
