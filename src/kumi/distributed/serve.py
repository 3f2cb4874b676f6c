"""What does the process of one part do, from the first word to the last?

It says who it is, is told what is run, builds the model, and then does what the hub says, until it is asked for
its results. What goes wrong in its models it tells the hub in one sentence. When the hub is gone, it ends.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from kumi.devs import Model
from kumi.distributed.part import Part, fingerprint
from kumi.distributed.partition import DistributedError, ModelPartition, PartLost
from kumi.distributed.realtime import Paced, run_paced
from kumi.distributed.wire import (
    PROTOCOL,
    Align,
    AskSteps,
    AskTimes,
    Begin,
    BuiltFrame,
    EndFrame,
    FailedFrame,
    Finish,
    GoFrame,
    HelloFrame,
    Outputs,
    PartConnection,
    ResultFrame,
    Said,
    Stand,
    StepsFrame,
    StopFrame,
    Times,
    ValueFrame,
    WelcomeFrame,
)
from kumi.version import VERSION

Factory = Callable[..., Model]
Collect = Callable[[Any], object]

MOST_AHEAD = 100_000


def join(host: str, port: int, *, seconds: float = 30.0) -> PartConnection:
    """Connect to a hub."""
    try:
        return PartConnection(socket.create_connection((host, port), timeout=seconds), "the hub")
    except OSError as error:
        raise PartLost(f"there is no hub at {host}:{port}: {error.strerror or error}") from error


def serve(line: PartConnection, name: str, factory: Factory, collect: Collect | None = None) -> None:
    """Be a part of a run, until it is over. Raises what ended it early."""
    try:
        line.say(HelloFrame(PROTOCOL, VERSION, name))
        welcome = _hear(line)
        if not isinstance(welcome, WelcomeFrame):
            raise DistributedError(f"the hub said {type(welcome).__name__}, not Welcome")
        try:
            _take_part(line, name, factory, collect, welcome)
        except PartLost:
            raise
        except Exception as error:
            with suppress(PartLost):
                line.say(FailedFrame(_sentence(error)))
            raise
    finally:
        line.close()


def _take_part(
    line: PartConnection, name: str, factory: Factory, collect: Collect | None, welcome: WelcomeFrame
) -> None:
    model = factory(**welcome.arguments)
    partition = ModelPartition.of(welcome.parts, welcome.lookahead)
    is_paced = welcome.pace > 0.0
    with Part(
        model, partition, name, seed=welcome.seed, max_steps=welcome.max_steps, is_paced=is_paced
    ) as part:
        line.say(BuiltFrame(fingerprint(model, partition), part.lookahead))
        paced = run_paced(part, line, welcome) if is_paced else Paced()
        if not is_paced:
            _obey(part, line)
        line.say(_result(part, collect, paced))


def _obey(part: Part, line: PartConnection) -> None:
    """Do what the hub says, one thing after the other."""
    line.say(_stand(part))
    while True:
        said = _hear(line)
        match said:
            case GoFrame(limit):
                values = part.run_apart(limit)
                line.say(_stand(part, values))
            case Begin(step):
                values = part.begin_step(step)
                line.say(Outputs(part.engine.tickets, values))
            case EndFrame(time, step, places, values):
                part.end_step(time, step, places, values)
                line.say(_stand(part))
            case AskTimes():
                line.say(Times(part.engine.ahead_times()))
            case AskSteps(times):
                line.say(StepsFrame(part.engine.ahead_steps(times)))
            case Align(steps, before):
                part.engine.align(steps, before)
                line.say(_stand(part))
            case Finish():
                return
            case _:
                raise DistributedError(f"the hub said {type(said).__name__} in the middle of a run")


def _hear(line: PartConnection) -> Said:
    said = line.hear()
    if isinstance(said, StopFrame):
        raise PartLost(said.why)
    return said


def _stand(part: Part, values: list[ValueFrame] | None = None) -> Stand:
    engine = part.engine
    upcoming = part.next_time if values is None else part.now
    return Stand(
        next=upcoming,
        rank=engine.next_rank,
        sends=part.sends,
        is_ahead=engine.has_ahead,
        ahead_is_full=engine.ahead_size > MOST_AHEAD,
        step=engine.step_number,
        values=values,
    )


def _result(part: Part, collect: Collect | None, paced: Paced) -> ResultFrame:
    found = {} if collect is None else collected(part.whole, part.partition, collect, [part.name])
    statistics = part.statistics
    return ResultFrame(
        time=part.now,
        trace_hash=part.digest.hex,
        statistics=(
            statistics.steps,
            statistics.internal,
            statistics.external,
            statistics.confluent,
            statistics.messages,
        ),
        values={path: part.values.write(value, path) for path, value in found.items()},
        instants=paced.instants.bins,
        arrivals=paced.arrivals.bins,
        offset=paced.offset,
    )


def collected(model: Model, partition: ModelPartition, collect: Collect, names: Any) -> Mapping[str, object]:
    """Ask each component that the partition gives to these parts for its results."""
    return {
        component.path: collect(component)
        for name in names
        for component in (partition.component(model, path) for path in partition.parts[name])
    }


def _sentence(error: BaseException) -> str:
    notes = getattr(error, "__notes__", ())
    words = f"{type(error).__name__}: {error}"
    return "; ".join([words, *map(str, notes)])
