"""Which names would somebody mistake for another?

Two names look alike where they are the same after their letters are drawn the plainest way: without case and width, with the
look-alikes of other alphabets as Latin letters, and `rn` as `m`. Some letters look alike in one case only (`I` and `l`), so that is
tried before case is left away, and after; either counts. Accents are seen, and count as they are.

What nobody sees, or what turns the direction of writing, is in no new name, and neither is a word of two alphabets. Names that are
there already stay as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from kumi.station.refusals import conflict, invalid

_LOOK: dict[str, str] = {
    "a": "\u0430\u03b1\u0251\u0410\u0391\ua4ee\u13aa",
    "b": "\u042c\u0412\u0392\ua4d0\u13f4\u044c",
    "c": "\u0441\u03f2\u0421\u03f9\ua4da\u13df\u2ca4\u2ca5",
    "d": "\u0501\ua4d3\u13a0",
    "e": "\u0435\u0415\u0395\ua4f0\u13ac\u212e",
    "f": "\u0192\ua4dd\u03dc",
    "g": "\u0261\u050c\ua4d6\u13c0\u0581",
    "h": "\u04bb\u041d\u0397\ua4e7\u13bb\u0570",
    "i": "\u0456\u03b9\u0131\u0269\u04cf",
    "j": "\u0458\u0408\u03f3\ua4d9\u13ab\u0237",
    "k": "\u043a\u03ba\u041a\u039a\ua4d7\u13e6",
    "l": "I1|\u0406\u04c0\u0399\u01c0\ua4f2\u2223\u05d5\u05df\u0627\u0661\u06f1\u0196",
    "m": "\u041c\u039c\ua4df\u13b7\u03fa\u043c",
    "n": "\u0578\u057c\u039d\ua4e0\u043f",
    "o": "0\u043e\u03bf\u041e\u039f\u0585\u0555\ua4f3\u05e1\u0665\u06f5\u0647\u0966\u09e6\u2c9e\u2c9f\u10ff",
    "p": "\u0440\u03c1\u0420\u03a1\ua4d1\u13e2\u03f1\u2ca2\u2ca3",
    "q": "\u051b\u051a\u0563\u0566",
    "r": "\u0433\u13a1\ua4e3\u0280\u13d2",
    "s": "\u0455\u0405\u054f\ua4e2\u13da\u13d5",
    "t": "\u0422\u03a4\ua4d4\u13a2\u0442\u03c4",
    "u": "\u03c5\u057d\u054d\ua4f4\u028b",
    "v": "\u03bd\u0475\u0474\ua4e6\u13d9\u0667\u06f7",
    "w": "\u0461\u051d\u051c\ua4ea\u13b3\u0561\u026f\u03c9",
    "x": "\u0445\u03c7\u0425\u03a7\ua4eb\u2d5d",
    "y": "\u0443\u04af\u0423\u04ae\u03a5\u03b3\ua4ec\u13bd\u0263\u028f",
    "z": "\u0396\ua4dc\u13c3\u1d22",
    "3": "\u0417\u0437\u01b7\u04e0\u021c",
    "4": "\u13ce",
    "6": "\u0431\u13ee",
    "8": "\u0222\u0223",
    "'": "\u2018\u2019\u201b\u02b9\u02bb\u02bc\u02bd\u02be\u02bf`\u00b4\u2032\u055a",
    ".": "\u0660\u06f0\u00b7\u2024\u30fb\u0387",
    ":": "\u02d0\u0589\u05c3\u2236\ua789",
    ",": "\u201a\u060d",
}
"""What looks like each letter of ASCII, beside what Unicode itself takes for the same."""
_PLAIN = str.maketrans({odd: plain for plain, odds in _LOOK.items() for odd in odds})
_PAIRS = (("rn", "m"), ("vv", "w"))
_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
"""What nobody sees, though Unicode counts it among letters, marks and signs; so are variation selectors."""
_EAST_ASIAN = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC", "KATAKANA-HIRAGANA"}
_SMALL_CAPITAL = re.compile(r"LATIN LETTER SMALL CAPITAL ([A-Z])")
_SPOKEN_FOR = re.compile(r"(robot|nobody|the) ")
"""How callers other than people begin in the audit."""


class NamesTaken:
    """The names of one kind, such as robots, that there are."""

    def __init__(self, kind: str, names: Iterable[str]) -> None:
        self._kind = kind
        self._looks: tuple[dict[str, str], dict[str, str]] = {}, {}
        for name in names:
            self._add(name)

    def take(self, name: str) -> None:
        """Take a new name; refuse one that is taken, that looks like another, or that cannot be read for what it is."""
        _check_readable(name, self._kind)
        for looks, look in zip(self._looks, _looks(name), strict=True):
            other = looks.get(look, name)
            if look in looks and other == name:
                raise conflict(f"there is a {self._kind} '{name}' already")
            if other != name:
                raise conflict(
                    f"'{name}' looks like the {self._kind} '{other}': choose a name that nobody takes for another"
                )
        self._add(name)

    def _add(self, name: str) -> None:
        for looks, look in zip(self._looks, _looks(name), strict=True):
            looks[look] = name


def check_nobody_else(name: str) -> None:
    """Refuse a user's name that reads like another caller's in the audit, such as that of a robot."""
    if _SPOKEN_FOR.match(f"{_looks(name)[0]} ") or _SPOKEN_FOR.match(f"{_looks(name)[1]} "):
        raise invalid(
            f"'{name}' reads like a caller that is no user: names that begin with 'robot', 'nobody' or 'the' are taken"
        )


def _check_readable(name: str, kind: str) -> None:
    for place, letter in enumerate(name, 1):
        if _is_unseen(letter):
            raise invalid(
                f"letter {place} of this name cannot be seen (U+{ord(letter):04X}); the name of a {kind} has none such"
            )
    for word in name.split():
        alphabets = sorted({_alphabet(letter) for letter in unicodedata.normalize("NFKC", word)} - {""})
        if len(alphabets) > 1:
            raise invalid(
                f"'{word}' mixes letters of the alphabets {' and '.join(alphabets)}; a word has letters of one"
            )


def _is_unseen(letter: str) -> bool:
    is_selector = "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef"
    is_odd = unicodedata.category(letter) in ("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp")
    return is_odd or is_selector or letter in _UNSEEN or (letter != " " and letter.isspace())


def _alphabet(letter: str) -> str:
    """Return the alphabet of a letter by the first word of its name; nothing for digits, marks and signs."""
    if not letter.isalpha() or unicodedata.category(letter) == "Lm":
        return ""
    first = unicodedata.name(letter, "").split(" ")[0]
    return "East Asian" if first in _EAST_ASIAN else first.title()


@lru_cache(20_000)
def _looks(name: str) -> tuple[str, str]:
    """Return what a name looks like, with case left away first, and last."""
    wide = "".join(_same_width(letter) for letter in unicodedata.normalize("NFKC", name))
    return _drawn(wide.casefold()), _drawn(wide).casefold()


def _drawn(name: str) -> str:
    plain = unicodedata.normalize("NFKC", name.translate(_PLAIN))
    for pair, one in _PAIRS:
        plain = plain.replace(pair, one)
    return " ".join(plain.split())


def _same_width(letter: str) -> str:
    """Return a dash of any width as the one of ASCII, a small capital as a letter, and nothing for what is not seen."""
    if letter.isascii():
        return letter
    if unicodedata.category(letter) == "Pd" or letter == "\u2212":
        return "-"
    if _is_unseen(letter):
        return ""
    capital = _SMALL_CAPITAL.fullmatch(unicodedata.name(letter, ""))
    return capital[1].lower() if capital is not None else letter
