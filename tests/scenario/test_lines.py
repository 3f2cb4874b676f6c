"""Every key of a scenario has a line, and it is the right one."""

from __future__ import annotations

import tomllib
from typing import Any

import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from kumi.scenario.lines import Path, lines_of

STRINGS = r"""a = "no = 1 # \" ["
b = ~
x = 1 ""
[t]\"~
c = '''
y = 2 '' '''
d = '#'  # e = 1
"quoted.key" = 1
'other' . inside = 1979-05-27 07:32:00
"\u0041" = 2
""".replace("~", 3 * '"')


def paths(value: Any, above: Path = ()) -> set[Path]:
    """Return the path of everything inside a value that the parser gave."""
    if isinstance(value, dict):
        inside: list[tuple[str | int, Any]] = list(value.items())
    elif isinstance(value, list):
        inside = list(enumerate(value))
    else:
        return set()
    return {path for key, part in inside for path in ({(*above, key)} | paths(part, (*above, key)))}


def test_keys_stand_on_their_lines() -> None:
    lines = lines_of("# a comment\nseed = 1\n\n[robots]\ncount = 5  # five\nradius = 0.5\n")

    assert lines == {("seed",): 2, ("robots",): 4, ("robots", "count"): 5, ("robots", "radius"): 6}


def test_an_array_of_tables_is_counted_from_zero() -> None:
    lines = lines_of("[[robots]]\ncount = 1\n[robots.drive]\nspeed = 2\n[[robots]]\ncount = 3\n")

    assert lines["robots", 0, "count"] == 2
    assert lines["robots", 0, "drive", "speed"] == 4
    assert lines["robots", 1, "count"] == 6


def test_elements_of_arrays_and_inline_tables_have_lines_of_their_own() -> None:
    lines = lines_of(
        "born = [\n  [1, 2],  # first\n  [3,\n   4],\n]\nshape = { kind = 'disc', radius = 1 }\n"
    )

    assert (lines["born", 0], lines["born", 1], lines["born", 1, 1]) == (2, 3, 4)
    assert lines["shape", "radius"] == 6


def test_what_looks_like_a_key_inside_a_string_is_none() -> None:
    assert paths(tomllib.loads(STRINGS)) == lines_of(STRINGS).keys()
    assert lines_of(STRINGS) == {
        ("a",): 1,
        ("b",): 2,
        ("c",): 5,
        ("d",): 7,
        ("quoted.key",): 8,
        ("other",): 9,
        ("other", "inside"): 9,
        ("A",): 10,
    }


scalars = st.booleans() | st.integers(-999, 999) | st.floats(allow_nan=False) | st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.dictionaries(st.text(max_size=5), values, max_size=4))
def test_no_key_is_missed_and_none_invented(table: dict[str, Any]) -> None:
    """Whatever a writer of TOML may write, the keys found are those that the parser finds."""
    text = tomlkit.dumps(table)

    assert lines_of(text).keys() == paths(tomllib.loads(text))
