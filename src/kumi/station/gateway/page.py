"""A page that lists the operations for people; made from the list of operations, with nothing loaded from elsewhere."""

from __future__ import annotations

from html import escape
from typing import get_type_hints

from kumi.station.gateway.description import who
from kumi.station.operation import Operation
from kumi.station.operations import OPERATIONS

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c2430; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .4rem .6rem; vertical-align: top; }
tr + tr { border-top: 1px solid #d5dbe3; } code { font-size: .9em; } td.who { color: #51607a; }
@media (prefers-color-scheme: dark) { body { background: #14181f; color: #e3e8ef; } tr + tr { border-color: #333c4a; }
td.who { color: #9fb0c8; } a { color: #8cb8ff; } }
"""


def page() -> str:
    """Return the page."""
    rows = "".join(_row(operation) for operation in OPERATIONS)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>kumi station</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style>'
        "<h1>kumi station</h1><p>Each operation is a <code>POST</code> of a JSON object to its address, with "
        "<code>Authorization: Bearer</code> and the token that <code>/v1/log_in</code> gives. "
        'The types are in <a href="/openapi.json">openapi.json</a>.</p>'
        f"<table><tr><th>address<th>takes<th>does<th>who may</tr>{rows}</table></html>"
    )


def _row(operation: Operation) -> str:
    fields = ", ".join(name for name in get_type_hints(operation.request) if not name.startswith("_")) or "–"
    return (
        f"<tr><td><code>/v1/{operation.name}</code><td><code>{escape(fields)}</code>"
        f'<td>{escape(operation.summary)}<td class="who">{escape(who(operation))}</tr>'
    )
