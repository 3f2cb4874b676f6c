"""The table of control loops: the cost of a step with a sensor, of sensors that report on their own, and of recording a run."""

from __future__ import annotations

from benchmarks.rows import KUMI, Row, Run

PART = "Control loops"
MODULE = "loops_kumi"


def step(
    sensor: str,
    title: str,
    target: float | None,
    *,
    number: int = 300,
    walls: int = 0,
    seconds: float = 2.0,
    team: bool = False,
) -> Row:
    """Describe a row of a step: read, steer straight on, sleep 0.1 s."""
    params = {"sensor": sensor, "number": number, "walls": walls, "seconds": seconds, "team": team}
    quick = {"number": 50, "seconds": min(0.2, seconds)}
    return Row(
        name=f"loops-{'team-' if team else ''}{sensor}-{number}",
        title=f"Control step{' of a team' if team else ''}, {number:,} robots: {title}",
        unit="µs",
        task="step",
        runs=(Run(KUMI, params, repeats=1, module=MODULE, quick=quick),),
        target=target,
        part=PART,
    )


def growing(sensor: str, title: str, target: float, walls: int = 0, *, team: bool = False) -> tuple[Row, ...]:
    """Describe a row for each of three sizes."""
    numbers = 100, 300, 1_000
    return tuple(step(sensor, title, target, number=number, walls=walls, team=team) for number in numbers)


def push(sensor: str, title: str, target: float) -> Row:
    """Describe a row of what a sensor that reports on its own takes beyond the walk."""
    params = {"sensor": sensor, "number": 300, "seconds": 5.0}
    return Row(
        name=f"loops-{sensor}",
        title=f"300 robots that walk: {title}, beyond the walk",
        unit="µs a robot-second",
        task="push",
        runs=(Run(KUMI, params, repeats=1, module=MODULE, quick={"number": 50, "seconds": 1.0}),),
        target=target,
        part=PART,
    )


ROWS: tuple[Row, ...] = (
    *growing("none", "no sensor", 3.5),
    step("infrared", "an infrared beam with noise", None),
    step("ring", "eight infrared beams, one by one", 10.0),
    step("ultrasonic", "an ultrasonic cone of 3 m", 8.0),
    step("proximity", "proximity of 0.5 m", 7.0),
    *growing("view", "a view of 1 m with occlusion", 10.0),
    *growing("lidar-24", "a lidar of 24 beams of 1 m", 6.0),
    *growing("lidar-360", "a lidar of 360 beams of 10 m among 30 walls", 25.0, walls=30),
    step("lidar-360-noise", "a lidar of 360 beams with noise", 30.0),
    step("camera", "a camera", 1_000.0, number=60, seconds=0.1),
    step("ring", "eight infrared beams, one by one", 3.0, team=True),
    step("ultrasonic", "an ultrasonic cone of 3 m", 3.0, team=True),
    step("proximity", "proximity of 0.5 m", 3.0, team=True),
    *growing("view", "a view of 1 m with occlusion", 2.5, team=True),
    *growing("lidar-24", "a lidar of 24 beams of 1 m", 1.5, team=True),
    *growing("lidar-360", "a lidar of 360 beams of 10 m among 30 walls", 18.0, walls=30, team=True),
    step("lidar-360-noise", "a lidar of 360 beams with noise", 20.0, team=True),
    push("bumper", "a bumper", 3.0),
    push("alarm", "a proximity alarm of 1 m", 15.0),
    push("whisker", "a whisker of 0.1 m", 40.0),
    push("battery", "a battery", 3.0),
    Row(
        name="loops-kept",
        title="300 robots that walk: a recorded run, relative to one that is not",
        unit="times",
        task="kept",
        runs=(
            Run(
                KUMI,
                {"number": 300, "seconds": 5.0},
                repeats=1,
                module=MODULE,
                quick={"number": 50, "seconds": 1.0},
            ),
        ),
        target=1.5,
        part=PART,
    ),
)
