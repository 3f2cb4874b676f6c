"""What does the HTTP interface look like, in OpenAPI's words, and on a page for people? Made from the list of operations."""

from __future__ import annotations

from html import escape
from typing import Any, get_type_hints

import msgspec

from kumi.station.operation import Operation, Who
from kumi.station.operations import OPERATIONS
from kumi.station.records import StationRecord
from kumi.version import VERSION


class Refusal(StationRecord, frozen=True, kw_only=True):
    """Why an operation was not carried out: a sentence, and a word for programs."""

    error: str
    reason: str


REFUSALS = {
    "401": "nobody known: the token is missing or not valid",
    "403": "the caller may not",
    "404": "there is no such thing",
    "409": "not as things stand now",
    "413": "too large",
    "422": "the request does not make sense",
    "428": "this password was given by somebody else: log in with a new one of your own",
    "429": "too many attempts",
    "503": "the station cannot do it now",
}
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c2430; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .4rem .6rem; vertical-align: top; }
tr + tr { border-top: 1px solid #d5dbe3; } code { font-size: .9em; } td.who { color: #51607a; }
@media (prefers-color-scheme: dark) { body { background: #14181f; color: #e3e8ef; } tr + tr { border-color: #333c4a; }
td.who { color: #9fb0c8; } a { color: #8cb8ff; } }
"""


def description() -> dict[str, Any]:
    """Return the OpenAPI description."""
    types = [type_ for one in OPERATIONS for type_ in (one.request, one.answer)]
    distinct = list(dict.fromkeys([*types, Refusal]))
    schemas, components = msgspec.json.schema_components(distinct, ref_template="#/components/schemas/{name}")
    by_type = dict(zip(distinct, schemas, strict=True))
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "kumi station",
            "version": VERSION,
            "description": "One environment for robots, users and teams. Metres, radians, seconds since 1970.",
        },
        "paths": {f"/v1/{one.name}": {"post": _path(one, by_type)} for one in OPERATIONS},
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _path(operation: Operation, schemas: dict[object, dict[str, Any]]) -> dict[str, Any]:
    refusal = {"application/json": {"schema": schemas[Refusal]}}
    answers: dict[str, Any] = {
        "200": {
            "description": (operation.answer.__doc__ or "").strip().splitlines()[0],
            "content": {"application/json": {"schema": schemas[operation.answer]}},
        }
    }
    answers |= {status: {"description": said, "content": refusal} for status, said in REFUSALS.items()}
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": f"Who may: {who(operation)}.",
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": schemas[operation.request]}},
        },
        "responses": answers,
    }
    if operation.who is not Who.ANYONE:
        described["security"] = [{"token": []}]
    return described


def who(operation: Operation) -> str:
    """Return who may call an operation, in words."""
    return {
        Who.ANYONE: "anyone",
        Who.ROBOT: "robots",
        Who.MEMBER: "robots and users",
        Who.OBSERVER: "all users",
        Who.COMMANDER: "commanders, team heads and super-users",
        Who.TEAM_HEAD: "team heads and super-users",
        Who.SUPER_USER: "super-users",
        Who.POSITIONING: "the positioning system, and super-users",
    }[operation.who]


def page() -> str:
    """Return a page that lists the operations for people, with nothing loaded from elsewhere."""
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
