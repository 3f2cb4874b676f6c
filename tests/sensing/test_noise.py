"""Errors are as large as they were said to be, and come from the body's chance alone."""

from __future__ import annotations

from statistics import fmean, stdev

import pytest

from kumi.devs.chance import stream
from kumi.sensing import Exact, GaussianNoise, Noise, UniformNoise
from kumi.sensing.noise import as_noise
from tests.sensing.scenes import about

MANY = 4000


def errors(noise: Noise, value: float) -> list[float]:
    chance = stream(0, "noise")
    return [noise(value, chance) - value for _ in range(MANY)]


def test_exact_gives_the_value_and_draws_nothing() -> None:
    chance, untouched = stream(0, "noise"), stream(0, "noise")

    assert Exact()(2.5, chance) == 2.5
    assert chance.uniform() == untouched.uniform()


def test_uniform_errors_are_evenly_spread_up_to_the_width() -> None:
    found = errors(UniformNoise(0.2), 5.0)

    assert 0.199 < max(map(abs, found)) <= 0.2
    assert abs(fmean(found)) < 0.01
    assert stdev(found) == about(0.4 / 12**0.5, rel=0.05)


def test_gaussian_errors_have_their_deviation() -> None:
    found = errors(GaussianNoise(0.2), 5.0)

    assert abs(fmean(found)) < 0.015
    assert stdev(found) == about(0.2, rel=0.05)


@pytest.mark.parametrize("value", [10.0, -10.0])
def test_a_share_grows_with_the_value(value: float) -> None:
    assert stdev(errors(GaussianNoise(share=0.1), value)) == about(1.0, rel=0.05)
    assert 1.49 < max(map(abs, errors(UniformNoise(0.5, share=0.1), value))) <= 1.5


def test_a_number_is_the_deviation_of_a_normal_noise() -> None:
    noise = as_noise(0.3)

    assert isinstance(noise, GaussianNoise)
    assert noise.deviation == 0.3
    assert isinstance(as_noise(0.0), Exact)


@pytest.mark.parametrize("wrong", [{"kind": "gaussian"}, "gaussian", None, True])
def test_what_is_no_noise_is_named(wrong: object) -> None:
    with pytest.raises(
        TypeError, match=r"noise is a standard deviation or a noise \(exact, uniform, gaussian\), not"
    ):
        as_noise(wrong)  # type: ignore[arg-type]


def test_sizes_of_errors_are_not_negative() -> None:
    with pytest.raises(ValueError, match="the width of a noise is a finite number >= 0, not -1"):
        UniformNoise(-1.0)
    with pytest.raises(ValueError, match="the deviation of a noise is a finite number, not nan"):
        GaussianNoise(float("nan"))
    with pytest.raises(ValueError, match=r"the deviation of a noise is a finite number >= 0, not -0\.1"):
        as_noise(-0.1)


def test_noises_say_what_they_are() -> None:
    assert repr(Exact()) == "Exact()"
    assert repr(UniformNoise(0.1)) == "UniformNoise(width=0.1, share=0.0)"
    assert repr(GaussianNoise(0.1, 0.2)) == "GaussianNoise(deviation=0.1, share=0.2)"
