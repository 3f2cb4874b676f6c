"""Which files does one give to others, and will they work there?

Makes an sdist of the files that are committed and from it a wheel for each Python that is named, into `dist`. What the
page of a package index would refuse is refused here (twine), and each wheel is named after the oldest systems on which it
can be used (auditwheel). Wheels for more systems are made by cibuildwheel, which reads its settings from `pyproject.toml`.

    python tools/wheels.py                          for the Python that runs this
    python tools/wheels.py python3.12 python3.13    for others
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "dist"


def main(pythons: list[str]) -> None:
    """Make and check all files."""
    with tempfile.TemporaryDirectory(prefix="kumi-wheels-") as folder:
        sdist = make_sdist(clean_clone(Path(folder, "kumi")), OUT)
    wheels = [make_wheel(sdist, OUT, python) for python in pythons or [sys.executable]]
    check_pages(sdist, *wheels)
    print(sdist.relative_to(ROOT))
    for wheel in wheels:
        print(f"{wheel.relative_to(ROOT)}: {platform_of(wheel)}")


def clean_clone(folder: Path) -> Path:
    """Copy the files that are committed, and nothing else, into a folder."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    return folder


def make_sdist(source: Path, out: Path) -> Path:
    """Make an sdist of a folder, and return where it is."""
    run_build("--sdist", "--outdir", str(out), str(source))
    return newest(out, "*.tar.gz")


def make_wheel(sdist: Path, out: Path, python: str) -> Path:
    """Make a wheel from an sdist for a Python, and return where it is."""
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "wheel", "--no-deps"]
    subprocess.run([*pip, "--wheel-dir", str(out), str(sdist)], check=True)
    wheel = newest(out, "*.whl")
    return renamed(wheel, platform_of(wheel))


def renamed(wheel: Path, platform: str) -> Path:
    """Write the systems on which a wheel can be used into it and its name, where it names this one; return where it is."""
    found = re.search(r"-(linux_\w+)\.whl$", wheel.name)
    if found is None:
        return wheel
    with zipfile.ZipFile(wheel) as old:
        files = {info: old.read(info) for info in old.infolist()}
    [tags] = [info for info in files if info.filename.endswith(".dist-info/WHEEL")]
    [record] = [info for info in files if info.filename.endswith(".dist-info/RECORD")]
    files[tags] = files[tags].replace(f"-{found[1]}".encode(), f"-{platform}".encode())
    sealed = urlsafe_b64encode(sha256(files[tags]).digest()).decode().rstrip("=")
    line = f"{tags.filename},sha256={sealed},{len(files[tags])}"
    lines = files[record].decode().splitlines()
    files[record] = "".join(
        f"{line if one.startswith(f'{tags.filename},') else one}\n" for one in lines
    ).encode()
    target = wheel.with_name(wheel.name.replace(found[1], platform))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for info, data in files.items():
            new.writestr(info, data)
    wheel.unlink()
    return target


def run_build(*arguments: str) -> None:
    """Run the standard frontend of builds; where it fails, its words tell why."""
    done = subprocess.run(
        [sys.executable, "-m", "build", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stdout)


def newest(folder: Path, pattern: str) -> Path:
    """Return the file of a kind that was written last."""
    return max(folder.glob(pattern), key=lambda path: path.stat().st_mtime_ns)


def check_pages(*files: Path) -> None:
    """Refuse files whose description or metadata an index would refuse."""
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *map(str, files)], check=True)


def platform_of(wheel: Path) -> str:
    """Return the oldest systems, as a tag, on which a wheel can be used; exit where it can be on none but this."""
    show = [sys.executable, "-m", "auditwheel", "show", str(wheel)]
    said = subprocess.run(show, capture_output=True, text=True, check=True).stdout
    found = re.search(r'platform tag: "(manylinux\w+)"', " ".join(said.split()))
    if found is None:
        sys.exit(f"{wheel.name} can be used on no other system:\n{said}")
    return found[1]


if __name__ == "__main__":
    main(sys.argv[1:])
