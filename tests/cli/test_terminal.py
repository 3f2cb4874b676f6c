"""Tables fit the terminal, bars are drawn over themselves and gone in the end, and pipes get nothing that moves."""

from __future__ import annotations

import io
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.cli.terminal import OVER, RunBar, TerminalDrawing, cut, letters, table


class Watched(io.StringIO):
    """A terminal that keeps all that it is told."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def watching(monkeypatch: pytest.MonkeyPatch, term: str = "xterm") -> Watched:
    """Put a terminal in place of the standard error; here, since pytest does so after fixtures are made."""
    screen = Watched()
    monkeypatch.setenv("TERM", term)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


def seen(said: str) -> str:
    """Return what stands on the last line of a terminal that was told this."""
    return said.rpartition("\n")[2].rpartition(OVER)[2]


def test_a_table_has_its_columns_below_each_other() -> None:
    drawn = table([("Hana", "1.5"), ("組", "22")], heads=("robot", "m"), right={1}, title="Places")

    assert drawn.splitlines()[0].strip() == "Places"
    assert [click_free(line) for line in drawn.splitlines()[1:]] == [
        "┌───────┬─────┐",
        "│ robot │   m │",
        "├───────┼─────┤",
        "│ Hana  │ 1.5 │",
        "│ 組    │  22 │",
        "└───────┴─────┘",
    ]


def click_free(line: str) -> str:
    """Return a line without what makes its letters bold."""
    return line.replace("\x1b[1m", "").replace("\x1b[0m", "")


def test_a_plain_table_has_no_lines_and_a_ruled_one_has_more() -> None:
    rows = [("a", "one\ntwo"), ("b", "")]

    assert table(rows, is_plain=True) == "a  one\n   two\nb"
    assert table(rows, is_ruled=True).count("├") == table(rows).count("├") + 1 == 1


def test_an_output_that_knows_no_lines_gets_simple_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))

    assert table([("a", "b")]) == "+---+---+\n| a | b |\n+---+---+"


@given(
    st.lists(st.lists(st.text("ab é組\n", max_size=40), min_size=3, max_size=3), min_size=1, max_size=5),
    st.integers(30, 120),
)
def test_a_table_fits_and_loses_no_letter(rows: list[list[str]], most: int) -> None:
    drawn = table(rows, most=most).split("\n")

    assert len({letters(line) for line in drawn}) == 1
    assert letters(drawn[0]) <= most
    for sign in "abé組":
        assert sum(line.count(sign) for line in drawn) == sum(
            cell.count(sign) for row in rows for cell in row
        )


@given(st.text("abé組", max_size=30), st.integers(1, 30))
def test_what_is_cut_fits(text: str, most: int) -> None:
    assert letters(cut(text, most)) <= most
    assert cut(text, 60) == text


def test_a_bar_shows_how_much_is_done_in_one_line_and_is_gone_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = watching(monkeypatch)
    clock = iter(range(100))
    monkeypatch.setattr("kumi.cli.terminal.time.monotonic", lambda: float(next(clock)))
    with RunBar(200.0) as bar:
        bar.show(50.0, "drawing", "of a long film, " * 9)
        first = seen(watched.getvalue())
        bar.say("something that stays")
        bar.show(500.0, "drawing")

    assert first.startswith("drawing [=======")
    assert " 25%" in first
    assert letters(first) < 60
    assert "something that stays\n" in watched.getvalue()
    assert "] 100%" in watched.getvalue()
    assert seen(watched.getvalue()) == ""


def test_a_bar_is_drawn_a_few_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = watching(monkeypatch)
    monkeypatch.setattr("kumi.cli.terminal.time.monotonic", lambda: 7.0)
    with RunBar(1e6) as bar:
        for done in range(1000):
            bar.show(done)
        assert watched.getvalue().count(OVER) == 1


@pytest.mark.parametrize("total", [None, math.inf])
def test_what_has_no_known_end_has_no_bar(monkeypatch: pytest.MonkeyPatch, total: float | None) -> None:
    watched = watching(monkeypatch)
    with RunBar(total) as bar:
        bar.show(5.0, "looking", "for long")
        assert seen(watched.getvalue()) == "looking for long"


def test_nothing_moves_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with RunBar(1.0) as bar:
        bar.show(0.5, "drawing")
        bar.say("a line")

    assert not bar.is_shown
    assert capsys.readouterr().err == "a line\n"


@pytest.mark.parametrize("kind", ["", "dumb"])
def test_a_terminal_that_cannot_draw_over_gets_no_bar(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    watching(monkeypatch, kind)
    assert not RunBar(1.0).is_shown
    assert not RunBar(1.0, is_quiet=True).is_shown


def test_a_drawing_stands_where_the_one_before_it_stood(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LINES", "5")
    monkeypatch.setattr("kumi.cli.terminal.time.monotonic", lambda: 3.0)
    monkeypatch.setattr("kumi.cli.terminal.click.echo", print)  # which keeps what a terminal understands
    drawing = TerminalDrawing()
    drawing.draw("a\nb", is_urgent=False)
    drawing.draw("never seen", is_urgent=False)
    drawing.draw("\n".join("cdefghi"), is_urgent=True)

    assert capsys.readouterr().out == "\r\x1b[Ja\nb\n" + "\r\x1b[2A\x1b[Jc\nd\ne\nf\n"
