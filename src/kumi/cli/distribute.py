"""`kumi distribute` and `kumi part`: a model over several processes and machines."""

from __future__ import annotations

import json
import tomllib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kumi.checking.lookup import load
from kumi.cli.errors import BadInput, ExitCode, explain
from kumi.cli.terminal import RunBar
from kumi.devs import KumiError
from kumi.distributed import ModelPartition, join, run_distributed, run_whole, serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kumi.distributed import DistributedRun

HELP = """Run a model over several processes, and perhaps machines.

MODEL names a function that builds a Coupled model, as module:name or file.py:name. The file of parts is TOML: a
table [parts] gives each part a list of components, and a table [lookahead], which may be left out, says of
models that send to other parts how many seconds after input they do so at the soonest.

As fast as possible, the results are those of one process; --check runs that, too, and compares. With --pace
the run follows the wall clock.

\b
Try:
  kumi distribute examples/three_halls.py:halls --parts examples/three_halls.toml --until 1000 --check

A part on another machine: name it with --remote and say where this one listens, then start it there.
\b
  here:   kumi distribute halls.py:halls --parts halls.toml --until 1000 --listen 0.0.0.0:7000 --remote south
  there:  kumi part halls.py:halls south --join HERE:7000
Anyone who reaches the port can take the part, so listen inside a network that you trust.
"""

PART_HELP = """Be one part of a model that is run over several machines.

MODEL is the same as in `kumi distribute`, and so is the code; what is run, the seed and the end come from there.

\b
  kumi part halls.py:halls south --join 192.168.1.20:7000
"""


class EndpointType(click.ParamType["tuple[str, int]"]):
    """A host and a port, such as 192.168.1.20:7000."""

    name = "HOST:PORT"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        """Read the two, or say what is allowed."""
        host, _, port = str(value).rpartition(":")
        if not host or not port.isdecimal() or int(port) > 65535:
            self.fail(
                f"{value!r} is no address; one is a host and a port, such as 192.168.1.20:7000.", param, ctx
            )
        return host.strip("[]"), int(port)


@click.command(help=HELP)
@click.argument("model")
@click.option("--parts", "file", type=click.Path(path_type=Path), required=True, help="The file of parts.")
@click.option("--until", type=float, required=True, help="The end, in simulated seconds.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of all chance.")
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="An argument of the function.")
@click.option("--pace", type=float, help="Follow the wall clock; 1 is real time.")
@click.option(
    "--transit",
    type=float,
    default=0.0,
    help="With --pace: values arrive so many seconds after they are sent.",
)
@click.option("--collect", metavar="NAME", help="A function in the same place; called with each component.")
@click.option("--listen", type=EndpointType(), default="127.0.0.1:0", help="Where parts come to.")
@click.option("--remote", metavar="PART", multiple=True, help="A part that is started elsewhere.")
@click.option(
    "--patience", type=float, default=60.0, show_default=True, help="Seconds to wait for remote parts."
)
@click.option("--check", is_flag=True, help="Run the model in one process, too, and compare.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for a machine to read.")
def distribute(model: str, file: Path, settings: tuple[str, ...], **options: Any) -> int:
    """Run the model, and tell what came of it."""
    is_checked, as_json, pace = options["check"], options["as_json"], options["pace"]
    if is_checked and pace is not None:
        raise click.UsageError(
            "--check compares runs as fast as possible; in real time results depend on the network."
        )
    try:
        factory, collect = found(model, options["collect"])
        partition = ModelPartition.read(file)
        arguments = dict(map(setting, settings))
        common: dict[str, Any] = {
            "arguments": arguments,
            "seed": options["seed"],
            "until": options["until"],
            "collect": collect,
        }
        whole = run_whole(factory, partition, **common) if is_checked else None
    except (KumiError, OSError) as error:
        raise BadInput(explain(error).removeprefix("Error: ")) from error
    with progress(options["until"]) as show:
        run = run_distributed(
            factory,
            partition,
            **common,
            pace=pace,
            transit=options["transit"],
            remote=options["remote"],
            listen=options["listen"],
            patience=options["patience"],
            on_listening=lambda address: tell_remote(model, options["remote"], address),
            on_progress=show,
        )
    if as_json:
        click.echo(json.dumps(as_record(run, None if whole is None else whole == run), default=str))
    else:
        tell(run, whole)
    return ExitCode.FAILED if whole is not None and whole != run else ExitCode.DONE


@click.command(help=PART_HELP)
@click.argument("model")
@click.argument("name")
@click.option("--join", "address", type=EndpointType(), required=True, help="Where the run listens.")
@click.option("--collect", metavar="NAME", help="A function in the same place; called with each component.")
def part(model: str, name: str, address: tuple[str, int], collect: str | None) -> None:
    """Be a part, until the run is over."""
    try:
        factory, collecting = found(model, collect)
    except KumiError as error:
        raise BadInput(explain(error).removeprefix("Error: ")) from error
    serve(join(*address), name, factory, collecting)


@contextmanager
def progress(until: float) -> Iterator[Callable[[float], object] | None]:
    """Show how far the run is, where somebody watches."""
    with RunBar(until) as bar:
        yield (lambda time: bar.show(time, "simulating", f"{time:.1f} s")) if bar.is_shown else None


def found(model: str, collect: str | None) -> tuple[Callable[..., Any], Callable[[Any], object] | None]:
    """Give the function that builds the model, and the one beside it that collects results."""
    where, sign, name = model.rpartition(":")
    if not sign:
        raise BadInput(f"{model!r} names no function; write module:name or file.py:name.")
    module = load(where, model)
    for wanted in (name, collect):
        if wanted is not None and not callable(getattr(module, wanted, None)):
            raise BadInput(f"'{where}' has no function {wanted!r}.")
    return getattr(module, name), None if collect is None else getattr(module, collect)


def setting(text: str) -> tuple[str, Any]:
    """Read an argument of the function: a value as in TOML, or else a text."""
    name, sign, value = text.partition("=")
    if not sign or not name.isidentifier():
        raise BadInput(f"--set takes NAME=VALUE, not {text!r}.")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value


def tell_remote(model: str, remote: tuple[str, ...], address: tuple[str, int]) -> None:
    """Say how the parts that are missing are started."""
    for name in remote:
        click.echo(f"Waiting for: kumi part {model} {name} --join {address[0]}:{address[1]}", err=True)


def as_record(run: DistributedRun, is_equal: bool | None) -> dict[str, Any]:
    """Give what is printed for a machine."""
    return {
        "time": run.time,
        "seed": run.seed,
        "trace_hash": run.trace_hash,
        "trace_hashes": run.trace_hashes,
        "events": run.events,
        "counts": run.counts,
        "values": run.values,
        "rounds": run.rounds,
        "equal": is_equal,
        "kept": {
            name: {"arrivals": kept.arrivals, "instants": kept.instants, "offset": kept.offset}
            for name, kept in run.kept.items()
        },
    }


def tell(run: DistributedRun, whole: DistributedRun | None) -> None:
    """Say what came of a run."""
    for name, trace_hash in run.trace_hashes.items():
        click.echo(f"{name}: trace {trace_hash}")
    for path, value in run.values.items():
        click.echo(f"{path}: {value}")
    click.echo(f"{run.events} transitions up to t = {run.time:g} s in {len(run.trace_hashes)} parts.")
    for name, kept in run.kept.items():
        if kept.arrivals:
            count = sum(number for _, number in kept.arrivals)
            worst = max(edge for edge, _ in kept.arrivals)
            click.echo(f"{name}: {count} values from other parts, at most {worst * 1000.0:.3g} ms late.")
    if whole is not None:
        same = "The same as in one process." if whole == run else "NOT the same as in one process."
        click.echo(same)
