"""Which program, and which stack, does a scenario mean?

`random-movement` is a program that ships, `hall.programs:patrol` a name in a module that Python finds, and
`patrol.py:patrol` a name in a file, which is looked for in the present folder and beside the scenario.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from kumi.protocols import Stack
from kumi.scenario.complaints import listed

if TYPE_CHECKING:
    from types import ModuleType

    from kumi.scenario.document import Place

Program = Callable[..., Coroutine[Any, Any, Any]]

SHIPPED = {
    "random-movement": "kumi.programs.random_movement:random_movement",
    "gathering": "kumi.programs.gathering:gathering",
    "circle": "kumi.programs.circle:circle",
    "wall-following": "kumi.programs.wall_following:wall_following",
    "asking-for-help": "kumi.programs.asking_for_help:asking_for_help",
    "flooding": "kumi.programs.flooding:flooding",
    "swarm-leader": "kumi.programs.swarm_leader:swarm_leader",
    "crossing": "kumi.programs.crossing:crossing",
    "avoidance": "kumi.programs.avoidance:avoidance",
    "junction": "kumi.programs.junction:junction",
    "reservations": "kumi.programs.reservations:reservations",
    "formation": "kumi.programs.formation:formation",
    "warehouse": "kumi.programs.warehouse:warehouse",
    "mapping": "kumi.programs.mapping:mapping",
    "flocking": "kumi.programs.flocking:flocking",
    "flocking-team": "kumi.programs.flocking:flocking_team",
    "lattice": "kumi.programs.lattice:lattice",
    "lattice-team": "kumi.programs.lattice:lattice_team",
    "diffusion": "kumi.programs.diffusion:diffusion",
    "diffusion-team": "kumi.programs.diffusion:diffusion_team",
    "aggregation": "kumi.programs.aggregation:aggregation",
    "aggregation-team": "kumi.programs.aggregation:aggregation_team",
    "coverage": "kumi.programs.coverage:coverage",
    "coverage-team": "kumi.programs.coverage:coverage_team",
}

STACKS = {
    "plain": "kumi.protocols.stacks:plain",
    "perfect": "kumi.protocols.stacks:perfect",
    "in-order": "kumi.protocols.stacks:in_order",
    "reliable": "kumi.protocols.stacks:reliable",
    "causal": "kumi.protocols.stacks:causal",
    "total-order": "kumi.protocols.stacks:total_order",
    "flood": "kumi.protocols.stacks:flood",
    "routing": "kumi.protocols.stacks:routing",
    "leader": "kumi.protocols.stacks:leader",
    "reservation": "kumi.protocols.stacks:reservation",
    "reservation-when-free": "kumi.protocols.stacks:reservation_when_free",
    "reservation-in-order": "kumi.protocols.stacks:reservation_in_order",
    "reservation-with-crashes": "kumi.protocols.stacks:reservation_with_crashes",
}

OR_YOUR_OWN = 'or one of your own as "module:name" or "path.py:name"'


def find_program(text: str, place: Place) -> Program:
    """Return the program that a scenario names, or say why there is none."""
    program = find(text, place, SHIPPED, "program", is_program)
    if not is_program(program):
        raise place.error(
            f"{place.title}: {text} is no program; a program is an async def that takes a robot, or a team"
        )
    return cast("Program", program)


def find_stack(text: str, place: Place) -> Callable[[], Stack]:
    """Return the function that makes the stack a scenario names, or say why there is none."""
    maker = find(text, place, STACKS, "stack", callable)
    try:
        made = maker() if callable(maker) else None
    except Exception as error:
        raise place.error(f"{place.title}: {text} fails: {type(error).__name__}: {error}") from error
    if not isinstance(made, Stack):
        raise place.error(f"{place.title}: {text} is no function without arguments that returns a Stack")
    return cast("Callable[[], Stack]", maker)


def find(
    text: str, place: Place, shipped: Mapping[str, str], what: str, fits: Callable[[object], bool]
) -> object:
    """Return what a text names, or say why there is none."""
    where, sign, name = shipped.get(text, text).rpartition(":")
    if not sign:
        near = get_close_matches(text, shipped, n=1)
        known_names = (
            f"{listed(sorted(shipped))}, {OR_YOUR_OWN}" if shipped else OR_YOUR_OWN.removeprefix("or ")
        )
        hint = f"did you mean {near[0]!r}?" if near else f"it takes {known_names}"
        raise place.error(f"{place.title} is {text!r}, and no such {what} ships; {hint}")
    here = Path(where)
    with _beside(place.document.folder), _beside(Path()):
        if where.endswith(".py"):
            module = _file(here if here.is_file() else place.document.folder / where, place)
        else:
            module = _module(where, place)
    found: object = getattr(module, name, None)
    if found is None:
        known = [key for key, value in vars(module).items() if fits(value) and not key.startswith("_")]
        there = f"; there are {listed(sorted(known))}" if known and what != "stack" else ""
        raise place.error(f"{place.title}: {where} has no {name!r}{there}")
    return found


def shipped_programs() -> dict[str, Program]:
    """Return the programs that ship, by name."""
    return {name: _named(place) for name, place in SHIPPED.items()}


def shipped_stacks() -> dict[str, Callable[[], Stack]]:
    """Return the functions that make the stacks that ship, by name."""
    return {name: _named(place) for name, place in STACKS.items()}


def _named(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def is_program(value: object) -> bool:
    """Tell whether something is an `async def` with room for a robot."""
    return inspect.iscoroutinefunction(value) and bool(inspect.signature(value).parameters)


@contextmanager
def _beside(folder: Path) -> Iterator[None]:
    """Let modules that lie in a folder be found, too."""
    added = str(folder.resolve())
    if added in sys.path:
        yield
        return
    sys.path.append(added)
    try:
        yield
    finally:
        sys.path.remove(added)


def _module(name: str, place: Place) -> ModuleType:
    try:
        return import_module(name)
    except Exception as error:
        raise place.error(_failed(name, error, place)) from error


def _file(path: Path, place: Place) -> ModuleType:
    if not path.is_file():
        raise place.error(f"{place.title}: there is no file '{path}'")
    spec = spec_from_file_location(str(path.resolve()), path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[module.__name__] = module  # dataclasses look their module up by its name
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[module.__name__]
        raise place.error(_failed(str(path), error, place)) from error
    return module


def _failed(what: str, error: Exception, place: Place) -> str:
    return f"{place.title}: '{what}' cannot be imported: {type(error).__name__}: {error}"
