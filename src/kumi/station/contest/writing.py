"""What is written down when a match is over?

The sheet, from what the referee saw and what the record proves; and for each robot what its code printed, with simulated times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf
from pathlib import Path

from kumi.recording import RunFile
from kumi.robot import Robot
from kumi.station.contest.board import BoardEntry, MatchSheet, Played
from kumi.station.contest.evidence import Proof, read_proof
from kumi.station.contest.field import Seat
from kumi.station.contest.hiding import Hidden
from kumi.station.contest.rules import ContestRules
from kumi.world import BORDER, World


@dataclass(frozen=True)
class Seated:
    """A robot in a match: where its code sits, the robot, and its start, from 0."""

    seat: Seat
    robot: Robot
    start: int

    @property
    def outcome(self) -> str:
        """How the code fared, in words."""
        if self.seat.ended is None:
            return "it played to the end of the match"
        return self.seat.ended.outcome or "it came to its end"


def write_logs(folder: Path, stem: str, robots: Sequence[Seated]) -> None:
    """Write what the code of each robot printed, with times, and how it ended."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in robots:
        lines = [
            f"{time:9.3f} s  {line}"
            for time, words in groupby(one.seat.printed, key=lambda said: said[0])
            for line in "".join(text for _, text in words).rstrip("\n").split("\n")
        ]
        trace = [] if one.seat.ended is None else one.seat.ended.trace.splitlines()
        text = "\n".join([*lines, one.outcome, *trace])
        (folder / f"{stem}-{one.robot.name}.log").write_text(f"{text}\n", encoding="utf-8")


def write_sheet(
    rules: ContestRules,
    run_file: Path,
    numbers: tuple[int, int],
    hidden: tuple[Hidden, ...],
    robots: Sequence[Seated],
    entries: Sequence[BoardEntry],
) -> MatchSheet:
    """Return the sheet of a match; `numbers` are those of the match and its game, from 0, `entries` what the referee saw."""
    run, arena = RunFile(run_file), World(rules.arena)
    assert run.summary is not None
    proof = read_proof(run.records(), run.summary.end, arena, hidden, rules.judging)
    every = [*entries, *_found(rules, proof, robots), *_contacts(rules, proof, robots, arena)]
    return MatchSheet(
        match=numbers[0] + 1,
        game=numbers[1] + 1,
        seconds=run.summary.end,
        run_file=run_file.name,
        trace_hash=run.summary.trace_hash,
        hidden={one.name: (one.at.x, one.at.y) for one in hidden},
        robots=tuple(_played(one) for one in robots),
        entries=tuple(sorted(every, key=lambda one: (one.time, one.robot, one.reason, one.about))),
    )


def _played(one: Seated) -> Played:
    return Played(
        team=one.seat.team,
        robot=one.robot.name,
        number=one.robot.number,
        start=one.start + 1,
        calls=one.seat.calls,
        outcome=one.outcome,
        has_failed=one.seat.ended is not None and not one.seat.ended.succeeded,
    )


def _found(rules: ContestRules, proof: Proof, robots: Sequence[Seated]) -> list[BoardEntry]:
    """Return an entry for the team that first found an object, and for each that did at the same instant."""
    first: dict[str, float] = {}
    for (_, name), time in proof.found.items():
        first[name] = min(time, first.get(name, inf))
    entries: dict[tuple[str, str], BoardEntry] = {}
    for one in robots:
        for name, earliest in first.items():
            if proof.found.get((one.robot.number, name)) == earliest:
                entry = BoardEntry(earliest, one.seat.team, one.robot.name, "found", rules.points.found, name)
                entries.setdefault((one.seat.team, name), entry)
    return list(entries.values())


def _contacts(rules: ContestRules, proof: Proof, robots: Sequence[Seated], arena: World) -> list[BoardEntry]:
    """Return an entry for each contact that counts."""
    known = {one.robot.number: one for one in robots}
    entries = []
    for bump in proof.bumps:
        one = known[bump.body]
        if bump.other is not None:
            met = known[bump.other].robot.name
        else:
            thing = BORDER if bump.obstacle is None else arena.thing(bump.obstacle)
            met = thing if isinstance(thing, str) else thing.name
        entries.append(
            BoardEntry(bump.time, one.seat.team, one.robot.name, "contact", rules.points.contact, met)
        )
    return entries
