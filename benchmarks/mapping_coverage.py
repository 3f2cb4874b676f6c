"""How much of a place is known after what time, by one, two and three robots?

The measurements of exploration leave their curves here; `python -m benchmarks.mapping_coverage FILE.png` draws them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import altair as alt

KEPT = Path(__file__).parents[1] / "build" / "coverage"
Curve = list[tuple[float, float]]


def keep_curves(place: str, reach: float, curves: dict[str, Curve]) -> None:
    """Keep the share that each number of robots knew at each time."""
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / f"{place}-{reach:g}.json").write_text(json.dumps(curves), encoding="utf-8")


def kept_rows() -> list[dict[str, object]]:
    """Return what was kept, a row for each place, reach, number of robots and time."""
    return [
        {
            "place": file.stem.rpartition("-")[0],
            "beams": f"{file.stem.rpartition('-')[2]} m",
            "robots": robots,
            "seconds": seconds,
            "known": known,
        }
        for file in sorted(KEPT.glob("*.json"))
        for robots, curve in json.loads(file.read_text(encoding="utf-8")).items()
        for seconds, known in curve
    ]


def draw(path: Path) -> None:
    """Draw the curves, a small chart for each place and reach."""
    rows = kept_rows()
    if not rows:
        raise SystemExit("nothing was measured yet: run `python -m benchmarks --part Mapping` first")
    chart = (
        alt.Chart(alt.Data(values=rows))  # type: ignore[no-untyped-call]  # what altair makes of its schema has no types
        .mark_line()
        .encode(
            x=alt.X("seconds:Q", title="seconds"),
            y=alt.Y("known:Q", title="share of the floor known", axis=alt.Axis(format="%")),
            color=alt.Color("robots:N", title="robots"),
            column=alt.Column("place:N", title=None),
            row=alt.Row("beams:N", title="beams"),
        )
        .properties(width=170, height=120)
        .resolve_scale(x="independent")
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    chart.save(path, ppi=110)


if __name__ == "__main__":
    draw(Path(sys.argv[1] if len(sys.argv) > 1 else KEPT / "coverage.png"))
