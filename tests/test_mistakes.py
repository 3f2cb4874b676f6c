"""What a newcomer gets wrong is told in a sentence: what it was, and what to write instead.

Each mistake stands here as it is typed, in a program or on the command line, with words of the sentence that it must
lead to. Where Python itself finds the mistake, its words may stand before a note of kumi's.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from kumi.cli.main import main
from kumi.stage.slips import explain_slip

PRELUDE = """
import kumi
from kumi import after, chance, every, now, run, sleep, together, unless, until
from kumi.stage import Stage
from kumi.scenario import load_scenario
from kumi.geometry import Disc
from kumi.motion import Wheel
from kumi.sensing import Lidar
from kumi.world import Block, Map, Pillar, Wall, World, load_map

async def go(robot):
    await robot.forward(1.0)

stage = Stage(World(Map(width=6, height=4)))
"""


def inside(line: str) -> str:
    """Return a program of one line, and its run."""
    return f"async def program(robot):\n    {line}\nstage.add(program, at=(1, 1))\nstage.run(10)"


def seeing(line: str) -> str:
    """Return a program of one line of a robot with a lidar, and its run."""
    return f"async def program(robot):\n    {line}\nstage.add(program, at=(1, 1), sensors={{'lidar': Lidar(rays=3)}})\nstage.run(10)"


def talking(line: str) -> str:
    """Return a program of one line of a robot with a radio, and its run."""
    return f"async def program(robot):\n    {line}\nstage.connect()\nstage.add(program, at=(1, 1))\nstage.run(10)"


def leading(line: str) -> str:
    """Return a program of one line of a team, and its run."""
    return f"async def program(team):\n    {line}\nstage.add_team(program, 2, at=[(1, 1), (2, 2)])\nstage.run(10)"


IN_PYTHON = {
    # names
    "from kumi import World": "kumi has no 'World'; it is in kumi.world: `from kumi.world import World`",
    "from kumi import Lidar": "kumi has no 'Lidar'; it is in kumi.sensing: `from kumi.sensing import Lidar`",
    "from kumi import Acknowledged": "it is in kumi.protocols: `from kumi.protocols import Acknowledged`",
    "kumi.World": "kumi has no 'World'; it is in kumi.world: `from kumi.world import World`",
    "from kumi import slep": "kumi has no 'slep'; did you mean 'sleep'?",
    "from kumi import Wrld": "kumi has no 'Wrld'; did you mean 'World'? it is in kumi.world",
    "from kumi.world import Pilar": "kumi.world has no 'Pilar'; did you mean 'Pillar'?",
    "from kumi.world import Disc": "kumi.world has no 'Disc'; it is in kumi: `from kumi import Disc`",
    "from kumi.geometry import Wall": "kumi.geometry has no 'Wall'; it is in kumi: `from kumi import Wall`",
    # the map and what stands on it
    "Map(width=6, hight=4)": "Map() takes no 'hight'; did you mean 'height'?",
    "Map(6)": "a plane has a width and a height, or neither, not 6 and None",
    "Map(width='6', height=4)": "the width of a map is a number, not '6'",
    "Map(width=-6, height=4)": "the width of a map is a finite number > 0, not -6",
    "Map(6, 4, obstacles=Pillar((5, 2), 0.5))": "the obstacles of a map are given in a list",
    "Map(6, 4, obstacles=[(5, 2)])": "an obstacle is a wall, a pillar or a block, not (5, 2)",
    "Pillar(5, 2, radius=0.5)": "Pillar() is given 'radius' twice: in order it takes centre, radius",
    "Pillar((5, 2), r=0.5)": "Pillar() takes no 'r'; it takes centre, radius, name, material",
    "Wall((0, 0), (1, 1), thick=0.1)": "Wall() takes no 'thick'; did you mean 'thickness'?",
    "Block((1, 1), (2, 2))": "the outline of a block is an Outline, such as Rectangle(x=1, y=1, width=2, height=1), not (1, 1)",
    "Wall((0, 0))": "Wall() needs end; it takes start, end, thickness=0.0",
    "World(6, 4)": "World() is given 2 arguments in order; it takes map=None, and by name width=None, height=None",
    "World('hall.toml')": "a world takes a Map, not 'hall.toml'",
    "load_map('hal.toml')": "hal.toml: there is no such file",
    # the stage
    "Stage('hall.toml')": "a stage takes a Map, such as Map(width=6, height=4), or a World, not 'hall.toml'",
    "Stage(World(), sead=3)": "Stage() takes no 'sead'; did you mean 'seed'?",
    "Stage(World(), seed='x')": "a seed is a whole number, not 'x'",
    "stage.add(go)": "a robot stands somewhere, as in add(program, at=(1, 1)), or is at a port",
    "stage.add(go, (1, 1))": "a robot stands somewhere, as in add(program, at=(1, 1)), or is at a port",
    "stage.add(go, port='/dev/ttyUSB0', radius=0.1)": "a robot at a port has its own size, drive and sensors, so it takes no radius",
    "stage.add(go, at=1)": "where a body is put is a Point or a pair of numbers, not 1",
    "stage.add(go, at=(10, 1))": "it would reach over the border of the world, which goes from (0, 0) to (6, 4)",
    "stage.add(go, at=(1, 1)), stage.add(go, at=(1, 1))": "it would overlap 'robot 0' by 0.2 m",
    "stage.add(go, at=(1, 1), heeding=1)": "neither add() nor the program go() takes 'heeding'; did you mean 'heading'?",
    "stage.add(go, at=(1, 1), size=0.2)": "takes 'size'; add() takes at, heading, radius, shape, drive, sensors, port, name",
    "stage.add(go, at=(1, 1), heading=90)": "a heading is 90 radians, which is 14.3 revolutions",
    "stage.add(go, at=(1, 1), shape=0.2)": "a body's shape is a Disc, a Polygon or an Ellipse, not 0.2",
    "stage.add(go, at=(1, 1), drive=Wheel)": "a drive is an object with plan(), such as Wheel(), not <class",
    "stage.add(go, at=(1, 1), drive=Wheel(max_speed=2))": "Wheel() takes no 'max_speed'; did you mean 'speed'?",
    "stage.add(go, at=(1, 1), name=3)": "a body's name is a text without a dot that is not empty, but it is 3",
    "stage.add(go, at=(1, 1), sensors=[Lidar()])": 'sensors are given by name, as in sensors={"lidar": Lidar()}',
    "stage.add(go, at=(1, 1), sensors={'lidar': Lidar})": "the sensor 'lidar' is an object such as Lidar(), not <class",
    "Lidar(range=3)": "Lidar() takes no 'range'; it takes rays, view, bearing, reach",
    "stage.run('10')": "a run goes until a time, which is a number of seconds, not '10'",
    "load_scenario('gatering')": "there is no scenario 'gatering'; did you mean 'gathering'?",
    "stage.add(go, at=(1, 1)); kumi.show(stage.run())": "this run was not recorded; `record` of a stage names a file for it",
    # the program
    "async def p():\n    await sleep(1)\nstage.add(p, at=(1, 1))": "a program takes its robot, as in `async def p(robot)`, but p() takes nothing",
    "stage.add(go(None), at=(1, 1))": "go was called already; a stage is given the program itself, as in add(go, at=(1, 1))",
    "stage.add('go', at=(1, 1))": "a program is an `async def` that takes a robot, not 'go'",
    "async def p(robot, speed):\n    pass\nstage.add(p, at=(1, 1))": "the program p() needs speed; give it to add(), as in add(p, at=(1, 1), speed=...)",
    "async def p(robot, speed):\n    pass\nstage.add(p, at=(1, 1), sped=1)": "takes 'sped'; did you mean 'speed'?",
    "stage.add(go, 3, at=(1, 1))": "the program go() is given its robot and 1 arguments in order; it takes robot",
    "def p(robot):\n    robot.forward(1)\nstage.add(p, at=(1, 1))": "a program is an `async def` function, but p gave None",
    "def p(robot):\n    yield robot.forward(1)\nstage.add(p, at=(1, 1))": "a program is an `async def` function, but p gave <generator",
    "async def p():\n    await sleep(1)\nrun(p())": "p was called already",
    "run(go)": "the program go(robot) is given nothing; a stage gives it a robot, as in stage.add(go, at=(1, 1))",
    "async def p(a):\n    await sleep(a)\nrun(p, 1, 2)": "the program p(a) is given 1, 2",
    "stage.connect(loss=0.1)": "Stage.connect() takes no 'loss'; it takes on, layers, failures",
    "robot = stage.add(go, at=(1, 1))\nrobot.forward(2)\nstage.run()": "a motion was made outside of a run and never awaited, so nothing moves; write it with `await` in a program",
    "print(now())": "now() was called outside a run; call it from a program, as in kumi.run(program)",
    # what a program does
    inside("robot.forward(1)"): "a motion was made but never awaited; it was dropped at",
    inside("sleep(1)"): "sleep() was made but never awaited",
    inside(
        "await robot.foward(1)"
    ): "robot 0 has no 'foward'; its sensors are: none; did you mean 'forward'?",
    inside("await robot.forward()"): "robot.forward() takes distance, speed=None",
    inside("await robot.forward(1, velocity=2)"): "robot.forward() takes distance, speed=None",
    inside("await robot.forward('1')"): "distances, angles and speeds are numbers",
    inside("await robot.turn(90)"): "for 90 degrees write radians(90)",
    inside("await robot.move_to(1, 2)"): "a goal is a Point or a pair of numbers, not 1",
    inside("await robot.position"): "it is there at once: write it without `await`",
    inside(
        "robot.position = (2, 2)"
    ): "a program moves its robot by commands, such as `await robot.move_to((2, 1))`",
    inside("robot.radio.send('hello')"): "robot 0 has no radio; connect the robots of its stage to a network",
    inside("await robot.lidar.read()"): "robot 0 has no 'lidar'; its sensors are: none",
    inside("await sleep('1')"): "sleep() takes a number of seconds, not '1'",
    inside("await sleep(-1)"): "a duration is a number of seconds >= 0",
    inside(
        "import asyncio; await asyncio.sleep(1)"
    ): "a kumi program does not run on asyncio: use kumi.sleep",
    inside("for t in every(1): print(t)"): "every() is gone through with `async for t in every(...)`",
    inside(
        "if after(3): print('late')"
    ): "a signal is neither true nor false: wait with `await signal.next()`",
    inside("until(60)"): "until() needs a signal, such as after(30), not 60",
    inside("async with until(after(60)): pass"): "until() and unless() are entered with a plain `with`",
    inside("until(after(60))"): "until() was made but never entered by `with`",
    inside("unless(after(60)); await sleep(1)"): "unless() was made but never entered by `with`",
    inside("robot.forward(1).distance"): "it takes time: write `await` before the call",
    inside("with together() as tasks: pass"): "together() is entered with `async with together() as tasks:`",
    # functions that are not called, and answers that are
    inside("await sleep"): "it is a function: write its brackets, as in now(), chance() or sleep(1.0)",
    inside("await robot.forward"): "it is a function: write its brackets",
    inside("while now < 3: await sleep(1)"): "it is a function: write its brackets",
    inside("chance.random()"): "it is a function: write its brackets",
    inside("print(robot.position())"): "it is no function: write it without brackets",
    inside("await until(after(3))"): "until() and unless() are entered with a plain `with`",
    inside("with after(3): pass"): "a block ends at a signal where it stands in `with until(signal):`",
    inside("await every(1)"): "every() is gone through with `async for t in every(...)`",
    inside("async for t in every('1'): pass"): "a period is a number of seconds > 0, not '1'",
    # names of other platforms, and near ones
    inside(
        "await robot.moveto((2, 1))"
    ): "robot 0 has no 'moveto'; its sensors are: none; did you mean 'move_to'?",
    inside(
        "await robot.rotate(1)"
    ): "robot 0 has no 'rotate'; its sensors are: none; write robot.turn(angle)",
    inside("await robot.wait(3)"): "write await sleep(seconds), with sleep from kumi",
    inside("print(robot.x)"): "write robot.position.x",
    inside("print(robot.position.z)"): "a place has x and y, in metres, and does not change",
    inside("print('at ' + robot.position)"): "a place has x and y, in metres, and does not change",
    inside("print(robot.heading.degrees)"): "it is a plain number, in metres, radians or seconds",
    inside("robot.name = 'Hana'"): "what a robot is named and where it begins is given to add()",
    # motions and values
    inside("await robot.turn('left')"): "the angle of turn() is a number, not 'left'",
    inside("await robot.follow(3)"): "a path is a list of places, not 3",
    inside("robot.steer(1.0, float('nan'))"): "a turning speed is a finite number, not nan",
    inside("robot.steer(None)"): "a speed is a number, not None",
    inside("robot.steer(1, 2, 3)"): "steer() takes 1 to 2 arguments, but got 3",
    inside("await robot.forward(1, speed=-1)"): "a speed is a finite number > 0, not -1",
    inside("await robot.move_to([2, 1, 0])"): "a goal is a Point or a pair of numbers, not [2, 1, 0]",
    inside(
        "await robot.move_to((100, 1))"
    ): "the place is outside the world, inside an obstacle or on forbidden ground",
    inside("robot.show('state')"): "robot.show() takes name, value",
    inside("robot.show('grid', [[1]])"): "show() takes a number, a text, True, False or None for 'grid'",
    inside(
        "await together(robot.forward(1), robot.turn(1))"
    ): "together() takes 0 positional arguments but 2 were given",
    inside(
        "async with together() as tasks: tasks.start(robot.forward(1))"
    ): "a program is given as an `async def` function and its arguments, as in run(patrol, 3) or start(patrol, 3), not as Forward(",
    # sensors, radio, teams
    seeing("print(robot.lidr)"): "its sensors are: lidar; did you mean 'lidar'?",
    seeing("print(robot.lidar[0])"): "a sensor is asked for what it reads, as in `await robot.lidar.read()`",
    seeing("print(robot.lidar.value)"): "a sensor is asked for what it reads",
    seeing("print(await robot.lidar)"): "a sensor is asked for what it reads",
    seeing("print(robot.lidar())"): "a sensor is asked for what it reads",
    seeing("print((await robot.lidar.read()).range)"): "LaserScan has no 'range'; it has bearings, distances",
    seeing("print(len(robot.lidar.read()))"): "it takes time: write `await` before the call",
    "stage.add(go, at=(1, 1), sensors={'lidar': Lidar(view=360)})": "for 360 degrees write radians(360)",
    "stage.add(go, at=(1, 1), sensors={'forward': Lidar()})": "a sensor cannot be named 'forward'",
    talking("await robot.radio.send('hello')"): "robot.radio.send() takes message, to",
    talking("await robot.radio.sent('hello')"): "Radio has no 'sent'; did you mean 'send'?",
    talking("async for message in robot.radio.messages: pass"): "it is a function: write its brackets",
    talking("await robot.radio.send('hello', to='robot 9')"): "a message goes to the number of a robot",
    leading(
        "print(team.position)"
    ): "team has no 'position'; its sensors are: none; did you mean 'positions'?",
    leading("team.steer()"): "team.steer() takes speeds, turn_speeds=0.0, which=None",
    leading("team.steer([1, 2, 3])"): "speeds are one number, or one for each of 2 robots",
    leading("for robot in team: await robot.forward(1)"): "a team is told what to do at once, by rows",
    "stage.add_team(go, '3', at=[(1, 1)])": "a team has a whole number of robots >= 0, not '3'",
    "def p(team):\n    pass\nstage.add_team(p, 1, at=[(1, 1)])\nstage.run(1)": "a program is an `async def` function, but p gave None",
    # places, files, runs and what came out
    "stage.add(go, at=(1, 1), name='A'), stage.add(go, at=(2, 2), name='A')": "there is a body named 'A' in the world already",
    "Stage(Map(6, 4, obstacles=[Pillar((3, 2), 1)])).add(go, at=(3, 2))": "'robot 0' cannot be at (3, 2): it would overlap pillar 1",
    "stage.add(go, at=(float('nan'), 1))": "where a body is put has finite coordinates, not (nan, 1)",
    "stage.add(go, at=[(1, 1), (2, 2)])": "where a body is put is a Point or a pair of numbers",
    "from kumi import Robot\nRobot((1, 1))": "robots are made by a stage, as in stage.add(program, at=(1, 1))",
    "stage.remove('robot 0')": "a stage removes a robot that add() gave, not 'robot 0'",
    "stage.start()": "Stage has no 'start'; it has add, add_team",
    "print(stage.outcome.contact)": "Outcome has no 'contact'; did you mean 'contacts'?",
    "load_scenario('gathering').run()": "Scenario has no 'run'; it has",
    "load_scenario('gathering', seed=3)": "load_scenario() takes no 'seed'; it takes which, overrides",
    "load_scenario(3)": "a scenario is given by its name, or by the path of its file, not by 3",
    "load_map(3)": "a map is loaded from the path of a file, not from 3",
    r"load_map('C:\maps\hall.toml')": r"C:\maps\hall.toml: there is no such file",
    "kumi.show('nothere.kumi')": "nothere.kumi: there is no such file",
    "Stage(Map(6, 4), record='run.csv')": "run.csv: a run file ends in .kumi",
    "Stage(Map(6, 4), record='nowhere/run.kumi')": "nowhere/run.kumi: there is no folder 'nowhere'",
    "Stage(Map(6, 4), record=True)": "a run file is named by its path, not True",
    "stage.run(float('nan'))": "a run goes until a time, which is a number of seconds, not nan",
    "stage.add(go, at=(1, 1)); stage.run(5); stage.run(2)": "cannot run until t = 2 s: it is t = 5.0 s already",
    inside("stage.run(1)"): "run() was called while the run is under way",
    "run(3)": "a program is given as an `async def` function and its arguments, as in run(patrol, 3) or start(patrol, 3), not as 3",
    "Wall([(0, 0), (1, 1)])": "Wall() needs end; it takes start, end, thickness=0.0, name='', material=...",
    "Map(6, 4, obstacles=Wall((0, 0), (1, 1)))": "the obstacles of a map are given in a list, as in [Wall(...)], not alone",
    "import time\n"
    + inside(
        "time.sleep(0)"
    ): "calls time.sleep(), in which its robot does nothing and no simulated time passes",
    "from time import sleep\n" + inside("sleep(0)"): "calls time.sleep()",
    "import random\n"
    + inside("random.random()"): "draws from Python's random, which no seed of a run governs",
}

ON_THE_COMMAND_LINE = {
    "rnu gathering": "There is no command 'rnu'. Did you mean 'run'?",
    "run gatering": "there is no scenario 'gatering'; did you mean 'gathering'?",
    "run": "Missing argument 'SCENARIO'. Try 'kumi run --help'.",
    "run nothere.toml": "nothere.toml: there is no such file.",
    "run comma.toml": "comma.toml, line 2: unclosed inline table at column 27",
    "run comma.toml --json": "is a comma missing there?",
    "run colon.toml": "colon.toml, line 2: expected '=' after a key",
    "run hight.toml": "hight.toml, line 3: map: hight is unknown; a map takes name, width, height",
    "run degrees.toml": "for 90 degrees write heading_deg = 90",
    "run program.py": 'program.py is a program, and a scenario is a TOML file; its robots run a program of yours with program = "program.py:name".',
    "run gathering --sed 3": "No such option '--sed'.",
    "run gathering --seed three": '--seed three: seed is "three"; it takes a whole number.',
    "run gathering --until 10s": 'until is "10s"; it takes a number of seconds of at least 0, or inf.',
    "run gathering --set robots.cuont=5": "robots.cuont is unknown; did you mean robots.count?",
    "run gathering --set robots.count": "give a key and a value, as in robots.count=100.",
    "run gathering --set robots.count=-3": "robots.count is -3; it takes a whole number of at least 1.",
    "run gathering --record nowhere/x.kumi": "nowhere/x.kumi: there is no folder 'nowhere'.",
    "run gathering --record gathering.csv": "gathering.csv: a run file ends in .kumi",
    "run gathering -seed 3": "No such option '-seed'. Did you mean '--seed'?",
    "run Gathering": "there is no scenario 'Gathering'; did you mean 'gathering'?",
    "run gathering --until -5": "until is -5; it takes a number of seconds of at least 0, or inf.",
    "run gathering --until nan": "until is nan; it takes a number of seconds of at least 0, or inf.",
    "run gathering --set nothing.x=1": "nothing is unknown; a scenario takes",
    "run gathering --pace 0": "pace is 0; it takes a number greater than 0",
    r"run C:\maps\hall.toml": r"C:\maps\hall.toml: there is no such file.",
    "run empty.toml": "empty.toml: robots is missing; it takes a table, or an array of tables.",
    "run syntax.toml": "'syntax.py' cannot be imported: SyntaxError: expected ':' (syntax.py, line 1).",
    "run main.toml": "program.py has no 'man'; there are main.",
    "run gathering circle": "Got unexpected extra argument (circle).",
    "show gathering": "`kumi run gathering --record gathering.kumi` makes a run file of it.",
    "show program.py": "program.py is not a run file of kumi.",
    "plan crossing --start 2,2 --goal 18 14": "'2,2' is not a number; a place is two of them with a blank between, such as 2 2.",
    "check nothing": "there is no protocol 'nothing' to check; did you mean",
    "study gatering": "there is no study 'gatering'; did you mean 'gathering'?",
}

FILES = {
    "comma.toml": "[map]\nobstacles = [{at = [5, 2] radius = 0.5}]\n",
    "colon.toml": "[map]\nwidth: 6\n",
    "hight.toml": '[map]\nwidth = 6\nhight = 4\n[robots]\nprogram = "circle"\ncount = 3\n',
    "degrees.toml": '[map]\nwidth = 6\nheight = 4\n[robots]\nprogram = "circle"\ncount = 1\nheading = 90\n',
    "empty.toml": "",
    "syntax.toml": '[map]\nwidth = 6\nheight = 4\n[robots]\nprogram = "syntax.py:main"\ncount = 1\n',
    "main.toml": '[map]\nwidth = 6\nheight = 4\n[robots]\nprogram = "program.py:man"\ncount = 1\n',
    "syntax.py": "def main(robot)\n    pass\n",
    "program.py": "async def main(robot):\n    await robot.forward(1)\n",
}


def told_by(code: str) -> str:
    """Return what a person reads of a program: warnings, the error, and its notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        notes: list[str] = []
        try:
            exec(compile(PRELUDE + code, __file__, "exec"), {"__name__": "mistake"})  # noqa: S102
        except Exception as error:  # noqa: BLE001  # whatever it is, it is what a person reads
            notes = [line for one in errors_in(error) for line in (str(one), *getattr(one, "__notes__", ()))]
    return "\n".join([*(str(warning.message) for warning in caught), *notes])


def errors_in(error: BaseException) -> list[BaseException]:
    """Return an error, and all that are in it where it is a group."""
    inside = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return [error, *(each for one in inside for each in errors_in(one))]


@pytest.mark.parametrize(("code", "sentence"), IN_PYTHON.items())
def test_a_mistake_in_a_program_is_told_with_what_to_write(code: str, sentence: str) -> None:
    assert sentence in told_by(code)


@pytest.mark.parametrize(("words", "sentence"), ON_THE_COMMAND_LINE.items())
def test_a_mistake_on_the_command_line_is_told_with_what_to_write(
    words: str,
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)

    assert main(words.split()) in {1, 2}
    assert sentence in capsys.readouterr().err


def test_a_name_that_no_package_has_and_none_is_near_is_refused_as_everywhere() -> None:
    assert "cannot import name 'xyzzy'" in told_by("from kumi import xyzzy")
    assert not hasattr(__import__("kumi"), "xyzzy")


def test_modules_that_are_not_loaded_yet_are_still_found_by_from() -> None:
    assert told_by("from kumi import maths") == ""


def test_random_numbers_with_a_seed_of_their_own_are_no_mistake() -> None:
    assert told_by("import random\n" + inside("random.Random(3).random()")) == ""


def test_a_coroutine_that_is_counted_with_is_told_to_be_awaited() -> None:
    error = TypeError("unsupported operand type(s) for +: 'coroutine' and 'int'")
    explain_slip(error)
    assert error.__notes__ == ["it takes time: write `await` before the call"]
