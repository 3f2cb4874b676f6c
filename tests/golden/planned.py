"""Scenes of planning: routes, paths, profiles, giving way, many robots on a grid, formations; by what they hold."""

from __future__ import annotations

from itertools import product
from math import inf, pi
from typing import get_args

import numpy as np

from kumi.devs.chance import stream
from kumi.geometry import BodyShape, Bounds, Circle, Disc, Ellipse, Outline, Point, Polygon, Pose, Rectangle
from kumi.planning import (
    LENGTH,
    By,
    Grid,
    Limits,
    Mover,
    Path,
    PlannedStop,
    Replanner,
    Space,
    SpeedZone,
    Trajectory,
    Vehicle,
    WallSpace,
    any_angle_path,
    around,
    clearances,
    conflicts,
    distance_costs,
    fit_path,
    grid_path,
    inflate,
    near_costs,
    plan_route,
    prioritised,
    route_length,
    shyness,
    solve_mapf,
    speed_profile,
    window,
)
from kumi.planning.course import Course
from kumi.planning.formation_task import measure
from kumi.planning.formations import Reference, column, diamond, line, wedge
from kumi.planning.gathering import to_centre_of_gravity, to_circle, within_sight
from kumi.planning.lag import lagged, least_gap
from kumi.planning.motor_schemas import SchemaZones, Sphere, limited, wheel_speeds
from kumi.planning.schedulers import RobotView
from tests.golden.content import content_hash

ROOM = Space(
    [
        Rectangle(4, 4, 3, 2),
        Circle((12, 9), 1.7),
        Outline([(14, 2), (18, 3), (16, 6)]),
        WallSpace((8, 12), (13, 16)),
    ],
    Bounds(0, 0, 20, 18),
)
ENDS = [((1, 1), (19, 17)), ((1, 17), (19, 1)), ((2, 5), (18, 9))]
LIMITS = Limits(top_speed=2.0, acceleration=1.0)
BENDING = Limits(top_speed=2.0, acceleration=1.0, lateral=0.5, turn_speed=0.7, steering_rate=0.9)
CALM = Limits(top_speed=2.0, acceleration=1.0, jerk=2.0)
OCTAGON = Polygon(
    [(0.5, 0.2), (0.2, 0.5), (-0.2, 0.5), (-0.5, 0.2), (-0.5, -0.2), (-0.2, -0.5), (0.2, -0.5), (0.5, -0.2)]
)


def shown(path: Path) -> list[object]:
    """Return all that a path holds."""
    return [path.x, path.y, path.heading, path.curvature, path.s]


def paths() -> list[Path]:
    """Return a smooth path for each pair of places in the room."""
    found = []
    for start, goal in ENDS:
        route = plan_route(ROOM, start, goal, 0.5)
        assert route is not None
        found.append(fit_path(route, min_radius=0.6, clearance=0.4, space=ROOM, spacing=0.05))
    return found


def routes() -> str:
    """Routes by each way of finding one, by length and by how far they keep off."""
    found: list[object] = []
    for by, (start, goal) in product(get_args(By), ENDS):
        for criterion in (LENGTH, shyness(1.0)):
            cell = None if by == "visibility" else 0.5
            route = plan_route(ROOM, start, goal, 0.4, by=by, cell=cell, criterion=criterion)
            assert route is not None
            found += [route, route_length(route), ROOM.clearance_between(*route[:2])]
    return content_hash(found)


def spline_paths() -> str:
    """Paths of continuous curvature along routes, of every bias and tension."""
    bend = [(0, 0), (10, 0), (10, 10), (3, 12)]
    shapes = [(1.0, 0.0, 0.0), (2.0, 1.0, 1.0), (0.5, 1.0, 0.3)]
    bent = [
        fit_path(bend, bias=b, tension=t, min_radius=r, start_heading=0.3, spacing=0.1) for b, t, r in shapes
    ]
    return content_hash([shown(path) for path in (*paths(), *bent)])


def between_headings() -> str:
    """Shortest paths between poses, with a heading free at one end, and with bounds on the rate of curvature."""
    drawn, found = stream(6, "headings"), list[object]()
    for _ in range(12):
        goal = Point.polar(drawn.uniform(0.5, 8.0), drawn.uniform(-pi, pi))
        first, last = drawn.uniform(-pi, pi), drawn.uniform(-pi, pi)
        for start_heading, goal_heading in ((first, last), (first, None), (None, last)):
            for rate in (inf, 4.0, 0.5):
                path = fit_path(
                    [(0, 0), goal],
                    min_radius=1.0,
                    start_heading=start_heading,
                    goal_heading=goal_heading,
                    max_curvature_rate=rate,
                    spacing=0.2,
                )
                found += [shown(path), path.cost_of_bound]
    return content_hash(found)


def profiles() -> str:
    """Fastest drives, with and without a limit of jerk, with zones and stops, and where they lead."""
    found: list[object] = []
    for path in paths():
        zones, stops = [SpeedZone(2.0, 4.0, 0.5)], [PlannedStop(6.0, 1.5)]
        for limits in (LIMITS, BENDING, CALM):
            profile = speed_profile(path, limits, zones=zones, stops=stops)
            trajectory = Trajectory(path, profile, start=1.0)
            times = np.linspace(0.0, trajectory.end, 200)
            found += [profile.duration, profile.way_at(times), profile.speed_at(times)]
            found += [
                profile.acceleration_at(times),
                list(trajectory.poses(times)),
                trajectory.timed_places(0.5),
            ]
            found += [list(state) for state in trajectory.states(0.5)]
    return content_hash(found)


def giving_way() -> str:
    """Vehicles of three shapes cross each other's paths, and a closed zone; with a lag, too."""
    shapes: list[BodyShape] = [OCTAGON, Ellipse(1.4, 0.8), Disc(0.4)]
    vehicles = [
        Vehicle(path, shape, LIMITS, f"vehicle {number}")
        for number, (path, shape) in enumerate(zip(paths(), shapes, strict=True))
    ]
    driven = prioritised(vehicles, margin=0.1, resolution=0.2)
    first = Mover(OCTAGON, driven[0].motion(0.05), "first")
    regions = conflicts(vehicles[1].path, shapes[1], first, resolution=0.2)
    closed = around(
        vehicles[2].path, LIMITS, shapes[2], [first], resolution=0.2, regions=[window(9, 10, 3, 8)]
    )
    late = lagged(driven[1].motion(0.05), 0.2)
    times = np.linspace(0.0, 30.0, 300)
    return content_hash(
        [list(trajectory.poses(times)) for trajectory in driven],
        len(regions),
        closed.way_at(times),
        list(late.poses(times)),
        least_gap(shapes[1], late, first),
    )


def grids() -> str:
    """Shortest ways on grids: free, at any angle, by costs, inflated, planned anew."""
    drawn = stream(3, "grid")
    cells = np.array([[drawn.happens(0.25) for _ in range(40)] for _ in range(40)])
    cells[:3, :3] = cells[-3:, -3:] = False
    ends = (0, 0), (39, 39)
    found = [grid_path(cells, *ends), any_angle_path(cells, *ends), Grid(cells).path(*ends, moves=4)]
    costs = near_costs(cells)
    found += [grid_path(costs, *ends), grid_path(distance_costs(cells), *ends)]
    replanner = Replanner(cells, (39, 39))
    found.append(replanner.path((0, 0)))
    replanner.block((1, 0), (1, 1), (0, 2))
    found.append(replanner.path((0, 0)))
    tables = [costs, distance_costs(cells), clearances(cells), inflate(cells, 1.5)]
    return content_hash([None if one is None else [one.cells, one.cost] for one in found], tables)


def many_robots() -> str:
    """Sixty robots on one grid, the first plan and after some rounds of improving it."""
    drawn = stream(4, "robots")
    cells = np.array([[drawn.happens(0.1) for _ in range(24)] for _ in range(24)])
    free = [(int(row), int(column)) for row, column in np.argwhere(~cells)]
    starts, goals = drawn.shuffled(free)[:60], drawn.shuffled(free)[:60]
    plans = [solve_mapf(cells, starts, goals, seconds=1e6, rounds=rounds, seed=2) for rounds in (0, 40)]
    return content_hash([None if plan is None else [plan.paths, plan.sum_of_costs] for plan in plans])


def teams() -> str:
    """Places in formations, wishes of motor schemas, a course and its metrics, meeting and forming a circle."""
    drawn, found = stream(5, "teams"), list[object]()
    course = Course.of([(0, 0), (5, 1), (8, 6)], 1.0)
    for make, reference in product((line, wedge, column, diamond), Reference):
        formation = make(5, 0.7)
        at = {number: Point(drawn.normal(0, 2), drawn.normal(0, 2)) for number in range(5)}
        keepers = formation.keepers(reference)
        found += [formation.place(reference, number, at, 0.7) for number in keepers]
        found += [formation.start(reference, number, Point(1, 2), 2.2) for number in keepers]
        march = [
            [Pose(Point(k + drawn.normal(), drawn.normal()), 0.1 * k) for _ in range(5)] for k in range(9)
        ]
        found.append(measure(formation, reference, course, 0.5, [*map(float, range(9))], march))
    zones, sphere = SchemaZones(0.1, 1.0), Sphere(2.0, 0.2)
    for _ in range(200):
        here, other = (Point(drawn.normal(0, 3), drawn.normal(0, 3)) for _ in range(2))
        wish = zones.keep_place(here, other) + sphere.keep_off(
            abs(here), drawn.uniform(-pi, pi), here.direction
        )
        found += [limited(wish, 0.8), list(wheel_speeds(wish, drawn.uniform(-9, 9), 0.2, 1.0))]
        found += [course.direction_at(here, 0), course.heading_at(other, 1)]
    for count in (1, 2, 3, 7, 12):
        view = RobotView(tuple(Point(drawn.normal(0, 3), drawn.normal(0, 3)) for _ in range(count)))
        found += [to_circle(view), to_centre_of_gravity(view), within_sight(RobotView(view.others, 2.0))]
    return content_hash(found)


SCENES = [routes, spline_paths, between_headings, profiles, giving_way, grids, many_robots, teams]
