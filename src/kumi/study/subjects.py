"""Which parameters has an experiment, how does one get it with others, and what does a study run?

An experiment of yours, or a scenario. Both are subjects: they know their parameters, refuse values that make no
sense, and run once for given values and a seed. A subject travels to other processes and machines: as the text that
names its class, so that it is found there as it was here.

The fields of its dataclass are its parameters; those of a dataclass inside it have dots in their names, as in
`rules.learning`. A value is checked against the annotation of its field, so that a text where a number belongs is
refused before the first run.
"""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, get_type_hints

import msgspec

from kumi.scenario.complaints import listed, shown
from kumi.scenario.document import Document, Place
from kumi.scenario.lookup import find
from kumi.study.errors import StudyError
from kumi.study.experiment import Experiment
from kumi.study.run import Ran, Told

if TYPE_CHECKING:
    from kumi.study.results import Results


class Subject(Protocol):
    """What can be run for some values of its parameters and a seed."""

    @property
    def reference(self) -> str:
        """How study.json names it."""

    @property
    def folder(self) -> str:
        """The folder from which the paths in it start."""

    @property
    def configuration(self) -> dict[str, Any]:
        """All that its runs have in common."""

    @property
    def code(self) -> str:
        """A hash of its own source."""

    def check(self, parameters: Mapping[str, Any], *, staged: bool = False) -> None:
        """Refuse values that make no sense; `staged` looks as far as the stage, which takes longer."""

    def run(self, parameters: Mapping[str, Any], seed: int) -> Ran:
        """Run once."""

    def record(self, parameters: Mapping[str, Any], seed: int, path: Path, told: Told | None = None) -> Ran:
        """Run once, and write a run file."""

    def pictures(self, results: Results, folder: Path) -> Sequence[Path]:
        """Draw what came out, where there is something to draw."""


@dataclass(frozen=True)
class ExperimentSubject:
    """An experiment with the values that all runs have in common."""

    experiment: Experiment
    reference: str
    folder: str = "."
    base: Mapping[str, Any] | None = None
    """Where the class is to be found by its reference in another process: the values that differ from its own."""

    @property
    def configuration(self) -> dict[str, Any]:
        """All parameters with their values."""
        return parameters_of(self.experiment)

    @property
    def code(self) -> str:
        """A hash of the file in which the class is written."""
        return source_hash(type(self.experiment))

    def check(self, parameters: Mapping[str, Any], *, staged: bool = False) -> None:
        """Refuse an unknown parameter, a value of the wrong kind, and what the experiment itself refuses."""
        with_parameters(self.experiment, parameters, "vary: ")

    def run(self, parameters: Mapping[str, Any], seed: int) -> Ran:
        """Run once."""
        ran = with_parameters(self.experiment, parameters).run(seed)
        if not isinstance(ran, Ran):
            raise StudyError(f"run of {type(self.experiment).__name__} returns a Ran, not {ran!r}")
        return ran

    def record(self, parameters: Mapping[str, Any], seed: int, path: Path, told: Told | None = None) -> Ran:
        """Run once, and write a run file."""
        return with_parameters(self.experiment, parameters).record(seed, path, told)

    def pictures(self, results: Results, folder: Path) -> Sequence[Path]:
        """Draw what came out."""
        return self.experiment.pictures(results, folder)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.base is None:
            return ExperimentSubject, (self.experiment, self.reference, self.folder, None)
        return found_once, (self.reference, self.folder, json.dumps(dict(self.base)))


def subject_of(experiment: Experiment) -> ExperimentSubject:
    """Return an experiment that exists already as a subject."""
    if not isinstance(experiment, Experiment):
        raise StudyError(f"a study varies an Experiment, not {experiment!r}")
    kind = type(experiment)
    module = inspect.getmodule(kind)
    file = getattr(module, "__file__", None)
    home = Path(file).name if kind.__module__ == "__main__" and file else kind.__module__
    folder = str(Path(file).parent) if file else "."
    return ExperimentSubject(experiment, f"{home}:{kind.__qualname__}", folder)


def find_experiment(reference: str, place: Place, base: Mapping[str, Any]) -> ExperimentSubject:
    """Return the experiment that a text names, "module:Class" or "path.py:Class", with other values for some fields."""
    kind = find(reference, place, {}, "experiment", is_experiment)
    if not is_experiment(kind):
        raise place.error(f"{place.title}: {reference} is no experiment; it takes a subclass of Experiment")
    assert isinstance(kind, type)
    needed = [field.name for field in fields(kind) if field.init and has_no_default(field)]
    for name in needed:
        if name not in base:
            raise place.error(
                f"{place.title}: {name!r} of {kind.__name__} has no default; give it a value in [set]"
            )
    try:
        experiment = kind(**{name: base[name] for name in needed})
    except (TypeError, ValueError) as error:
        raise place.error(f"{place.title}: {reference} refuses its own values: {error}") from error
    usual = {name: value for name, value in parameters_of(experiment).items() if name not in needed}
    changed = {name: value for name, value in base.items() if name not in usual or usual[name] != value}
    made = with_parameters(experiment, changed, "set: ")
    return ExperimentSubject(made, reference, str(place.document.folder.resolve()), dict(base))


def found_again(reference: str, folder: str, base: Mapping[str, Any]) -> ExperimentSubject:
    """Return an experiment in another process, or in a later session."""
    document = Document("study.json", Path(folder), "", {})
    return find_experiment(reference, document.place("experiment"), base)


@cache
def found_once(reference: str, folder: str, base: str) -> ExperimentSubject:
    """Return an experiment in another process; it is looked for once, however many runs that does."""
    return found_again(reference, folder, json.loads(base))


def has_no_default(field: Field[Any]) -> bool:
    """Tell whether a parameter must be given."""
    return field.default is MISSING and field.default_factory is MISSING


def is_experiment(thing: object) -> bool:
    """Tell whether something is a class of experiments."""
    return isinstance(thing, type) and issubclass(thing, Experiment) and thing is not Experiment


def source_hash(kind: type) -> str:
    """Return a hash of the file in which a class is written; of one that was typed in, of nothing."""
    try:
        text = Path(inspect.getfile(kind)).read_bytes()
    except (OSError, TypeError):
        text = b""
    return hashlib.blake2b(text, digest_size=8).hexdigest()


E = TypeVar("E")


def parameters_of(thing: Any, above: str = "") -> dict[str, Any]:
    """Return all parameters with their values, as plain numbers, texts and lists."""
    found: dict[str, Any] = {}
    for field in fields(thing):
        if field.init:
            name, value = f"{above}{field.name}", getattr(thing, field.name)
            is_table = is_dataclass(value) and not isinstance(value, type)
            found.update(parameters_of(value, f"{name}.") if is_table else {name: as_plain(value)})
    return found


def as_plain(value: Any) -> Any:
    """Return a value as numbers, texts and lists; what has no such form, as its text."""
    try:
        return msgspec.to_builtins(value)
    except TypeError:
        return repr(value)


def with_parameters(thing: E, values: Mapping[str, Any], said: str = "") -> E:
    """Return a copy with other values for some parameters, all changed at once; `said` tells who asked."""
    changed: E = _changed(thing, values, said, "")
    return changed


def _changed(thing: Any, values: Mapping[str, Any], said: str, above: str) -> Any:
    inside: dict[str, dict[str, Any]] = {}
    changes: dict[str, Any] = {}
    known = {field.name for field in fields(thing) if field.init}
    hints = hints_of(type(thing))
    for path, value in values.items():
        name, dot, rest = path.partition(".")
        if name not in known:
            raise StudyError(
                f"{said}{unknown(above + path, parameters_of(thing, above), type(thing).__name__)}"
            )
        if not dot:
            changes[name] = _fitting(value, hints.get(name, Any), f"{said}{above}{name}")
        elif is_dataclass(getattr(thing, name)):
            inside.setdefault(name, {})[rest] = value
        else:
            raise StudyError(f"{said}{above}{name} has no parameters of its own, such as {rest!r}")
    for name, deeper in inside.items():
        changes[name] = _changed(changes.get(name, getattr(thing, name)), deeper, said, f"{above}{name}.")
    try:
        return replace(thing, **changes)
    except (ValueError, TypeError) as error:
        given = ", ".join(f"{above}{path} = {shown(value)}" for path, value in values.items())
        raise StudyError(f"{said}{given}: {error}") from error


def hints_of(kind: type) -> dict[str, Any]:
    """Return the annotations of a dataclass as types; those that cannot be resolved allow anything."""
    try:
        return get_type_hints(kind)
    except NameError:
        return {}


def _fitting(value: Any, hint: Any, said: str) -> Any:
    """Return the value as its annotation wants it, or say what that is."""
    try:
        return msgspec.convert(value, hint, strict=True)
    except msgspec.ValidationError as error:
        wanted = hint.__name__ if isinstance(hint, type) else str(hint).replace("typing.", "")
        raise StudyError(f"{said} is {shown(as_plain(value))}; it takes {wanted} ({error})") from error
    except TypeError:
        return value  # an annotation that cannot be checked here


def unknown(name: str, known: Iterable[str], owner: str) -> str:
    """Say that there is no parameter of that name, with the near ones, or all."""
    names = sorted(known)
    near = get_close_matches(name, names, n=3)
    hint = (
        f"did you mean {listed(map(repr, near), 'or')}?"
        if near
        else f"it has {listed(names) if names else 'none'}"
    )
    return f"{name!r} is no parameter of {owner}; {hint}"
