"""Which studies ship, and what are they about?  Answered without loading what runs them."""

from __future__ import annotations

from pathlib import Path

from kumi.scenario.document import read_document

SHIPPED = Path(__file__).parent / "shipped"


def shipped_studies() -> dict[str, Path]:
    """Return the files of the studies that ship, by name."""
    return {path.stem: path for path in sorted(SHIPPED.glob("*.toml"), key=lambda path: path.stem)}


def title_of(path: Path) -> str:
    """Return what a study file says of itself in one line: its title, or else its first comment."""
    document = read_document(path)
    first = next((line for line in document.text.splitlines() if line.startswith("#")), "")
    return str(document.table.get("title", first.removeprefix("#").strip()))
