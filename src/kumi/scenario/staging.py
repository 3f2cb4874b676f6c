"""How does a scenario become a stage with robots on it?

Everything the scenario names is looked up and made before the first robot is put into the world, so a
mistake is found before anything happens, and named with its place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kumi.devs import Coupled
from kumi.geometry import BodyShape, Disc, Ellipse, Polygon, Pose
from kumi.motion import DRIVES, NOISES, Drive
from kumi.robot import check_parameters
from kumi.scenario.fields import ScenarioTable
from kumi.scenario.initial_poses import EmptyWorld, Group, initial_poses, map_of
from kumi.scenario.lookup import Program, find_program
from kumi.scenario.models import Outfit, RealizableModels, models_of
from kumi.scenario.networks import connection
from kumi.scenario.parts import fit, make
from kumi.scenario.real import real_team
from kumi.scenario.real_side import RealSide
from kumi.sensing import KINDS, Sensor
from kumi.sensing.noise import NOISES as SENSOR_NOISES
from kumi.stage.outcome import Recorder
from kumi.stage.stage import Stage
from kumi.stage.teams import TeamKit
from kumi.world import Overlap, World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kumi.contract import Body
    from kumi.loop.real import Real
    from kumi.loop.real_robots import LinkedRobots
    from kumi.scenario.document import Place
    from kumi.scenario.scenario import Scenario
    from kumi.scenario.schema import RobotsTable
    from kumi.world import SimulatedBody

SHAPES: dict[str, Callable[..., BodyShape]] = {"disc": Disc, "polygon": Polygon, "ellipse": Ellipse}
DEFAULT_RADIUS = 0.1
DEFAULT_DRIVE = "wheel"
REFERENCE = re.compile(r"\$\{([\w.]+)\}")


@dataclass(frozen=True)
class Kit:
    """What all robots of a group have."""

    group: Group
    program: Program
    parameters: dict[str, Any]
    drive: Drive
    sensors: dict[str, Sensor]

    @property
    def outfit(self) -> Outfit:
        """What each of them moves and senses with."""
        return Outfit(self.group.shape, self.drive, self.sensors)

    @property
    def names(self) -> Iterator[str | None]:
        """The name of each robot; None for those without one of their own."""
        name, count = self.group.robots.name, self.group.count
        for number in range(count):
            yield name if name is None or (count == 1 and not self.is_team) else f"{name} {number}"

    @property
    def is_team(self) -> bool:
        """Whether one program leads all of them."""
        return self.group.robots.team


class Staging:
    """A scenario with everything it names found and made, ready to be put on a stage."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        table = scenario.settings.models
        self.models = None if table is None else models_of(table, scenario.document.place("models"))
        """Those that the scenario has in place of robots with programs."""
        self.map = map_of(scenario) if self.models is None else self.models.world.map
        self.kits = [_kit(scenario, place, robots) for place, robots in scenario.groups]
        names = (
            [name for kit in self.kits for name in kit.names] if self.models is None else self.models.names
        )
        self.names = {number: name for number, name in enumerate(names) if name is not None}
        self._check_names()
        self._check_here()
        self._check_parameters()
        place = scenario.document.place("network")
        self._connection = connection(scenario.settings.network, place, self.count)
        rules = scenario.settings.world
        self._world = (
            World(self.map, ghost=rules.ghost, on_contact=rules.on_contact)
            if self.models is None
            else self.models.world
        )
        groups = [kit.group for kit in self.kits]
        self._initial_poses = initial_poses(groups, scenario.settings.seed, EmptyWorld(self._world))
        names = [self.name_of(number) for number in range(self.count)]
        self.real = real_team(scenario, self.outfits, names) if scenario.settings.real else None
        """Its real robots, where it has any."""

    @property
    def outfits(self) -> list[Outfit]:
        """What each robot moves and senses with, by its number; of models, of those whose robots may be real."""
        models = self.models
        if models is None:
            return [kit.outfit for kit in self.kits for _ in range(kit.group.count)]
        if not isinstance(models, RealizableModels):
            place = self.scenario.document.place("models")
            raise place.error(
                f"{place.title} are {type(models).__name__}, whose robots cannot be real: they have no sensors_of()"
            )
        bodies = models.world.bodies
        return [Outfit(body.shape, body.drive, models.sensors_of(body.number)) for body in bodies]

    def pose_of(self, number: int) -> Pose:
        """Return where a robot begins."""
        if self.models is not None:
            return self.models.world.bodies[number].pose
        return [pose for poses in self._initial_poses for pose in poses][number]

    def name_of(self, number: int) -> str:
        """Return what a robot is called."""
        return self.names.get(number, f"robot {number}")

    @property
    def count(self) -> int:
        """How many robots there are."""
        groups = sum(kit.group.count for kit in self.kits)
        return groups if self.models is None else len(self.models.names)

    @property
    def count_here(self) -> int:
        """How many of them this process runs."""
        here = self.scenario.settings.network.here
        return self.count if here is None else len(here)

    @property
    def radius(self) -> float | None:
        """The radius that all robots have; None if they differ or are not round."""
        if self.models is not None:
            return self.models.radius
        shapes = {kit.group.shape for kit in self.kits}
        only = shapes.pop()
        return only.radius if not shapes and isinstance(only, Disc) else None

    def real_side(
        self,
        say: Callable[[str], object] = lambda _words: None,
        *,
        robots: Sequence[Real] | None = None,
        is_paced: bool = True,
        on_start: Callable[[LinkedRobots], object] = lambda _real_robots: None,
    ) -> RealSide | None:
        """Return what starts, greets and watches the real robots, if there are any, and lets time pass for them.

        Others than the scenario's `robots` may stand in for them. If the run is not paced, emulated ones live in it, in
        simulated time. `say` and `on_start` are told of them.
        """
        if self.real is None:
            return None
        team = self.real if robots is None else replace(self.real, robots=tuple(robots))
        poses = {one.number: self.pose_of(one.number) for one in team.robots}
        settings = self.scenario.settings
        return RealSide(team, poses, self.map, settings, is_paced=is_paced, say=say, on_start=on_start)

    def stage(
        self,
        recorder: Recorder | None = None,
        between: Callable[[SimulatedBody], Body] | None = None,
        real: RealSide | None = None,
    ) -> Stage:
        """Put all robots on a stage, with something `between` each body and its program; to be called once.

        Where some robots are `real`, they are started and greeted before the first robot is put there.
        """
        settings = self.scenario.settings
        real = real or self.real_side()
        if self.models is not None and real is None:
            self.models.assemble(None)
        stage = Stage(
            self._world,
            seed=settings.seed,
            on_error=settings.on_error,
            recorder=recorder,
            pace=settings.pace if real is None else real.pace,
            within=self._whole(real),
            between=between if real is None else real.between,
            follows=real,
        )
        try:
            if real is not None:
                real.join(stage)
            if self.models is not None:
                if real is not None:
                    self.models.assemble(real)
                self.models.join(stage)
            if self._connection is not None:
                self._connection.connect(stage, self.count)
            for kit, poses in zip(self.kits, self._initial_poses, strict=True):
                _add(stage, kit, poses, settings.network.here)
        except BaseException:
            stage.close()
            raise
        return stage

    def _whole(self, real: RealSide | None) -> Coupled | None:
        """Return the model that the world is a part of; None where it is the whole."""
        part = self._world if self.models is None else self.models.whole
        if real is not None:
            real.whole.add(part)
            return real.whole
        return None if self.models is None else self.models.whole

    def _check_here(self) -> None:
        here = self.scenario.settings.network.here or []
        strange = [number for number in here if not 0 <= number < self.count]
        if strange or len(set(here)) < len(here):
            place = self.scenario.document.place("network", "here")
            raise place.error(
                f"{place.title} is {here}; it takes each number of a robot once, from 0 to {self.count - 1}"
            )

    def _check_parameters(self) -> None:
        for kit in self.kits:
            try:
                check_parameters(kit.program, self.count, kit.parameters)
            except ValueError as error:
                place = kit.group.place.at("parameters")
                raise place.error(f"{place.title}: {error}") from error

    def _check_names(self) -> None:
        if len(set(self.names.values())) == len(self.names):
            return
        known: set[str | None] = set()
        for kit in self.kits:
            if kit.group.robots.name in known:
                place = kit.group.place.at("name")
                raise place.error(
                    f"{place.title} is that of another group, too; each takes a name of its own"
                )
            known.add(kit.group.robots.name)


def _kit(scenario: Scenario, place: Place, robots: RobotsTable) -> Kit:
    program = find_program(robots.program, place.at("program"))
    spot = place.at("parameters")
    given = {key: _value(value, scenario, robots, spot.at(key)) for key, value in robots.parameters.items()}
    return Kit(
        Group(place, robots, _shape(robots, place)),
        program,
        fit(program, given, spot, also={}, skip=1),
        make(robots.drive, DRIVES, place.at("drive"), noises=NOISES, default=DEFAULT_DRIVE),
        {
            name: make(table, KINDS, place.at("sensors", name), noises=SENSOR_NOISES)
            for name, table in robots.sensors.items()
        },
    )


def _add(stage: Stage, kit: Kit, poses: Sequence[Pose], here: Sequence[int] | None) -> None:
    """Put the robots of a group on a stage; those that other processes run only take their numbers."""
    if kit.is_team:
        _add_team(stage, kit, poses, here)
        return
    for number, (pose, name) in enumerate(zip(poses, kit.names, strict=True)):
        try:
            if here is not None and stage.world.added not in here:
                stage.world.add_body(pose.position, shape=kit.group.shape, name=name).remove()
                continue
            stage.place(
                kit.program,
                (),
                kit.parameters,
                pose.position,
                pose.heading,
                kit.group.shape,
                kit.drive,
                kit.sensors,
                name,
            )
        except Overlap as error:
            raise kit.group.place.at("born", number).error(str(error)) from error
        except ValueError as error:
            raise kit.group.place.error(f"{kit.group.place.title}: {error}") from error


def _add_team(stage: Stage, kit: Kit, poses: Sequence[Pose], here: Sequence[int] | None) -> None:
    """Put the robots of a group on a stage, led by one program."""
    group = kit.group
    if here is not None:
        place = group.place.at("team")
        raise place.error(f"{place.title} is true; the robots of a team are all run by one process")
    try:
        stage.place_team(
            kit.program,
            (),
            kit.parameters,
            len(poses),
            [pose.position for pose in poses],
            [pose.heading for pose in poses],
            TeamKit(group.shape, kit.drive, kit.sensors),
            None,
            group.robots.name,
        )
    except Overlap as error:
        raise group.place.at("born").error(str(error)) from error
    except ValueError as error:
        raise group.place.error(f"{group.place.title}: {error}") from error


def _shape(robots: RobotsTable, place: Place) -> BodyShape:
    if robots.shape is not None:
        return make(robots.shape, SHAPES, place.at("shape"))
    return Disc(DEFAULT_RADIUS if robots.radius is None else robots.radius)


def _value(value: Any, scenario: Scenario, robots: RobotsTable, spot: Place) -> Any:
    """Return a value, or, of a reference such as `${map.width}`, what the scenario has there."""
    reference = REFERENCE.fullmatch(value) if isinstance(value, str) else None
    if reference is None:
        return value
    found: Any = {**vars(scenario.settings), "robots": robots}
    for key in reference[1].split("."):
        table = vars(found) if isinstance(found, ScenarioTable) else found
        found = table.get(key) if isinstance(table, dict) else None
    if found is None:
        raise spot.error(f"{spot.title} stands for {reference[1]}, which the scenario does not give")
    return found
