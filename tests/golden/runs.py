"""What is run for the list of hashes, and how?

Everything that ships and is the same again: scenarios, protocol cases, studies, DEVStone models, a distributed model,
and the scenes of this folder. The name of an entry says what was run. What cannot be the same again is left out, with
the reason.

`python -m tests.golden.runs` runs all of it and prints one JSON object: the hashes by name. With
`scenarios` or `rest` it runs about half of it.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path

import msgspec

import kumi
from examples.three_halls import HALLS, halls
from kumi.checking.cases import shipped_cases
from kumi.checking.search import SearchQuestion
from kumi.devs import Simulation
from kumi.distributed import run_whole
from kumi.scenario.scenario import load_scenario
from kumi.scenario.staging import Staging
from kumi.station.contest.contest import shipped_teams
from kumi.station.contest.match import Fixture, MatchTeam, play_match
from kumi.station.contest.rules import load_rules, shipped_contests
from kumi.study.files import load_study
from kumi.study.shipped_studies import shipped_studies
from kumi.testing.devstone import WiringKind, build
from tests.golden import leading, mapped, moving, perceiving, planned, shapes, talking

SCENARIOS = Path(kumi.__file__).parent / "scenario" / "shipped"
SCENES = [shapes, moving, perceiving, talking, planned, mapped, leading]
SHORTENED = {
    "aggregation": ["until=20"],
    "circle-swap": ["until=10"],
    "convoy": ["until=100"],
    "coverage": ["until=10"],
    "crossing-streams": ["until=2"],
    "crossing-twenty": ["until=40"],
    "diffusion": ["until=20"],
    "doorway": ["until=10"],
    "flocking": ["until=10"],
    "flocking-lattice": ["until=10"],
    "junction": ["until=40"],
    "lattice": ["until=10"],
    "mapping": ["until=20"],
    "reservations": ["until=40"],
    "swarm-leader": ["until=150"],
    "warehouse": ["until=60"],
}
"""Scenarios that would take seconds, and by what they are made short."""
LEFT_OUT = {
    "scenario convoy-in-the-loop": "two robots are real processes, and the run follows the wall clock",
    "scenario random-movement-in-the-loop": "two robots are real processes, and the run follows the wall clock",
    "study convoy-in-the-loop": "its robots are real processes, and it follows the wall clock",
}
"""What ships and has no hash that could be the same again, and why."""
WITHOUT_CHANCE = {"circle-swap", "crossing", "crossing-twenty"}
"""Scenarios in which nothing is drawn: one seed says all."""
NEEDS = {"study convoy-sensitivity": "SALib", "contest search-and-rescue": "bwrap and pyseccomp"}
"""What needs a package or a program beyond those that kumi always comes with, and which."""
SEEDS = 1, 2, 3
TRIED = 1, 2
WIDTH, DEPTH = 6, 6


@dataclass(frozen=True)
class Golden:
    """Something that is run; `name` says what, `needs` which package or program it takes beyond kumi's own."""

    name: str
    run: Callable[[], str]
    needs: str = ""

    @property
    def can_run(self) -> bool:
        """Whether what it needs is installed."""
        return all(
            shutil.which(one) or importlib.util.find_spec(one) for one in self.needs.split(" and ") if one
        )


def goldens() -> dict[str, Golden]:
    """Return all that is run, by name."""
    found = [*scenarios(), *cases(), *studies(), *stones(), *distributed(), *contests(), *scenes()]
    assert len({one.name for one in found}) == len(found)
    return {one.name: one for one in found}


def shipped() -> set[str]:
    """Return the names of all that ships and must be in the list, or be left out for a reason."""
    return {
        *(f"scenario {path.stem}" for folder in ("", "real") for path in (SCENARIOS / folder).glob("*.toml")),
        *(f"case {name}" for name in shipped_cases()),
        *(f"study {name}" for name in shipped_studies()),
        *(f"DEVStone {kind}" for kind in WiringKind),
        *(f"contest {name}" for name in shipped_contests()),
    }


def scenarios() -> Iterator[Golden]:
    """Return the scenarios that ship, each with several seeds."""
    for path in sorted(SCENARIOS.glob("*.toml")):
        changes = SHORTENED.get(path.stem, [])
        for seed in SEEDS[:1] if path.stem in WITHOUT_CHANCE else SEEDS:
            name = ", ".join([f"scenario {path.stem}", f"seed {seed}", *changes])
            yield Golden(name, partial(run_scenario, path.stem, [f"seed={seed}", *changes]))


def run_scenario(name: str, changes: list[str]) -> str:
    """Return the trace hash that `kumi run` tells."""
    staging = Staging(load_scenario(name, changes))
    with closing(staging.stage(None, None)) as stage:
        return stage.run(staging.scenario.settings.until).trace_hash


def cases() -> Iterator[Golden]:
    """Return the protocol cases that ship, each under the faults that two seeds draw."""
    for name, case in shipped_cases().items():
        for seed in TRIED:
            yield Golden(f"case {name}, seed {seed}", partial(run_case, name, case.nodes, seed))


def run_case(name: str, nodes: int, seed: int) -> str:
    """Return the trace hash of a trial."""
    return SearchQuestion(name, nodes).trial(seed, hashed=True).run().trace_hash


def studies() -> Iterator[Golden]:
    """Return the first row of each study that ships."""
    for name in shipped_studies():
        if f"study {name}" not in LEFT_OUT:
            yield Golden(f"study {name}, row 0", partial(run_study, name), NEEDS.get(f"study {name}", ""))


def run_study(name: str) -> str:
    """Return the trace hash of the first row of a study."""
    study = load_study(name)
    row = study.design.rows[0]
    trace_hash = study.subject.run(row.parameters, row.seed).trace_hash
    assert trace_hash
    return trace_hash


def stones() -> Iterator[Golden]:
    """Return the DEVStone models, small."""
    for kind in WiringKind:
        yield Golden(
            f"DEVStone {kind}, width {WIDTH}, depth {DEPTH}, set off twice", partial(run_stone, kind)
        )


def run_stone(kind: WiringKind) -> str:
    """Return the trace hash of a DEVStone model, set off at 0 and at 1."""
    model = build(kind, WIDTH, DEPTH)[-1]
    with Simulation(model) as simulation:
        for instant in (0.0, 1.0):
            for port in model.entries.values():
                simulation.inject(port, 0, at=instant)
        return simulation.run().trace_hash


def distributed() -> Iterator[Golden]:
    """Return the example of a model in parts; parts on processes of their own have the hashes of one process."""
    yield Golden("distributed example three_halls, seed 0, until 200 s", run_halls)


def run_halls() -> str:
    """Return the hash of all parts' traces."""
    return run_whole(halls, {name: [name] for name in HALLS}, until=200.0).trace_hash


def contests() -> Iterator[Golden]:
    """Return a short match of each contest that ships, between the teams that ship."""
    for name in shipped_contests():
        what = f"contest {name}"
        yield Golden(f"{what}, seed 1, 15 s of a match", partial(run_contest, name), NEEDS[what])


def run_contest(name: str) -> str:
    """Return the trace hash of a match; its code runs in sandboxes."""
    rules = msgspec.structs.replace(load_rules(name), time=15.0)
    teams = tuple(MatchTeam(team, code.read_text()) for team, code in shipped_teams().items())
    with tempfile.TemporaryDirectory() as folder:
        return play_match(rules, Fixture(0, 0, teams, seed=1, code_seed=1), Path(folder)).trace_hash


def scenes() -> Iterator[Golden]:
    """Return the scenes that are made for this."""
    for module in SCENES:
        kind = module.__name__.rpartition(".")[2]
        for scene in module.SCENES:
            yield Golden(f"scene {kind}.{scene.__name__}", scene)


def all_hashes(half: str = "") -> dict[str, str]:
    """Run everything that can be run here, or one half of it: the scenarios, or the rest."""
    wanted = {"": (True, False), "scenarios": (True,), "rest": (False,)}[half]
    chosen = {name: one for name, one in goldens().items() if name.startswith("scenario ") in wanted}
    return {name: one.run() for name, one in chosen.items() if one.can_run}


if __name__ == "__main__":
    json.dump(import_module("tests.golden.runs").all_hashes(*sys.argv[1:]), sys.stdout)
