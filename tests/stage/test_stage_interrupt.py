"""Ctrl-C in a process of its own: the first ends the run cleanly, the second at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.waiting import PATIENCE, let_work, read_line, read_until, wait_for_state

LONG = """
import signal, sys
from math import inf, pi
from kumi import sleep
from kumi.stage.stage import Stage
from kumi.geometry import Ellipse
from kumi.motion import Leg
from kumi.robot import Robot
from kumi.world import World

KIND = sys.argv[1]

class Keeping:
    size = 0
    def write(self, journal):
        self.size += len(journal)

async def go(robot):
    while True:
        await robot.forward(1.0)
        await robot.back_up(1.0)

async def stuck(robot):
    await sleep(1.0)
    print("ready", flush=True)
    while True:
        pass

options = {"recorder": Keeping()} if KIND == "recorded" else {"pace": 0.001} if KIND == "paced" else {}
stage = Stage(World(), **options, on_error="robot")
for number in range(20 if KIND != "native" else 0):
    stage.add(go, at=(0.0, float(number)))
if KIND == "native":
    stage.world.add_body((0.0, 0.0), shape=Ellipse(1.0, 1.0))
    round_and_round = stage.world.add_body((0.9, 0.0), heading=pi / 2, shape=Ellipse(0.8, 0.8))
    stage.simulation.schedule(0.0, lambda: round_and_round.start([Leg.arc(0.9, 1e6, 1.0)]))
if KIND == "stuck":
    stage.add(stuck, at=(0.0, 50.0))
seen = []
before = signal.getsignal(signal.SIGINT)
stage.simulation.schedule(0.0, lambda: print("ready" if KIND != "stuck" else "", flush=True))
try:
    stage.run(**({"on_progress": seen.append} if KIND == "progress" else {}))
except KeyboardInterrupt:
    outcome = stage.outcome
    if not outcome.is_interrupted or stage.is_under_way or KIND == "stuck":
        raise
assert signal.getsignal(signal.SIGINT) is before
now = outcome.simulated_seconds
print("interrupted", outcome.is_interrupted, outcome.errors, flush=True)
places = [body.position for body in stage.world.bodies]
assert stage.simulation.now == now
again = stage.run(now + 2.0)
print("went on", again.simulated_seconds == now + 2.0, again.is_interrupted, flush=True)
stage.close()
if KIND == "recorded":
    assert options["recorder"].size > 0
print("closed", flush=True)
"""


def process(kind: str) -> subprocess.Popen[str]:
    """Start a long run in a process of its own, and wait until it is under way."""
    running = subprocess.Popen(
        [sys.executable, "-c", LONG, kind],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent.parent.parent,
        env={**os.environ, "PYTHONFAULTHANDLER": "1"},
    )
    read_until(running.stdout, "ready")
    return running


@pytest.mark.some_of(2)
@pytest.mark.parametrize("kind", ["plain", "recorded", "progress", "native"])
def test_ctrl_c_ends_the_run_cleanly_and_it_can_go_on(kind: str) -> None:
    """Also while no program runs, and two bodies that keep touching are looked at without end."""
    running = process(kind)
    let_work(running.pid)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE)

    assert (err, running.returncode) == ("", 0)
    assert out.splitlines() == ["interrupted True ()", "went on True False", "closed"]


def test_ctrl_c_ends_a_run_that_waits_for_the_wall_clock() -> None:
    """At once, and not when the next event is due in a quarter of an hour."""
    running = process("paced")
    wait_for_state(running.pid, "S")
    running.send_signal(signal.SIGINT)
    assert read_line(running.stdout) == "interrupted True ()\n"
    running.kill()
    running.communicate()


def test_a_second_ctrl_c_ends_at_once() -> None:
    """Even a program that never gives way."""
    running = process("stuck")
    running.send_signal(signal.SIGINT)
    let_work(running.pid)
    assert running.poll() is None
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE)

    assert out == ""
    assert err.splitlines()[-1].startswith("KeyboardInterrupt")
    assert running.returncode in {1, 130, -signal.SIGINT}
