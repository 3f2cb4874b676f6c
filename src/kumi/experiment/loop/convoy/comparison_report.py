"""What a comparison of model and real robots says, as text in Markdown.

First the verdict: where the model is wrong, and which of its numbers to change to what. Then all that was compared, side
by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kumi.experiment.loop.convoy.comparison import OBSERVABLES, Comparison, Finding
from kumi.experiment.loop.convoy.outcome import LoopOutcome
from kumi.experiment.loop.convoy.stages import ConvoyStage, Where
from kumi.experiment.statistics import interval

NAMES: dict[Where, str] = {"virtual": "virtual", "loop": "in the loop", "real": "all real"}


def report(experiment: ConvoyStage, comparison: Comparison) -> str:
    """Return the report of a comparison."""
    return "\n".join(_lines(experiment, comparison)) + "\n"


def verdict(comparison: Comparison) -> list[str]:
    """Say in sentences where the model is wrong; one sentence where nothing was found."""
    wrong = comparison.wrong
    if not wrong:
        return ["Nothing was found in which the real robots differ from the model by more than matters."]
    return [f"{NAMES[one.where].capitalize()}: {one}. {advice(one)}".strip() for one in wrong]


def advice(finding: Finding) -> str:
    """Say which number of the model would have to be another."""
    mean = finding.compared.other.mean
    pace, length, bend, reading, _ = OBSERVABLES
    if finding.observable is pace:
        return f"The motors drive at {1.0 / mean:.3f} m/s; the model's speed is {1.0 / finding.compared.one.mean:.3f}."
    if finding.observable is length:
        return f"The robots go {mean:+.1f} % farther than they are told; the model's motor should, too."
    if finding.observable is bend:
        return f"The robots bend by {mean:+.1f}° a metre to one side; the model has no such bias."
    if finding.observable is reading:
        return f"Infrared reads {mean:+.1f} cm too far; the model's should, too."
    return "No device explains this by itself: look at those above first."


def _lines(experiment: ConvoyStage, comparison: Comparison) -> Iterator[str]:
    runs = len(comparison.outcomes["virtual"])
    yield "# Model and real robots, compared"
    yield ""
    yield (
        f"A convoy of {experiment.robots} robots, {experiment.steps} steps of the leader, {runs} runs at each stage, in "
        "one and the same frame."
    )
    yield ""
    yield "## Where the model is wrong"
    yield ""
    yield from (f"- {sentence}" for sentence in verdict(comparison))
    yield ""
    yield "## Device by device"
    yield ""
    yield "Differences are real robots less model, with 95 % intervals. p is of Welch's test of means and of Kolmogorov's and"
    yield "Smirnov's test of distributions, all corrected together by Holm's method. The model is called wrong where the"
    yield "means differ by more than the margin, by a test of its own whose p is corrected for all that is compared: if the"
    yield "model is right up to the margins, that happens in at most 5 % of all comparisons."
    yield ""
    yield "| stage | observable | unit | model | real | difference | margin | p means | p distributions | p margin | verdict |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for one in comparison.findings:
        yield _row(one)
    yield ""
    yield "## The convoy, side by side"
    yield ""
    yield "| | " + " | ".join(NAMES[where] for where in comparison.outcomes) + " |"
    yield "|---" * (len(comparison.outcomes) + 1) + "|"
    for name, unit in (("error", "cm"), ("speed", "m/s"), ("adjustments", "a step"), ("time", "s")):
        found = [interval([getattr(run, name) for run in of]) for of in comparison.outcomes.values()]
        cells = (f"{one.mean:.4g} ± {one.half_width:.2g}" for one in found)
        yield f"| {name}, {unit} | {' | '.join(cells)} |"
    yield f"| deadlines missed | {' | '.join(_missed(of) for of in comparison.outcomes.values())} |"


def _row(one: Finding) -> str:
    found, gap = one.compared, one.compared.difference
    words = "wrong" if one.is_wrong else "less than matters" if found.is_different else "no difference found"
    cells = [
        NAMES[one.where],
        one.observable.name,
        one.observable.unit,
        f"{found.one.mean:.3g} (n = {found.one.count})",
        f"{found.other.mean:.3g} (n = {found.other.count})",
        f"{gap.mean:+.3g}, from {gap.low:+.3g} to {gap.high:+.3g}",
        f"{one.observable.margin:g}",
        f"{found.p_means:.2g}",
        f"{found.p_distributions:.2g}",
        f"{one.p_beyond:.2g}",
        words,
    ]
    return f"| {' | '.join(cells)} |"


def _missed(outcomes: Sequence[LoopOutcome]) -> str:
    return str(sum(one.lateness.misses.count for one in outcomes))
