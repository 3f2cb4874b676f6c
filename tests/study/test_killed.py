"""A study that is killed at any moment keeps its finished runs, does none of them again, and comes to the same table."""

from __future__ import annotations

import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from kumi.devs.chance import stream
from kumi.study import Results
from kumi.study.results import read_runs
from tests.study.ending import STUDY, alive, begin, children
from tests.waiting import PATIENCE, wait_for


@pytest.mark.slow
def test_a_study_killed_at_random_moments_loses_and_repeats_nothing(tmp_path: Path) -> None:
    """Killed by SIGKILL again and again; a run may be begun again only if its end was not kept."""
    (tmp_path / "killed.toml").write_text(STUDY)
    results = tmp_path / "killed.results"
    chance = stream(7, "moments")
    kept: list[dict[str, object]] = []
    kills = 0
    workers: list[int] = []
    begun = 0
    while len(kept) < 45 and kills < 45:
        done = {run["row"] for run in kept}
        process = begin(tmp_path)
        if kills < 2:
            count = len(kept)
            wait_for(lambda: process.poll() is not None or len(read_runs(results)) > count)  # noqa: B023
            time.sleep(chance.uniform(0.0, 0.3))
            workers = children(process.pid)
            assert workers or process.poll() is not None
            process.kill()
            kills += 1
        process.communicate(timeout=PATIENCE)
        if process.returncode == -signal.SIGKILL:
            wait_for(lambda: alive(workers) == [])  # noqa: B023 - nobody is left behind
        now = read_runs(results)
        assert now[: len(kept)] == kept  # what was kept stays
        kept = now
        lines = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
        again = {3 * int(seed) + int(a) - 1 for a, _, seed, _ in lines[begun:]}
        assert done.isdisjoint(again), "a run that was kept was begun again"
        begun = len(lines)

    assert kills >= 2
    assert Counter(run["row"] for run in kept) == dict.fromkeys(range(45), 1)
    assert [run["metrics"]["sum"] for run in sorted(kept, key=lambda run: run["row"])] == [  # type: ignore[index,arg-type,return-value]
        a + seed for seed in range(15) for a in (1.0, 2.0, 3.0)
    ]
    assert Results.read(results).table.height == 45
