"""A calibration says what the numbers of a packet robot mean, both ways, and what is wrong with a bad one."""

from __future__ import annotations

import copy
import re
from math import degrees, exp, inf, isclose, pi, radians
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.contract import CannotDo
from kumi.link import Calibration, CalibrationError, Table

DEFAULT = Calibration.default()
SERVO_LEFT = [101, 107, 111, 117, 120, 121, 127, 131]
SERVO_RIGHT = [91, 87, 81, 77, 72, 71, 67, 61]
ANGLES = [5, 12, 17, 24, 28, 30, 35, 40]
RANGER = {80: 216, 75: 220, 70: 224, 65: 231, 60: 236, 55: 244, 50: 256, 45: 269, 40: 280, 35: 300}
RANGER |= {30: 324, 25: 360, 20: 411, 15: 488, 10: 634}


def changed(section: str, key: str, value: Any) -> dict[str, Any]:
    """Return the shipped calibration as a table with one value changed; None takes it out."""
    table = copy.deepcopy(DEFAULT.to_dict())
    if value is None:
        del table[section][key]
    else:
        table[section][key] = value
    return table


def complaint(table: dict[str, Any]) -> str:
    with pytest.raises(CalibrationError) as caught:
        Calibration.from_dict(table)
    return str(caught.value)


# The numbers of the seed.


@pytest.mark.parametrize(
    ("byte", "speed", "counts", "seconds"),
    [(135, 5.192, 6296, 45), (140, 7.986, 9254, 43), (145, 10.1, 7621, 28), (120, -12.294, -8945, 27)],
)
def test_speeds_are_those_of_the_seeds_encoder_counts(
    byte: int, speed: float, counts: int, seconds: float
) -> None:
    assert DEFAULT.speed_of(byte) == pytest.approx(speed / 100, abs=1e-12)
    assert DEFAULT.distance_of(counts) / seconds == pytest.approx(speed / 100, abs=1e-5)
    assert DEFAULT.motor_byte(speed / 100) == byte


def test_127_stops() -> None:
    assert DEFAULT.stop_byte == DEFAULT.motor_byte(0.0) == 127
    assert DEFAULT.speed_of(127) == 0.0


def test_a_speed_between_two_entries_is_between_theirs() -> None:
    """137.5 would be in the middle of 5.192 and 7.986."""
    assert DEFAULT.speed_of(137) == pytest.approx((5.192 + 2 / 5 * (7.986 - 5.192)) / 100)
    assert DEFAULT.motor_byte(0.06589) in {137, 138}


def test_told_no_speed_it_drives_in_the_middle_of_what_can_be_relied_upon() -> None:
    assert DEFAULT.cruise == DEFAULT.speed_of(140)
    assert DEFAULT.reverse == pytest.approx(0.12294)


@given(st.floats(-0.12294, 0.101).filter(lambda speed: speed != 0.0))
def test_what_is_not_at_rest_never_gets_the_byte_that_stops(speed: float) -> None:
    byte = DEFAULT.motor_byte(speed)

    assert byte != DEFAULT.stop_byte
    assert (DEFAULT.speed_of(byte) > 0.0) == (speed > 0.0)


@pytest.mark.parametrize("angle", range(8))
def test_the_servo_has_the_bytes_of_the_seed(angle: int) -> None:
    assert DEFAULT.servo_byte(radians(ANGLES[angle])) == SERVO_LEFT[angle]
    assert DEFAULT.servo_byte(-radians(ANGLES[angle])) == SERVO_RIGHT[angle]
    assert degrees(DEFAULT.angle_of(SERVO_LEFT[angle])) == pytest.approx(ANGLES[angle])
    assert degrees(DEFAULT.angle_of(SERVO_RIGHT[angle])) == pytest.approx(-ANGLES[angle])


def test_97_is_straight() -> None:
    assert DEFAULT.angle_of(97) == 0.0
    assert DEFAULT.servo_byte(0.0) == 97


def test_a_turn_of_the_wheel_is_19_cm_and_512_counts() -> None:
    assert DEFAULT.distance_of(512) == pytest.approx(0.19)
    assert DEFAULT.counts_of(0.19) == pytest.approx(512)


@pytest.mark.parametrize(("cm", "value"), RANGER.items())
def test_rangers_have_the_values_of_the_seed(cm: int, value: int) -> None:
    assert DEFAULT.range_of(value) == pytest.approx(cm / 100)
    assert DEFAULT.ir_value(cm / 100) == value


@given(st.integers(216, 634))
def test_between_the_entries_a_ranger_is_near_the_formulas_of_the_seed(value: int) -> None:
    """Which fit the table within 2 cm and 7 counts; a straight line between entries adds half a centimetre."""
    distance = DEFAULT.range_of(value)
    assert distance is not None
    formula = 3733 * exp(-0.02049 * value) + 62.76 * exp(-0.002876 * value)

    assert abs(100 * distance - formula) < 2.5
    assert abs(value - (894.5 * exp(-0.1052 * 100 * distance) + 338.2 * exp(-0.5858 * distance))) < 18


def test_beyond_its_reach_a_ranger_sees_nothing_and_too_near_is_10_cm() -> None:
    assert DEFAULT.range_of(215) is None
    assert DEFAULT.range_of(DEFAULT.nothing) is None
    assert DEFAULT.ir_value(None) == DEFAULT.ir_value(inf) == DEFAULT.ir_value(0.81) == DEFAULT.nothing
    assert DEFAULT.range_of(1023) == pytest.approx(0.1)
    assert DEFAULT.ir_value(0.0) == 634
    assert DEFAULT.reach == (0.1, 0.8)


def test_the_potentiometer_tells_the_angle_to_a_quarter_of_a_degree() -> None:
    assert DEFAULT.pot_angle(512) == 0.0
    for angle in range(-40, 41):
        value = round(DEFAULT.potentiometer.raw_of(radians(angle)))
        assert abs(degrees(DEFAULT.pot_angle(value)) - angle) < 0.25


def test_the_body_is_20_by_30_cm_around_the_back_axle() -> None:
    """7.5 cm beyond the front wheel, which is 15 cm ahead of the axle, and as much behind the axle."""
    assert {(round(c.x, 9), round(c.y, 9)) for c in DEFAULT.shape.corners} == {
        (-0.075, -0.1),
        (0.225, -0.1),
        (0.225, 0.1),
        (-0.075, 0.1),
    }
    assert DEFAULT.mounts[0].position.x == pytest.approx(0.225)
    assert [round(degrees(mount.heading)) for mount in DEFAULT.mounts] == [0, 45, 90, 180, -90, -45]


# Laws of tables.


@st.composite
def tables(draw: st.DrawFn) -> Table:
    raws = draw(st.lists(st.integers(0, 1023), min_size=2, max_size=20, unique=True))
    steps = draw(st.lists(st.floats(0.01, 10.0), min_size=len(raws), max_size=len(raws)))
    sign = draw(st.sampled_from([1.0, -1.0]))
    values = [sign * sum(steps[: count + 1]) for count in range(len(raws))]
    return Table(zip(sorted(raws), values, strict=True))


@given(tables(), st.floats(0.0, 1.0))
def test_there_and_back_is_the_same_number(table: Table, share: float) -> None:
    value = table.lowest + share * (table.highest - table.lowest)

    assert isclose(table.value_of(table.raw_of(value)), value, rel_tol=1e-9, abs_tol=1e-9)


@given(tables(), st.integers(-100, 2000), st.integers(-100, 2000))
def test_a_table_never_turns_back(table: Table, one: int, other: int) -> None:
    is_rising = table.entries[-1][1] > table.entries[0][1]
    low, high = sorted((one, other))
    first, last = table.value_of(low), table.value_of(high)

    assert first <= last if is_rising else first >= last
    assert table.lowest <= first <= table.highest


# There and back through a file.


def test_a_calibration_goes_through_a_file_unchanged(tmp_path: Path) -> None:
    DEFAULT.save(tmp_path / "mine.toml")

    assert Calibration.load(tmp_path / "mine.toml") == DEFAULT


# What makes no sense.


@pytest.mark.parametrize("key", [(s, k) for s, keys in DEFAULT.to_dict().items() for k in keys])
def test_whatever_is_missing_is_named(key: tuple[str, str]) -> None:
    assert key[1] in complaint(changed(*key, None))


def test_a_section_that_is_missing_is_named() -> None:
    table = DEFAULT.to_dict()
    del table["servo"]

    assert "servo" in complaint(table)


@pytest.mark.parametrize(
    ("section", "key", "value", "said"),
    [
        ("servo", "angles", [[61, -40], [97, 0], [131, 40]], "gap: there is nothing between -40° and 0°"),
        ("ranger", "distances", [[216, 80], [634, 10]], "gap: there is nothing between 10 cm and 80 cm"),
        ("servo", "angles", [[61, 5], [97, 0], [131, 10]], "the meanings rise with the raw numbers, but"),
        ("servo", "angles", [[61, 0], [97, 5], [131, 10]], "an angle to the left and one to the right"),
        ("servo", "angles", [[61, -95], [97, 0], [131, 10]], "beyond 90°"),
        ("servo", "angles", [[97, 0]], "it has 1 entries; a table needs at least 2"),
        ("motor", "speeds", [[120, -5], [135, 5], [145, 10]], "which byte stops the motor"),
        ("motor", "speeds", [[127, 0], [135, 5], [145, 10]], "one that drives back"),
        (
            "motor",
            "speeds",
            [[120, -5], [127, 0], [135, 5], [135, 6], [145, 7]],
            "135 stands for 5 and for 6",
        ),
        ("motor", "speeds", [[-1, -5], [127, 0], [135, 5], [145, 7]], "raw numbers go from 0 to 255"),
        ("motor", "speeds", [[120, "fast"], [127, 0]], "motor.speeds[0][1]: Expected `float`, got `str`"),
        ("motor", "speeds", [[120, float("nan")], [127, 0]], "no pair of finite numbers"),
        ("motor", "reliable", [145, 135], "the lower first"),
        ("motor", "reliable", [135, 200], "135 and 145"),
        ("motor", "tyres", 3, "tyres"),
        ("encoder", "wheel", 0, "wheel is 0; it is a number above 0"),
        ("encoder", "counts_per_turn", -512, "counts_per_turn is -512"),
        ("ranger", "nothing", 300, "ranger.nothing is 300, which stands for a distance"),
        ("body", "nose", 20, "longer than the body"),
        ("mounts", "front", [1.0, 2.0], "mounts[...]"),
        ("mounts", "top", [1.0, 2.0, 3.0], "look at top"),
    ],
)
def test_one_sentence_says_what_is_wrong(section: str, key: str, value: Any, said: str) -> None:
    sentence = complaint(changed(section, key, value))

    assert said in sentence
    assert "\n" not in sentence


def test_a_file_is_named_in_the_sentence(tmp_path: Path) -> None:
    with pytest.raises(CalibrationError, match=re.escape("none.toml: there is no such file")):
        Calibration.load(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_text("[motor\n")
    with pytest.raises(CalibrationError, match=re.escape("bad.toml: it is no TOML file")):
        Calibration.load(tmp_path / "bad.toml")


def test_what_no_byte_stands_for_is_refused() -> None:
    with pytest.raises(
        CannotDo, match="cannot be turned to 45° left; its table goes from 40° right to 40° left"
    ):
        DEFAULT.servo_byte(pi / 4)
    with pytest.raises(CannotDo, match=r"cannot drive at 100 cm/s; its table goes from -12.294 to 10.1 cm/s"):
        DEFAULT.motor_byte(1.0)
    with pytest.raises(CannotDo):
        DEFAULT.servo_byte(float("nan"))
    with pytest.raises(CannotDo):
        DEFAULT.motor_byte(float("nan"))


def test_any_byte_from_a_robot_means_something() -> None:
    assert DEFAULT.speed_of(255) == DEFAULT.speed_of(145)
    assert DEFAULT.speed_of(0) == DEFAULT.speed_of(120)
    assert DEFAULT.angle_of(0) == DEFAULT.angle_of(61)
