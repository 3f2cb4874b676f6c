"""What a comparison of model and real robots says, in sentences and as a page of Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kumi.loop.comparing.judging import MOST_MISSED, Comparison, Finding
from kumi.loop.comparing.kinds import (
    BEND,
    ENCODER,
    LATENCY,
    MOTOR,
    OFFSET,
    RATE,
    REPEATED_QUESTIONS,
    TURN_RATIO,
    UNFELT,
    EstimateKind,
)
from kumi.study.statistics import Interval
from kumi.study.statistics.intervals import decimals, fixed

MOST_DECIMALS = {"%": 3, "s": 4}
"""More would be noise to a reader; two where nothing is said."""


def size(off: Interval, unit: str) -> str:
    """Return a difference with its interval and its unit."""
    places = min(max(decimals(off.half_width), 0), MOST_DECIMALS.get(unit, 2))
    mean = f"{round(off.mean, places) + 0.0:+.{places}f}"
    if abs((off.low + off.high) / 2 - off.mean) > 0.1 * off.half_width:
        return f"{mean} {unit} ({fixed(off.low, places)} to {fixed(off.high, places)})"
    return f"{mean} ± {fixed(off.half_width, places)} {unit}"


def sentence(one: Finding) -> str:
    """Say what is wrong with a device, and which number of the model would be right."""
    off, kind = one.off, one.kind
    said = f"{one.robot}, {kind.device}: {kind.name} {size(off, kind.unit)}"
    advice = advice_on(kind, off.mean)
    return f"{said}; {advice}" if advice else said


def advice_on(kind: EstimateKind, off: float) -> str:
    """Say what a difference means; nothing where it says so itself."""
    if kind == MOTOR:
        return f"it runs at {1.0 / (1.0 + off / 100.0):.3f} of the speed that its calibration says"
    if kind == ENCODER:
        return f"a count is {1.0 + off / 100.0:.3f} of the way that the calibration says"
    if kind == RATE:
        return f"its clock {'gains' if off > 0.0 else 'loses'} {abs(off) * 36.0:.2g} s an hour"
    if kind == BEND:
        return f"its wheel stands {'left' if off > 0.0 else 'right'} of where it seems to stand"
    said = {
        TURN_RATIO: "wheelbase or steering are not those of the calibration",
        OFFSET: "its clock shows another time than it should",
        LATENCY: "the line takes longer than its bytes",
        REPEATED_QUESTIONS: "the line loses what is said, or is too slow for it",
        UNFELT: "it is dead or loose",
    }
    return said.get(kind, "")


def verdict(comparison: Comparison) -> Iterator[str]:
    """Say in sentences where the model is wrong, and how much agrees and is left open."""
    wrong, open_ = comparison.those("wrong"), comparison.those("open")
    for one in wrong:
        yield f"The model is wrong: {sentence(one)}."
    if not wrong:
        yield "Nothing was found in which the real robots differ from the model by more than matters."
    yield (
        f"{len(comparison.findings)} findings in {len(comparison.runs)} runs: {len(wrong)} wrong, "
        f"{len(comparison.those('right'))} right, {len(open_)} open."
    )
    if comparison.unjudged:
        devices = Counter(device for _, device in {(one.robot, one.device) for one in comparison.unjudged})
        said = ", ".join(f"{device} ({devices[device]})" for device in sorted(devices))
        yield f"Not judged, by how many robots: {said}; the report says why."
    notes = notes_of(comparison)
    if notes:
        more = f"; the report has {len(notes) - 1} more of this kind" if len(notes) > 1 else ""
        yield f"Otherwise than the scenario says: {notes[0]}{more}."
    for one in open_:
        margin = f"{one.kind.margin:g} {one.kind.unit} would matter"
        yield f"Open: {one.robot}, {one.kind.device}: {one.kind.name} {size(one.off, one.kind.unit)}, and {margin}."


def notes_of(comparison: Comparison) -> list[str]:
    """Return what went otherwise than the scenario says, each sentence once and without its stop."""
    return list(dict.fromkeys(note.removesuffix(".") for run in comparison.runs for note in run.notes))


def lateness(comparison: Comparison) -> str:
    """Say how late the computer was, and that it does not count."""
    late = comparison.late
    if not late.instants:
        return "All runs were in simulated time, in which no instant is late."
    return (
        f"The computer missed {late.missed:,} deadlines of {late.instants:,} and was late by {1000.0 * late.latest:.0f} ms "
        f"at most; {100.0 * late.drives_missed:.1f} % of all drives are left out for it (at most "
        f"{100.0 * MOST_MISSED:.0f} % may be), and the {100.0 * late.stood_still:.2f} % of their time in which the run "
        "stood still is counted to the computer and not to the motors."
    )


def page(title: str, planted: str, comparison: Comparison) -> str:
    """Return the report of a comparison."""
    return "\n".join(_lines(title, planted, comparison)) + "\n"


def _lines(title: str, planted: str, comparison: Comparison) -> Iterator[str]:
    seeds = ", ".join(str(run.seed) for run in comparison.runs)
    seconds = sum(run.seconds for run in comparison.runs)
    yield "# Model and real robots, compared"
    yield ""
    yield f"{title}: {len(comparison.runs)} runs with seeds {seeds}, {seconds:.0f} s in all. {planted}"
    yield ""
    yield "## Where the model is wrong"
    yield ""
    yield from (f"- {said}" for said in verdict(comparison))
    yield ""
    yield "## Device by device"
    yield ""
    yield "Differences are real robot less model, with 95 % intervals. The model is called wrong where a difference is beyond"
    yield "its margin, by a test whose p is corrected for all rows: if the model is right up to the margins, that happens in"
    yield "at most 5 % of all comparisons. It is called right where the interval lies within the margin."
    yield ""
    yield "| robot | device | what | difference | margin | values | p | verdict |"
    yield "|---|---|---|---|---|---|---|---|"
    for one in comparison.findings:
        kind = one.kind
        cells = (
            one.robot,
            kind.device,
            kind.name,
            size(one.off, kind.unit),
            f"{kind.margin:g} {kind.unit}",
            str(one.off.count),
            f"{one.p:.2g}",
            one.verdict,
        )
        yield f"| {' | '.join(cells)} |"
    if comparison.unjudged:
        yield ""
        yield "Not judged:"
        yield ""
        for left in comparison.unjudged:
            yield f"- {left.robot}, {left.device}: {left.reason}."
    notes = notes_of(comparison)
    if notes:
        yield ""
        yield "Otherwise than the scenario says:"
        yield ""
        yield from (f"- {note}." for note in notes)
    yield ""
    yield "## The computer"
    yield ""
    yield lateness(comparison)
