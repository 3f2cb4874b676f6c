"""How does a run read as text, one line an event?

The lines have the shape of those of Sangsubhan (2009): when, who, where, where to, and what is left to turn and to go.
Degrees are used here and nowhere else. The grammar stands in docs/recording.md.

A body's line tells its state just after the event: what is left of a motion that begins, and nothing of
one that has ended. The end of a motion by contact has no line of its own, since that of the contact tells it.
"""

from __future__ import annotations

from math import degrees, isnan, nan
from typing import TYPE_CHECKING, TypeAlias

from kumi.geometry import Point, wrapped
from kumi.maths import cos, sin
from kumi.recording.journal import JournalReader
from kumi.recording.latest import destination
from kumi.recording.published import in_words
from kumi.recording.records import (
    BodyAdded,
    BodyNote,
    Cleared,
    Commanded,
    CommandKind,
    Counted,
    Dropped,
    Ending,
    Gone,
    Jumped,
    Leaving,
    MotionEnded,
    Moves,
    PlannedWay,
    Published,
    Received,
    Reserved,
    Resized,
    Sent,
    Stands,
    Touched,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

    from kumi.geometry import Pose
    from kumi.recording.records import Record
    from kumi.recording.runfile import RunFile

Left: TypeAlias = tuple[float, float, float, float]
"""Radians to turn, metres to go, and both speeds."""

MOST_CHARACTERS = 400
"""Characters of the content of a message that a line has room for; the run file holds all."""
MESSAGES_KEPT = 100_000
"""How many messages are remembered, so that the lines of their arrivals tell what they say."""

NOTHING: Left = (0.0, 0.0, 0.0, 0.0)
ORDERS = {
    CommandKind.MOVE_TO: "Do_MoveTo_Sequence",
    CommandKind.FORWARD: "Do_Forward",
    CommandKind.TURN: "Do_Turn",
    CommandKind.ARC: "Do_Arc",
    CommandKind.FOLLOW: "Do_Follow",
    CommandKind.STEER: "Do_Steer",
    CommandKind.STOP: "Do_Stop",
    CommandKind.OTHER: "Do_Motion",
}
LEAVINGS = {Leaving.REMOVED: "Removed", Leaving.FELL: "Fell"}
ENDINGS = {Ending.ARRIVED: "(Finish)", Ending.STOPPED: "(Stop)"}


def write_log(run: RunFile, out: TextIO) -> None:
    """Write the text log of a whole run."""
    log = TextLogWriter(out)
    for journal in run.journal():
        log.write(journal)


class TextLogWriter:
    """Writes lines while a journal comes in, in pieces of whole records."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._reader = JournalReader()
        self._bodies: dict[int, _Body] = {}
        self._said: dict[int, str] = {}

    def write(self, journal: bytes) -> None:
        """Write the lines of the next piece of a journal."""
        self._out.writelines(
            f"{line}\n" for record in self._reader.read(journal) for line in self._lines(record)
        )

    def _lines(self, record: Record) -> Iterator[str]:
        match record:
            case Moves():
                body = self._bodies[record.body]
                body.moves = record
                yield event("Event", record, body, left_of(record, body))
            case Commanded():
                body = self._bodies[record.body]
                body.obey(record)
                yield event("Request", record, body, asked_of(record))
            case MotionEnded():
                body = self._bodies[record.body]
                goal, condition = body.goal(record.time), body.condition
                body.rest(record.pose)
                if record.why in ENDINGS:
                    yield event("Event", record, body, NOTHING, condition + ENDINGS[record.why], goal)
            case Touched():
                yield from self._contact(record)
            case Published():
                yield published(record)
            case BodyNote() | Stands() | Cleared():
                yield note(record if isinstance(record, BodyNote) else told(record))
            case Sent() | Received() | Dropped():
                yield from self._message(record)
            case (
                PlannedWay() | Reserved() | Counted()
            ):  # the requests beside them tell what a robot is about to do
                pass
            case _:
                yield self._change(record)

    def _change(self, record: BodyAdded | Gone | Jumped | Resized) -> str:
        """Write the line of something that was done to a body."""
        match record:
            case BodyAdded():
                body, condition = _Body(record.pose), "Born"
                self._bodies[record.body] = body
            case Jumped():
                body, condition = self._bodies[record.body], "Jumped"
                body.rest(record.pose)
            case Resized():
                body, condition = self._bodies[record.body], "Resized"
            case _:
                body, condition = self._bodies.pop(record.body), LEAVINGS[record.why]
        return event("Event", record, body, NOTHING, condition)

    def _contact(self, record: Touched) -> Iterator[str]:
        for number in (record.body, record.other):
            if number is not None:
                body = self._bodies[number]
                state = fields(record.time, number, body, NOTHING)
                yield f"CollisionEvent: {state} {body.condition}(Collision)"

    def _message(self, record: Sent | Received | Dropped) -> Iterator[str]:
        if isinstance(record, Sent):
            to = ",".join(f"p{receiver}" for receiver in record.receivers)
            said = shortened(record.content)
            self._said[record.number] = words = f"p{record.sender} {to or '-'} {record.kind} {said}".rstrip()
            if len(self._said) > MESSAGES_KEPT:
                del self._said[next(iter(self._said))]
            yield f"{record.time:.3f} p{record.sender} messages e s {words}"
            return
        words = self._said.get(record.number, "- - - an older message")
        line = f"{record.time:.3f} p{record.receiver} messages e"
        yield f"{line} r {words}" if isinstance(record, Received) else f"{line} d {words} ({record.reason})"


def shortened(content: str) -> str:
    """Write the content of a message in one line, without the middle of what is very long."""
    said = in_one_line(content)
    left_out = len(said) - MOST_CHARACTERS
    if left_out <= 0:
        return said
    half = MOST_CHARACTERS // 2
    return f"{said[:half]} ...({left_out} characters)... {said[-half:]}"


class _Body:
    """A body as the log knows it: at rest or in motion, with the command it carries out."""

    def __init__(self, pose: Pose) -> None:
        self.rest(pose)

    def rest(self, pose: Pose) -> None:
        self.last = pose
        self.moves: Moves | None = None
        self.command: Commanded | None = None
        self.aim: Point | None = None

    def obey(self, command: Commanded) -> None:
        self.command = command
        self.aim = destination(command) or self._aim(command)

    def _aim(self, command: Commanded) -> Point | None:
        """Return where a command leads that does not say so, or None where that is the body's own place."""
        if command.order in {CommandKind.TURN, CommandKind.STOP}:
            return None
        pose = self.pose(command.time)
        far = command.distance if command.order is CommandKind.FORWARD else nan
        return Point(pose.position.x + far * cos(pose.heading), pose.position.y + far * sin(pose.heading))

    def pose(self, time: float) -> Pose:
        return self.moves.pose(time) if self.moves else self.last

    def goal(self, time: float) -> Point:
        return self.aim or self.pose(time).position

    @property
    def condition(self) -> str:
        return ORDERS[self.command.order] if self.command else "Rest"


def event(
    word: str,
    record: BodyAdded | Gone | Resized | Jumped | Commanded | Moves | MotionEnded,
    body: _Body,
    left: Left,
    condition: str | None = None,
    goal: Point | None = None,
) -> str:
    """Write the line of something that one body did."""
    state = fields(record.time, record.body, body, left, goal)
    return f"{record.time:.3f} p{record.body} {word}: {state} {condition or body.condition}"


def fields(time: float, number: int, body: _Body, left: Left, goal: Point | None = None) -> str:
    """Write the fields that all lines of motion share. No number is written as -0.000."""
    pose = body.pose(time)
    here = pose.position
    there = goal or body.aim or here
    angle = degrees(wrapped(pose.heading))  # files of earlier versions have headings that are not
    if angle < -179.9995:  # it would be written as -180, which is 180
        angle = 180.0
    at = f"[{here.x:.3f},{here.y:.3f}]"
    to = at if there is here else f"[{there.x:.3f},{there.y:.3f}]"
    if left is NOTHING:
        rest = "0.000 0.000 0.000 0.000"
    else:
        turn, way, turn_speed, speed = left
        rest = f"{degrees(turn):.3f} {way:.3f} {degrees(turn_speed):.3f} {speed:.3f}"
    return f"{time:.3f} {number} {at} {to} {angle:.3f} {rest}".replace("-0.000", "0.000")


def asked_of(command: Commanded) -> Left:
    """Return what a command asks for; what does not apply to it is nothing."""
    asked = (command.angle, command.distance, command.turn_speed, command.speed)
    turn, way, turn_speed, speed = (0.0 if isnan(value) else value for value in asked)
    return turn, way, turn_speed, speed


def left_of(moves: Moves, body: _Body) -> Left:
    """Return what is left of a piece of motion; of one that turns to move to a place, also what comes after."""
    clock, end = moves.since, moves.piece.duration
    speed = moves.speed + moves.acceleration * clock
    way = way_along(moves, end) - way_along(moves, clock)
    turning, turn = moves.turning, moves.turning * (end - clock) if moves.turning else 0.0
    if moves.piece.kind == "arc":
        turning, turn = moves.turning * speed, moves.turning * way
    if way == 0.0 and body.command and body.command.order is CommandKind.MOVE_TO:
        way = body.pose(moves.time).position.distance_to(Point(*body.goal(moves.time)))
    return turn, way, moves.rate * abs(turning), moves.rate * speed


def way_along(moves: Moves, clock: float) -> float:
    """Return how far along its path a piece of motion is."""
    if not moves.acceleration:
        return moves.speed * clock if moves.speed else 0.0
    return clock * (moves.speed + 0.5 * moves.acceleration * clock)


def told(record: Stands | Cleared) -> BodyNote:
    """Say in a note that an obstacle came or went."""
    if isinstance(record, Cleared):
        return BodyNote(record.time, None, f"obstacle {record.obstacle} is gone")
    name = record.table.get("name", "an obstacle")
    return BodyNote(record.time, None, f"{name} stands: obstacle {record.obstacle}")


def published(record: Published) -> str:
    """Write what a program shows of a body or of the run."""
    who = "run" if record.body is None else f"p{record.body}"
    is_number = isinstance(record.value, float) and not isinstance(record.value, bool)
    said = repr(record.value).removesuffix(".0") if is_number else in_words(record.value)
    return f"{record.time:.3f} {who} values e {in_one_line(f'{record.name}: {said}')}"


def in_one_line(text: str) -> str:
    """Write what would break the line as in a Python string."""
    return text if text.isprintable() else repr(text)[1:-1]


def note(record: BodyNote) -> str:
    """Write what a body or the run had to say."""
    who = "run" if record.body is None else f"p{record.body}"
    logger = "sensors" if record.text.startswith("s ") else "notes"
    said = record.text
    if said.startswith(("radio s ", "radio r ")):
        logger, said = "radio", said.removeprefix("radio ")
    return f"{record.time:.3f} {who} {logger} e {in_one_line(said)}"
