"""What does the HTTP interface look like, in OpenAPI's words? Made from the list of operations."""

from __future__ import annotations

from typing import Any

import msgspec

from kumi.station.operation import Operation, Who
from kumi.station.operations import OPERATIONS
from kumi.station.records import Record
from kumi.version import VERSION


class Refusal(Record, frozen=True, kw_only=True):
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
    "429": "too many attempts",
    "503": "the station cannot do it now",
}


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
        Who.OBSERVER: "observers, commanders and super-users",
        Who.COMMANDER: "commanders and super-users",
        Who.SUPER_USER: "super-users",
        Who.POSITIONING: "the positioning system, and super-users",
    }[operation.who]
