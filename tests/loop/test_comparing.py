"""Model and real robots are compared device by device in any scenario: what was planted is found, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from kumi.loop.comparing.drives import DrivenPiece
from kumi.loop.comparing.evidence import Evidence, RunEvidence
from kumi.loop.comparing.findings import EstimatedDifference, Unjudged, estimates
from kumi.loop.comparing.judging import MOST_MISSED, CannotJudge, judge
from kumi.loop.comparing.kinds import ENCODER, LATENCY, MOTOR, OFFSET, RATE, RangerKind
from kumi.loop.comparing.many import PlantedExperiment
from kumi.loop.comparing.planting import Planted
from kumi.loop.comparing.report import page, verdict
from kumi.loop.comparing.subject import subject_of
from kumi.scenario.document import ScenarioError
from kumi.study.statistics.trials import at_least, largest_below
from tests.loop.compared import CONVOY, RANDOM, compared, of_kind, wrong

LONGER = 100.0 / 9.0
"""Per cent of time that a motor with 0.9 of its speed needs more: 1/0.9 is 1.111."""


def evidence(drives: list[DrivenPiece], **more: object) -> Evidence:
    given: dict[str, object] = {
        "number": 0,
        "robot": "robot 0",
        "drives": tuple(drives),
        "ways": (),
        "angles": (),
        "looks": {},
        "waits": (),
        "asked_again": 0,
        "clock": None,
        "is_paced": True,
        "is_seen": False,
    }
    return Evidence(**{**given, **more})  # type: ignore[arg-type]


def drive(told: float = 0.3, factor: float = 0.9, why: str = "") -> DrivenPiece:
    return DrivenPiece(told, factor * told, told / 0.3, 0.0, why)  # type: ignore[arg-type]


def run(*robots: Evidence) -> RunEvidence:
    return RunEvidence(0, "over", 60.0, robots, 1000, 3, 0.06)


def test_a_motor_at_nine_tenths_needs_a_ninth_more_time(tmp_path: Path) -> None:
    found = compared(tmp_path, RANDOM, Planted(motor=0.9))

    assert wrong(found) == {("robot 1", "motor"), ("robot 3", "motor")}
    for one in of_kind(found, MOTOR):
        assert LONGER in one.off
        assert one.off.half_width < 1.0
    said = list(verdict(found))
    assert said[0].startswith("The model is wrong: robot 1, motor: time for its way +11.1")
    assert said[0].endswith("it runs at 0.900 of the speed that its calibration says.")


def test_where_nothing_is_planted_nothing_is_found_and_the_page_says_so(tmp_path: Path) -> None:
    found = compared(tmp_path)
    text = page("Five robots", "No error was planted.", found)

    assert wrong(found) == set()
    assert "Nothing was found in which the real robots differ from the model by more than matters." in text
    assert "| robot 1 | motor | time for its way |" in text
    assert "All runs were in simulated time, in which no instant is late." in text


def test_a_run_in_simulated_time_can_be_repeated() -> None:
    subject = subject_of(RANDOM, ["until=10"], (), Path())
    one, other = (PlantedExperiment(subject, Planted()).run(3) for _ in range(2))

    assert one == other
    assert one.instants == 0


def test_an_error_is_planted_in_the_robot_that_is_named(tmp_path: Path) -> None:
    assert wrong(compared(tmp_path, RANDOM, Planted(motor=0.9, robot="robot 3"))) == {("robot 3", "motor")}


def test_a_clock_and_a_line_are_found_with_their_sizes(tmp_path: Path) -> None:
    found = compared(tmp_path, RANDOM, Planted(clock=1.01, clock_offset=0.5, latency=0.03))

    assert {device for _, device in wrong(found)} == {"clock", "link"}
    for kind, size in ((RATE, 1.0), (OFFSET, 0.5), (LATENCY, 30.0)):
        for one in of_kind(found, kind):
            assert one.verdict == "wrong"
            assert one.off.mean == pytest.approx(size, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "what", "size"),
    [
        ("bias=0.05", "reading", 5.0),
        ("scale=1.2", "scale of its readings", 20.0),
        ("noise=0.03", "spread of its readings", 3.0),
        ("dead", "looks that missed what is there", 100.0),
    ],
)
def test_a_faulty_ranger_is_found_with_its_size(tmp_path: Path, fault: str, what: str, size: float) -> None:
    planted = Planted(sensors=(f"front:{fault}",))
    found = compared(tmp_path, CONVOY, planted, seeds=range(3), changes=["until=90"])

    assert wrong(found) == {("robot 3", "front")}
    (one,) = (one for one in found.those("wrong") if one.kind.name == what)
    assert one.off.low - 0.1 * size <= size <= one.off.high + 0.1 * size


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "devices"),
    [
        ("encoder:scale=1.1", {"encoder"}),
        ("encoder:dead", {"encoder"}),
        ("steering:bias_deg=4", {"steering"}),
        ("steering:dead", {"steering"}),
    ],
)
def test_a_faulty_wheel_is_found_and_its_motor_is_not_blamed(
    tmp_path: Path, fault: str, devices: set[str]
) -> None:
    planted = Planted(sensors=(fault,), robot="robot 1")
    found = compared(tmp_path, RANDOM, planted, seeds=range(3), changes=["until=60"])

    assert wrong(found) == {("robot 1", device) for device in devices}


@pytest.mark.slow
def test_an_encoder_that_counts_too_much_is_judged_by_true_ways(tmp_path: Path) -> None:
    """It counts 1.1 m on each metre, so the true way is 1/1.1 of what it says."""
    planted = Planted(sensors=("encoder:scale=1.1",), robot="robot 1")
    found = compared(tmp_path, RANDOM, planted, seeds=range(2), changes=["until=60"])
    (one,) = (one for one in of_kind(found, ENCODER) if one.robot == "robot 1")

    assert wrong(found) == {("robot 1", "encoder")}
    assert 100.0 * (1.0 / 1.1 - 1.0) in one.off


@pytest.mark.slow
def test_contacts_that_a_dead_bumper_does_not_tell_are_noticed_by_the_wheel(tmp_path: Path) -> None:
    """Three robots in a closet, which go to random places, run into each other and the walls."""
    scenario = tmp_path / "closet.toml"
    scenario.write_text(
        'until = 40.0\n[map]\nwidth = 1.2\nheight = 1.2\n[robots]\ncount = 3\nradius = 0.1\nprogram = "random-movement"\n'
        "parameters = { width = 1.2, height = 1.2, margin = 0.2, slowest = 0.2, fastest = 0.3, turn_speed = 0.667 }\n"
        '[robots.drive]\nkind = "wheel"\nspeed = 0.3\nturn_speed = 0.667\n',
        encoding="utf-8",
    )
    right = compared(tmp_path, str(scenario), seeds=range(2), changes=())
    dead = compared(tmp_path, str(scenario), Planted(sensors=("bumper:dead",)), seeds=range(2), changes=())

    assert wrong(right) == set()
    assert {device for _, device in wrong(dead)} == {"bumper"}


@pytest.mark.parametrize(
    ("scenario", "changes", "robots"),
    [
        ("wall-following", ["until=60"], {"follower"}),
        ("convoy", ["until=30", "models.robots=3"], {"robot 1", "robot 2", "robot 3"}),
    ],
)
def test_robots_of_a_scenario_without_real_ones_become_real(
    tmp_path: Path, scenario: str, changes: list[str], robots: set[str]
) -> None:
    found = compared(tmp_path, scenario, Planted(motor=0.9), changes=changes)

    assert wrong(found) == {(robot, "motor") for robot in robots}
    assert all(LONGER in one.off for one in of_kind(found, MOTOR))


@pytest.mark.parametrize("speed", [1.0, 20.0])
def test_robots_of_any_size_and_speed_become_real(tmp_path: Path, speed: float) -> None:
    """Their radius is 5 m; at 20 m/s a motor at 0.9 needs a ninth more time as one at 0.3 m/s does."""
    changes = ["until=40", "robots.drive.kind=wheel", f"robots.drive.speed={speed}"]
    right, slow = (
        compared(tmp_path, "random-movement", Planted(motor=motor), changes=changes, real=("0", "1"))
        for motor in (1.0, 0.9)
    )

    assert wrong(right) == set()
    assert wrong(slow) == {("robot 0", "motor"), ("robot 1", "motor")}
    assert all(LONGER in one.off for one in of_kind(slow, MOTOR))


def test_what_goes_otherwise_and_what_is_not_judged_is_said(tmp_path: Path) -> None:
    """The program asks for 3 to 13 m/s, and a motor made for 1 m/s drives at 1.2 m/s at most; it touches nothing."""
    found = compared(tmp_path, "random-movement", real=("0",))
    said = list(verdict(found))

    assert any(one.startswith("Not judged, by how many robots: bumper (1)") for one in said)
    assert any(" m/s and drives at 1.2 m/s, the nearest speed that its motor has" in one for one in said)
    assert "- robot 0, bumper: it touched nothing." in page("Robots", "", found)


def test_a_motor_that_drove_too_little_is_not_judged() -> None:
    """Five pieces of 0.2 m are needed, and four drives of 0.3 m are four."""
    found = estimates("robot 0", [evidence([drive()] * 4)])

    assert Unjudged("robot 0", "motor", "4 pieces of 0.2 m that it drove unhindered are too few") in list(
        found
    )


def test_programs_that_fail_say_why_nothing_was_driven(tmp_path: Path) -> None:
    changes = ["until=5", "robots.drive.kind=wheel"]
    with pytest.raises(
        CannotJudge,
        match=r"no real robot drove: the program of .* failed at .* wheels cannot carry out Track",
    ):
        compared(tmp_path, "warehouse", changes=changes)


def test_half_a_step_of_a_ranger_is_no_error() -> None:
    """A step of 10 cm rounds to 5 cm; where steps are fine, 1 cm and a spread of 1.5 cm matter."""
    assert [RangerKind("front", step).offset.margin for step in (0.0, 1.0, 10.0)] == [1.0, 1.0, 5.0]
    assert [RangerKind("front", step).spread.margin for step in (0.0, 1.0, 10.0)] == [1.5, 1.5, 5.0]


def test_a_ranger_is_named_as_the_scenario_names_it(tmp_path: Path) -> None:
    planted = Planted(sensors=("right:bias=0.05",))
    found = compared(tmp_path, "wall-following", planted, changes=["until=40"])

    assert wrong(found) == {("follower", "right")}


@pytest.mark.parametrize(
    ("scenario", "real", "said"),
    [
        ("junction", (), "robot 0 has the drive 'omni', and a packet robot drives as a wheel or a car"),
        ("wall-following", ("5",), "--real 5: there is no such robot; give a name, such as 'follower'"),
        (RANDOM, ("1",), "--real 1: the scenario states its real robots, robot 1, robot 3"),
    ],
)
def test_what_cannot_be_real_is_said_in_a_sentence(
    tmp_path: Path, scenario: str, real: tuple[str, ...], said: str
) -> None:
    with pytest.raises(ScenarioError) as error:
        compared(tmp_path, scenario, real=real, changes=())
    assert said in str(error.value)


def test_an_error_for_nobody_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="there is no real robot 'robot 7' to plant an error in"):
        compared(tmp_path, RANDOM, Planted(motor=0.9, robot="robot 7"))


def test_the_beginning_and_the_end_of_drives_widen_the_interval_of_a_run_that_is_paced() -> None:
    """5 ms at 0.3 m/s are 1.5 mm of 30 cm: half a per cent of the slope, and 0.6 % of its inverse at 0.9."""
    motors = {}
    for is_paced in (True, False):
        found = estimates("robot 0", [evidence([drive()] * 10, is_paced=is_paced)])
        (motors[is_paced],) = (
            one for one in found if isinstance(one, EstimatedDifference) and one.kind == MOTOR
        )

    assert motors[True].off.mean == pytest.approx(LONGER)
    assert motors[True].off.error == pytest.approx(100.0 * 0.005 / 0.81, rel=1e-6)
    assert motors[False].off.error == pytest.approx(100.0 * 0.001 / 0.81, rel=1e-6)


def test_drives_with_missed_deadlines_do_not_count_and_too_many_of_them_are_refused() -> None:
    """One in ten is allowed; what a motor did in them would make it seem twice as fast."""
    few = [drive(factor=1.0)] * 18 + [drive(factor=2.0, why="missed")] * 2
    found = judge([run(evidence(few))])

    assert found.late.drives_missed == MOST_MISSED
    assert of_kind(found, MOTOR)[0].off.mean == pytest.approx(0.0, abs=1e-9)
    many = [*few, drive(why="missed")]
    with pytest.raises(
        CannotJudge, match=r"in 14 % of all drives the computer missed a deadline, and at most 10 % may be so"
    ):
        judge([run(evidence(many))])


def test_runs_in_which_nothing_was_driven_are_refused() -> None:
    with pytest.raises(CannotJudge, match="no real robot drove; let the runs go on for longer"):
        judge([run(evidence([]))])


def test_binomial_tails_are_those_of_arithmetic() -> None:
    """Of two throws of a coin, one or more is heads in three of four cases, and both in one."""
    assert [at_least(count, 2, 0.5) for count in range(4)] == [1.0, 0.75, 0.25, 0.0]
    assert at_least(60, 500, 0.1) == pytest.approx(0.0794, abs=0.005)  # exact: 0.0807
    assert largest_below(2, 0.5, 0.25) == 0


@pytest.mark.slow
@pytest.mark.parametrize("scenario", [RANDOM, CONVOY])
def test_the_planted_size_lies_within_the_interval_and_right_models_are_not_blamed(
    tmp_path: Path, scenario: str
) -> None:
    """Three seeds with a motor at 0.9 and five without an error; `tools/compare_often.py` has the full count."""
    for seed in range(3):
        found = compared(tmp_path, scenario, Planted(motor=0.9), seeds=[seed])
        assert {device for _, device in wrong(found)} == {"motor"}, seed
        assert all(LONGER in one.off for one in of_kind(found, MOTOR)), seed
    alarms = [seed for seed in range(3, 8) if wrong(compared(tmp_path, scenario, seeds=[seed]))]
    assert alarms == []
