"""How is a match played?

All robots are in one world, in the order of their starts, and so are their programs at one instant: which team has which start
says everything about a match, and the names of the teams nothing. A match ends by its clock, or when all code has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path

from kumi.contract import Address
from kumi.devs.chance import stream
from kumi.geometry import Disc
from kumi.network import SimulatedNetwork
from kumi.recording import RunMeta
from kumi.scenario.spaces import space_of
from kumi.stage.files import Files
from kumi.stage.outcome import Progress
from kumi.stage.stage import Stage
from kumi.station.capped_wheel import CappedWheel
from kumi.station.contest.board import MatchSheet
from kumi.station.contest.camera import photograph
from kumi.station.contest.field import Field, Seat
from kumi.station.contest.hiding import Hidden, hide, with_hidden
from kumi.station.contest.referee import Referee
from kumi.station.contest.rules import ContestRules
from kumi.station.contest.writing import Seated, write_logs, write_sheet
from kumi.station.sandbox.jail import MEGABYTE, CodeLimits
from kumi.station.sandbox.words import OrderWord
from kumi.world import SimulatedBody, World, map_to_table

A_DAY = 86400.0
"""Seconds; how long a program may live is bounded by the match, what it computes by its own limits."""
MOST_STEPS = 1 << 40
"""Steps of one instant: how often programs may call their robots is bounded by the rules."""


@dataclass(frozen=True)
class MatchTeam:
    """A team: its name, and the code that each of its robots runs."""

    name: str
    code: str


@dataclass(frozen=True)
class Fixture:
    """A match to be played: its number and game, from 0, and which team has which start (None: nobody).

    What is hidden comes from `seed`, and chance in programs from `code_seed`, so that no program can work out where things are.
    """

    number: int
    game: int
    teams: tuple[MatchTeam | None, ...]
    seed: int
    code_seed: int


def play_match(
    rules: ContestRules,
    fixture: Fixture,
    folder: Path,
    *,
    pace: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> MatchSheet:
    """Play a match, leave its files in a folder, and return its sheet; Ctrl-C raises KeyboardInterrupt."""
    folder.mkdir(parents=True, exist_ok=True)
    hidden = hide(rules, fixture.seed, fixture.game)
    world = World(with_hidden(rules.arena, hidden))
    referee = Referee(rules, hidden)
    stem = f"match-{fixture.number + 1}"
    pictures = partial(_keep_picture, folder / "pictures", stem, hidden, rules)
    robots: list[Seated] = []
    meta = RunMeta(
        seed=fixture.seed,
        map=map_to_table(world.map),
        robots=dict(enumerate(_names(rules, fixture))),
        until=rules.time,
    )
    files = Files(world, meta, folder / f"{stem}.kumi", None)
    try:
        with (
            ExitStack() as closing,
            Stage(
                world, seed=fixture.seed, recorder=files, pace=pace, patience=inf, max_steps=MOST_STEPS
            ) as stage,
        ):
            network = SimulatedNetwork(stage.simulation)
            stage.connect(network)
            field = Field(
                rules=rules,
                space=space_of(rules.arena),
                hidden=hidden,
                referee=referee,
                photograph=pictures,
                leave=partial(_end_with_last, stage, robots),
                is_over=partial(_is_interrupted, stage),
            )
            for start, team in enumerate(fixture.teams):
                if team is not None:
                    seated = _seated(stage, closing, field, fixture, start, team)
                    for one in seated:
                        one.seat.group = tuple(mate.robot.number for mate in seated)
                    robots += seated
            network.limit_reach(Teams(one.seat.group for one in robots))
            try:
                stage.run(rules.time, on_progress=on_progress)
            finally:
                files.keep(stage.outcome)
    finally:
        files.close()
        write_logs(folder / "logs", stem, robots)
    numbers = fixture.number, fixture.game
    return write_sheet(rules, folder / f"{stem}.kumi", numbers, hidden, robots, referee.entries)


def _names(rules: ContestRules, fixture: Fixture) -> list[str]:
    """Return the names of the robots of a match, in the order of their starts."""
    return [
        f"{team.name}-{number + 1}"
        for start, team in zip(rules.starts, fixture.teams, strict=True)
        if team is not None
        for number in range(len(start.robots))
    ]


def _seated(
    stage: Stage, closing: ExitStack, field: Field, fixture: Fixture, start: int, team: MatchTeam
) -> list[Seated]:
    """Put the robots of a team at a start, and its program behind each."""
    rules = field.rules
    limits = CodeLimits(
        seconds=A_DAY,
        cpu_seconds=rules.limits.cpu,
        memory=rules.limits.memory_mb * MEGABYTE,
        words=rules.limits.printed,
        calls=rules.limits.calls,
        turn=rules.limits.turn,
    )
    seated = []
    for number, pose in enumerate(rules.starts[start].poses):
        own = stream(fixture.code_seed, f"contest.code.{fixture.game}.{start}.{number}")
        order = OrderWord("run", team.name, team.code, seed=own.integer(0, 2**31), patience=rules.limits.turn)
        seat = Seat(field, team.name, order, limits)
        closing.callback(seat.close)
        robot = stage.add(
            seat.play,
            at=pose.position,
            heading=pose.heading,
            shape=Disc(rules.robots.radius),
            drive=CappedWheel(rules.robots.speed, rules.robots.turn_speed),
            sensors=field.devices(team.name),
            name=f"{team.name}-{number + 1}",
        )
        seated.append(Seated(seat, robot, start))
    return seated


class Teams:
    """Radio within a team: its robots hear each other, and nobody else."""

    def __init__(self, groups: Iterable[tuple[int, ...]]) -> None:
        self._mates = {number: group for group in groups for number in group}

    def hears(self, address: Address, sender: Address) -> bool:
        """Tell whether one hears another."""
        return sender in self._mates[address]

    def hearers(self, sender: Address) -> Iterable[Address]:
        """Return all who hear the sender."""
        return [one for one in self._mates[sender] if one != sender]


def _end_with_last(stage: Stage, robots: Sequence[Seated]) -> None:
    """End a match when no code is left: nothing can happen any more."""
    if all(one.seat.ended is not None for one in robots):
        stage.end()


def _is_interrupted(stage: Stage) -> bool:
    return stage.outcome.is_interrupted


def _keep_picture(
    folder: Path, stem: str, hidden: Sequence[Hidden], rules: ContestRules, body: SimulatedBody, name: str
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    photograph(body, hidden, rules.robots).save(folder / f"{stem}-{body.name}-{name}.png")
