"""The seven places in which a program runs: each takes the text of a file, and returns what was printed and how it failed."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from threading import Thread

from kumi import load_scenario
from kumi.control.actions import GiveCode
from kumi.link import PtyPair
from kumi.link.emulators import Emulation, Make
from kumi.loop import Choices
from kumi.network import SimulatedNetwork
from kumi.robot.code import GivenProgram
from kumi.scenario.staging import Staging
from kumi.stage import RobotPort, Stage
from kumi.station.operations.tasks import SendCode
from kumi.study.scenarios import ScenarioSubject
from kumi.world import Map, World
from tests.control.stages import acted, rest
from tests.loop.one_stage import OneStage
from tests.station.conftest import Little
from tests.station.matches import IDLE, played, printed
from tests.station.test_entering import TAG, Play
from tests.station.test_entering import played as at_station
from tests.waiting import PATIENCE

Said = tuple[list[str], str]
"""The lines that a program printed, and the sentence with which it failed."""
END = 20.0
BAUD = 115200
SCENARIO = """
until = 20.0
on_error = "robot"
[map]
width = 4.0
height = 3.0
[network]
kind = "simulated"
[robots]
count = 1
born = [[1.0, 1.0]]
radius = 0.2
program = "program.py:main"
[robots.sensors]
lidar = "lidar"
"""


@contextmanager
def heard() -> Iterator[list[str]]:
    """Give the lines that are printed meanwhile."""
    lines: list[str] = []
    with redirect_stdout(io.StringIO()) as out:
        yield lines
    lines += out.getvalue().splitlines()


def written(text: str, folder: Path) -> Path:
    """Write a program and a scenario that names it; return the scenario."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "program.py").write_text(text)
    (folder / "scenario.toml").write_text(SCENARIO)
    return folder / "scenario.toml"


def simulation(text: str, folder: Path) -> Said:
    """Run a scenario file."""
    with heard() as lines, Staging(load_scenario(written(text, folder))).stage() as stage:
        outcome = stage.run(END)
    return lines, "".join(said(one.error) for one in outcome.errors)


def study(text: str, folder: Path) -> Said:
    """Run a scenario as one run of a study; how its programs fail stands in the log of a run that is made again."""
    path = written(text, folder)
    subject = ScenarioSubject(path.name, path.read_text(), str(folder), metrics=("failed",))
    with heard() as lines:
        ran = subject.run({}, 0)
    return lines, "failed" if ran.metrics["failed"] else ""


def loop(text: str, folder: Path) -> Said:
    """Run on a robot whose motor is an emulated one while its contacts and sensors are simulated."""
    whole = OneStage({0: Choices("hil", contacts="virtual")})
    whole.stage.connect(SimulatedNetwork(whole.stage.simulation))
    from kumi.sensing import Lidar

    whole.add(GivenProgram("program.py", text, None).program, 1.0, 1.0, sensors={"lidar": Lidar(8)})
    with heard() as lines:
        whole.run(END)
    return lines, "".join(said(one.error) for one in whole.stage.outcome.errors)


def linked(text: str, folder: Path) -> Said:
    """Run on an emulated robot at the other end of a pseudo-terminal, at three times the pace."""
    terminal = PtyPair(BAUD)
    with Emulation(World(Map(4.0, 3.0)), rate=3.0) as emulation:
        emulation.add(terminal, at=(1.0, 1.0), make=Make(baud=BAUD))
        emulated = Thread(target=emulation.run)
        emulated.start()
        try:
            with heard() as lines, Stage(Map(4.0, 3.0), pace=3.0, on_error="robot") as stage:
                stage.connect(SimulatedNetwork(stage.simulation))
                program = GivenProgram("program.py", text, None).program
                stage.add(program, port=RobotPort(terminal.name, baud=BAUD), at=(1.0, 1.0))
                outcome = stage.run(PATIENCE)
        finally:
            emulation.stop()
            emulated.join()
    return lines, "".join(said(one.error) for one in outcome.errors)


def station(texts: dict[str, str], little: Little) -> dict[str, Said]:
    """Upload programs to a robot of a station, one after the other."""
    ended: dict[str, Said] = {}

    async def story(play: Play) -> None:
        for name, text in texts.items():
            task = (await play.ask(SendCode(robot=TAG, name="program", code=text))).task
            done = await play.end_of(task)
            failure, _, lines = done.outcome.partition("; it printed: ")
            ended[name] = lines.splitlines(), failure if done.state == "failed" else ""

    at_station(little, story, speed=1.0)
    return ended


def contest(text: str, folder: Path) -> Said:
    """Play a match with the program against one that does nothing."""
    board = played(folder, text, IDLE)
    *lines, outcome = [
        line for line in printed(folder).splitlines() if " " * 2 not in line[:2] or "s  " in line
    ]
    has_failed = board.matches[0].robots[0].has_failed
    failure = board.matches[0].robots[0].outcome if has_failed else ""
    return [line.partition(" s  ")[2] for line in lines if " s  " in line[:14]], failure or outcome * 0


def page(text: str, folder: Path) -> Said:
    """Give the program to a robot of a run, as the page does."""
    with heard() as lines, acted() as (stage, acting):
        stage.connect(SimulatedNetwork(stage.simulation))
        from kumi.sensing import Lidar

        stage.add(rest, at=(1.0, 1.0), radius=0.2, sensors={"lidar": Lidar(8)})
        acting.plan(0.5, GiveCode(0, "program.py", text))
        stage.run(END)
        acting.look()
        failures = acting.state["failures"]
    return lines, "".join(one.sentence for one in failures.values())


def said(error: BaseException) -> str:
    """Return an error as a sentence with its kind."""
    return f"{type(error).__name__}: {error}"


PLACES: dict[str, Callable[[str, Path], Said]] = {
    "simulation": simulation,
    "study": study,
    "loop": loop,
    "linked": linked,
    "contest": contest,
    "page": page,
}
