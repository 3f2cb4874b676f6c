"""`kumi station map`, `kumi station found`, `kumi station layer`: the work space, what robots discovered in it, and what they measured."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from kumi.cli.errors import refusing
from kumi.cli.station_client import connected
from kumi.cli.terminal import table
from kumi.station.operations.finds import GetLayer, GetMedium, ListLayers, ListObjects
from kumi.station.operations.maps import GetMap, SetMap
from kumi.world import load_map, map_from_table, map_to_table, map_to_text, save_map

if TYPE_CHECKING:
    from kumi.station.client import Client
    from kumi.station.records import FoundObject

FILE = click.Path(path_type=Path, dir_okay=False)


@click.group("map", no_args_is_help=True)
def map_() -> None:
    """Show or change the map of the station's work space."""


@map_.command()
@click.option("--output", "-o", type=FILE, help="Write it to a file instead.")
def show(output: Path | None) -> None:
    """Print the map, as a map file has it."""
    with connected() as station:
        kept = station.call(GetMap()).map
        if kept is None:
            raise click.ClickException(
                "The station has no map yet: give it one with `kumi station map use FILE`."
            )
        found = map_from_table(kept, "the station's map")
        if output is None:
            click.echo(map_to_text(found), nl=False)
            return
        with refusing():
            save_map(found, output)
        click.echo(f"The map is in {output}.")


@map_.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def use(file: Path) -> None:
    """Have the station use the map in FILE; its robots get what changed."""
    with connected() as station:
        with refusing():
            given = map_to_table(load_map(file))
        version = station.call(SetMap(map=given)).version
    click.echo(f"{file} is in use, as version {version} of the map.")


@click.command()
@click.argument("number", type=int, required=False)
@click.option("--output", "-o", type=FILE, help="Write what the robot filmed of object NUMBER to this file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a line.")
def found(number: int | None, output: Path | None, as_json: bool) -> None:
    """List what robots of your team discovered, or get what one filmed of object NUMBER."""
    with connected() as station:
        objects = station.call(ListObjects()).objects
        if number is not None:
            objects = tuple(one for one in objects if one.id == number)
            if not objects:
                raise click.ClickException(f"Your team has discovered no object {number}.")
        if output is not None:
            _save(station, objects, output)
        elif as_json:
            for one in objects:
                click.echo(msgspec.json.encode(one))
        else:
            _show(objects)


def _save(station: Client, objects: tuple[FoundObject, ...], output: Path) -> None:

    if len(objects) != 1:
        raise click.UsageError(
            "Which one? `kumi station found NUMBER -o FILE` gets what was filmed of one object."
        )
    if objects[0].media is None:
        raise click.ClickException(f"Nothing was filmed of object {objects[0].id}.")
    medium = station.call(GetMedium(medium=objects[0].media))
    with refusing():
        output.write_bytes(medium.content)
    click.echo(f"{medium.about.name}, {medium.about.size} bytes of {medium.about.kind}, is in {output}.")


def _show(objects: tuple[FoundObject, ...]) -> None:
    if not objects:
        click.echo("Nothing yet: `kumi station task ROBOT examineArea X,Y` films a place and marks it.")
        return
    rows = []
    for one in objects:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(one.found_at))
        at = f"{one.at.x:.2f}, {one.at.y:.2f}"
        rows.append((str(one.id), one.name, at, one.robot, when, "–" if one.media is None else "yes"))
    click.echo(table(rows, heads=("object", "name", "at, m", "by", "when", "filmed")))


@click.command()
@click.argument("name", required=False)
def layer(name: str | None) -> None:
    """List the layers that your team measured, or print what is in layer NAME: x, y in metres and the value, a line each."""
    with connected() as station:
        if name is None:
            for one in station.call(ListLayers()).names:
                click.echo(one)
            return
        samples = station.call(GetLayer(layer=name, limit=100_000)).samples
        if not samples:
            there = ", ".join(station.call(ListLayers()).names) or "none yet"
            raise click.ClickException(f"Your team has measured no layer '{name}'; there are: {there}.")
        for sample in samples:
            click.echo(f"{sample.at.x:g},{sample.at.y:g},{sample.value:g}")
