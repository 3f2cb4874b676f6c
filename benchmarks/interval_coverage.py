"""How often does the interval of a mean hold the true mean, for values of different laws?

`python -m benchmarks.interval_coverage` prints the table of docs/statistics.md: for each law and number of values the
share of samples whose 95 % interval holds the true mean, by `interval` and, after it, by Student's t alone. The true
means are those of closed forms. `python -m benchmarks.interval_coverage 1000` takes fewer samples than 10,000.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import exp

from kumi.devs.chance import stream
from kumi.study.statistics import interval, student_interval

COUNTS = (5, 10, 20, 50, 200)
SAMPLES = 10_000
Draw = Callable[[], float]


@dataclass(frozen=True)
class Law:
    """A law of values with its true mean; `drawn` makes the draws of a seed."""

    name: str
    mean: float
    drawn: Callable[[int], Draw]


def normal(seed: int) -> Draw:
    """Draw around 3 with a deviation of 2."""
    chance = stream(seed, "normal")
    return lambda: chance.normal(3.0, 2.0)


def uniform(seed: int) -> Draw:
    """Draw between 0 and 1."""
    return stream(seed, "uniform").uniform


def exponential(seed: int) -> Draw:
    """Draw with a mean of 1."""
    return stream(seed, "exponential").exponential


def lognormal(sigma: float) -> Callable[[int], Draw]:
    """Return the draws whose logarithm is normal around 0."""

    def drawn(seed: int) -> Draw:
        chance = stream(seed, f"lognormal {sigma}")
        return lambda: exp(chance.normal(0.0, sigma))

    return drawn


def pareto(shape: float) -> Callable[[int], Draw]:
    """Return the draws above 1 whose tail falls by that power."""

    def drawn(seed: int) -> Draw:
        chance = stream(seed, f"pareto {shape}")
        return lambda: exp(chance.exponential(1.0 / shape))

    return drawn


def student(seed: int) -> Draw:
    """Draw from Student's t with three degrees, symmetric and heavy on both sides."""
    chance = stream(seed, "student")
    return lambda: chance.normal() / (sum(chance.normal() ** 2 for _ in range(3)) / 3) ** 0.5


def bernoulli(share: float) -> Callable[[int], Draw]:
    """Return the draws that are 1 in a share of all, and else 0."""

    def drawn(seed: int) -> Draw:
        chance = stream(seed, f"bernoulli {share}")
        return lambda: float(chance.happens(share))

    return drawn


def counts(mean: float) -> Callable[[int], Draw]:
    """Return Poisson's draws: how many exponential steps go into one."""

    def drawn(seed: int) -> Draw:
        chance = stream(seed, f"poisson {mean}")

        def draw() -> float:
            number, passed = 0, chance.exponential(1.0 / mean)
            while passed <= 1.0:
                number, passed = number + 1, passed + chance.exponential(1.0 / mean)
            return float(number)

        return draw

    return drawn


LAWS = (
    Law("normal", 3.0, normal),
    Law("uniform", 0.5, uniform),
    Law("Student's t, 3 degrees", 0.0, student),
    Law("exponential", 1.0, exponential),
    Law("lognormal, σ = 1", exp(0.5), lognormal(1.0)),
    Law("lognormal, σ = 1.5", exp(1.125), lognormal(1.5)),
    Law("Pareto, power 3", 1.5, pareto(3.0)),
    Law("counts with a mean of 1", 1.0, counts(1.0)),
    Law("0 or 1, half of each", 0.5, bernoulli(0.5)),
    Law("0 or 1, a fifth of 1", 0.2, bernoulli(0.2)),
)


def coverage(law: Law, count: int, samples: int, seed: int = 1) -> tuple[float, float]:
    """Return the share of samples whose interval holds the true mean, and the same by Student's t alone."""
    draw, held, plain = law.drawn(seed), 0, 0
    for _ in range(samples):
        values = [draw() for _ in range(count)]
        held += law.mean in interval(values)
        plain += law.mean in student_interval(values)
    return held / samples, plain / samples


def main(samples: int = SAMPLES) -> None:
    """Print the table."""
    print(f"| values | {' | '.join(f'{count} values' for count in COUNTS)} |")
    print("|---" * (len(COUNTS) + 1) + "|")
    for law in LAWS:
        found = (coverage(law, count, samples) for count in COUNTS)
        print(
            f"| {law.name} | {' | '.join(f'{held:.3f} ({plain:.3f})' for held, plain in found)} |", flush=True
        )


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:2]))
