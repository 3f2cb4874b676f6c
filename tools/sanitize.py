"""Does the core keep to its own memory? Builds it with sanitizers and runs Python on that build.

    python tools/sanitize.py -m pytest tests/devs
    python tools/sanitize.py --scalar -m pytest tests/world

The build is in `build/asan`, or with the scalar twins of vector code in `build/asan-scalar`. The first use of memory that
is not ours, and the first undefined operation, end the process with a report. Leaks are not looked for here: the
interpreter itself keeps memory until the end, and `tests/safety/test_references.py` counts what the core keeps.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"


def main() -> int:
    """Build what has changed, and run Python with the arguments that are left."""
    arguments = sys.argv[1:]
    is_scalar = arguments[:1] == ["--scalar"]
    folder = build(is_scalar=is_scalar)
    return subprocess.call([BIN / "python", *arguments[is_scalar:]], env=environment(folder), cwd=ROOT)


def build(*, is_scalar: bool) -> Path:
    """Build the core with sanitizers, and return the folder it is in."""
    folder = ROOT / "build" / ("asan-scalar" if is_scalar else "asan")
    options = {
        "CMAKE_BUILD_TYPE": "Sanitize",
        "CMAKE_MAKE_PROGRAM": BIN / "ninja",
        "KUMI_SCALAR": "ON" if is_scalar else "OFF",
        "Python_EXECUTABLE": BIN / "python",
    }
    settings = [f"-D{name}={value}" for name, value in options.items()]
    quiet = subprocess.DEVNULL
    subprocess.run(
        [BIN / "cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *settings], check=True, stdout=quiet
    )
    subprocess.run([BIN / "cmake", "--build", folder], check=True, stdout=quiet)
    return folder


def environment(folder: Path) -> dict[str, str]:
    """Return the environment in which Python loads the sanitized core, and its children do."""
    # The C++ library comes with the sanitizer, which else does not find how exceptions are thrown.
    loaded = [library("libasan.so"), library("libstdc++.so")]
    paths = [str(ROOT / "tools" / "another"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=0",
        "KUMI_CORE": str(folder),
        "LD_PRELOAD": " ".join(loaded),
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": os.pathsep.join(paths),
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def library(name: str) -> str:
    """Return where the compiler has a library of its own."""
    compiler = os.environ.get("CXX", "c++")
    return subprocess.check_output([compiler, f"-print-file-name={name}"], text=True).strip()


if __name__ == "__main__":
    sys.exit(main())
