"""How to get there: routes, paths, speed profiles, reservations."""

from typing import TYPE_CHECKING

from kumi.lazy import lazy

if TYPE_CHECKING:
    from kumi.planning.anyangle import any_angle_path
    from kumi.planning.barrier import Barrier
    from kumi.planning.beta_spline import BetaSpline
    from kumi.planning.conflicts import Mover, Region, conflicts, window
    from kumi.planning.costs import clearances, distance_costs, inflate, near_costs
    from kumi.planning.criteria import LENGTH, Criterion, shyness
    from kumi.planning.effective_centre import EffectiveCentre
    from kumi.planning.fitting import fit_path
    from kumi.planning.grid import Grid, GridPath, grid_path
    from kumi.planning.grid_error import GridError
    from kumi.planning.limits import Deadline, Impossible, Limits, PlannedStop, SpeedZone
    from kumi.planning.mapf import Flaw, Improvement, Mapf, NotSolved, check_mapf, solve_mapf
    from kumi.planning.movingai import Query, read_map, read_scen
    from kumi.planning.orca import Orca
    from kumi.planning.path_check import PathError
    from kumi.planning.paths import Path, Posture
    from kumi.planning.potential import Potential
    from kumi.planning.profile import Profile, speed_profile
    from kumi.planning.replanning import Replanner
    from kumi.planning.reservations import FloorAnswer, Reservations, ZoneRefused
    from kumi.planning.routes import By, Route, plan_route, route_length
    from kumi.planning.space import PlanError, Space, WallSpace
    from kumi.planning.trajectory import TimedMotion, Trajectory, VehicleState
    from kumi.planning.velocity_planning import Vehicle, around, prioritised
    from kumi.planning.velocity_rules import MovingDisc, wall_rows
    from kumi.reserving import Policy, Way, Zone

__all__ = [
    "LENGTH",
    "Barrier",
    "BetaSpline",
    "By",
    "Criterion",
    "Deadline",
    "EffectiveCentre",
    "Flaw",
    "FloorAnswer",
    "Grid",
    "GridError",
    "GridPath",
    "Impossible",
    "Improvement",
    "Limits",
    "Mapf",
    "Mover",
    "MovingDisc",
    "NotSolved",
    "Orca",
    "Path",
    "PathError",
    "PlanError",
    "PlannedStop",
    "Policy",
    "Posture",
    "Potential",
    "Profile",
    "Query",
    "Region",
    "Replanner",
    "Reservations",
    "Route",
    "Space",
    "SpeedZone",
    "TimedMotion",
    "Trajectory",
    "Vehicle",
    "VehicleState",
    "WallSpace",
    "Way",
    "Zone",
    "ZoneRefused",
    "any_angle_path",
    "around",
    "check_mapf",
    "clearances",
    "conflicts",
    "distance_costs",
    "fit_path",
    "grid_path",
    "inflate",
    "near_costs",
    "plan_route",
    "prioritised",
    "read_map",
    "read_scen",
    "route_length",
    "shyness",
    "solve_mapf",
    "speed_profile",
    "wall_rows",
    "window",
]

lazy(__name__)
