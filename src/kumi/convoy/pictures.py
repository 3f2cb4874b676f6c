"""Pictures of the convoy's study: those like the paper's figures 8 to 11, and those of what lies beyond it.

They are made from results alone, but for the two snapshots, which are runs of their own. What was not varied is not drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kumi.convoy.cases import CASES
from kumi.convoy.causes import Cause, metric_of
from kumi.convoy.setup import Setup
from kumi.convoy.twin import places_after
from kumi.devs.extras import need
from kumi.maths import cos, pow, sin
from kumi.study.summary import summary

if TYPE_CHECKING:
    from kumi.study import Results
    from kumi.study.statistics.report.paper import Paper

PAPER = "noise 0.1 0.08"
PAPER_SETS = {"noise 0.04 0.04": 35.1, PAPER: 35.7, "noise 0.2 0.1": 36.6}
"""The three sets of noise factors, and the mean errors that the paper has for them."""
SNAPSHOTS = (60, 400)
"""Steps of the leader after which a picture is taken."""
SNAPSHOT = 205
"""Points that a snapshot is wide and high; two of them go over two columns of a paper."""
ERRORS = {"error": "all runs", "error_held": "runs that held"}
SHARE = {"broke_up": "broke up"}


def draw(results: Results, setup: Setup, folder: Path) -> list[Path]:
    """Draw all for which there are results; return the files."""
    need("study", "altair", "vl_convert")
    from kumi.study.statistics.report.paper import Paper, pdf, png, svg

    paper = PAPER_SETS[PAPER]
    over_one_column = {
        "figure-09-error": courses(results, [PAPER], is_whole=True),
        "figure-10-noise": courses(results, list(PAPER_SETS), is_whole=False),
        "figure-11-robots": means(results, "robots", "robots", ERRORS, most=40.0),
        "beyond-robots": means(results, "robots", "robots", SHARE, is_log=True),
        "beyond-robots-error": means(results, "robots", "robots", ERRORS, is_log=True),
        "beyond-noise": means(results, "noise", "distance noise factor", SHARE),
        "beyond-desired": means(results, "desired", "desired distance D in m", SHARE),
        "beyond-infrared": means(results, "infrared", "reach of infrared in m", SHARE),
        "beyond-step": means(results, "step", "step of the leader in m", ERRORS, rule=paper),
        "beyond-step-broken": means(results, "step", "step of the leader in m", SHARE),
    }
    charts = {
        "figure-08-snapshots": Paper(2).beside(snapshots(setup)),
        **{name: chart and Paper(1).styled(chart) for name, chart in over_one_column.items()},
        "map-noise": noise_map(results, Paper(2)),
    }
    paths = []
    for name, chart in charts.items():
        if chart is None:
            continue
        for suffix, data in ((".pdf", pdf(chart)), (".svg", svg(chart).encode()), (".png", png(chart))):
            path = folder / f"{name}{suffix}"
            path.write_bytes(data)
            paths.append(path)
    return paths


def snapshots(setup: Setup) -> Any:
    """Draw where the robots are after some steps."""
    import altair as alt

    return alt.hconcat(*(_snapshot(setup, steps) for steps in SNAPSHOTS))


def _snapshot(setup: Setup, steps: int) -> Any:
    import altair as alt

    size = SNAPSHOT
    places = places_after(replace(setup, steps=steps), seed=0)
    radius = setup.rules.diameter / 2
    rows = [
        {
            "x": x,
            "y": y,
            "x2": x + 2 * radius * cos(heading),
            "y2": y + 2 * radius * sin(heading),
            "robot": "others" if i else "leader",
        }
        for i, (x, y, heading) in enumerate(places)
    ]
    scale = alt.Scale(domain=[0, setup.side], nice=False)
    field = alt.Chart(data(rows)).properties(width=size, height=size, title=f"after {steps} steps")
    colour = alt.Color("robot:N", scale=alt.Scale(domain=["leader", "others"], range=["#d62728", "#1f77b4"]))
    x, y = alt.X("x:Q", scale=scale, title="m"), alt.Y("y:Q", scale=scale, title="m")
    dots = field.mark_circle(size=pow(2 * radius / setup.side * size, 2), opacity=1.0).encode(
        x=x, y=y, color=colour
    )
    return alt.layer(field.mark_rule().encode(x=x, y=y, x2="x2:Q", y2="y2:Q", color=colour), dots)


def courses(results: Results, cases: Sequence[str], *, is_whole: bool) -> Any:
    """Draw E(t) of the first seed for some cases, with or without the beginning."""
    import altair as alt

    rows = []
    for run in results.runs:
        case, series = run["parameters"].get("case"), run.get("series", {}).get("error")
        if case in cases and series:
            begin = 0.0 if is_whole else 0.1 * series[-1][0]
            rows += [{"case": case, "t": t, "error": value} for t, value in series if t >= begin]
    if not rows:
        return None
    return (
        alt.Chart(data(rows))
        .mark_line(strokeWidth=1)
        .encode(
            x=alt.X("t:Q", title="simulated seconds"),
            y=alt.Y("error:Q", title="mean position error E(t), cm", scale=alt.Scale(zero=is_whole)),
            color=alt.Color("case:N", sort=list(cases), title="DNF, ANF"),
        )
    )


def means(
    results: Results,
    part: str,
    title: str,
    metrics: Mapping[str, str],
    *,
    most: float = inf,
    is_log: bool = False,
    rule: float | None = None,
) -> Any:
    """Draw the means of metrics, each with a label, with their intervals over what a part of the study varies."""
    import altair as alt

    rows = [row for metric, label in metrics.items() for row in _rows(results, part, metric, label, most)]
    if len(rows) < 2:
        return None
    is_share = metrics is SHARE
    scale = alt.Scale(domain=[0, 1]) if is_share else alt.Scale(zero=False)
    across = alt.X("value:Q", title=title, scale=alt.Scale(type="log" if is_log else "linear", zero=False))
    up = alt.Y("mean:Q", title="share of runs" if is_share else "mean position error, cm", scale=scale)
    colour = alt.Color("of:N", title=None, sort=list(metrics.values()))
    chart = alt.Chart(data(rows))
    layers = [
        chart.mark_line(point=True).encode(x=across, y=up, color=colour),
        chart.mark_rule().encode(x=across, y="low:Q", y2="high:Q", color=colour),
    ]
    if rule is not None:
        line = alt.Chart(data([{"mean": rule}]))
        layers.append(line.mark_rule(strokeDash=[4, 4], color="grey").encode(y=up))
    return alt.layer(*layers)


def noise_map(results: Results, paper: Paper) -> Any:
    """Draw which share of convoys breaks up, in all and by each cause, over both noise factors."""
    import polars as pl

    from kumi.study.statistics.report.charts import heat_map
    from kumi.study.statistics.report.plots import means_over
    from kumi.study.statistics.tables import finished

    done = finished(results.table)
    is_grid = {"dnf", "anf"} <= set(results.varied) and not results.study.get("sensitivity")
    if not is_grid or done.is_empty():
        return None
    panels = {"broke_up": "broke up", **{metric_of(cause): f"by {cause}" for cause in Cause}}
    maps = [
        means_over(done, "dnf", "anf", metric).with_columns(panel=pl.lit(label))
        for metric, label in panels.items()
        if metric == "broke_up" or done[metric].any()
    ]
    return heat_map(pl.concat(maps), "share of runs", "DNF", "ANF, degrees/cm", is_share=True, paper=paper)


def data(rows: Sequence[dict[str, Any]]) -> Any:
    """Return rows as a chart takes them."""
    import altair as alt

    inside: Any = alt.InlineData
    return inside(values=list(rows))


def _rows(results: Results, part: str, metric: str, label: str, most: float) -> list[dict[str, Any]]:
    rows = []
    for one in summary(results):
        case, mean = CASES.get(one.parameters.get("case", "")), one.means.get(metric)
        if case is None or case.part != part or mean is None or mean.count < 2 or case.value > most:
            continue
        rows.append({"value": case.value, "mean": mean.mean, "low": mean.low, "high": mean.high, "of": label})
    return sorted(rows, key=lambda row: row["value"])
