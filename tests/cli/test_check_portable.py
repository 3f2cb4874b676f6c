"""`kumi check --portable` says whether a run is the same everywhere, and where it first is not."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kumi.cli.main import main
from kumi.testing.portability import PLAIN, ProcessSwitch, switches
from kumi.testing.portability.comparing import probed

Check = Callable[..., tuple[int, str]]
FUSED, NARROW, PRODUCTS, HASHING = switches()

STAGE = """
from kumi import now
from kumi.stage import Stage
from kumi.world import World
{imports}

async def drive(robot):
    await robot.forward(1.0)
    {decides}
    await robot.turn(0.5)

stage = Stage(World(), {options})
stage.add(drive, at=(0, 0), name="Hana")
stage.run(60.0)
"""
SINES = "import math, json; print(json.dumps([math.sin(k * 0.25) for k in range(20000)]))"


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Check:
    """Run `kumi check --portable`, and return its exit code and what it printed."""

    def run(*arguments: str | Path) -> tuple[int, str]:
        code = main(["check", "--portable", *map(str, arguments)])
        told = capsys.readouterr()
        return code, told.out + told.err

    return run


def script(folder: Path, imports: str = "", decides: str = "pass", options: str = "") -> Path:
    """Write a program of one robot, which decides something after a metre."""
    path = folder / "program.py"
    path.write_text(STAGE.format(imports=imports, decides=decides, options=options))
    return path


def sines(switch: ProcessSwitch) -> list[float]:
    """Return many sines, from a process with a switch."""
    done = subprocess.run(
        [sys.executable, "-c", SINES], capture_output=True, text=True, check=True, env=switch.changed
    )
    found: list[float] = json.loads(done.stdout)
    return found


def test_each_switch_is_asked_about_by_a_line_of_its_own() -> None:
    """And none of the lines is for nothing."""
    assert sorted(switch.probe for switch in switches() if switch.probe is not None) == [
        *range(len(probed(PLAIN)))
    ]


@pytest.mark.slow
def test_a_program_that_depends_on_nothing_is_the_same_in_all_processes(check: Check, tmp_path: Path) -> None:
    code, out = check(script(tmp_path))

    assert code == 0
    assert "is the same in" in out
    assert "Trace hash" in out


@pytest.mark.slow
def test_a_sine_of_the_c_library_in_a_decision_is_found_with_who_and_when(
    check: Check, tmp_path: Path
) -> None:
    """The angle is looked for: one whose sine has another last bit without fused multiply-add."""
    if not FUSED.has_effect:
        pytest.skip("this processor or this C library has no fused multiply-add to hide")
    pairs = enumerate(zip(sines(PLAIN), sines(FUSED), strict=True))
    number = next(k for k, (here, there) in pairs if here != there)
    code, out = check(script(tmp_path, "import math", f"await robot.forward(abs(math.sin({number} * 0.25)))"))

    assert code == 1
    assert f"differs with '{FUSED.name}'" in out
    assert "First at t = 1.0 s, Hana:" in out
    assert "plain:  1.0 moves Hana" in out or "plain:  1.0 commanded Hana" in out
    assert "use kumi.maths" in out
    assert "wall clock" not in out


@pytest.mark.slow
def test_the_order_of_a_set_is_found(check: Check, tmp_path: Path) -> None:
    words = ", ".join(f'"word {number}"' for number in range(20))
    program = script(tmp_path, "from kumi import note", f"note(', '.join({{{words}}}))")
    code, out = check(program)

    assert code == 1
    assert f"differs with '{HASHING.name}'" in out
    assert "First at t = 1.0 s, Hana:" in out
    assert "the order of a set, or hash()" in out


@pytest.mark.slow
def test_the_wall_clock_is_found_and_no_switch_is_blamed(check: Check, tmp_path: Path) -> None:
    program = script(tmp_path, "import time\nfrom kumi import note", "note(time.time_ns())")
    code, out = check(program)

    assert code == 1
    assert "differs when it is run once more" in out
    assert "First at t = 1.0 s, Hana:" in out
    assert "the wall clock" in out
    assert "kumi.maths" not in out


@pytest.mark.slow
def test_a_program_that_records_itself_gets_its_whole_run_file(check: Check, tmp_path: Path) -> None:
    """The journal is read along, and not taken away from who wants it."""
    record = tmp_path / "run.kumi"
    code, _ = check(script(tmp_path, options=f"record={str(record)!r}"), "--jobs", "1")

    assert code == 0
    assert record.stat().st_size > 0


@pytest.mark.slow
def test_a_scenario_is_changed_by_options_and_told_with_the_hash_of_its_run(
    check: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--until", "5", "--seed", "3", "--set", "robots.count=20"]
    code, out = check("random-movement", *options, "--json")
    told = json.loads(out)
    main(["run", "random-movement", *options, "--json"])
    run = json.loads(capsys.readouterr().out)

    assert code == 0
    assert told["is_same"] is True
    assert told["trace_hashes"] == [run["trace_hash"]]
    assert [one["switch"] for one in told["processes"]][:2] == ["plain", "once more"]


@pytest.mark.slow
def test_json_tells_the_first_difference(check: Check, tmp_path: Path) -> None:
    code, out = check(
        script(tmp_path, "import time\nfrom kumi import note", "note(time.time_ns())"), "--json"
    )
    told = json.loads(out)

    assert code == 1
    assert told["is_same"] is False
    first = told["processes"][1]["first_difference"]
    assert (first["time"], first["source"], first["run"]) == (1.0, "Hana", 0)
    assert first["plain"] != first["other"]
    assert told["likely_causes"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.py"], "there is no script nowhere.py"),
        (["nowhere"], "there is no scenario 'nowhere'"),
        (["random-movement-in-the-loop"], "has real robots"),
        (["convoy-in-the-loop"], "has real robots"),
        (["random-movement", "--set", "network.kind=udp"], "udp"),
        (["random-movement", "--nodes", "3"], "--nodes has no meaning with --portable"),
        ([], "say which scenario or script"),
    ],
)
def test_a_question_without_sense_is_refused_in_a_sentence(
    check: Check, arguments: list[str], said: str
) -> None:
    code, out = check(*arguments)

    assert code == 2
    assert said in out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [("raise RuntimeError('no luck')", "fails: RuntimeError: no luck"), ("print(1)", "runs no Stage")],
)
def test_a_script_that_fails_or_runs_nothing_is_refused(
    check: Check, tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "program.py"
    path.write_text(text)
    code, out = check(path)

    assert code == 2
    assert said in out


def test_a_script_takes_no_changes(check: Check, tmp_path: Path) -> None:
    code, out = check(script(tmp_path), "--until", "3")

    assert code == 2
    assert "a script says itself what it runs" in out


def test_options_of_a_scenario_go_with_portable_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "perfect-links", "--until", "3"]) == 2
    assert "--until goes with --portable" in capsys.readouterr().err
