"""Model and real robots are compared device by device: a planted error is found, and nothing else is."""

from __future__ import annotations

from math import radians

import pytest

from kumi.experiment.loop import Choices, LoopOutcome
from kumi.experiment.loop.convoy.comparison import Comparison, compared, run_stages, samples
from kumi.experiment.loop.convoy.comparison_report import report, verdict
from kumi.experiment.loop.convoy.stages import SETTING_OFF, TURNING_WHEEL, ConvoyStage
from kumi.experiment.loop.outcome import RealOutcome
from kumi.kernel import Lateness
from kumi.link.clocks import ClockFit
from kumi.link.emulators import Errors
from kumi.sensing import UniformNoise
from tests.loop.one_agenda import HIL, HIL_THAT_SEES, OneAgenda, convoy

NOISE = 0.05
ALL_REAL = dict.fromkeys((1, 2, 3), Choices("real", infrared="real", whiskers="real"))


def outcome(real: dict[int, Choices], seed: int, motor: float) -> LoopOutcome:
    """Run a convoy in one agenda, and return what the comparison looks at."""
    play = UniformNoise(radians(100.0 * 0.04 * 0.09))
    run = OneAgenda(
        convoy(robots=3, steps=8, noise=NOISE),
        real,
        errors=Errors(skid=UniformNoise(NOISE), play=play, ranger=1.0),
        motor=motor,
        setting_off=SETTING_OFF,
        turning_wheel=TURNING_WHEEL,
        seed=seed,
    )
    run.run()
    frame = run.frame
    time = run.simulation.now
    clock: ClockFit | None = None
    robots = tuple(
        RealOutcome(number, f"robot {number}", "", None, None, None, None, 0, clock, True)
        for number in sorted(real)
    )
    return LoopOutcome(
        end="over",
        time=time,
        steps=8,
        error=100.0 * frame.errors.integral / time,
        largest_error=0.0,
        speed=frame.acceptor.way / time,
        adjustments=0.0,
        times_lost=0,
        avoided=0,
        is_interrupted=False,
        is_broken_off=False,
        real=robots,
        losses=(),
        lateness=Lateness(),
        trace_hash="",
        motions=tuple(frame.logbook.motions),
        glances=tuple(frame.logbook.glances),
        real_eyes=frozenset(number - 1 for number, one in real.items() if one["infrared"] == "real"),
    )


def comparison(motor: float) -> Comparison:
    """Compare two runs at each stage."""
    return compared(
        {
            "virtual": [outcome({}, seed, 1.0) for seed in range(2)],
            "loop": [outcome({2: HIL, 3: HIL_THAT_SEES}, seed, motor) for seed in range(2)],
            "real": [outcome(ALL_REAL, seed, motor) for seed in range(2)],
        }
    )


@pytest.fixture(scope="module")
def fair() -> Comparison:
    return comparison(1.0)


@pytest.fixture(scope="module")
def slow() -> Comparison:
    return comparison(0.9)


def test_where_the_model_is_right_nothing_is_found(fair: Comparison) -> None:
    assert fair.wrong == ()
    assert len(fair.findings) == 10
    assert verdict(fair) == [
        "Nothing was found in which the real robots differ from the model by more than matters."
    ]


def test_a_motor_that_is_ten_per_cent_slow_is_found_at_both_stages_and_nothing_else(slow: Comparison) -> None:
    """A metre takes 3.70 s instead of 3.33 s, a ninth more; what the motor does besides is as it was."""
    wrong = slow.wrong

    assert [(one.where, one.observable.name) for one in wrong] == [
        ("loop", "seconds for a metre"),
        ("real", "seconds for a metre"),
    ]
    for one in wrong:
        assert one.compared.p_means < 1e-4
        gain = one.compared.other.mean / one.compared.one.mean
        assert gain == pytest.approx(1.0 / 0.9, abs=0.05)


def test_the_report_names_the_device_and_the_number_to_change(slow: Comparison) -> None:
    text = report(ConvoyStage(motor=0.9), slow)

    assert "In the loop: seconds for a metre: the model is wrong: 3.3" in text
    assert "The motors drive at 0.27" in text
    assert "| in the loop | reading | cm off |" in text
    assert "| | virtual | in the loop | all real |" in text


def test_samples_are_those_of_real_robots_where_there_are_any() -> None:
    """In the loop robot 2 sees virtually: only robot 3 has readings to compare; the leader's motions do not count."""
    found = outcome({2: HIL, 3: HIL_THAT_SEES}, 0, 1.0)
    values = {observable.name: len(of) for observable, of in samples([found])}
    ways = [one for one in found.motions if one.robot > 0 and getattr(one.command, "distance", 0.0) >= 0.1]
    looks = [one for one in found.glances if one.robot == 2 and one.read is not None and one.true is not None]

    assert values["seconds for a metre"] == len(ways)
    assert values["reading"] == len(looks)


def test_one_run_is_too_few() -> None:
    with pytest.raises(ValueError, match="2 runs or more at each stage, not 1"):
        run_stages(ConvoyStage(), 1)


def test_an_unknown_stage_is_refused() -> None:
    with pytest.raises(ValueError, match='"virtual", in the "loop" or "real", not \'dream\''):
        ConvoyStage(where="dream")  # type: ignore[arg-type]
