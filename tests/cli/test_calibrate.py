"""`kumi calibrate` says before the drive what is wrong, and Ctrl-C ends it. Its fit is tested in simulated time."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kumi.cli import main
from kumi.link.calibration import Calibration
from tests.waiting import read_line

KUMI = [sys.executable, "-m", "kumi"]


@pytest.mark.parametrize(
    ("arguments", "sentence", "code"),
    [
        (["--calibration", "none.toml", "-o", "mine.toml"], "none.toml: there is no such file.", 2),
        (["-o", "no-such-folder/mine.toml"], "the folder no-such-folder is not there", 2),
        (["-o", "."], ". is a folder; give a file.", 2),
        (["-o", "mine.toml"], "the port no-such-port cannot be opened: ", 1),
        (["-o", "mine.toml", "--baud", "12"], "a baud rate is one of 9600, ", 1),
    ],
)
def test_what_is_wrong_is_one_sentence(
    arguments: list[str], sentence: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["calibrate", "--port", "no-such-port", *arguments]) == code
    assert sentence in capsys.readouterr().err
    assert not Path("mine.toml").exists()


@pytest.mark.slow
def test_nobody_at_the_other_end_is_one_sentence_and_ctrl_c_ends_a_drive(tmp_path: Path) -> None:
    robot = [*KUMI, "robot", "packet", "--pty", "--baud", "57600", "--at", "3.25,1.5", "--seconds", "3600"]
    with subprocess.Popen(robot, stdout=subprocess.PIPE, text=True) as process:
        port = read_line(process.stdout).split(" at ")[1].split(",")[0]
        output = tmp_path / "mine.toml"
        command = [*KUMI, "calibrate", "--port", port, "--baud", "57600", "-o", str(output)]
        try:
            nobody = subprocess.run([*command, "--address", "5"], capture_output=True, text=True, check=False)
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as drive:
                assert read_line(drive.stderr) == "1 of 4: the servo goes through its bytes ...\n"
                drive.send_signal(signal.SIGINT)
        finally:
            process.terminate()

    assert nobody.returncode == 1
    assert nobody.stderr.startswith("Error: robot 5 is gone: it did not answer in time")
    assert drive.returncode == 130
    assert not output.exists()


def test_what_was_found_stands_beside_what_was_given(capsys: pytest.CaptureFixture[str]) -> None:
    from kumi.cli.calibrate import tell
    from kumi.link.fitting import Fitted
    from kumi.link.quality import Fit, MeasuredCalibration

    fit = Fit("motor 145", "cm/s", 100.0, Fitted(0.101, 0.0002, 0.4, 300), 0.015, "cm")
    tell(Calibration.default(), MeasuredCalibration(Calibration.default(), (fit,)))

    motor, servo, potentiometer, ranger, told = capsys.readouterr().out.splitlines()
    assert motor.startswith(
        "motor byte: 120 -12.29 (-12.29) cm/s, 127 0.00 (0.00) cm/s, 135 5.19 (5.19) cm/s"
    )
    assert servo.startswith("servo byte: 61 -40.00 (-40.00) °, ")
    assert potentiometer == ("potentiometer: 360 -40.00 (-40.00) °, 512 0.00 (0.00) °, 664 40.00 (40.00) °")
    assert told == "  motor 145: 10.100 ± 0.020 cm/s, residual 0.015 cm in 300 readings"
    assert ranger.endswith("15 cm 488.0, 10 cm 634.0, nothing 100")
