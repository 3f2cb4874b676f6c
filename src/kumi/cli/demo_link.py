"""`kumi demo link`: three emulated packet robots, each a process of its own, map a place together."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumi.cli.control_screen import screen
from kumi.cli.demo_mapping import EmulatedRobots
from kumi.cli.demo_shown import ShownExploring, leave, report
from kumi.cli.errors import BadInput, ExitCode
from kumi.cli.options import Folder, Placement
from kumi.control.session import MOST_ROBOTS
from kumi.devs.interrupts import ended_by_signals
from kumi.link.ports import check_baud
from kumi.loop.device_processes import DeviceStart, robot_processes, world_process
from kumi.scenario import shipped_scenarios
from kumi.world import load_map

if TYPE_CHECKING:
    from kumi.geometry import Pose
    from kumi.loop.device_processes import RobotProcess
    from kumi.world import Map

HELP = """Let three emulated packet robots map a place over their links; it ends by itself.

Three processes `kumi robot packet --pty` are started, and a fourth with the world that they share. The control program
tries each robot out by commands in words. Then the program of `kumi run mapping` runs on them over the link: it finds
the robots, draws their common map, and sends each to another end of the known floor. All go at the speed of real
robots. It ends when nothing is left to see, after about a minute, or half of that with --clock 2; at the latest after
--seconds. A robot whose process is killed is told of, and the others go on.

\b
Left in the folder:
  map.png                the map they drew, with their ways
  map.yaml and map.pgm   that map for ROS's map_server
  control.kumi           the run of the control program, for `kumi show` and `kumi video`
  mapping.kumi           the run of the mapping, and run.png, its end

The exit code is 1 when no robot is left, and 130 after Ctrl-C, which stops all robots.
"""

PLACES = ("0.4,0.35", "3.4,0.4", "0.5,2.6")
"""Where the robots start in the arena, as in `kumi run mapping`."""

SPARE_LIFETIME = 300.0
"""Seconds that a robot lives longer than the demo should take, where nobody ends it."""


@click.command("link", help=HELP)
@click.option(
    "--out", type=Folder(), default="kumi-demo", show_default=True, help="Folder for what it leaves."
)
@click.option(
    "--world", type=click.Path(path_type=Path), help="Map they live in.  [default: the arena, 4 x 3 m]"
)
@click.option("--at", "poses", type=Placement(), multiple=True, help="Where one starts; one to three times.")
@click.option("--seconds", type=float, default=120.0, show_default=True, help="How long to map at most.")
@click.option("--clock", type=float, default=1.0, show_default=True, help="How fast all clocks go.")
@click.option("--baud", type=int, default=57600, show_default=True, help="Bits a second, 9600 to 115200.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the particles.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def link(out: Path, poses: tuple[Pose, ...], as_json: bool, **given: Any) -> int:
    """Start the robots, try them, let them map, and leave pictures."""
    for name in ("seconds", "clock"):
        if not 0.0 < given[name] < math.inf:
            raise BadInput(f"--{name} is a number > 0, not {given[name]:g}.")
    if len(poses) > MOST_ROBOTS:
        raise BadInput(f"a demo has one to {MOST_ROBOTS} robots, not {len(poses)}.")
    if (given["world"] is None) != (not poses):
        raise BadInput("--world and --at go together: a map, and where the robots start in it.")
    world = shipped() if given["world"] is None else given["world"]
    map_, baud = load_map(world), check_baud(given["baud"])
    starts = poses or tuple(Placement()(place) for place in PLACES)
    clock = ["--clock", str(given["clock"])]
    options = ["--baud", str(baud), "--noise", "gaussian:2", "--slip", "gaussian:0.0005", *clock]
    life = given["seconds"] + SPARE_LIFETIME * given["clock"]
    say: Callable[[str], object] = (lambda _said: None) if as_json else click.echo
    start = [DeviceStart(address, pose) for address, pose in enumerate(starts)]
    with ended_by_signals(interrupt), world_process("--world", str(world), *clock, seconds=life) as place:
        say(f"their world is at {place}")
        with robot_processes(start, "--join", place, *options, seconds=life) as robots:
            real_robots = meet(robots, baud, given["clock"], say)
            return run(real_robots, map_, out, as_json, given)


def interrupt() -> None:
    """End the demo from wherever it is."""
    raise KeyboardInterrupt


def shipped() -> Path:
    """Return the map of the demo."""
    return shipped_scenarios()["mapping"].parent / "maps" / "arena.toml"


def meet(robots: list[RobotProcess], baud: int, pace: float, say: Callable[[str], object]) -> EmulatedRobots:
    """Wait until the robots have told their ports; one that does not is left out."""
    ports = {}
    for robot in robots:
        name = f"robot {robot.address}"
        try:
            ports[name] = robot, robot.wait_for_port()
        except RuntimeError as error:
            click.echo(f"{name} is left out: {error}", err=True)
            continue
        say(f"{name} is process {robot.process.pid} at {ports[name][1]}, {baud} baud")
    if not ports:
        raise click.ClickException("no robot could be started.")
    return EmulatedRobots(ports, baud, pace, lambda said: click.echo(said, err=True))


def run(real_robots: EmulatedRobots, map_: Map, out: Path, as_json: bool, given: dict[str, Any]) -> int:
    """Let the control program try the robots and the mapping program run on them; return the exit code."""
    with ExitStack() as shown:
        told = None if as_json else shown.enter_context(screen(as_json=False, is_typed=False))
        poses, was_halted = real_robots.check(out / "control.kumi", told)
    if was_halted:
        raise click.Abort
    if not poses:
        raise click.ClickException("no robot could carry out what the control program asked for.")
    start = next(iter(poses.values())).position
    with ShownExploring(map_, start, given["seconds"], is_quiet=as_json) as showing:
        explored = real_robots.explore(
            poses,
            until=given["seconds"],
            record=out / "mapping.kumi",
            map_=map_,
            seed=given["seed"],
            progress=showing.show,
        )
    result = leave(explored, showing.truth, out)
    report(result, as_json=as_json)
    if explored.is_interrupted:
        return ExitCode.INTERRUPTED
    return ExitCode.FAILED if len(explored.lost) == len(poses) else ExitCode.DONE
