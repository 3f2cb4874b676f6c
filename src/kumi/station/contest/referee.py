"""What does the referee see during a match?

What robots look at, reports, at the instant at which they are made, and code that fails. A report is right when its place is
near the object of that name. It counts when a robot of the team has had the object in sight: in a look, or as it reports. The
first team that reports an object gets the points, as does another one at the same instant; a later report of it counts nothing. A
wrong report costs. The picture counts when the object is in view and not hidden.
"""

from __future__ import annotations

from collections.abc import Sequence

from kumi.contract.readings import Sighting
from kumi.maths import hypot
from kumi.station.contest.board import BoardEntry, Reason
from kumi.station.contest.hiding import Hidden
from kumi.station.contest.rules import ContestRules
from kumi.station.contest.sight import seen_at
from kumi.world import SimulatedBody


class Referee:
    """Takes reports, and writes down what they count."""

    def __init__(self, rules: ContestRules, hidden: Sequence[Hidden]) -> None:
        self.entries: list[BoardEntry] = []
        self._rules = rules
        self._hidden = {one.name: one for one in hidden}
        self._reported: dict[str, tuple[float, set[str]]] = {}
        self._seen: set[tuple[str, str]] = set()

    def take_look(self, team: str, seen: Sequence[Sighting]) -> None:
        """Learn what a robot of a team has in sight."""
        self._seen.update((team, one.name) for one in seen if one.number is None)

    def take_report(
        self, team: str, body: SimulatedBody, now: float, report: tuple[str, float, float]
    ) -> str:
        """Judge a report, write down its points, and return the answer to the team."""
        name, x, y = report
        points = self._rules.points
        thing = self._hidden.get(name)
        if thing is None or hypot(thing.at.x - x, thing.at.y - y) > self._rules.judging.reported_within:
            self._write(now, team, body.name, "wrong", points.wrong, f"{name[:40]} at ({x:g}, {y:g})")
            return "wrong"
        is_in_view = seen_at(body.world, body.pose, thing.at, self._rules.robots) is not None
        if not is_in_view and (team, name) not in self._seen:
            return "right, but no robot of the team has had it in sight, so it does not count"
        when, teams = self._reported.setdefault(name, (now, set()))
        if when != now or team in teams:
            return "reported already"
        teams.add(team)
        self._write(now, team, body.name, "reported", points.reported, name)
        share = max(0.0, 1.0 - now / self._rules.time)
        self._write(now, team, body.name, "haste", round(points.haste * share, 1), name)
        if not is_in_view:
            return "right, but it is not in the picture"
        self._write(now, team, body.name, "picture", points.picture, name)
        return "right"

    def take_failure(self, team: str, robot: str, now: float, why: str) -> None:
        """Write down that the code of a robot failed."""
        self._write(now, team, robot, "failed", self._rules.points.failed, why)

    def _write(self, now: float, team: str, robot: str, reason: Reason, points: float, about: str) -> None:
        self.entries.append(BoardEntry(now, team, robot, reason, points, about))
