"""Which part of a model runs where, and what can go wrong with it?

A part is a name with the paths of components, as `shop.north` or, for short, without the name of the root:
`north`. What is below a component goes with it, unless a longer path says otherwise. Every atomic model has
one part. What shares state, such as the bodies of one world, stays together in one part.

A lookahead says of a model that sends to another part: what it does on input leaves it no earlier than so many
seconds later. The other parts can then run ahead by that much. Without one, parts take turns.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from kumi.devs import Atomic, Coupled, KumiError, Model, atomics, coupled_models


@dataclass(frozen=True)
class ModelPartition:
    """The parts of a model, by name, each with the paths of its components."""

    parts: Mapping[str, tuple[str, ...]]
    lookahead: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Mapping[str, Iterable[str]], lookahead: Mapping[str, float] | None = None) -> Self:
        """Make a partition from lists of paths, and check what can be checked without a model."""
        if not parts:
            raise DistributedError("a partition names at least one part with the paths of its components")
        made: dict[str, tuple[str, ...]] = {}
        for name, paths in parts.items():
            if not name:
                raise DistributedError("a part has a name that is not empty")
            if isinstance(paths, str):
                raise DistributedError(f"part '{name}' is given by a list of paths, not by {paths!r}")
            made[name] = tuple(paths)
        for path, seconds in (lookahead or {}).items():
            if type(seconds) not in {int, float} or not seconds >= 0.0:
                raise DistributedError(
                    f"the lookahead of '{path}' is a number of seconds >= 0, not {seconds!r}"
                )
        return cls(made, {path: float(seconds) for path, seconds in (lookahead or {}).items()})

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read a TOML file: a table [parts] of lists, and, if wanted, a table [lookahead] of seconds."""
        try:
            tables: dict[str, Any] = tomllib.loads(file.read_text())
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise DistributedError(f"{file} is no TOML file: {error}") from error
        unknown = set(tables) - {"parts", "lookahead"}
        if unknown or not isinstance(tables.get("parts"), dict):
            raise DistributedError(
                f"{file} holds a table [parts] and perhaps a table [lookahead], "
                f"but it holds: {', '.join(tables) or 'nothing'}"
            )
        return cls.of(tables["parts"], tables.get("lookahead"))

    def places(self, model: Model) -> dict[int, str]:
        """Give the part of each atomic model, by its id; raises where there is none, or more than one."""
        known = {at.path for at in coupled_models(model)} | {at.path for at in atomics(model)}
        owners: dict[str, str] = {}
        for name, paths in self.parts.items():
            for given in paths:
                path = _full(model, given, known, f"part '{name}'")
                if path in owners:
                    raise DistributedError(f"'{path}' is given to part '{owners[path]}' and to part '{name}'")
                owners[path] = name
        found: dict[int, str] = {}
        for atomic in atomics(model):
            part = next((owners[path] for path in _upwards(atomic.path) if path in owners), None)
            if part is None:
                raise DistributedError(f"'{atomic.path}' is in no part; there are: {', '.join(self.parts)}")
            found[id(atomic)] = part
        empty = [name for name in self.parts if name not in found.values()]
        if empty:
            raise DistributedError(f"part '{empty[0]}' holds no model")
        return found

    def component(self, model: Model, given: str) -> Model:
        """Give the model of a path, which may leave out the name of the root."""
        every: list[Model] = [*coupled_models(model), *atomics(model)]
        for at in every:
            if at.path in (given, f"{model.path}.{given}"):
                return at
        raise DistributedError(f"'{given}' is no model of '{model.path}'")

    def lookaheads(self, model: Model) -> dict[int, float]:
        """Give the lookahead of each atomic model, by its id; 0 where none is stated."""
        known = {at.path for at in coupled_models(model)} | {at.path for at in atomics(model)}
        stated = {
            _full(model, given, known, "a lookahead"): seconds for given, seconds in self.lookahead.items()
        }
        return {
            id(atomic): next((stated[path] for path in _upwards(atomic.path) if path in stated), 0.0)
            for atomic in atomics(model)
        }


def _full(model: Model, given: str, known: set[str], what: str) -> str:
    for path in (given, f"{model.path}.{given}"):
        if path in known:
            return path
    names = ", ".join(at.name for at in model.components) if isinstance(model, Coupled) else model.name
    raise DistributedError(f"{what} names '{given}', which is no model of '{model.path}'; it has: {names}")


def _upwards(path: str) -> Iterable[str]:
    """Give a path and those of all models around it, the nearest first."""
    while path:
        yield path
        path = path.rpartition(".")[0]


def crossing(model: Model, places: Mapping[int, str]) -> dict[int, list[Atomic]]:
    """Give, by the id of each atomic model that sends to other parts, the models there that it reaches."""
    found: dict[int, list[Atomic]] = {}
    for atomic in atomics(model):
        for port in atomic.outputs:
            for target in reached(port):
                if places[id(target.owner)] != places[id(atomic)]:
                    found.setdefault(id(atomic), []).append(target.owner)
    return found


def reached(port: Any) -> list[Any]:
    """Give the inputs of atomic models a port leads to, in the order of couplings."""
    found, stack = [], [port]
    while stack:
        at = stack.pop()
        if at is not port and isinstance(at.owner, Atomic):
            found.append(at)
        else:
            stack.extend(reversed(at.targets))
    return found


class DistributedError(KumiError):
    """A run over several processes cannot begin, or cannot go on."""


class PartLost(DistributedError):
    """A part is gone: its process ended, or its machine does not answer."""


class PartFailed(DistributedError):
    """A model of a part raised an error; the sentence names the part, and what it raised."""
