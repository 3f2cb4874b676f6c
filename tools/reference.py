"""Write docs/reference.md, the list of everything that `kumi` and `kumi.devs` offer, from its docstrings.

python tools/reference.py           write the page
python tools/reference.py --check   fail if the page is not what would be written
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import kumi
from kumi import devs

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference.md"

HEADER = """# Reference

What `kumi` offers to a program and a first experiment, and after it what `kumi.devs` has for models. The guides show
how it belongs together: [world and robots](world.md), [programs and models](kernel.md), [studies](studies.md). This page
is written by `tools/reference.py` from the docstrings.
"""

FACE = {
    "Running and waiting": [
        "run",
        "now",
        "sleep",
        "sleep_until",
        "after",
        "at",
        "every",
        "together",
        "Task",
        "note",
        "chance",
    ],
    "Signals and blocks": ["Signal", "until", "unless"],
    "Things to share": ["Resource", "Store", "Tank"],
    "Robots and their stage": ["Robot", "Team", "Stage", "Outcome", "Message"],
    "The plane": ["Map", "Wall", "Pillar", "Block", "Slow", "Hole"],
    "Shapes": ["Point", "Pose", "Disc", "Polygon", "Ellipse", "Rectangle", "Circle"],
    "Drives": ["Wheel", "Omni", "Car", "Follower"],
    "Files and studies": ["load_scenario", "Experiment", "vary", "show"],
}
DEVS = {
    "Models": ["Atomic", "InPort", "OutPort", "Coupled", "Program", "Model", "atomics", "coupled_models"],
    "Simulations": ["Simulation", "Run", "Statistics", "Event", "Lateness", "TextLog"],
    "What programs hold": ["Chance", "Together", "Stream", "Deadline", "Scope", "UnitRequest", "Every"],
    "Activities": [
        "start_activity",
        "Activity",
        "InThread",
        "InProcess",
        "InAsyncio",
        "Virtual",
        "ActivityOutcome",
    ],
    "Ranks": ["RANKS", "TASK_RANK"],
}


def page() -> str:
    """Give the text of the page."""
    below = set(devs.__all__) - {*kumi.__all__}
    return "\n".join(
        [HEADER, *chapter("kumi", kumi, {*kumi.__all__}, FACE), *chapter("kumi.devs", devs, below, DEVS)]
    )


def chapter(title: str, package: ModuleType, names: set[str], groups: dict[str, list[str]]) -> Iterator[str]:
    """Give the paragraphs on a package: each name in its group, and errors in one of their own."""
    errors = sorted(name for name in names if _is_error(getattr(package, name)))
    listed = {name for names in groups.values() for name in names} | {*errors}
    if missing := names ^ listed:
        raise SystemExit(
            f"tools/reference.py and {title}.__all__ disagree about: {', '.join(sorted(missing))}"
        )
    yield f"\n# `{title}`\n"
    for group, members in {**groups, "Errors": errors}.items():
        yield f"\n## {group}\n"
        for name in members:
            yield entry(name, getattr(package, name))


def entry(name: str, thing: Any) -> str:
    """Describe one name."""
    if isinstance(thing, int):
        return f"### `{name}` = {thing}\n"
    if not isinstance(thing, type):
        doc = text(thing) if callable(thing) else "An atomic or a coupled model."
        return f"### `{name}{signature(thing)}`\n\n{doc}\n"
    lines = [f"### `{name}{signature(thing)}`\n", text(thing), ""]
    if is_record(thing):
        lines += [f"- `{name}: {thing.__annotations__[name]}`" for name in field_names(thing)]
    for member, value in members(thing):
        lines.append(f"- `{member}{signature(value)}`: {' '.join(text(value).split())}")
    return "\n".join(lines).rstrip() + "\n"


def is_record(thing: Any) -> bool:
    """Tell whether a class is known by its fields, and made by kumi."""
    return is_dataclass(thing) or bool(getattr(thing, "__struct_fields__", ()))


def field_names(record: Any) -> list[str]:
    """Give the fields that a record's own class adds."""
    every = [field.name for field in fields(record)] if is_dataclass(record) else [*record.__struct_fields__]
    return [name for name in every if name in record.__annotations__]


INTERNAL = {"begin_task", "begin_activity", "start_main", "fail", "report", "parent"}


def members(kind: type) -> list[tuple[str, Any]]:
    """Give the public members a class adds, with something to say."""
    return [
        (name, value)
        for name, value in vars(kind).items()
        if not name.startswith("_")
        and name not in INTERNAL
        and inspect.getdoc(value)
        and (callable(value) or inspect.isdatadescriptor(value))
        and text(value)
    ]


def signature(thing: Any) -> str:
    """Give how something is called; nothing for a property or an exception."""
    doc = inspect.getdoc(thing) or ""
    if stated := re.search(r"^Type: (\(.*)$", doc, flags=re.MULTILINE):
        return stated[1].replace(" -> None", "") if isinstance(thing, type) else stated[1]
    if bound := getattr(thing, "__nb_signature__", None):
        call = re.sub(r"^def \w+\(self(, )?", "(", bound[0][0])
        return re.sub(r"\\(\d+)", lambda mark: repr(bound[0][2][int(mark[1])]), call)
    if isinstance(thing, type) or inspect.isfunction(thing):
        if _is_error(thing) or is_record(thing) or getattr(thing, "_is_protocol", False):
            return ""
        if thing is kumi.Robot or (
            isinstance(thing, type) and (thing.__flags__ & 1 << 7 or thing.__module__ == "kumi._core")
        ):
            return ""  # made by kumi alone
        return stated_call(inspect.signature(thing))
    return ""


def stated_call(call: inspect.Signature) -> str:
    """Write a signature with its annotations as they stand in the code."""
    without_self = [p for p in call.parameters.values() if p.name != "self"]
    unquoted = [
        p.replace(annotation=_Plain(p.annotation)) if p.annotation is not p.empty else p for p in without_self
    ]
    result = call.return_annotation
    end = "" if result in {call.empty, "None", None} else f" -> {result}"
    return str(call.replace(parameters=unquoted, return_annotation=call.empty)) + end


class _Plain:
    """An annotation that is written without quotes."""

    def __init__(self, annotation: object) -> None:
        self._annotation = annotation

    def __repr__(self) -> str:
        return str(self._annotation)


def text(thing: Any) -> str:
    """Give the words of a docstring, without stated types, as one paragraph or several."""
    doc = thing.__nb_signature__[0][1] if hasattr(thing, "__nb_signature__") else inspect.getdoc(thing)
    if isinstance(thing, property) and hasattr(thing.fget, "__nb_signature__"):
        doc = ""
    words = re.sub(r"^Type: .*$", "", doc or "", flags=re.MULTILINE)
    return re.sub(r"\n{3,}", "\n\n", words).strip()


def _is_error(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, BaseException)


def main() -> None:
    """Write the page, or check it."""
    wanted = page()
    if "--check" not in sys.argv:
        TARGET.write_text(wanted, encoding="utf-8")
    elif not TARGET.exists() or TARGET.read_text(encoding="utf-8") != wanted:
        raise SystemExit("docs/reference.md is not up to date; run: .venv/bin/python tools/reference.py")


if __name__ == "__main__":
    main()
