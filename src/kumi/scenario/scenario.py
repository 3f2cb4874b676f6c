"""What is to be staged?

A scenario is a TOML file, checked against the schema, with what the command line changed in it. It is
found by its path, or, if it ships with kumi, by its name. Every mistake in it is named with its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from keyword import iskeyword
from pathlib import Path

from kumi.geometry.headings import in_degrees, seems_degrees
from kumi.robot import Robot
from kumi.scenario.complaints import complaints, listed, shown
from kumi.scenario.document import ROBOTS, Document, Place, ScenarioError, read_document
from kumi.scenario.fields import Misfit, read
from kumi.scenario.overrides import Override, override
from kumi.scenario.schema import RobotsTable, ScenarioSettings
from kumi.teaching import Teaching, taught

SHIPPED = Path(__file__).parent / "shipped"


@dataclass(frozen=True)
class Scenario(Teaching):
    """A scenario that fits the schema, and the document from which it was read."""

    name: str
    document: Document
    settings: ScenarioSettings

    @property
    def folder(self) -> Path:
        """The folder from which the paths of maps and programs in it start."""
        return self.document.folder

    @property
    def groups(self) -> Iterator[tuple[Place, RobotsTable]]:
        """Each group of robots, with its place in the document."""
        for number, robots in enumerate(self.settings.robots):
            yield self.document.place(ROBOTS, number), robots


def shipped_scenarios() -> dict[str, Path]:
    """Return the files of the scenarios that ship, by name."""
    return {path.stem: path for path in sorted(SHIPPED.glob("*.toml"), key=lambda path: path.stem)}


def shipped_with_real_robots() -> dict[str, Path]:
    """Return the files of the scenarios with real robots that ship, by name."""
    return {path.stem: path for path in sorted((SHIPPED / "real").glob("*.toml"))}


@taught
def load_scenario(which: str | Path, overrides: Sequence[str | Override] = ()) -> Scenario:
    """Read a scenario, given by its path or by the name of one that ships, and check it.

    An override is a text such as `robots.count=1000`. Raises ScenarioError.
    """
    path = find_scenario(which)
    document = read_document(path)
    override(document, overrides)
    return Scenario(path.stem, document, check(document))


def find_scenario(which: str | Path) -> Path:
    """Return the file that is meant."""
    if not isinstance(which, str | Path):
        raise TypeError(f"a scenario is given by its name, or by the path of its file, not by {which!r}")
    shipped = dict(sorted((shipped_scenarios() | shipped_with_real_robots()).items()))
    name, path = str(which), Path(which)
    if name in shipped and not path.is_file():
        return shipped[name]
    if path.exists() or path.suffix or len(path.parts) > 1:
        return path
    near = get_close_matches(name, shipped, n=1)
    hint = (
        f"did you mean {near[0]!r}?"
        if near
        else f"{listed(shipped)} ship, and others are given by their path"
    )
    raise ScenarioError(f"there is no scenario {name!r}; {hint}")


def check(document: Document) -> ScenarioSettings:
    """Hold a document against the schema, and the fields against each other."""
    table = {**document.table, ROBOTS: document.groups} if ROBOTS in document.table else document.table
    try:
        settings = read(ScenarioSettings, table)
    except Misfit as misfit:
        raise ScenarioError("\n".join(complaints(misfit.mistakes, document, ScenarioSettings))) from misfit
    wrong = [place.complaint(sentence) for place, sentence in _contradictions(document, settings)]
    if wrong:
        raise ScenarioError("\n".join(wrong))
    return settings


def _contradictions(document: Document, settings: ScenarioSettings) -> Iterator[tuple[Place, str]]:
    network = settings.network
    if settings.models is None and not settings.robots:
        yield document.place(ROBOTS), f"{ROBOTS} is missing; it takes a table, or an array of tables"
    if settings.models is not None:
        for key in (ROBOTS, "map", "network", "world"):
            if key in document.table:
                spot = document.place(key)
                yield spot, f"{spot.title} and models are given; models bring their robots and their world"
    if network.kind == "none" and (network.effects or network.stack != "plain"):
        spot = document.place("network")
        yield spot, f'{spot.title} has effects or a stack, and its kind is "none"; take kind = "simulated"'
    for key in ("peers", "here"):
        if network.kind not in {"udp", "tcp"} and getattr(network, key):
            spot = document.place("network", key)
            yield spot, f"{spot.title} is for real sockets, and network.kind is {shown(network.kind)}"
    if network.here is not None and not network.peers:
        spot = document.place("network", "here")
        yield spot, f"{spot.title} says that some robots run elsewhere; network.peers must say where"
    for number, robots in enumerate(settings.robots):
        yield from _contradictions_of(robots, document.place(ROBOTS, number))


def _contradictions_of_headings(robots: RobotsTable, place: Place) -> Iterator[tuple[Place, str]]:
    if robots.heading is not None and robots.heading_deg is not None:
        yield place.at("heading_deg"), f"{place.title} has a heading and a heading_deg; give one of them"
    if seems_degrees(robots.heading):
        spot = place.at("heading")
        yield spot, in_degrees(robots.heading, spot.title, f"heading_deg = {robots.heading:g}")


def _contradictions_of(robots: RobotsTable, place: Place) -> Iterator[tuple[Place, str]]:
    title = place.title
    if robots.radius is not None and robots.shape is not None:
        yield place.at("shape"), f"{title} has a radius and a shape; give one of them"
    yield from _contradictions_of_headings(robots, place)
    if robots.born == "random" and robots.count is None:
        yield place, f"{title}.count is missing; random born points need the number of robots"
    if robots.born != "random":
        points = len(robots.born)
        if not points:
            yield place.at("born"), f"{title}.born is empty; it takes a point [x, y] for each robot"
        elif robots.count not in {None, points}:
            yield place.at("born"), f"{title}.born has {points} points, and {title}.count is {robots.count}"
        if robots.within is not None:
            yield place.at("within"), f"{title}.within is for random born points, and {title}.born lists them"
    for name in robots.sensors:
        if not name.isidentifier() or name.startswith("_") or iskeyword(name) or hasattr(Robot, name):
            spot = place.at("sensors", name)
            yield (
                spot,
                f"{spot.title} is no name for a sensor: it takes a word that a robot does not have yet",
            )
