"""`kumi-demo/index.html`: every scenario as a picture that moves, and behind it the whole run.

The page loads nothing from anywhere: pictures and players lie beside it, so it can be opened as a file, sent and kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kumi.stage import Outcome

STYLE = """
:root { color-scheme: light dark; --ink: #24292f; --paper: #f3f4f6; --card: #fff; --line: #d5dbe3; --quiet: #566273; --link: #1d5fb0 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6ebf2; --paper: #0f1319; --card: #1a2029; --line: #333d4c; --quiet: #9aa8bb; --link: #7db1f2 }
}
body { margin: 0 auto; max-width: 84rem; padding: 1.5rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
h1 { font-size: 1.6rem; margin: 0 } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem } p { margin: .4rem 0 }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: 1.2rem; margin-top: 1.2rem }
article, figure { background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; margin: 0 }
article > div, figcaption { padding: .6rem .9rem .9rem }
article img, figure img { width: 100%; display: block; background: #fff }
article h3 { font-size: 1rem; margin: 0 }
code { font: .85rem ui-monospace, monospace; background: var(--paper); padding: .1rem .3rem; border-radius: 4px; overflow-wrap: anywhere }
a { color: var(--link) } .quiet { color: var(--quiet); font-size: .9rem }
"""
PAGE_TEMPLATE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>kumi: the shipped simulations</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head><body>
<h1>kumi</h1>
<p>One robot program, from ten thousand simulated robots to the one on the floor. These are the scenarios that ship: each
picture shows a part of its run, and behind it is the whole of it, exact at every instant.</p>
{note}<main>
{cards}
</main>
<h2>Twelve rovers share charging docks</h2>
<p class="quiet">Made again by <code>{command} demo</code>; a live run is <code>{command} view</code>.</p>
<main>
{figures}
</main>
</body></html>
"""
CARD = """<article>{picture}<div><h3>{name}</h3><p>{title}.</p>
<p class="quiet">{robots}, {simulated} simulated in {took}, {contacts}</p>
<p><code>{command} run {name}</code></p>{play}</div></article>"""


@dataclass(frozen=True)
class Shown:
    """A scenario that was run, and the files it left; the reason, where there is no player."""

    name: str
    title: str
    outcome: Outcome
    picture: Path
    player: Path | None
    why_not: str = ""


def write_gallery(
    path: Path, shown: Sequence[Shown], figures: Sequence[tuple[Path, str]], command: str = "kumi"
) -> None:
    """Write the page: a card for each scenario, and figures with their captions; `command` is how kumi is called."""
    reasons = dict.fromkeys(one.why_not for one in shown if one.why_not)
    path.write_text(
        PAGE_TEMPLATE.format(
            style=STYLE,
            note="".join(f"<p>{escape(reason)}</p>\n" for reason in reasons),
            cards="\n".join(card(one, command) for one in shown),
            command=escape(command),
            figures="\n".join(figure(*one) for one in figures),
        ),
        encoding="utf-8",
    )


def card(one: Shown, command: str) -> str:
    """Return what the page says of a scenario."""
    outcome = one.outcome
    picture = f'<img src="{escape(one.picture.name)}" alt="{escape(one.title)}" width="400" height="300" loading="lazy">'
    play = ""
    if one.player is not None:
        picture = f'<a href="{escape(one.player.name)}">{picture}</a>'
        play = f'\n<p><a href="{escape(one.player.name)}">Play the whole run</a></p>'
    return CARD.format(
        picture=picture,
        name=escape(one.name),
        command=escape(command),
        title=escape(one.title),
        robots=counted(outcome.robots, "robot"),
        simulated=f"{outcome.simulated_seconds:,.0f} s",
        took=took(outcome.wall_seconds),
        contacts=counted(outcome.contacts, "contact"),
        play=play,
    )


def figure(picture: Path, caption: str) -> str:
    """Return a picture with what it shows."""
    return (
        f'<figure><img src="{escape(picture.name)}" alt="{escape(caption)}" loading="lazy">'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def took(seconds: float) -> str:
    """Say how long a run took; of a short one to the millisecond, so that none takes no time."""
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{max(seconds, 0.001):.3f} s"


def counted(number: int, noun: str) -> str:
    """Say how many there are."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
