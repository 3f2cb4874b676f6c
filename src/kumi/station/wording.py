"""What is wrong with a value that came from outside, in words of the person who gave it?

The reader of messages names places as `$.at.x` and kinds as `null`; here they are 'at.x' and nothing.
"""

from __future__ import annotations

import re

import msgspec

KINDS = {
    "float": "a number",
    "int": "a whole number",
    "str": "a text",
    "bytes": "bytes in base64",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "nothing",
}
"""What kinds of values are called."""
SIZES = {
    "str": ("letter", "letters"),
    "array": ("entry", "entries"),
    "object": ("entry", "entries"),
    "bytes": ("byte", "bytes"),
}
"""What lengths of them are counted in: one, and several."""
BOUNDS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
PATTERNS = {
    r"^[A-Za-z_]": "letters, digits, _ and -, with a letter or _ first",
    r"^[^": "any letters but /, without spaces at the ends",
}
"""What patterns ask for, by how they begin."""

_PLACE = re.compile(r"^(?P<what>.*?)(?: - at `\$(?P<place>.*)`)?$", re.DOTALL)
_KIND = re.compile(r"^Expected `(?P<wanted>[^`]+)`, got `(?P<given>[^`]+)`$")
_BOUND = re.compile(r"^Expected `(?P<wanted>\w+)`(?P<length> of length)? (?P<sign>[<>]=?) (?P<limit>\S+)$")
_PATTERN = re.compile(r"^Expected `str` matching regex '(?P<pattern>.*)'$")
_MISSING = re.compile(r"^Object missing required field `(?P<field>[^`]+)`$")
_UNKNOWN = re.compile(r"^Object contains unknown field `(?P<field>[^`]+)`$")


def complaint(error: Exception, of: str = "") -> str:
    """Return what is wrong, with the place of it; `of` is what the whole value is called, if it has a name."""
    if not isinstance(error, msgspec.ValidationError):
        return str(error)
    found = _PLACE.match(str(error))
    assert found is not None
    return _said(found["what"], f"{of}{found['place'] or ''}".lstrip("."))


def _said(what: str, place: str) -> str:
    name = f"'{place}'" if place else "it"
    if found := _KIND.match(what):
        return f"{name} must be {_kinds(found['wanted'])}, not {_kinds(found['given'])}"
    if found := _BOUND.match(what):
        return f"{name} must be {_bounded(found)}"
    if found := _PATTERN.match(what):
        wanted = [words for begin, words in PATTERNS.items() if found["pattern"].startswith(begin)]
        return f"{name} must be {wanted[0] if wanted else found['pattern']}"
    if found := _MISSING.match(what):
        return f"{name} lacks '{found['field']}'"
    if found := _UNKNOWN.match(what):
        return f"{name} takes no '{found['field']}'"
    if what.startswith("Invalid enum value "):
        return f"{name} cannot be {what.removeprefix('Invalid enum value ')}"
    return f"{what} in {name}" if place else what


def _kinds(names: str) -> str:
    return " or ".join(KINDS.get(one.strip(), one.strip()) for one in names.split("|"))


def _bounded(found: re.Match[str]) -> str:
    wanted, limit, bound = found["wanted"], found["limit"], BOUNDS[found["sign"]]
    if found["length"]:
        one, several = SIZES.get(wanted, SIZES["array"])
        return f"{KINDS.get(wanted, wanted)} of {bound} {limit} {one if limit == '1' else several}"
    return f"{KINDS.get(wanted, wanted)} of {bound} {float(limit):.10g}"
