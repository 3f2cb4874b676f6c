"""How does a robot enter that has nothing but HTTP? Through a door that speaks XML-RPC, with the names of Skadsem (2006).

Any XML-RPC client will do; the robot's tag and key, or a user's name and token, are in the address:

    station = xmlrpc.client.ServerProxy("http://r1:KEY@127.0.0.1:7440/RPC2")
    tag, table, position = station.welcome("")

Values are those of the operations in plainer clothes: a spot is [x, y] in metres, a direction is in radians, a task is
[number, name, value, …], and where there is nothing to tell it is False, since XML-RPC has no None. The tag that its
calls pass along must be the caller's own. A robot is silent when it does not call: it should ask for tasks twice a second.

Each other operation can be called by its own name, with one struct of its fields: `station.reserve({"way": 1, …})`.

The names of Skadsem have no words for reserved floor. So the adapter asks for it by the ordinary operations: a robot that goes
straight to the places of its task gets the task when that way is free, and until then none. A task that it does not get again
when it asks in the midst of it is to be left; that also happens where it is off its way, and the way from there is not free.
What lies behind it is given back as it tells where it is.
"""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from inspect import signature
from itertools import pairwise
from math import ceil
from typing import Any, TypeVar
from xmlrpc import client as xmlrpc

import msgspec
from starlette.requests import Request as HttpRequest
from starlette.responses import Response

from kumi.geometry import Point
from kumi.reserving import Zone
from kumi.station.callers import Caller, CallerKind
from kumi.station.operation import Operation, Request
from kumi.station.operations import BY_NAME
from kumi.station.operations.finds import StoreFile
from kumi.station.operations.floor import Release, Reserve
from kumi.station.operations.log import DoneNotices
from kumi.station.operations.maps import GetMap
from kumi.station.operations.people import Hello
from kumi.station.operations.robots import (
    Disconnect,
    ListRobots,
    MonitorRobot,
    PossibleTasks,
    ReportPosition,
    TellTaskOptions,
    Welcome,
)
from kumi.station.operations.stops import Stop, how_stopped
from kumi.station.operations.tasks import GiveTask, RequestTask, SendCode, TaskDone
from kumi.station.records import PlaceRecord, PoseRecord, StationRecord, Task, TaskOption
from kumi.station.refusals import Reason, Refused, forbidden, invalid
from kumi.station.service.service import Service
from kumi.station.wording import complaint

A = TypeVar("A", bound=StationRecord)
RADIUS = 0.15
"""Metres from the middle of a robot to its rim, where it does not tell."""
MAP_REACH = 10.0
"""Metres around a robot of the piece of the map that it gets."""
STOP_MARGIN = 0.1
"""Metres around a robot, besides its own size: it hears a stop a little late."""
RELEASE_SPACING = 0.5
"""Metres between two places on a way at which what lies behind becomes free."""
MOST_RESERVED = 80.0
"""Metres of a way that are reserved at a time."""
MOST_PLACES = 190
"""Places of a way that are reserved at a time."""
GRANT_TIMEOUT = 60.0
"""Seconds for which a task waits for its way."""


@dataclass
class _Way:
    """The straight way of a robot to the places of its task, as far as it is reserved at a time; `radius` is with some room."""

    radius: float
    at: Point | None = None
    task: int = 0
    places: list[Point] = field(default_factory=list)
    path: list[Point] = field(default_factory=list)
    number: int = 0
    is_granted: bool = False
    waits_since: float | None = None

    @property
    def ends_soon(self) -> bool:
        """Whether what is reserved ends before the task does, and the robot is about to come there."""
        assert self.at is not None
        return self.path[-1] != self.places[-1] and self.at.distance_to(self.path[-1]) < MOST_RESERVED / 2

    def go_on(self, place: Point) -> bool:
        """Leave behind what lies before a place on the way; return whether it is on it."""
        for first, straight in enumerate(pairwise(self.path), 1):
            if Zone(straight, self.radius).contains(place):
                rest = [one for one in self.path[first:] if one != place]
                self.path = [place, *rest] if rest else self.path
                return True
        return False

    def plan(self) -> None:
        """Lay a way from where the robot is, unless it waits for one from there already."""
        assert self.at is not None
        if self.path and not self.is_granted and self.path[0] == self.at:
            return
        self.number += 1
        self.path, left = [self.at], MOST_RESERVED
        for place in self.places:
            here = self.path[-1]
            gap = here.distance_to(place)
            if gap > 0.0 and left > 0.0 and len(self.path) < MOST_PLACES:
                end = place if gap <= left else here + (place - here) * (left / gap)
                steps = ceil(min(gap, left) / RELEASE_SPACING)
                self.path += [*(here + (end - here) * (step / steps) for step in range(1, steps)), end]
                left -= gap
        del self.path[MOST_PLACES:]


class Door:
    """Turns calls by the names of Skadsem (2006) into operations, and their answers into plain values."""

    def __init__(self, service: Service, clock: Callable[[], float] = time.monotonic) -> None:
        self._service = service
        self._noticed: dict[str, int] = {}
        self._clock = clock
        self._ways: dict[str, _Way] = {}
        self.calls: dict[str, Callable[..., Awaitable[Any]]] = {
            "testConnection": self._test,
            "welcome": self._welcome,
            "taskOptions": self._task_options,
            "requestNewTask": self._request_task,
            "reportPosition": self._report_position,
            "newMap": self._new_map,
            "storeFile": self._store_file,
            "taskDone": self._task_done,
            "robotDisconnect": self._disconnect,
            "getRobotList": self._robot_list,
            "monitorRobot": self._monitor,
            "giveTask": self._give_task,
            "getPossibleTasks": self._possible_tasks,
            "sendCode": self._send_code,
            "checkDone": self._check_done,
            "stopRobot": self._stop,
        }

    async def call(self, name: str, values: tuple[Any, ...], caller: Caller) -> Any:
        """Carry out a call; refuse one that makes no sense."""
        if name in BY_NAME and name not in self.calls:
            return await self._operation(BY_NAME[name], values, caller)
        if name not in self.calls:
            names = ", ".join([*self.calls, *BY_NAME])
            raise invalid(f"there is no call '{name}'; there are {names}")
        call = self.calls[name]
        try:
            signature(call).bind(caller, *values)
        except TypeError:
            takes = ", ".join(list(signature(call).parameters)[1:]) or "nothing"
            raise invalid(f"{name} takes {takes}; {len(values)} values came") from None
        try:
            return await call(caller, *values)
        except msgspec.ValidationError as error:
            raise invalid(f"{name} does not take these values: {complaint(error)}") from None
        except (TypeError, ValueError, KeyError, IndexError, AttributeError):
            takes = ", ".join(list(signature(call).parameters)[1:])
            raise invalid(f"{name} takes {takes}; one of these values is of another kind") from None

    async def _operation(self, operation: Operation, values: tuple[Any, ...], caller: Caller) -> Any:
        """Carry out an operation by its own name; nothing is False, as everywhere here."""
        try:
            request = msgspec.convert(_unwrapped(values[0]) if values else {}, operation.request)
        except msgspec.ValidationError as error:
            raise invalid(f"this is not what the operation takes: {complaint(error)}") from None
        answer = await self._service.call(request, caller)
        return _wrapped(msgspec.to_builtins(answer, builtin_types=(bytes,)))

    async def _test(self, caller: Caller) -> Any:
        await self._service.call(Hello(), caller)
        return True

    async def _welcome(self, caller: Caller, address: str, radius: float = RADIUS) -> Any:
        kind = f"at {address}" if address else "robot"
        asked = msgspec.convert({"kind": kind, "radius": radius}, Welcome)
        welcomed = await self._service.call(asked, caller)
        self._ways[caller.name] = _Way(radius + STOP_MARGIN)
        if welcomed.pose is not None:
            await self._move(caller, welcomed.pose)
        answer = await self._service.call(GetMap(), caller)
        return [welcomed.tag, answer.map or False, _position(welcomed.pose)]

    async def _task_options(self, caller: Caller, tag: str, options: list[Any]) -> Any:
        _own(caller, tag)
        converted = msgspec.convert(options, tuple[TaskOption, ...])
        await self._service.call(TellTaskOptions(options=converted), caller)
        return True

    async def _request_task(self, caller: Caller, tag: str) -> Any:
        _own(caller, tag)
        task = (await self._service.call(RequestTask(), caller)).task
        return _task(await self._handed(caller, task))

    async def _report_position(self, caller: Caller, tag: str, at: list[float], direction: float) -> Any:
        _own(caller, tag)
        pose = msgspec.convert(_spot(at) | {"heading": direction}, PoseRecord)
        values = {"floor": "waits"} if self._waits(tag) else {}
        corrected = (await self._service.call(ReportPosition(pose=pose, values=values), caller)).pose
        await self._move(caller, corrected)
        return _position(corrected)

    async def _new_map(self, caller: Caller, tag: str) -> Any:
        _own(caller, tag)
        robots = (await self._service.call(GetMap(), caller)).robots
        pose = next(one.pose for one in robots if one.tag == tag)
        around = None if pose is None else PlaceRecord(x=pose.x, y=pose.y)
        return (await self._service.call(GetMap(around=around, reach=MAP_REACH), caller)).map or False

    async def _store_file(self, caller: Caller, tag: str, content: xmlrpc.Binary, name: str) -> Any:
        _own(caller, tag)
        return (await self._service.call(StoreFile(name=name, content=content.data), caller)).medium

    async def _task_done(
        self, caller: Caller, tag: str, task: int, words: str, succeeded: bool = True
    ) -> Any:
        _own(caller, tag)
        done = TaskDone(task=task, outcome=words, succeeded=bool(succeeded))
        following = (await self._service.call(done, caller)).task
        return _task(await self._handed(caller, following))

    async def _disconnect(self, caller: Caller, tag: str) -> Any:
        _own(caller, tag)
        await self._service.call(Disconnect(), caller)
        self._ways.pop(caller.name, None)
        return True

    def _waits(self, robot: str) -> bool:
        """Tell whether a robot's task waits for floor."""
        way = self._ways.get(robot)
        return way is not None and bool(way.places) and not way.is_granted

    async def _move(self, caller: Caller, pose: PoseRecord) -> None:
        """A robot told where it is: what lies behind it on its way is free; off its way it has none any more."""
        way = self._ways.setdefault(caller.name, _Way(RADIUS + STOP_MARGIN))
        has_moved, way.at = way.at != Point(pose.x, pose.y), Point(pose.x, pose.y)
        while len(way.places) > 1 and way.at.distance_to(way.places[0]) <= way.radius:
            del way.places[0]
        if way.is_granted and way.go_on(way.at):
            await self._try(Release(way=way.number, at=_at(way.at)), caller)
        elif way.is_granted or (has_moved and not self._waits(caller.name)):
            await self._stand(caller, way)

    async def _handed(self, caller: Caller, task: Task | None) -> Task | None:
        """Return a task that may be handed to its robot, or None where its way is not free yet."""
        way = self._ways.setdefault(caller.name, _Way(RADIUS + STOP_MARGIN))
        if (0 if task is None else task.id) != way.task:
            way.task, way.places, way.waits_since = (
                (0, [], None) if task is None else (task.id, _places(task), None)
            )
            await self._stand(caller, way)
        if task is None or way.at is None or not way.places:
            return task
        if not way.is_granted or way.ends_soon:
            way.plan()
        pieces = (tuple(_at(point) for point in way.path),)
        question = Reserve(way=way.number, at=_at(way.at), radius=way.radius, pieces=pieces)
        reserved = await self._try(question, caller)
        way.is_granted = reserved is not None and reserved.state == "granted"
        if way.is_granted:
            way.waits_since = None
            return task
        if reserved is not None and reserved.state == "refused":
            way.path = []  # the next question is a new one
        way.waits_since = self._clock() if way.waits_since is None else way.waits_since
        if self._clock() - way.waits_since > GRANT_TIMEOUT:
            outcome = "no path: another robot is in the way"
            await self._service.call(TaskDone(task=task.id, succeeded=False, outcome=outcome), caller)
            await self._handed(caller, None)
        return None

    async def _stand(self, caller: Caller, way: _Way) -> None:
        """Have no way, and hold the place where a robot is."""
        way.path, way.is_granted = [], False
        if way.at is not None:
            await self._try(Reserve(way=0, at=_at(way.at), radius=way.radius), caller)

    async def _try(self, request: Request[A], caller: Caller) -> A | None:
        """Ask for floor; None where nobody keeps it now."""
        try:
            return await self._service.call(request, caller)
        except Refused as refused:
            if refused.reason is not Reason.UNAVAILABLE:
                raise
            return None

    async def _robot_list(self, caller: Caller) -> Any:
        return [one.tag for one in (await self._service.call(ListRobots(), caller)).robots]

    async def _monitor(self, caller: Caller, tag: str) -> Any:
        monitor = await self._service.call(MonitorRobot(robot=tag), caller)
        return {
            "tag": tag,
            "state": monitor.robot.state,
            "position": _position(monitor.robot.pose),
            "task": _task(monitor.task),
            "pending": [_task(one) for one in monitor.waiting],
            "done": [[one.id, one.name, one.state, one.outcome] for one in monitor.done],
            "tasks": [one.name for one in monitor.options],
        }

    async def _possible_tasks(self, caller: Caller, tag: str) -> Any:
        return [one.name for one in await self._options(caller, tag)]

    async def _options(self, caller: Caller, tag: str) -> tuple[TaskOption, ...]:
        return (await self._service.call(PossibleTasks(robot=tag), caller)).options

    async def _give_task(self, caller: Caller, tag: str, task: list[Any], wait: Any = False) -> Any:
        name, *values = task
        options = {one.name: one for one in await self._options(caller, tag)}
        wanted = options[name].parameters if name in options else ()
        if wanted and len(values) != len(wanted):
            takes = ", ".join(one.name for one in wanted)
            raise invalid(f"task '{name}' takes {takes}; {len(values)} values came")
        arguments = {one.name: _argument(one.kind, value) for one, value in zip(wanted, values, strict=False)}
        request = GiveTask(robot=tag, task=name, arguments=arguments, when="queue" if wait else "now")
        return (await self._service.call(request, caller)).task

    async def _send_code(
        self, caller: Caller, tag: str, name: str, content: xmlrpc.Binary, code: Any = False
    ) -> Any:
        request = SendCode(
            robot=tag,
            name=name.removesuffix(".py"),
            code=content.data.decode(),
            purpose="run" if code else "module",
        )
        return (await self._service.call(request, caller)).task

    async def _check_done(self, caller: Caller) -> Any:
        """Tell one ended task after the other, each once as long as this process lives."""
        after = self._noticed.get(caller.name, 0)
        notices = await self._service.call(DoneNotices(after=after, limit=1), caller)
        self._noticed[caller.name] = notices.last
        return [[one.robot, one.name, one.outcome or one.state] for one in notices.tasks] or False

    async def _stop(self, caller: Caller, tag: str) -> Any:
        stopped = await self._service.call(Stop(robot=tag), caller)
        return True if stopped.is_written else f"{tag} {how_stopped(stopped)}"


def door_endpoint(
    service: Service,
    read: Callable[[HttpRequest], Awaitable[bytes]],
    from_where: Callable[[HttpRequest, Caller], Caller],
) -> Callable[[HttpRequest], Awaitable[Response]]:
    """Return what answers at the door; `read` takes in a request of limited size, `from_where` tells a caller's address."""
    door = Door(service)

    async def endpoint(http: HttpRequest) -> Response:
        try:
            values, name = xmlrpc.loads(await read(http), use_builtin_types=False)
            is_urgent = name == "stopRobot" or (name in BY_NAME and BY_NAME[name].is_urgent)
            caller = await service.known.calling(_token(http), is_urgent=is_urgent)
            answer = await door.call(name or "", values, from_where(http, caller))
            text = xmlrpc.dumps((answer,), methodresponse=True)
        except Refused as refused:
            text = xmlrpc.dumps(xmlrpc.Fault(refused.reason.value, refused.sentence))
        except Exception as error:  # noqa: BLE001 - what the parser raises for bad XML is not bounded
            fault = xmlrpc.Fault(Reason.INVALID.value, f"this is no XML-RPC call: {error}")
            text = xmlrpc.dumps(fault)
        return Response(text, media_type="text/xml")

    return endpoint


def _token(http: HttpRequest) -> str | None:
    """Return the token of a caller: the robot's tag and key, or a user's token as the password."""
    scheme, _, rest = http.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        return rest or None
    try:
        name, _, secret = base64.b64decode(rest, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise Refused(Reason.NOT_KNOWN, "the name and key in the address cannot be read") from None
    return secret if "." in secret else f"robot:{name}:{secret}"


def _own(caller: Caller, tag: str) -> None:
    if caller.kind is CallerKind.ROBOT and caller.name != tag:
        raise forbidden(f"robot '{caller.name}' cannot speak for '{tag}'")


def _position(pose: PoseRecord | None) -> Any:
    return False if pose is None else [pose.x, pose.y, pose.heading]


def _task(task: Task | None) -> Any:
    return False if task is None else [task.id, task.name, *map(_plain, task.arguments.values())]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return [value["x"], value["y"]] if set(value) == {"x", "y"} else value
    return [_plain(one) for one in value] if isinstance(value, list) else value


def _argument(kind: str, value: Any) -> Any:
    if kind == "spot":
        return _spot(value)
    if kind == "spots" and isinstance(value, list):
        return [_spot(one) for one in value]
    return value


def _places(task: Task) -> list[Point]:
    """Return the places that a task names, in order."""
    values = [
        one for value in task.arguments.values() for one in (value if isinstance(value, list) else [value])
    ]
    return [Point(one["x"], one["y"]) for one in values if isinstance(one, dict) and set(one) == {"x", "y"}]


def _at(point: Point) -> PlaceRecord:
    return PlaceRecord(x=point.x, y=point.y)


def _unwrapped(value: Any) -> Any:
    """Return a value of XML-RPC as the operations take it."""
    if isinstance(value, xmlrpc.Binary):
        return value.data
    if isinstance(value, dict):
        return {key: _unwrapped(one) for key, one in value.items()}
    return [_unwrapped(one) for one in value] if isinstance(value, list) else value


def _wrapped(value: Any) -> Any:
    """Return a value of an answer as XML-RPC can tell it."""
    if value is None:
        return False
    if isinstance(value, bytes):
        return xmlrpc.Binary(value)
    if isinstance(value, dict):
        return {key: _wrapped(one) for key, one in value.items()}
    return [_wrapped(one) for one in value] if isinstance(value, list | tuple) else value


def _spot(value: Any) -> dict[str, Any]:
    """Read a place that is written as a list."""
    if not isinstance(value, list) or len(value) != 2:
        raise invalid(f"a spot is [x, y] in metres, not {str(value)[:80]}")
    return {"x": value[0], "y": value[1]}
