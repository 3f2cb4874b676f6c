"""Whose is what a call is about? A call about what belongs to another team is refused.

Where an operation is about a robot, everybody may know that the robot is there, but not more. A task or a file of another
team is answered as if there were none.
"""

from __future__ import annotations

from kumi.station.callers import Caller, Kind
from kumi.station.records import Record
from kumi.station.refusals import forbidden, unknown
from kumi.station.requests import OfMedium, OfRobot, OfTask, OfTeam
from kumi.station.service.rows import medium_row, robot_row, task_row
from kumi.station.store.transaction import Transaction


def check_owner(transaction: Transaction, request: Record, caller: Caller) -> None:
    """Refuse a call about what belongs to another team."""
    if isinstance(request, OfRobot):
        check_team(robot_row(transaction, request.robot).team, caller, f"robot '{request.robot}'")
    elif isinstance(request, OfTeam):
        if not (caller.is_super_user or caller.team == request.team):
            raise forbidden(f"'{request.team}' is not your team; yours is '{caller.team}'")
    elif isinstance(request, OfTask):
        row = task_row(transaction, request.task)
        owner = None if row is None else robot_row(transaction, row.robot).team
        is_own = row is not None and (caller.kind is not Kind.ROBOT or row.robot == caller.name)
        if not is_own or not (caller.is_super_user or owner == caller.team):
            raise unknown(f"there is no task {request.task} of yours")
    elif isinstance(request, OfMedium):
        row = medium_row(transaction, request.medium)
        if row is None or not (caller.is_super_user or row.team == caller.team):
            raise unknown(f"there is no file {request.medium} of yours")


def check_team(team: str, caller: Caller, what: str) -> None:
    """Refuse a caller who is not of a team."""
    if not (caller.is_super_user or caller.team == team):
        raise forbidden(f"{what} is not of your team, '{caller.team}'")
