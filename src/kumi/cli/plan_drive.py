"""`kumi plan` over a plane in metres: a route, a path along it, and the fastest speeds."""

from __future__ import annotations

import json
from itertools import pairwise
from math import radians
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from kumi.planning import Limits, Trajectory, fit_path, plan_route, route_length, speed_profile
from kumi.recording.plan_picture import DrawnPlan, draw_plan
from kumi.recording.scenery import read_scenery
from kumi.scenario.scenario import find_scenario
from kumi.scenario.spaces import space_of
from kumi.world.map_files import load_map
from kumi.world.map_toml import map_to_table

if TYPE_CHECKING:
    from kumi.planning import Route
    from kumi.world.map import Map

BENDS = ("bias", "tension", "min_radius", "max_curvature_rate")
HEADINGS = ("start_heading", "goal_heading")
"""Options that are handed on to the fitting of a path, as they are and from degrees."""

STATE_PERIOD = 0.1
"""Seconds between two states that are told."""


def plan_drive(
    map_: str,
    start: tuple[float, float],
    goal: tuple[float, float],
    radius: float,
    given: dict[str, Any],
    as_json: bool,
    output: Path | None,
) -> None:
    """Read, plan, tell, draw; what is not given has the defaults of the command line."""
    plane = load_map(map_ if Path(map_).suffix else find_scenario(map_))
    space = space_of(plane)
    limits = Limits(
        top_speed=given.get("top_speed", 1.0),
        acceleration=given.get("acceleration", 0.5),
        **{name: given[name] for name in ("lateral", "jerk") if name in given},
    )
    bends = {name: given[name] for name in BENDS if name in given}
    bends |= {name: radians(given[name]) for name in HEADINGS if name in given}
    times = [perf_counter()]
    route = plan_route(space, start, goal, radius, by=given.get("by", "visibility"))
    times.append(perf_counter())
    trajectory = None
    if route is not None:
        path = fit_path(route, clearance=radius, space=space, **bends)
        times.append(perf_counter())
        trajectory = Trajectory(path, speed_profile(path, limits))
        times.append(perf_counter())
    if as_json:
        click.echo(json.dumps(record(route, trajectory, times[-1] - times[0])))
    else:
        show(route, trajectory, times)
    if output:
        draw(plane, route, trajectory, radius, output)
        click.echo(f"picture: {output}", err=as_json)


def record(route: Route | None, trajectory: Trajectory | None, seconds: float) -> dict[str, object]:
    """Return what `--json` prints."""
    return {
        "route": [list(point) for point in route] if route else None,
        "length": trajectory.path.length if trajectory else None,
        "cost_of_bound": trajectory.path.cost_of_bound if trajectory else None,
        "duration": trajectory.profile.duration if trajectory else None,
        "states": [list(state) for state in trajectory.states(STATE_PERIOD)] if trajectory else None,
        "seconds": seconds,
    }


def show(route: Route | None, trajectory: Trajectory | None, times: list[float]) -> None:
    """Print what was found, in words."""
    took = [f"in {(later - earlier) * 1e3:.3g} ms" for earlier, later in pairwise(times)]
    if route is None or trajectory is None:
        click.echo(f"no route, {took[0]}")
        return
    path, sharpest = trajectory.path, float(abs(trajectory.path.curvature).max())
    bend = f"least radius {1 / sharpest:.4g} m" if sharpest > 1e-9 else "straight"
    cost = f", {path.cost_of_bound:.4g} m of it for its rate of curvature" if path.cost_of_bound else ""
    fastest = max(state.v for state in trajectory.states(STATE_PERIOD))
    click.echo(f"route: {len(route)} points, {route_length(route):.4g} m, {took[0]}")
    click.echo(f"path: {path.length:.4g} m{cost}, {bend}, {took[1]}")
    click.echo(f"profile: {trajectory.profile.duration:.4g} s, up to {fastest:.4g} m/s, {took[2]}")


def draw(plane: Map, route: Route | None, trajectory: Trajectory | None, radius: float, output: Path) -> None:
    """Draw the map with what was found, and the speeds below."""
    found = DrawnPlan(radius=radius)
    if route is not None and trajectory is not None:
        states = trajectory.states(STATE_PERIOD / 2)
        found = DrawnPlan(
            route=[(point.x, point.y) for point in route],
            path=[(state.x, state.y) for state in states],
            profile=[(state.s, state.v) for state in states],
            radius=radius,
        )
    draw_plan(found, read_scenery(map_to_table(plane)), output)
