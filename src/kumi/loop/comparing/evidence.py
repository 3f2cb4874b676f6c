"""What do the records of a run say of each device of a robot?

Numbers only, one for each drive, way, look and question; nothing is judged yet. They are what a process that ran once
hands back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from kumi.devs import Lateness
from kumi.link.clocks import ClockFit
from kumi.link.emulators.faults import SENSORS
from kumi.loop.comparing.drives import DrivenPiece, DrivenWay, driven_by
from kumi.loop.comparing.looks import EmptyFloor, RangerLook, looks_of
from kumi.loop.comparing.witness import Exchange, RobotEvidence
from kumi.stage.outcome import ProgramError
from kumi.world import Map

NAMES = {device: name for name, device in SENSORS.items()}


@dataclass(frozen=True)
class ClockFinding:
    """A robot's clock as it was found, and as it should be; an offset that nobody knows is None."""

    found: ClockFit
    rate: float
    offset: float | None


@dataclass(frozen=True)
class Evidence:
    """What a run showed of one real robot.

    `waits` are seconds that each question took beyond its bytes, half of it there and half back, by how often it was asked.
    """

    number: int
    robot: str
    drives: tuple[DrivenPiece, ...]
    ways: tuple[DrivenWay, ...]
    angles: tuple[tuple[float, float], ...]
    looks: Mapping[str, tuple[RangerLook, ...]]
    waits: tuple[float, ...]
    asked_again: int
    clock: ClockFinding | None
    is_paced: bool
    is_seen: bool
    """Whether it is known where the robot truly was."""


@dataclass(frozen=True)
class RunEvidence:
    """A run: what it showed of its real robots, and how late the computer was."""

    seed: int
    end: str
    seconds: float
    robots: tuple[Evidence, ...]
    instants: int
    missed: int
    latest: float
    """Instants of the run, those that came later than the tolerance, and the latest, in seconds of wall time."""
    notes: tuple[str, ...] = ()
    """Sentences on what went otherwise than the scenario says: speeds that a motor does not have, programs that failed."""


def ran(
    seed: int,
    end: str,
    seconds: float,
    accounts: Sequence[RobotEvidence],
    map_: Map,
    lateness: Lateness,
    errors: Sequence[ProgramError] = (),
) -> RunEvidence:
    """Sum up the records of a run, and which programs failed in it."""
    notes = [f"the program of {one.robot} failed at {one.time:g} s: {one.error}" for one in errors]
    notes += [words for one in accounts for words in one.other_speeds]
    floor = EmptyFloor(map_, {one.robot.number: one.calibration for one in accounts})
    robots = tuple(evidence_of(one, floor, is_paced=lateness.count > 0) for one in accounts)
    return RunEvidence(
        seed, end, seconds, robots, lateness.count, lateness.misses.count, lateness.max, tuple(notes)
    )


def evidence_of(account: RobotEvidence, floor: EmptyFloor, *, is_paced: bool) -> Evidence:
    """Sum up the records of one robot."""
    driven = driven_by(account)
    looks: dict[str, list[RangerLook]] = {}
    names = {real: said for said, real in account.robot.aliases.items()}
    for look in looks_of(account, floor):
        name = NAMES[look.device]
        looks.setdefault(names.get(name, name), []).append(look)
    return Evidence(
        number=account.robot.number,
        robot=account.robot.name,
        drives=driven.drives,
        ways=driven.ways,
        angles=driven.angles,
        looks={name: tuple(of) for name, of in looks.items()},
        waits=tuple(wait_of(one) for one in account.exchanges if one.tries == 1),
        asked_again=sum(one.tries > 1 for one in account.exchanges),
        clock=_clock(account, is_paced=is_paced),
        is_paced=is_paced,
        is_seen=account.start is not None,
    )


def wait_of(one: Exchange) -> float:
    """Return what the line took each way beyond the bytes of a question and its answer."""
    return (one.heard - one.asked - one.there - one.back) / 2


def _clock(account: RobotEvidence, *, is_paced: bool) -> ClockFinding | None:
    """Return what is known of a clock: when a process or a robot was switched on, which gives the offset, nobody knows."""
    if account.clock is None:
        return None
    robot = account.robot
    if not robot.is_emulated:
        return ClockFinding(account.clock, 1.0, None)
    offset = None if is_paced else account.declared.clock_offset
    return ClockFinding(account.clock, account.declared.clock_rate, offset)


def pooled(runs: Iterable[RunEvidence]) -> dict[str, list[Evidence]]:
    """Return what all runs showed of each robot, by its name."""
    found: dict[str, list[Evidence]] = {}
    for run in runs:
        for one in run.robots:
            found.setdefault(one.robot, []).append(one)
    return found
