"""Write docs/reference.md, the list of everything `kumi.devs` offers, from its docstrings.

python tools/reference.py           write the page
python tools/reference.py --check   fail if the page is not what would be written
"""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import kumi
from kumi import devs

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference.md"

HEADER = """# Reference of the kernel

Everything that `kumi.devs` offers; names marked with * are also in `kumi`. The [guide](kernel.md) shows
how they belong together. This page is written by `tools/reference.py` from the docstrings.
"""

GROUPS = {
    "Running": ["run", "Run", "Statistics", "Simulation", "Event", "Lateness"],
    "Programs": ["sleep", "sleep_until", "now", "chance", "Chance", "note", "Task", "together", "Together"],
    "Signals and blocks": ["Signal", "Stream", "after", "at", "Deadline", "until", "unless", "Scope"],
    "Resources and ticks": ["Resource", "UnitRequest", "Store", "Tank", "every", "Every"],
    "Models": ["Atomic", "InPort", "OutPort", "Coupled", "Program", "Model", "atomics", "coupled_models"],
    "Activities": ["start_activity", "Activity", "InThread", "InProcess", "InAsyncio", "Virtual", "Outcome"],
    "Traces": ["TextLog"],
    "Numbers": ["RANKS", "TASK_RANK"],
}


def page() -> str:
    """Give the text of the page."""
    errors = [name for name in devs.__all__ if _is_error(getattr(devs, name))]
    listed = {name for names in GROUPS.values() for name in names} | set(errors)
    if missing := set(devs.__all__) ^ listed:
        raise SystemExit(
            f"tools/reference.py and kumi.devs.__all__ disagree about: {', '.join(sorted(missing))}"
        )
    parts = [HEADER]
    for group, names in {**GROUPS, "Errors": errors}.items():
        parts.append(f"\n## {group}\n")
        parts += [entry(name, getattr(devs, name)) for name in names]
    return "\n".join(parts)


def entry(name: str, thing: Any) -> str:
    """Describe one name."""
    star = " *" if name in kumi.__all__ else ""
    if isinstance(thing, int):
        return f"### `{name}` = {thing}{star}\n"
    if not isinstance(thing, type):
        doc = text(thing) if callable(thing) else "An atomic or a coupled model."
        return f"### `{name}{signature(thing)}`{star}\n\n{doc}\n"
    lines = [f"### `{name}{signature(thing)}`{star}\n", text(thing), ""]
    if is_dataclass(thing):
        lines += [f"- `{field.name}: {field.type}`" for field in fields(thing)]
    for member, value in members(thing):
        lines.append(f"- `{member}{signature(value)}`: {' '.join(text(value).split())}")
    return "\n".join(lines).rstrip() + "\n"


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
        if _is_error(thing) or is_dataclass(thing) or getattr(thing, "_is_protocol", False):
            return ""
        if isinstance(thing, type) and (thing.__flags__ & 1 << 7 or thing.__module__ == "kumi._core"):
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
