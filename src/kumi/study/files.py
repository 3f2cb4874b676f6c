"""What does a study file say?

A TOML file names an experiment or a scenario, sets some of its parameters, and lists values for others:

    name = "coverage"
    experiment = "sweeping.py:Coverage"
    seeds = 20

    [vary]
    loss = [0.0, 0.1, 0.3]

In place of `[vary]`, `[[rows]]` lists the combinations themselves, and `[sensitivity]` has them drawn to find out which
parameters matter:

    [sensitivity]
    method = "sobol"                 # or "morris"
    samples = 64                     # or trajectories = 10
    ranges = { loss = [0.0, 0.3], robots = [2, 9] }

`[units]` says in what parameters are given, such as `loss = "share"`; plots tell it at their axes.

`[quick]` may hold other seeds, values to set and lists, for a look that takes minutes. It is found by its path, or, if
it ships with kumi, by its name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from kumi.devs.extras import need
from kumi.scenario.complaints import listed, shown
from kumi.scenario.document import Document, Place, ScenarioError, read_document
from kumi.scenario.overrides import read_override
from kumi.study.design import Design, as_seeds
from kumi.study.errors import StudyError
from kumi.study.scenarios import find_scenario_subject
from kumi.study.shipped_studies import shipped_studies
from kumi.study.statistics import StatisticsError
from kumi.study.stopping import StopRule
from kumi.study.study import Study
from kumi.study.subjects import ExperimentSubject, Subject, find_experiment

COMBINATIONS = ("vary", "rows", "sensitivity")
"""Tables that say which combinations are run, one of them."""
KEYS = (
    "name",
    "title",
    "experiment",
    "scenario",
    "metrics",
    "seeds",
    "set",
    *COMBINATIONS,
    "units",
    "stop",
    "quick",
)
QUICK = ("seeds", "set", *COMBINATIONS, "stop")
DEFAULT_METRICS = ["end_time", "contacts"]


@dataclass(frozen=True)
class Changes:
    """What a command line changes in a study."""

    settings: Sequence[str] = ()
    seeds: int | None = None
    quick: bool = False


def find_study(which: str) -> Path:
    """Return the file that is meant."""
    shipped, path = shipped_studies(), Path(which)
    if which in shipped and not path.is_file():
        return shipped[which]
    if path.is_dir():
        raise StudyError(
            f"{which} is a folder without results: it has no study.json; give one that has, or a study file"
        )
    if path.exists() or path.suffix or len(path.parts) > 1:
        return path
    near = get_close_matches(which, shipped, n=1)
    ships = f"{listed(shipped)} ship, and others" if shipped else "studies"
    hint = f"did you mean {near[0]!r}?" if near else f"{ships} are given by their path"
    raise StudyError(f"there is no study {which!r}; {hint}")


NO_CHANGES = Changes()


def load_study(which: str, changes: Changes = NO_CHANGES) -> Study:
    """Read a study, given by its path or by the name of one that ships. Raises ScenarioError or StudyError."""
    document = read_document(find_study(which))
    table = _table(document, changes.quick)
    with_place = document.place
    name = _text(table, "name", with_place("name"), Path(document.name).stem)
    name = f"{name}-quick" if changes.quick else name
    base = dict(flat(table.get("set", {}), with_place("set")))
    for text in changes.settings:
        said = read_override(text)
        base[said.path] = said.value
    fixed = {text.partition("=")[0].strip() for text in changes.settings}
    stop = _stop(table, with_place("stop"))
    seeds = table.get("seeds", 1) if changes.seeds is None else changes.seeds
    if stop is not None and "seeds" not in table and changes.seeds is None:
        seeds = stop.at_most
    try:
        design, drawn = _design(table, document, as_seeds(seeds), fixed)
        subject = _subject(table, document, base)
        study = Study(name, subject, design, stop, drawn, _units(table, document.place("units"), subject))
        study.check()
    except StudyError as error:
        raise StudyError(f"{document.name}: {error}") from error
    return study


def _table(document: Document, quick: bool) -> dict[str, Any]:
    """Return what the file says, with what it says for a quick look in place of the rest."""
    table = document.table
    _check_keys(document, (), table, KEYS)
    extra = table.get("quick", {})
    _check_kind(extra, dict, document.place("quick"), f"a table with {listed(QUICK, 'or')}")
    _check_keys(document, ("quick",), extra, QUICK)
    if not quick:
        return table
    if not extra:
        raise StudyError(
            f"{document.name} has no [quick], so there is no quick look at it; --seeds makes it shorter"
        )
    merged = {**table, **extra}
    if any(key in extra for key in COMBINATIONS):
        merged = {key: one for key, one in merged.items() if key not in COMBINATIONS or key in extra}
    if "seeds" in extra and "stop" not in extra:
        merged.pop("stop", None)
    merged["set"] = {**table.get("set", {}), **extra.get("set", {})}
    return merged


def _check_keys(
    document: Document, above: tuple[str | int, ...], table: dict[str, Any], known: Sequence[str]
) -> None:
    for key in table:
        if key not in known:
            place = document.place(*above, key)
            near = get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"a study takes {listed(known)}"
            raise place.error(f"{place.title} is unknown; {hint}")


def _check_kind(value: Any, kind: type | tuple[type, ...], place: Place, wanted: str) -> None:
    if not isinstance(value, kind):
        raise place.error(f"{place.title} is {shown(value)}; it takes {wanted}")


def _text(table: dict[str, Any], key: str, place: Place, default: str) -> str:
    value = table.get(key, default)
    if not isinstance(value, str) or not value.strip() or ("/" in value and key == "name"):
        raise place.error(f"{place.title} is {shown(value)}; it takes a text")
    return value


def flat(table: Any, place: Place, above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each value of tables inside tables by its dotted name."""
    _check_kind(table, dict, place, "a table")
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, place.at(key), f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _design(
    table: dict[str, Any], document: Document, seeds: tuple[int, ...], fixed: Collection[str]
) -> tuple[Design, dict[str, Any] | None]:
    """Return which combinations are run, and for which sensitivity they were drawn; what is `fixed` does not vary."""
    given = [key for key in COMBINATIONS if key in table]
    if len(given) > 1:
        raise StudyError(f"a study has one of {listed(COMBINATIONS, 'or')}, and this one has {listed(given)}")
    if "rows" in table:
        _check_kind(table["rows"], list, document.place("rows"), "a list of combinations")
        rows = [dict(flat(row, document.place("rows", number))) for number, row in enumerate(table["rows"])]
        return Design.of_rows([_without(row, fixed) for row in rows], seeds), None
    if "sensitivity" in table:
        return _drawn(table["sensitivity"], document.place("sensitivity"), seeds, fixed)
    return Design(_without(dict(flat(table.get("vary", {}), document.place("vary"))), fixed), seeds), None


def _drawn(
    table: Any, place: Place, seeds: tuple[int, ...], fixed: Collection[str]
) -> tuple[Design, dict[str, Any]]:
    need("study", "SALib")
    from kumi.study.statistics.sensitivity import design_from

    _check_kind(table, dict, place, "a table with method, samples or trajectories, seed and ranges")
    ranges = dict(flat(table.get("ranges", {}), place.at("ranges")))
    try:
        drawn = design_from({**table, "ranges": _without(ranges, fixed)})
    except StatisticsError as error:
        raise place.error(f"{place.title}: {error}") from error
    return Design.of_rows(drawn.rows, seeds), drawn.record


def _without(values: dict[str, Any], fixed: Collection[str]) -> dict[str, Any]:
    return {name: one for name, one in values.items() if name not in fixed}


def _stop(table: dict[str, Any], place: Place) -> StopRule | None:
    given = table.get("stop")
    if given is None:
        return None
    known = tuple(StopRule.__dataclass_fields__)
    _check_kind(given, dict, place, f"a table with {listed(known)}")
    _check_keys(place.document, place.path, given, known)
    try:
        return StopRule(**given)
    except (StatisticsError, TypeError) as error:
        raise place.error(f"{place.title}: {error}".replace("Stop.__init__() ", "")) from error


def _units(table: dict[str, Any], place: Place, subject: Subject) -> dict[str, str]:
    """Return the units of parameters: those of the experiment, and those of the file."""
    own = subject.experiment.parameter_units if isinstance(subject, ExperimentSubject) else {}
    given = dict(flat(table.get("units", {}), place))
    for name, unit in given.items():
        _check_kind(unit, str, place.at(name), 'a text, such as "s"')
    return {**own, **given}


def _subject(table: dict[str, Any], document: Document, base: dict[str, Any]) -> Subject:
    if ("experiment" in table) == ("scenario" in table):
        raise StudyError("a study names an experiment or a scenario, one of them")
    if "experiment" in table:
        place = document.place("experiment")
        if "metrics" in table:
            raise document.place("metrics").error(
                "metrics is for a scenario; an experiment says itself what is watched"
            )
        return find_experiment(_text(table, "experiment", place, ""), place, base)
    metrics = table.get("metrics", DEFAULT_METRICS)
    place = document.place("metrics")
    if not isinstance(metrics, list) or not metrics or not all(isinstance(one, str) for one in metrics):
        raise place.error(f"{place.title} is {shown(metrics)}; it takes a list of names")
    which = _text(table, "scenario", document.place("scenario"), "")
    try:
        return find_scenario_subject(which, base, tuple(metrics), document.folder)
    except ScenarioError as error:
        raise document.place("scenario").error(str(error)) from error
