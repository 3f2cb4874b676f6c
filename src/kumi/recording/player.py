"""How is a run shown in a notebook, without a server?

The page of the view, its style and the bytes of the run go together into one text of HTML. In a notebook that text is
an inline frame, so it plays in Jupyter, in a notebook that was exported as HTML, and from a file of its own. It loads
nothing from anywhere, and what surrounds it cannot be reached from it.

A run beyond `MOST_BYTES` bytes is refused: a notebook keeps all that it shows.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from html import escape
from pathlib import Path

import msgspec

from kumi.devs import KumiError
from kumi.installation import PAGE, missing_of_page, page_complaint
from kumi.recording.chunks import RunFileError
from kumi.recording.description import StoredRun, described_file

MOST_BYTES = 32 << 20
"""Bytes of a run that a notebook is given."""
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
PAGE_TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title><meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head>
<body><script type="application/json" id="kumi-run">{run}</script><kumi-view></kumi-view>
<script type="module">{script}</script></body></html>
"""


class PlayerError(KumiError):
    """A run that cannot be played by itself."""


@dataclass(frozen=True)
class Player:
    """A run that plays where it stands: as the last line of a notebook's cell, or in a file. `height` is in pixels."""

    run: StoredRun
    height: int = 480

    def __post_init__(self) -> None:
        size = self.run.path.stat().st_size
        if size > MOST_BYTES:
            raise PlayerError(
                f"the run in {self.run.path} takes {size / 2**20:.0f} MB, and a notebook is given {MOST_BYTES >> 20} MB at "
                f"most; `kumi view {self.run.path}` shows it"
            )

    @property
    def html(self) -> str:
        """The whole page, as one text."""
        if missing_of_page():
            raise PlayerError(page_complaint())
        described = described_file(self.run)
        chunks = [self._chunk(number) for number in range(len(self.run.chunks))]
        run = msgspec.json.encode({"run": described, "chunks": chunks}).decode()
        return PAGE_TEMPLATE.format(
            policy=POLICY,
            title=escape(described.title),
            style=(PAGE / "page.css").read_text(encoding="utf-8"),
            run=run.replace("<", "\\u003c"),
            script=(PAGE / "page.js").read_text(encoding="utf-8").replace("</script", "<\\/script"),
        )

    def save(self, path: str | Path) -> Path:
        """Write the page into a file that any browser opens."""
        path = Path(path)
        path.write_text(self.html, encoding="utf-8")
        return path

    def _chunk(self, number: int) -> str | dict[str, str]:
        """Return a chunk as a page reads it, or what is wrong with it."""
        try:
            return b64encode(self.run.stored(self.run.chunks[number])).decode()
        except RunFileError as error:
            return {"error": f"{error}."}

    def _repr_html_(self) -> str:
        return (
            f'<iframe sandbox="allow-scripts" title="A run of kumi" srcdoc="{escape(self.html)}" '
            f'style="width: 100%; height: {self.height}px; border: 1px solid #8884; border-radius: 8px"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<player of {self.run.path.name}, {self.run.start:g} to {self.run.end:g} s: a notebook shows it, save() writes it>"
