"""The parts of the page agree with kumi: its TypeScript is tested by Node, against a run written here."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from kumi.control import LiveActions
from kumi.control.actions import DrawWall, RemoveWall, Spot
from kumi.recording import Commanded, Ending, MotionEnded, Moves, Resized, RunFile, Touched, writer
from kumi.recording.palette import TypeColours, inner_type
from kumi.scenario import load_scenario
from kumi.scenario.output import RunOutput
from kumi.scenario.staging import Staging
from tests.view.mixed import run_mixed, seen
from tools.page import WEB, node_path

SPOKEN = [
    *((f"Word{number}", "") for number in range(12)),  # more than there are colours
    ("Größe", "3"),
    ("InChannel", "1, Question(3, 5)"),
    ("InChannel", "1, ReleaseZone(3, Zone[([1.000, 2.000]), 0.500])"),
    ("Word3", "again"),
]
"""Messages: their types and what is in them."""


def record_run(path: Path, name: str, *changes: str) -> RunFile:
    """Write a run of a shipped scenario, handed over second by second, in which walls come and go by hand."""
    staging = Staging(load_scenario(name, [*changes, f"output.record={path}"]))
    acting = LiveActions()
    with RunOutput(staging.scenario) as output, staging.stage(output, acting.between) as stage:
        output.open(stage.world, staging.names)
        acting.join(stage)
        for time in (10.0, 20.0, 30.0):
            acting.plan(time, DrawWall(Spot(0.0, time), Spot(0.5, time)))
        acting.plan(40.0, RemoveWall(1))
        for second in range(int(staging.scenario.settings.until)):
            stage.run(second + 1.0)
        output.finish(stage.outcome)
    return RunFile(path)


def oracle_of(run: RunFile) -> dict[str, object]:
    """Return what Python says of a run, and of the colours of messages."""
    colours = TypeColours()
    told = [one for one in run.records() if not isinstance(one, Moves | Resized)]
    told = [
        one
        for one in told
        if not (isinstance(one, MotionEnded) and one.why not in {Ending.ARRIVED, Ending.STOPPED})
    ]
    instants = [run.start + (run.end - run.start) * share / 40 for share in range(41)]
    return {
        **served(run),
        "states": [
            {
                "instant": instant,
                "bodies": [
                    [one.number, *one.pose.position, one.pose.heading, one.is_moving]
                    for one in run.state_at(instant)
                ],
                "obstacles": [one["name"] for one in run.map_at(instant).get("obstacles", ())],
            }
            for instant in instants
        ],
        "records": len(told),
        "contacts": sum(isinstance(one, Touched) for one in told),
        "types": [(kind, content, colours.of(inner_type(kind, content))) for kind, content in SPOKEN],
    }


def served(run: RunFile) -> dict[str, object]:
    """Write the chunks of a run as a server gives them into a file, and return its name and where each is in it."""
    file, chunks, at = run.path.with_suffix(".served"), [], 0
    with file.open("wb") as out:
        for one in run.chunks:
            length = out.write(run.stored(one))
            chunks.append([one.kind, one.time, at, length])
            at += length
    return {"run": str(file), "chunks": chunks}


def oracle_of_mixed(run: RunFile) -> dict[str, object]:
    """Return what Python says of what is seen beside bodies, at many instants."""
    instants = [0.0, *(4.7 * number for number in range(1, int(run.end / 4.7))), run.end]
    return {
        **served(run),
        "seen": [seen(run, instant) for instant in instants],
    }


@pytest.mark.slow
def test_the_page_reads_a_run_as_python_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small chunks, so that there are many of them, and keyframes between."""
    monkeypatch.setattr(writer, "CHUNK", 20_000)
    monkeypatch.setattr(writer, "KEYFRAME_SHARE", 2)
    run = record_run(tmp_path / "run.kumi", "random-movement", "until=60", "robots.count=40")
    assert {int(one.kind) for one in run.chunks} == {2, 3}
    assert any(isinstance(one, Commanded) for one in run.records())
    run_mixed(tmp_path / "mixed.kumi")
    mixed = RunFile(tmp_path / "mixed.kumi")
    (tmp_path / "oracle.json").write_text(json.dumps({**oracle_of(run), "mixed": oracle_of_mixed(mixed)}))
    environment = {**os.environ, "PATH": str(node_path()), "KUMI_ORACLE": str(tmp_path / "oracle.json")}

    built = subprocess.run(
        ["node", "build.mjs", "--tests", str(tmp_path)],
        cwd=WEB,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    tested = subprocess.run(
        ["node", "--test", *map(str, sorted(tmp_path.glob("*.test.mjs")))],
        cwd=WEB,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert tested.returncode == 0, tested.stdout + tested.stderr
