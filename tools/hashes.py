"""Which runs end otherwise than before? Renews the list of hashes and says what changed.

    make hashes REASON="Contacts of ellipses are found to the last bit."

The reason goes into the list, and word for word into CHANGELOG.md, which a test looks up.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import kumi
from tests.golden.listing import CHANGELOG, Listing, read_listing, write_listing
from tests.golden.runs import goldens


def main() -> int:
    """Run everything, tell what changed, and write the list."""
    parser = argparse.ArgumentParser(description="Renew tests/golden/hashes.toml.")
    parser.add_argument("--reason", default="", help="why the list is renewed, in one sentence")
    reason = parser.parse_args().reason.strip()
    before, hashes = read_listing(), dict[str, str]()
    for name, golden in goldens().items():
        if golden.can_run:
            hashes[name] = golden.run()
        elif name in before.hashes:
            print(f"kept     {name}: {golden.needs} is not installed")
            hashes[name] = before.hashes[name]
        else:
            print(f"Error: {name} is new and needs {golden.needs}, which is not installed.", file=sys.stderr)
            return 1
    changed = changes(before.hashes, hashes)
    print("\n".join(changed) or "All hashes are as they were.")
    if changed and not reason:
        print('Error: say why: make hashes REASON="..."; nothing was written.', file=sys.stderr)
        return 2
    write_listing(Listing(kumi.__version__, reason or before.reason, hashes))
    if reason and reason not in CHANGELOG.read_text():
        print(f"Now write into CHANGELOG.md, word for word: {reason}")
    return 0


def changes(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return a line for each entry that is new, gone or another."""
    lines = [f"gone     {name}" for name in before if name not in after]
    lines += [f"new      {name}: {one}" for name, one in after.items() if name not in before]
    both = [(name, before[name], one) for name, one in after.items() if name in before]
    return lines + [f"changed  {name}: {old} -> {new}" for name, old, new in both if old != new]


if __name__ == "__main__":
    sys.exit(main())
