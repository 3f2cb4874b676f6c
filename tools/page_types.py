"""Write the types that the page shares with the package: what a station is asked and answers, and what is shown of a run.

They follow from the declared operations and records by msgspec's JSON schema, so the page cannot disagree with them. Of the
operations those are written that the page's sources name.

    python tools/page_types.py           write web/src/types.ts
    python tools/page_types.py --check   say whether the file is what would be written
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec

from kumi.recording.description import Description
from kumi.station.contest.board import Board
from kumi.station.operations import OPERATIONS
from kumi.view.station_crowd import ShownRobot

TARGET = Path(__file__).resolve().parent.parent / "web" / "src" / "types.ts"
SHOWN = (Description, Board, ShownRobot)
"""What the page gets besides answers."""
REF = "#/components/"
PLAIN = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}
HEAD = """// Made by tools/page_types.py from the operations of a station and the records of the package: do not edit.
// Places are in metres, angles in radians, times of a station in seconds since 1970; bytes travel as base64.
"""


def written() -> str:
    """Return the file."""
    sources = "".join(path.read_text() for path in TARGET.parent.rglob("*.ts") if path != TARGET)
    called = [one for one in OPERATIONS if f'"{one.name}"' in sources]
    asked = [one.request for one in called]
    told: list[type[Any]] = [*dict.fromkeys(one.answer for one in called), *SHOWN]
    _, components = msgspec.json.schema_components([*asked, *told], ref_template=f"{REF}{{name}}")
    always = _reached({one.__name__ for one in told}, components)
    parts = [_declared(name, schema, name in always) for name, schema in sorted(components.items())]
    operations = "".join(
        f"  {one.name}: {{ asks: {one.request.__name__}; answers: {one.answer.__name__} }};\n"
        for one in called
    )
    listed = f"// What the page asks of a station, by name.\nexport interface Operations {{\n{operations}}}\n"
    return "\n".join([HEAD, *parts, listed])


def _reached(names: set[str], components: dict[str, Any]) -> set[str]:
    """Return all that is told: these types, and those in their fields. Told values have all fields, also those with defaults."""
    found: set[str] = set()
    while names:
        found |= names
        inner = msgspec.json.encode([components[name] for name in names]).decode().split(f'"{REF}')[1:]
        names = {text.split('"', 1)[0] for text in inner} - found
    return found


def _declared(name: str, schema: dict[str, Any], is_whole: bool) -> str:
    about = " ".join(schema.get("description", "").split("\n\n")[0].split())
    comment = f"// {about}\n" if about else ""
    fields = schema.get("properties", {})
    if not fields:
        return f"{comment}export type {name} = Record<string, never>;\n"
    required = set(fields) if is_whole else set(schema.get("required", ()))
    lines = (f"  {one}{'' if one in required else '?'}: {_type(inner)};\n" for one, inner in fields.items())
    return f"{comment}export interface {name} {{\n{''.join(lines)}}}\n"


def _type(schema: dict[str, Any]) -> str:
    """Return what TypeScript calls the values of a schema."""
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(REF)
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(map(_type, schema["anyOf"])))
    if "enum" in schema:
        return " | ".join(msgspec.json.encode(one).decode() for one in schema["enum"])
    if schema.get("type") == "array":
        if "prefixItems" in schema:
            return f"[{', '.join(map(_type, schema['prefixItems']))}]"
        inner = _type(schema["items"])
        return f"({inner})[]" if " " in inner and not inner.startswith("Record<") else f"{inner}[]"
    if schema.get("type") == "object":
        values = schema.get("additionalProperties", True)
        return f"Record<string, {_type(values) if isinstance(values, dict) else 'unknown'}>"
    return PLAIN.get(schema.get("type", ""), "unknown")


def main() -> int:
    """Write the file, or check it."""
    text = written()
    if "--check" not in sys.argv:
        TARGET.write_text(text)
    elif not TARGET.exists() or TARGET.read_text() != text:
        print(f"{TARGET.name} is not what the records say: run `python tools/page_types.py`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
