"""Random numbers: one seed a run, one stream a name, the same everywhere.

The oracle is written here anew from the published descriptions: xoshiro256++ by Blackman and Vigna,
Lemire's method for whole numbers, Marsaglia's polar method for normal ones.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi import sleep
from kumi.devs import Chance, Coupled, Program, Simulation, chance

MASK = 2**64 - 1


class Oracle:
    """A stream in pure Python."""

    def __init__(self, seed: int, name: str) -> None:
        digest = blake2b(f"kumi\0{seed}\0{name}".encode(), digest_size=32).digest()
        self.state = [int.from_bytes(digest[i : i + 8], "little") for i in range(0, 32, 8)]
        self.spare: float | None = None

    def bits(self) -> int:
        s = self.state
        result = (rotate((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 45)
        return result

    def unit(self) -> float:
        return (self.bits() >> 11) / 2**53

    def below(self, count: int) -> int:
        product = self.bits() * count
        while product & MASK < 2**64 % count:
            product = self.bits() * count
        return product >> 64

    def normal(self) -> float:
        if self.spare is not None:
            result, self.spare = self.spare, None
            return result
        while True:
            x, y = 2.0 * self.unit() - 1.0, 2.0 * self.unit() - 1.0
            square = x * x + y * y
            if 0.0 < square < 1.0:
                factor = math.sqrt(-2.0 * math.log(square) / square)
                self.spare = y * factor
                return x * factor

    def exponential(self) -> float:
        return -math.log1p(-self.unit())


def rotate(x: int, by: int) -> int:
    """Rotate 64 bits to the left."""
    return ((x << by) | (x >> (64 - by))) & MASK


def stream(seed: int = 0, name: str = "x") -> Chance:
    """Give a stream at its beginning."""
    return Simulation(seed=seed).chance(name)


SEEDS = [
    (0, ""),
    (0, "robot"),
    (1, "robot"),
    (-5, "robot"),
    (2**200, "team.robot-2"),
    (7, "ロボット"),
    (7, "a\0b"),
]


# The numbers.


def test_the_generator_is_xoshiro() -> None:
    """The first four words from the state 1, 2, 3, 4 are those of the authors' code."""
    words = [41943041, 58720359, 3588806011781223, 3591011842654386]
    chance_ = Chance(b"".join(word.to_bytes(8, "little") for word in (1, 2, 3, 4)))

    assert [chance_.integer(-(2**63), 2**63 - 1) + 2**63 for _ in range(4)] == words


@pytest.mark.parametrize(("seed", "name"), SEEDS)
def test_every_kind_of_draw_is_as_described(seed: int, name: str) -> None:
    given_, oracle = stream(seed, name), Oracle(seed, name)

    for _ in range(50):
        assert given_.uniform() == oracle.unit()
        assert given_.uniform(-2.0, 6.0) == -2.0 + 8.0 * oracle.unit()
        assert given_.integer(-3, 6) == oracle.below(10) - 3
        assert given_.integer(0, 2**63 - 1) == oracle.below(2**63)
        assert given_.integer(-(2**63), 2**63 - 1) == oracle.bits() - 2**63
        assert given_.normal(10.0, 2.0) == pytest.approx(10.0 + 2.0 * oracle.normal(), rel=1e-14)
        assert given_.exponential(4.0) == pytest.approx(4.0 * oracle.exponential(), rel=1e-14)
        assert given_.happens(0.25) is (oracle.unit() < 0.25)
        assert given_.choice("abcdefg") == "abcdefg"[oracle.below(7)]


def test_a_shuffle_is_as_described() -> None:
    """Fisher and Yates, from the end."""
    given_, oracle = stream(3, "cards"), Oracle(3, "cards")
    cards = list(range(52))
    for i in range(51, 0, -1):
        j = oracle.below(i + 1)
        cards[i], cards[j] = cards[j], cards[i]

    assert given_.shuffled(range(52)) == cards


def test_a_shuffle_leaves_what_it_was_given() -> None:
    cards = [1, 2, 3, 4, 5]
    shuffled = stream().shuffled(cards)

    assert cards == [1, 2, 3, 4, 5]
    assert sorted(shuffled) == cards
    assert stream().shuffled(number for number in cards) == shuffled
    assert stream().shuffled([]) == []


# Streams.


def test_a_stream_depends_on_seed_and_name_alone() -> None:
    """Not on other streams, how often they are used, or in which order they are made."""
    alone = [stream(5, "a").uniform() for _ in range(1)]
    crowd = Simulation(seed=5)
    for name in "zyxb":
        crowd.chance(name).uniform()

    assert [crowd.chance("a").uniform()] == alone


def test_a_stream_goes_on_where_it_was() -> None:
    simulation = Simulation(seed=5)
    both = [simulation.chance("a").uniform(), simulation.chance("a").uniform()]
    again = stream(5, "a")

    assert both == [again.uniform(), again.uniform()]
    assert simulation.chance("a") is simulation.chance("a")


def test_streams_of_other_names_and_seeds_are_different() -> None:
    draws = {
        stream(seed, name).uniform() for seed in range(30) for name in ("a", "b", "a.b", "ab", "a-2", "")
    }

    assert len(draws) == 180


def test_seed_and_name_are_kept_apart() -> None:
    """Seed 1 with name '2x' is not seed 12 with name 'x'."""
    assert stream(1, "2x").uniform() != stream(12, "x").uniform()
    assert stream(1, "\x002").uniform() != stream(1, "2").uniform()


def test_adding_a_robot_does_not_change_the_draws_of_the_others() -> None:
    class Robot(Program):
        def __init__(self, name: str) -> None:
            super().__init__(name)
            self.drawn: list[float] = []

        async def run(self) -> None:
            for _ in range(5):
                await sleep(chance().exponential(1.0))
                self.drawn.append(chance().uniform())

    def draws(*names: str) -> dict[str, list[float]]:
        team = Coupled("team")
        robots = [team.add(Robot(name)) for name in names]
        with Simulation(team, seed=11) as simulation:
            simulation.run()
        return {robot.name: robot.drawn for robot in robots}

    two, three = draws("a", "b"), draws("new", "b", "a")

    assert {name: three[name] for name in "ab"} == two
    assert len({tuple(drawn) for drawn in three.values()}) == 3


@pytest.mark.parametrize("seed", [1.0, "1", None, True])
def test_a_seed_is_a_whole_number(seed: object) -> None:
    with pytest.raises(TypeError, match="a seed is a whole number, not"):
        Simulation(seed=seed)  # type: ignore[arg-type]


def test_the_seed_is_part_of_the_result() -> None:
    assert Simulation(seed=42).run().seed == 42


# Distributions: of 100,000 draws, so that six standard errors are small.

COUNT = 100_000


def mean_and_deviation(draw: Callable[[], float]) -> tuple[float, float]:
    """Give mean and standard deviation of many draws."""
    values = [draw() for _ in range(COUNT)]
    mean = math.fsum(values) / COUNT
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / COUNT)


def test_uniform_numbers_are_uniform() -> None:
    draws = stream()

    mean, deviation = mean_and_deviation(lambda: draws.uniform(2.0, 8.0))

    assert mean == pytest.approx(5.0, abs=0.04)
    assert deviation == pytest.approx(6.0 / math.sqrt(12.0), abs=0.03)


def test_normal_numbers_are_normal() -> None:
    draws = stream()

    mean, deviation = mean_and_deviation(lambda: draws.normal(3.0, 2.0))
    within = sum(abs(draws.normal()) < 1.0 for _ in range(COUNT)) / COUNT

    assert mean == pytest.approx(3.0, abs=0.04)
    assert deviation == pytest.approx(2.0, abs=0.03)
    assert within == pytest.approx(0.6827, abs=0.01)


def test_exponential_numbers_are_exponential() -> None:
    draws = stream()

    mean, deviation = mean_and_deviation(lambda: draws.exponential(0.5))

    assert mean == pytest.approx(0.5, abs=0.01)
    assert deviation == pytest.approx(0.5, abs=0.015)


def test_whole_numbers_come_equally_often_with_both_ends() -> None:
    draws = stream()

    counts = Counter(draws.integer(1, 6) for _ in range(60_000))

    assert sorted(counts) == [1, 2, 3, 4, 5, 6]
    assert all(abs(count - 10_000) < 600 for count in counts.values())


def test_choices_and_chances_come_as_often_as_they_should() -> None:
    draws = stream()

    assert sum(draws.happens(0.3) for _ in range(COUNT)) == pytest.approx(30_000, abs=900)
    assert Counter(draws.choice("ab") for _ in range(COUNT))["a"] == pytest.approx(50_000, abs=950)
    firsts = Counter(draws.shuffled("abc")[0] for _ in range(30_000))
    assert all(abs(count - 10_000) < 500 for count in firsts.values())


def test_what_is_sure_is_sure() -> None:
    draws = stream()

    for _ in range(1000):
        assert draws.happens(1.0)
        assert not draws.happens(0.0)
        assert draws.uniform(2.5, 2.5) == 2.5
        assert draws.integer(4, 4) == 4
        assert draws.normal(1.5, 0.0) == 1.5
        assert draws.exponential(0.0) == 0.0
        assert draws.choice(["only"]) == "only"


@given(st.floats(-1e308, 1e308), st.floats(-1e308, 1e308))
def test_a_uniform_number_lies_within_its_range_and_is_not_its_end(one: float, other: float) -> None:
    low, high = sorted((one, other))
    draws = stream()
    for _ in range(20):
        drawn = draws.uniform(low, high)
        assert low <= drawn
        assert drawn < high or low == high


def test_a_uniform_number_of_a_narrow_range_is_not_its_end() -> None:
    """There is one float in [1, 1 + one step)."""
    draws = stream()

    assert {draws.uniform(1.0, math.nextafter(1.0, 2.0)) for _ in range(100)} == {1.0}


@given(st.integers(-(2**63), 2**63 - 1), st.integers(-(2**63), 2**63 - 1))
def test_a_whole_number_lies_within_its_range(one: int, other: int) -> None:
    low, high = sorted((one, other))
    draws = stream()

    assert all(low <= draws.integer(low, high) <= high for _ in range(10))


# Bad input.


@pytest.mark.parametrize(
    ("draw", "error", "message"),
    [
        (
            lambda draws: draws.uniform(2.0, 1.0),
            ValueError,
            r"a range needs finite ends, low <= high.* 2\.0 and 1\.0",
        ),
        (lambda draws: draws.uniform(0.0, math.inf), ValueError, "a range needs finite ends, low <= high"),
        (lambda draws: draws.uniform(math.nan, 1.0), ValueError, "a range needs finite ends, low <= high"),
        (
            lambda draws: draws.normal(0.0, -1.0),
            ValueError,
            r"a standard deviation is a finite number >= 0, not -1\.0",
        ),
        (
            lambda draws: draws.normal(0.0, math.nan),
            ValueError,
            "a standard deviation is a finite number >= 0, not nan",
        ),
        (lambda draws: draws.normal(math.nan, 1.0), ValueError, "mean"),
        (lambda draws: draws.exponential(-1.0), ValueError, r"a mean is a finite number >= 0, not -1\.0"),
        (lambda draws: draws.exponential(math.inf), ValueError, "a mean is a finite number >= 0, not inf"),
        (lambda draws: draws.integer(2, 1), ValueError, "a range needs low <= high, but they are 2 and 1"),
        (lambda draws: draws.integer(0.0, 1), TypeError, "."),
        (lambda draws: draws.integer(0, 2**63), (TypeError, ValueError, OverflowError), "."),
        (lambda draws: draws.happens(1.5), ValueError, r"a probability lies between 0 and 1, but it is 1\.5"),
        (
            lambda draws: draws.happens(-0.1),
            ValueError,
            r"a probability lies between 0 and 1, but it is -0\.1",
        ),
        (
            lambda draws: draws.happens(math.nan),
            ValueError,
            "a probability lies between 0 and 1, but it is nan",
        ),
        (lambda draws: draws.choice([]), IndexError, "nothing to choose from: the sequence is empty"),
        (lambda draws: draws.choice({1, 2}), TypeError, "."),
        (lambda draws: draws.shuffled(5), TypeError, "."),
        (lambda _draws: Chance(b"short"), ValueError, "a stream is seeded with 32 bytes"),
    ],
)
def test_a_draw_that_makes_no_sense_is_refused(
    draw: Callable[[Chance], object], error: type[Exception], message: str
) -> None:
    """And draws nothing: the next number is the first of the stream."""
    draws = stream()

    with pytest.raises(error, match=message):
        draw(draws)

    assert draws.uniform() == stream().uniform()


def test_words_are_the_whole_numbers_of_32_bits_in_a_row() -> None:
    """The same draws as one by one, and the stream goes on after them."""
    one, other = stream(7, "words"), stream(7, "words")

    drawn = [one.integer(0, 2**32 - 1) for _ in range(5)]
    assert other.words(5) == b"".join(number.to_bytes(4, "little") for number in drawn)
    assert one.uniform() == other.uniform()
    assert other.words(0) == b""
