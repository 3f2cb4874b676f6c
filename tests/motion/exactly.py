"""Where is a body on an arc, in decimal numbers of 60 digits? By the formula of the circle about its centre.

Sixty digits leave forty-eight for the places near a body whose centre is 1e12 m away.
"""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from typing import NamedTuple

DIGITS = Context(prec=60)
SMALLEST = Decimal("1e-62")
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803")


class Exact(NamedTuple):
    """A place, and the heading there."""

    x: Decimal
    y: Decimal
    heading: Decimal


def sine(angle: Decimal) -> Decimal:
    """Return the sine, by its series."""
    with localcontext(DIGITS):
        angle %= 2 * PI
        term = total = angle
        square, count = angle * angle, 1
        while abs(term) > SMALLEST:
            count += 2
            term *= -square / (count * (count - 1))
            total += term
        return total


def cosine(angle: Decimal) -> Decimal:
    """Return the cosine, as the sine of what is left to a quarter turn."""
    with localcontext(DIGITS):
        return sine(PI / 2 - angle)


def root(square: Decimal) -> Decimal:
    """Return the square root."""
    with localcontext(DIGITS):
        return square.sqrt()


def on_arc(place: tuple[float, float, float], radius: float, way: Decimal, ahead: int = 1) -> Exact:
    """Return where a way leads about a centre on the left, on the right for a negative radius, or on a line.

    The radius 0 stands for a line. With `ahead` = -1 the way goes backwards.
    """
    with localcontext(DIGITS):
        x, y, heading = map(Decimal, place)
        way *= ahead
        if radius == 0:
            return Exact(x + way * cosine(heading), y + way * sine(heading), heading)
        far = Decimal(radius)
        then = heading + way / far
        return Exact(x + far * (sine(then) - sine(heading)), y + far * (cosine(heading) - cosine(then)), then)
