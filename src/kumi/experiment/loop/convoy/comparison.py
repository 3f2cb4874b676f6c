"""Does the model behave as the real robots do, and where does it not?

The same convoy is run at all stages, several times each. Device by device, what real robots did is held against what
virtual ones did: how long motions take and where they lead, and what infrared reads. For each observable the means and
the distributions are tested (Welch, Kolmogorov and Smirnov, all corrected together by Holm's method).

With many samples the least difference shows, so there is a margin, and an error of the model is claimed by a test of its
own: that the means differ by more than the margin (`p_beyond`), corrected by Holm's method over all that is compared. So
where every observable is right up to its margin, an error is claimed in at most 1 - level of all comparisons. That holds
for values that do not depend on each other, as those of single motions and readings; errors of followers do within a
run, so each run gives one. Where nothing is found, the interval tells how large a difference may still be.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import degrees
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from statistics import fmean

from kumi.contract import Forward, Turn
from kumi.experiment.convoy.setup import CENTIMETRES
from kumi.experiment.loop.convoy.frame import Motion
from kumi.experiment.loop.convoy.outcome import LoopOutcome
from kumi.experiment.loop.convoy.stages import SETTING_OFF, TURNING_WHEEL, WHERES, ConvoyStage, Where
from kumi.experiment.loop.fleet import NotThere
from kumi.experiment.statistics import Compared, compare, holm, p_beyond
from kumi.experiment.statistics.intervals import LEVEL

PATIENCE = 10.0
"""Seconds that a process has to end."""
SHORTEST = 0.1
"""Metres below which a way says little of a motor's speed."""


@dataclass(frozen=True)
class Observable:
    """Something that is compared: what it is, its unit, which device it tells of, and which difference is none."""

    name: str
    unit: str
    device: str
    margin: float


OBSERVABLES = (
    Observable("seconds for a metre", "s/m", "motor", 0.1),
    Observable("length of a way", "% of the command", "motor", 1.5),
    Observable("bend of a way", "°/m", "motor", 1.0),
    Observable("reading", "cm off", "infrared", 0.5),
    Observable("error of followers", "cm", "convoy", 2.0),
)
"""The margins are about a thirtieth of what the model says, or what a reading is rounded to."""


@dataclass(frozen=True)
class Finding:
    """An observable at a stage, held against the model."""

    where: Where
    observable: Observable
    compared: Compared
    p_beyond: float
    """Of the test whether it is off by more than the margin, corrected for all that is compared."""

    @property
    def is_wrong(self) -> bool:
        """Whether the model is off by more than the margin, beyond doubt."""
        return self.p_beyond <= 1.0 - self.compared.difference.level

    def __str__(self) -> str:
        found, unit = self.compared, self.observable.unit
        means = f"{found.one.mean:.3g} in the model, {found.other.mean:.3g} {unit} here"
        if self.is_wrong:
            share = ""
            if abs(found.one.mean) > 10.0 * self.observable.margin:
                share = f", {100.0 * found.difference.mean / found.one.mean:+.0f} %"
            return f"{self.observable.name}: the model is wrong: {means}{share}"
        if found.is_different:
            return f"{self.observable.name}: differs, but by less than matters: {means}"
        most = max(abs(found.difference.low), abs(found.difference.high))
        return f"{self.observable.name}: no difference found; one of {most:.2g} {unit} is not excluded"


@dataclass(frozen=True)
class Comparison:
    """Runs at all stages, and what differs from the model."""

    outcomes: Mapping[Where, tuple[LoopOutcome, ...]]
    findings: tuple[Finding, ...]

    @property
    def wrong(self) -> tuple[Finding, ...]:
        """Where the model is wrong."""
        return tuple(one for one in self.findings if one.is_wrong)


def run_stages(
    experiment: ConvoyStage,
    runs: int,
    *,
    workers: int = 2,
    told: Callable[[Where, int], object] = lambda _where, _seed: None,
) -> dict[Where, tuple[LoopOutcome, ...]]:
    """Run a convoy at all stages, with as many seeds each; real ones some at a time, each in a process of its own.

    `told` is called with the stage and the seed of each run that is done.
    """
    if runs < 2:
        raise ValueError(f"a comparison needs 2 runs or more at each stage, not {runs!r}")
    todo = [(where, seed) for seed in range(runs) for where in WHERES]
    done: dict[tuple[Where, int], LoopOutcome] = {}
    under_way: dict[Connection, tuple[SpawnProcess, Where, int]] = {}
    try:
        while todo or under_way:
            while todo and len(under_way) < workers:
                where, seed = todo.pop(0)
                connection, process = _begin(replace(experiment, where=where), seed)
                under_way[connection] = process, where, seed
            for ready in wait(list(under_way)):
                assert isinstance(ready, Connection)
                process, where, seed = under_way.pop(ready)
                done[where, seed] = _end(ready, process, f"the run {where} with seed {seed}")
                told(where, seed)
    finally:
        for process, _, _ in under_way.values():
            process.terminate()  # it ends its robots, and then itself
        for process, _, _ in under_way.values():
            process.join(PATIENCE)
            process.kill()
    return {where: tuple(done[where, seed] for seed in range(runs)) for where in WHERES}


def _begin(experiment: ConvoyStage, seed: int) -> tuple[Connection, SpawnProcess]:
    """Start a run in a process of its own; what came of it comes over the connection."""
    context = get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(there, experiment, seed))
    process.start()
    there.close()
    return here, process


def _run(connection: Connection, experiment: ConvoyStage, seed: int) -> None:
    """Run once, and send what came of it; Ctrl-C is for the one who started it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    found: object = None
    try:
        found = experiment.outcome(seed)
    except Exception as error:  # noqa: BLE001  # told by the one who started it
        found = error
    except KeyboardInterrupt:
        return  # it was asked to end before it ran
    with suppress(BrokenPipeError):  # then nobody waits for it any more
        connection.send(found)


def _end(connection: Connection, process: SpawnProcess, name: str) -> LoopOutcome:
    """Take what came of a run that is over, or raise what it raised."""
    try:
        found = connection.recv()
    except EOFError:
        raise NotThere(f"{name} has ended without a word") from None
    finally:
        connection.close()
        process.join(PATIENCE)
    if isinstance(found, Exception):
        raise found
    assert isinstance(found, LoopOutcome)
    return found


Samples = Mapping[Observable, Sequence[float]]
"""The values of each observable at a stage."""


def compared(outcomes: Mapping[Where, Sequence[LoopOutcome]], level: float = LEVEL) -> Comparison:
    """Hold what was seen in the loop and all real against the model, all tests corrected together."""
    found = {where: dict(samples(outcomes[where])) for where in WHERES}
    findings = findings_of(found["virtual"], {where: found[where] for where in WHERES[1:]}, level)
    return Comparison({where: tuple(runs) for where, runs in outcomes.items()}, findings)


def findings_of(model: Samples, real: Mapping[Where, Samples], level: float = LEVEL) -> tuple[Finding, ...]:
    """Hold the values of each stage against those of the model; what has fewer than two is left out."""
    sides: dict[str, tuple[Where, Observable]] = {}
    one: dict[str, Sequence[float]] = {}
    other: dict[str, Sequence[float]] = {}
    for where, found in real.items():
        for observable in OBSERVABLES:
            key = f"{where}: {observable.name}"
            if len(model[observable]) > 1 and len(found[observable]) > 1:
                sides[key] = where, observable
                one[key], other[key] = model[observable], found[observable]
    if not sides:
        return ()
    beyond = holm([p_beyond(one[key], other[key], sides[key][1].margin) for key in sides])
    rows = compare(one, other, level)
    return tuple(Finding(*sides[row.metric], row, p) for row, p in zip(rows, beyond, strict=True))


def samples(outcomes: Sequence[LoopOutcome]) -> Iterator[tuple[Observable, list[float]]]:
    """Give the values of each observable: of real robots where there are any, else of all."""
    pace, length, bend, reading, error = OBSERVABLES
    values: dict[Observable, list[float]] = {observable: [] for observable in OBSERVABLES}
    for outcome in outcomes:
        real = {one.number - 1 for one in outcome.real}
        is_across: dict[int, bool] = {}
        for motion in outcome.motions:
            before = is_across.get(motion.robot, False)
            is_across[motion.robot] = isinstance(motion.command, Turn)
            if (real and motion.robot not in real) or not motion.is_complete:
                continue
            if isinstance(motion.command, Forward) and abs(motion.command.distance) >= SHORTEST:
                values[pace].append(seconds_for_a_metre(motion, is_wheel_turned=before))
                values[length].append(100.0 * (motion.way / motion.command.distance - 1.0))
                values[bend].append(degrees(motion.turn) / abs(motion.command.distance))
        for glance in outcome.glances:
            if glance.robot == 0 or glance.read is None:
                continue
            if glance.true is not None and (not real or glance.robot in outcome.real_eyes):
                values[reading].append(CENTIMETRES * (glance.read - glance.true))
        errors = [
            glance.error
            for glance in outcome.glances
            if glance.robot > 0 and glance.read is not None and (not real or glance.robot in real)
        ]
        if errors:
            values[error].append(CENTIMETRES * fmean(errors))
    yield from values.items()


def seconds_for_a_metre(motion: Motion, *, is_wheel_turned: bool) -> float:
    """Return how long a straight motion took for each metre of its command, without what any motion takes."""
    assert isinstance(motion.command, Forward)
    fixed = SETTING_OFF + (TURNING_WHEEL if is_wheel_turned else 0.0)
    return (motion.seconds - fixed) / abs(motion.command.distance)
