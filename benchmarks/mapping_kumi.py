"""Mapping by kumi: logs in the arena replayed through the filters, shipped places explored, and plans nobody shipped."""

from __future__ import annotations

from math import inf, pi
from pathlib import Path
from time import process_time

import numpy as np

import kumi
from benchmarks.mapping_coverage import keep_curves
from benchmarks.mapping_plans import Start, random_plan
from benchmarks.tasks import Sample
from kumi.devs.chance import stream
from kumi.geometry import Point, Pose
from kumi.mapping import Drawing, MappingTeam, RangeModel, Scan, Truth, dead_reckoning, trajectory_error
from kumi.scenario.spaces import space_of
from kumi.testing.surveys import Explored, explored, surveys
from kumi.world import Map, load_map

MAPS = Path(kumi.__file__).parent / "scenario" / "shipped" / "maps"
STARTS: dict[str, list[Start]] = {
    "arena": [(0.4, 0.35, 0.0), (3.4, 0.4, 0.0), (0.5, 2.6, 0.0)],
    "rooms": [(0.5, 0.5, 0.0), (3.0, 0.5, 0.0), (5.4, 3.4, pi)],
    "corridor-loop": [(0.5, 0.5, 0.0), (4.4, 0.6, pi / 2), (2.2, 3.5, pi)],
    "office": [(0.4, 2.5, 0.0), (3.7, 2.5, 0.0), (7.0, 2.5, pi)],
}
ENOUGH = 0.9
"""The share of the floor that is known when a place counts as explored."""

LOST = 0.5
"""Metres of trajectory error from which on a robot counts as diverged."""


def place(name: str) -> Map:
    """Return a shipped place."""
    return load_map(MAPS / f"{name}.toml")


def mapping_arena(reach: float, seeds: int) -> Sample:
    """Let three robots roam the arena for 18 m each, and find them again by their logs."""
    truth = Truth(space_of(place("arena")), STARTS["arena"][0][:2])
    errors, reckoned, scores, spent, simulated = [], [], [], 0.0, 0.0
    for seed in range(seeds):
        ranges = RangeModel(reach=reach)
        logs = surveys(place("arena"), STARTS["arena"], seed=seed, ranges=ranges)
        team = MappingTeam(ranges=ranges)
        for number, log in enumerate(logs):
            team.add(str(number), stream(seed, f"filter {number}"), log.poses[0])
        begun = process_time()
        for tick in range(max(len(log.scans) for log in logs)):
            for number, log in enumerate(logs):
                if tick < len(log.scans):
                    team.observe(str(number), log.scans[tick])
        spent += process_time() - begun
        simulated += sum(log.scans[-1].time for log in logs)
        errors += [trajectory_error(team.members[str(n)].poses, log.poses) for n, log in enumerate(logs)]
        reckoned += [trajectory_error(dead_reckoning(log.scans, log.poses[0]), log.poses) for log in logs]
        scores.append(truth.score(team.map))
    return {
        "figure": float(np.median(errors)) * 100,
        "median": float(np.median(errors)) * 100,
        "ninetieth": float(np.quantile(errors, 0.9)) * 100,
        "worst": max(errors) * 100,
        "diverged": float(sum(error > LOST for error in errors)),
        "of_reckoning": float(np.median(errors) / np.median(reckoned)),
        "precision": float(np.median([score.precision for score in scores])),
        "recall": float(np.median([score.recall for score in scores])),
        "times_real": simulated / spent,
    }


def time_to_know(run: Explored, share: float) -> float:
    """Return when so much of the floor was known; never is infinite."""
    return next((time for time, known in run.coverage if known >= share), inf)


def explorations(ground: Map, starts: list[Start], reach: float, seeds: int) -> list[Explored]:
    """Let robots explore a place until they know nine tenths of it, once for each seed."""
    ranges = RangeModel(reach=reach)
    return [
        explored(ground, starts, seed=seed, until=1200.0, enough=ENOUGH, ranges=ranges)
        for seed in range(seeds)
    ]


def mapping_speedup(place: str, reach: float, seeds: int) -> Sample:
    """Let one, two and three robots explore a place, and compare when they know nine tenths of it.

    How well three were found, and how good their map is by then, is judged as in the arena. The share that was known at
    each time is left for the picture (`python -m benchmarks.mapping_coverage`).
    """
    ground = load_map(MAPS / f"{place}.toml")
    runs = {robots: explorations(ground, STARTS[place][:robots], reach, seeds) for robots in (1, 2, 3)}
    took = {robots: [time_to_know(run, ENOUGH) for run in some] for robots, some in runs.items()}
    times = {robots: float(np.median(some)) for robots, some in took.items()}
    contacts = [contact for some in runs.values() for run in some for contact in run.contacts]
    curves = {str(robots): some[0].coverage for robots, some in runs.items()}
    keep_curves(place, reach, curves)
    truth = Truth(space_of(ground), STARTS[place][0][:2])
    scores = [truth.score(run.exploration.team.map) for run in runs[3]]
    errors = [
        trajectory_error(run.exploration.team.members[f"robot {number}"].poses, log.poses)
        for run in runs[3]
        for number, log in enumerate(run.surveys)
    ]
    return {
        "figure": times[1] / times[3],
        "two": times[1] / times[2],
        **{f"seconds_{robots}": time for robots, time in times.items()},
        "touched": float(sum(contact.number is not None for contact in contacts)),
        "brushed": float(sum(contact.number is None for contact in contacts)),
        "unfinished": float(sum(time == inf for some in took.values() for time in some)),
        "error": float(np.median(errors)) * 100,
        "worst": max(errors) * 100,
        "precision": float(np.median([score.precision for score in scores])),
        "recall": float(np.median([score.recall for score in scores])),
    }


def mapping_unknown(plans: int, seeds: int) -> Sample:
    """Let three robots with beams of 0.8 m explore random plans until they are done, and judge their maps.

    `plan_` is the mean over the seeds of the worst plan, `run_` the worst of all runs.
    """
    scores, errors, unfinished = [], [], 0
    for number in range(plans):
        plan = random_plan(number)
        truth = Truth(space_of(plan.ground), plan.starts[0][:2])
        for seed in range(seeds):
            run = explored(plan.ground, plan.starts, seed=seed, until=900.0)
            team = run.exploration.team
            score = truth.score(team.map)
            scores.append((score.precision, score.recall))
            unfinished += not run.exploration.is_done
            errors += [
                trajectory_error(team.members[f"robot {robot}"].poses, log.poses)
                for robot, log in enumerate(run.surveys)
            ]
    found = np.array(scores).reshape(plans, seeds, 2)
    figures = {
        f"{kind}_{name}": float(number)
        for kind, numbers in (
            ("plan", found.mean(axis=1).min(axis=0)),
            ("run", found.min(axis=(0, 1))),
            ("median", np.median(found, axis=(0, 1))),
        )
        for name, number in zip(("precision", "recall"), numbers, strict=True)
    }
    return {
        "figure": figures["plan_precision"],
        **figures,
        "error": float(np.median(errors)) * 100,
        "worst": max(errors) * 100,
        "unfinished": float(unfinished),
    }


def mapping_beams(scans: int) -> Sample:
    """Add scans of six beams to a map, from places all over a room."""
    drawing = Drawing()
    readings = [Scan(0.0, 0.0, 0.0, (0.5 + 0.01 * (number % 30),) * 6) for number in range(64)]
    poses = [Pose(Point(0.031 * (number % 97), 0.017 * (number % 89)), 0.1 * number) for number in range(997)]
    begun = process_time()
    for number in range(scans):
        drawing.add(poses[number % 997], readings[number % 64])
    return {"figure": (process_time() - begun) / scans / 6 * 1e6}
