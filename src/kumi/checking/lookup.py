"""Which case does a person mean?

`causal-broadcast` is one that ships, `mine.protocols:CASE` a name in a module that Python finds, the present
folder included, and `mine.py:CASE` a name in a file.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from kumi.checking.case import Case
from kumi.checking.cases import shipped_cases
from kumi.devs import KumiError
from kumi.protocols import Stack


class NoSuchCase(KumiError):
    """A protocol, or a planted bug of it, that there is not."""


def find_case(text: str) -> Case:
    """Return the case of that name, or say which there are."""
    where, sign, name = text.rpartition(":")
    if not sign:
        shipped = shipped_cases()
        if text in shipped:
            return shipped[text]
        near = get_close_matches(text, shipped, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {', '.join(shipped)}"
        raise NoSuchCase(f"there is no protocol {text!r} to check; {hint}")
    found = getattr(load(where, text), name, None)
    if not isinstance(found, Case):
        is_what = "is not there" if found is None else f"is of class {type(found).__name__}"
        raise NoSuchCase(f"{text!r} must be a kumi.checking.Case, but {name!r} {is_what}")
    return found


def load(where: str, text: str) -> ModuleType:
    """Import a module by its name, or from a file."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        if not where.endswith(".py"):
            return import_module(where)
        path = Path(where)
        if not path.is_file():
            raise NoSuchCase(f"there is no file {where!r} for {text!r}")
        spec = spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[path.stem] = module  # dataclasses look their module up
        spec.loader.exec_module(module)
    except NoSuchCase:
        raise
    except Exception as error:  # whatever somebody else's module does when it is imported
        raise NoSuchCase(f"{text!r} cannot be imported: {type(error).__name__}: {error}") from error
    return module


def find_stack(case: Case, mutant: str | None) -> Callable[[], Stack]:
    """Return the stack of a case, or that with a planted bug."""
    if mutant is None:
        return case.stack
    if mutant in case.mutants:
        return case.mutants[mutant]
    there = ", ".join(case.mutants) or "none"
    raise NoSuchCase(f"{case.name} has no mutant {mutant!r}; there are {there}")
