"""What does a results folder say of its study, and does it fit the one that is to go on in it?

`study.json` holds all that its runs have in common: the experiment, every parameter, what varies, the seeds, what the
metrics mean, the versions and the machine. Runs of two versions, or of two designs, are never mixed in one folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from kumi.devs import Atomic
from kumi.study.errors import FolderError, Stopped

RECORD_FILE = "study.json"
FORMAT = 1
PACKAGES = ("kumi", "numpy", "polars", "SALib")
MUST_AGREE = ("name", "experiment", "configuration", "vary", "rows", "sensitivity", "code")


@cache
def code_of_kumi() -> str:
    """Return a hash of kumi's own code: the version of one who works on it."""
    package = Path(__file__).parents[1]
    digest = hashlib.blake2b(digest_size=8)
    core = Path(str(sys.modules[Atomic.__module__].__file__))
    for path in [*sorted(package.rglob("*.py")), core]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def versions() -> dict[str, str]:
    """Return the versions that results may depend on."""
    found = {"python": platform.python_version(), "kumi_code": code_of_kumi()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, Any]:
    """Return on what the runs were made."""
    return {"system": platform.platform(), "processor": platform.machine(), "cores": os.cpu_count()}


def read_record(folder: Path) -> dict[str, Any]:
    """Return what a results folder says of its study."""
    path = folder / RECORD_FILE
    try:
        record = json.loads(path.read_text())
    except FileNotFoundError:
        raise FolderError(f"{folder} is no results folder: it has no {RECORD_FILE}") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise FolderError(f"{path} is damaged: {error}") from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        found = record.get("format") if isinstance(record, dict) else None
        raise FolderError(
            f"{folder} was written in format {found} by another version of kumi; this one reads format {FORMAT}"
        )
    return record


def write_record(folder: Path, record: dict[str, Any]) -> None:
    """Write study.json so that it is always whole."""
    write_whole(folder / RECORD_FILE, (json.dumps(record, indent=1) + "\n").encode())


def write_whole(path: Path, data: bytes) -> None:
    """Write a file beside its place, and put it there when it is on the disk; no room for it raises Stopped."""
    beside = path.with_name(f".{path.name}.new")  # one name, so that kills leave one file at most
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise Stopped(f"{path} cannot be written: {reason}; runs so far are kept") from error
    finally:
        beside.unlink(missing_ok=True)


def check_same(folder: Path, there: dict[str, Any], now: dict[str, Any]) -> None:
    """Refuse to go on in a folder of another version, or of another study."""
    other = "; choose another folder with -o, or start afresh with --fresh"
    for name, what in (("kumi", "kumi"), ("kumi_code", "the code of kumi")):
        old, new = there["versions"].get(name), now["versions"].get(name)
        if old != new:
            raise FolderError(
                f"the results in {folder} are from another version: {what} was {old}, and is {new} now{other}"
            )
    for key in MUST_AGREE:
        if there.get(key) != now[key]:
            old, new = difference(there.get(key), now[key])
            raise FolderError(
                f"the results in {folder} are of another study: {key} was {old}, and is {new} now{other}"
            )
    least = min(len(there["seeds"]), len(now["seeds"]))
    if there["seeds"][:least] != now["seeds"][:least]:
        raise FolderError(
            f"the results in {folder} have other seeds: {there['seeds']}, and now {now['seeds']}; only more may come after them{other}"
        )


def difference(old: Any, new: Any) -> tuple[str, str]:
    """Return the part in which two values differ, as short texts."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*new, *old]:
            if old.get(key) != new.get(key):
                before, after = difference(old.get(key), new.get(key))
                return f"{key} {before}", f"{key} {after}"
    return short(old), short(new)


def short(value: Any) -> str:
    """Return a value as a text that fits into a sentence."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
