"""How does the list of hashes stand in its file?

One line an entry: what was run, and its hash. Above it the version of kumi that made the list, and the reason for which it
was last renewed; the same sentence stands in CHANGELOG.md.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from tests.golden.runs import LEFT_OUT, NEEDS

FILE = Path(__file__).with_name("hashes.toml")
CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"
HEAD = """# The hash of every run that must come out the same: on every machine, and after every change that is none.
# tests/golden/runs.py says how each is run. Who changes what happens renews the list with
#   make hashes REASON="..."
# and the reason stands in CHANGELOG.md, word for word.
"""


@dataclass(frozen=True)
class Listing:
    """What the file says."""

    version: str = ""
    reason: str = ""
    hashes: dict[str, str] = field(default_factory=dict)


def read_listing(file: Path = FILE) -> Listing:
    """Read the file; an empty list if there is none."""
    if not file.exists():
        return Listing()
    table = tomllib.loads(file.read_text())
    return Listing(table["version"], table["reason"], table["hashes"])


def write_listing(listing: Listing, file: Path = FILE) -> None:
    """Write the file, the same for the same list."""
    lines = [HEAD, f"version = {quoted(listing.version)}", f"reason = {quoted(listing.reason)}", ""]
    lines += ["# What ships and is left out, and why.", "[left_out]"]
    lines += [f"{quoted(name)} = {quoted(why)}" for name, why in LEFT_OUT.items()]
    lines += ["", "# What is run only where a package or a program is there.", "[needs]"]
    lines += [f"{quoted(name)} = {quoted(what)}" for name, what in NEEDS.items()]
    lines += ["", "[hashes]"]
    lines += [f"{quoted(name)} = {quoted(one)}" for name, one in listing.hashes.items()]
    file.write_text("\n".join(lines) + "\n")


def quoted(text: str) -> str:
    """Return a text as TOML has it."""
    return json.dumps(text, ensure_ascii=False)
