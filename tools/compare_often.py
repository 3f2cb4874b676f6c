"""How often does `kumi compare` find what was planted, and how often something that is not there?

    python tools/compare_often.py                              20 seeds with a motor at 0.9, 100 without an error
    python tools/compare_often.py --planted 5 --clean 10 --runs 3 convoy-in-the-loop

Each comparison has seeds of its own, and all are in simulated time, so the counts can be repeated. It ends with 1 where
the motor lies outside its interval in more than one comparison of twenty, or where more than one in twenty comparisons
without an error calls anything wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from kumi.loop.comparing.judging import Comparison, judge
from kumi.loop.comparing.kinds import MOTOR
from kumi.loop.comparing.many import PlantedExperiment, run_all
from kumi.loop.comparing.planting import Planted
from kumi.loop.comparing.report import size
from kumi.loop.comparing.subject import ComparedSubject, subject_of

SLOW = 0.9
LONGER = 100.0 * (1.0 / SLOW - 1.0)
"""Per cent of time that a motor with 0.9 of its speed needs more."""
MOST = 0.05


def comparisons(
    subject: ComparedSubject, planted: Planted, count: int, runs: int, workers: int
) -> Iterator[Comparison]:
    """Compare so often, each time with the next seeds."""
    experiment = PlantedExperiment(subject, planted)
    done = run_all(experiment, range(count * runs), workers=workers)
    for first in range(0, count * runs, runs):
        yield judge(done[first : first + runs])


def planted(subject: ComparedSubject, count: int, runs: int, workers: int) -> bool:
    """Count in how many comparisons all motors are found, and lie within their intervals."""
    hits = found = motors = covered = 0
    for comparison in comparisons(subject, Planted(motor=SLOW), count, runs, workers):
        speeds = [one for one in comparison.findings if one.kind == MOTOR]
        inside = [LONGER in one.off for one in speeds]
        hits += all(inside) and bool(inside)
        found += all(one.verdict == "wrong" for one in speeds) and bool(speeds)
        motors, covered = motors + len(inside), covered + sum(inside)
        print(f"  seed {comparison.runs[0].seed}: " + ", ".join(size(one.off, "%") for one in speeds))
    print(
        f"a motor at {SLOW:g}, +{LONGER:.1f} %: found in {found} of {count} comparisons, within the interval in {hits}"
    )
    print(f"  {covered} of {motors} motors lie within their intervals")
    return found == count and count - hits <= max(1, MOST * count)


def clean(subject: ComparedSubject, count: int, runs: int, workers: int) -> bool:
    """Count how many comparisons without an error call something wrong."""
    alarms = findings = 0
    for comparison in comparisons(subject, Planted(), count, runs, workers):
        wrong = comparison.those("wrong")
        findings += len(comparison.findings)
        alarms += bool(wrong)
        for one in wrong:
            words = f"{one.robot}, {one.kind.device}: {one.kind.name} {size(one.off, one.kind.unit)}"
            print(f"  seed {comparison.runs[0].seed}: {words}")
    print(f"without an error: {alarms} of {count} comparisons call something wrong, of {findings:,} findings")
    return alarms <= MOST * count


def main() -> int:
    """Count both."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scenario", nargs="?", default="random-movement-in-the-loop")
    parser.add_argument("--planted", type=int, default=20)
    parser.add_argument("--clean", type=int, default=100)
    parser.add_argument("--runs", type=int, default=1, help="of each comparison")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--set", dest="settings", action="append", default=[])
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        subject = subject_of(given.scenario, given.settings, (), Path(folder))
        print(subject.title)
        is_found = planted(subject, given.planted, given.runs, given.workers)
        is_quiet = clean(subject, given.clean, given.runs, given.workers)
    return 0 if is_found and is_quiet else 1


if __name__ == "__main__":
    sys.exit(main())
