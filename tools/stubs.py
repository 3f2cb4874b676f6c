"""Write the type stub of kumi._core from the types stated beside its C++ code.

Functions bound by nanobind carry their signature. Plain types state theirs in the docstring, on lines
that begin with `Type:`; two such lines are two overloads. Special methods have no docstring of their own
and are listed here.

    python tools/stubs.py           write src/kumi/_core.pyi
    python tools/stubs.py --check   fail if that file is not what would be written
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from kumi import _core

TARGET = Path(__file__).resolve().parent.parent / "src" / "kumi" / "_core.pyi"

HEADER = '''\
"""Types of the native core. Written by tools/stubs.py; do not edit."""

from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterable, Iterator, Sequence
from types import GenericAlias, TracebackType
from typing import Any, Final, Generic, Self, TypeVar, final, overload

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

_T = TypeVar("_T")
_U = TypeVar("_U")
'''

SPECIAL = {
    ("Point", "__hash__"): "(self) -> int",
    ("Point", "__eq__"): "(self, value: object, /) -> bool",
    ("Point", "__iter__"): "(self) -> Iterator[float]",
    ("Point", "__len__"): "(self) -> int",
    ("Point", "__getitem__"): "(self, key: int, /) -> float",
    ("Point", "__add__"): "(self, value: Point, /) -> Point",
    ("Point", "__sub__"): "(self, value: Point, /) -> Point",
    ("Point", "__mul__"): "(self, value: float, /) -> Point",
    ("Point", "__rmul__"): "(self, value: float, /) -> Point",
    ("Point", "__truediv__"): "(self, value: float, /) -> Point",
    ("Point", "__neg__"): "(self) -> Point",
    ("Point", "__abs__"): "(self) -> float",
    ("Point", "__bool__"): "(self) -> bool",
    ("Signal", "__bool__"): "(self) -> bool",
    ("InPort", "__iter__"): "(self) -> Iterator[T]",
    ("InPort", "__len__"): "(self) -> int",
    ("InPort", "__getitem__"): "(self, key: int, /) -> T",
    ("Signal", "__aiter__"): "(self) -> Stream[T]",
    ("Signal", "__or__"): "(self, value: Signal[U], /) -> Signal[T | U]",
    ("Signal", "__ror__"): "(self, value: Signal[U], /) -> Signal[T | U]",
    ("Stream", "__len__"): "(self) -> int",
    ("TeamBase", "__len__"): "(self) -> int",
    ("Stream", "__aiter__"): "(self) -> Stream[T]",
    ("Stream", "__anext__"): "(self) -> Awaitable[T]",
    ("Stream", "__await__"): "(self) -> Generator[Any, None, T]",
    ("Stream", "__iter__"): "(self) -> Stream[T]",
    ("Stream", "__next__"): "(self) -> Any",
}
GENERIC = "@classmethod\ndef __class_getitem__(cls, item: Any, /) -> GenericAlias: ..."
BASES = {"Deadline": "Signal[Deadline]"}
# There to refuse, so that a checker refuses first; or the other side of what is stated.
HIDDEN = {("Signal", "__await__"), ("Task", "__del__")} | {
    ("Point", name)
    for name in ("__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__radd__", "__rsub__", "__rtruediv__")
}

PASSED_OVER = {
    "__delattr__",
    "__doc__",
    "__getattribute__",
    "__match_args__",
    "__module__",
    "__new__",
    "__reduce__",
    "__repr__",
    "__setattr__",
    "__slots__",
}


def stub(module: ModuleType) -> str:
    """Give the text of the stub."""
    parts = [HEADER]
    for name, value in vars(module).items():
        if name.startswith("_"):
            continue
        if isinstance(value, type):
            parts.append("\n" + class_stub(name, value))
        elif callable(value):
            parts.append("\n".join(function_stub(name, value)) + "\n")
        else:
            parts.append(f"{name}: Final[{type(value).__name__}]\n")
    return re.sub(r"\b([TU])\b", r"_\1", "\n".join(parts))


def class_stub(name: str, kind: type) -> str:
    """Give the stub of one class."""
    bases = [BASES.get(name) or base.__name__ for base in kind.__bases__ if base is not object]
    if "__class_getitem__" in vars(kind):
        bases.append("Generic[T]")
    lines = [f"class {name}({', '.join(bases)}):" if bases else f"class {name}:"]
    # Whether Python classes may derive from it (the flag Py_TPFLAGS_BASETYPE).
    lines.insert(0, "@disjoint_base" if kind.__flags__ & 1 << 10 else "@final")
    if name == "Point":
        lines += ["    def __new__(cls, x: float, y: float) -> Self: ...", '    __match_args__ = ("x", "y")']
    types = stated_types(kind.__doc__)
    if types:
        lines += [f"    def __init__{with_self(types[0])}: ..."]
    for member, value in vars(kind).items():
        if member in PASSED_OVER or (name, member) in HIDDEN or (member == "__init__" and types):
            continue
        lines += ["    " + line for line in member_stub(name, member, value)]
    return "\n".join(lines if len(lines) > 1 else [*lines, "    ..."]) + "\n"


def member_stub(owner: str, name: str, value: Any) -> list[str]:
    """Give the stub of a method or property."""
    if name == "__class_getitem__":
        return GENERIC.splitlines()
    if (owner, name) in SPECIAL:
        return [f"def {name}{SPECIAL[owner, name]}: ..."]
    if isinstance(value, property):
        getter: Any = value.fget
        result = getter.__nb_signature__[0][0].rpartition(" -> ")[2]
        lines = ["@property", f"def {name}(self) -> {result}: ..."]
        return (
            lines
            if value.fset is None
            else [*lines, f"@{name}.setter", f"def {name}(self, value: {result}) -> None: ..."]
        )
    if type(value).__name__ == "getset_descriptor":
        (result,) = stated_types(value.__doc__)
        lines = ["@property", f"def {name}(self) -> {result}: ..."]
        if (owner, name) in {
            ("Atomic", "parent"),
            ("PlaneBody", "drive"),
            ("RobotBase", "home"),
            ("BlockedBase", "args"),
            *(("PlaceErrors", name) for name in ("pose_of", "cut", "over", "changed", "keeps_history")),
        }:
            lines += [f"@{name}.setter", f"def {name}(self, value: {result}) -> None: ..."]
        return lines
    if isinstance(value, staticmethod) or type(value).__name__ == "nb_func":
        return ["@staticmethod", *function_stub(name, getattr(value, "__func__", value))]
    if type(value).__name__ == "wrapper_descriptor" and name == "__init__":
        return []
    return function_stub(name, value, is_method=True)


def function_stub(name: str, value: Any, *, is_method: bool = False) -> list[str]:
    """Give the stub of a function, one line an overload."""
    if signatures := getattr(value, "__nb_signature__", None):
        found = [filled(text, defaults) for text, _, defaults in signatures]
    else:
        found = [
            f"def {name}{with_self(text) if is_method else text}" for text in stated_types(value.__doc__)
        ]
    if not found:
        raise SystemExit(f"{name}: its docstring states no type")
    lines = [f"{text}: ..." for text in found]
    return lines if len(lines) == 1 else [line for text in lines for line in ("@overload", text)]


def stated_types(doc: str | None) -> list[str]:
    """Give what stands behind `Type:` in a docstring."""
    return re.findall(r"^Type: (.*)$", doc or "", flags=re.MULTILINE)


def with_self(signature: str) -> str:
    """Add `self` to a stated signature."""
    return signature.replace("(", "(self, ", 1).replace("(self, )", "(self)", 1)


def filled(text: str, defaults: tuple[object, ...] | None) -> str:
    """Put default values where nanobind left marks."""
    return re.sub(r"\\(\d+)", lambda mark: repr((defaults or ())[int(mark[1])]), text)


def formatted(text: str) -> str:
    """Bring the stub into the shape the formatter wants."""
    from subprocess import run

    ruff = Path(sys.executable).with_name("ruff")
    command = [str(ruff), "format", "--stdin-filename", str(TARGET), "-"]
    return run(command, input=text, capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Write the stub, or check it."""
    text = formatted(stub(_core))
    if "--check" not in sys.argv:
        TARGET.write_text(text, encoding="utf-8")
    elif not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
        raise SystemExit("src/kumi/_core.pyi does not match the core; run: .venv/bin/python tools/stubs.py")


if __name__ == "__main__":
    main()
