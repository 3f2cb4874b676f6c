"""How is a stack tried? By the shipped case whose layer offers the same, with that stack in its place.

What the case has around its own layer is kept: the workload above, and what only a check needs below, such as a
witness of what happened before what. A layer that the case was written for is tried by that case; another one by the
first that is about its guarantee.

Only such faults happen as all layers of the stack bear. Wrong suspicions are among them where a failure detector is in
the stack: it is made to err.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import takewhile
from typing import Any, NamedTuple

from kumi.checking.case import Case
from kumi.checking.cases import shipped_cases
from kumi.checking.faults import KINDS
from kumi.checking.monitors import Monitor
from kumi.checking.schedule import UnknownFault
from kumi.protocols import EventuallyPerfect, EventuallyStrong, Layer, Mistaken, Stack
from kumi.protocols.stack import needs
from kumi.testing.demands import demand

AnyLayer = Layer[*tuple[Any, ...]]


class StackFit(NamedTuple):
    """How well a case fits a stack; the greatest fits best, and of equal ones the first that is listed."""

    is_its_own: bool
    depth: int
    """How special the guarantee is that they have in common."""
    is_general: bool
    """Whether the case needs no tool below its layer: one that does judges more than the guarantee."""
    has_the_same: bool
    """Whether what the layer can do without is there in both, or in neither."""


def case_for(stack: Callable[[], Stack]) -> Case:
    """Return the shipped case that tries what the topmost layer of a stack offers, with that stack in it."""
    made = stack().layers
    demand(bool(made), "an empty stack has no layer to check")
    fitting = [(fit, case) for case in shipped_cases().values() if (fit := fit_of(case, made)) is not None]
    name = type(made[0]).__name__
    demand(
        bool(fitting),
        f"{name} offers no guarantee that a shipped case tries; give check_layer a Case of your own",
    )
    case = max(fitting, key=lambda pair: pair[0])[1]
    faults = case.faults & borne_by(made)
    detectors = [place for place, layer in enumerate(made) if isinstance(layer, EventuallyPerfect)]
    errs = any(hasattr(layer, "suspect_wrongly") for layer in made)
    if not errs and not detectors:
        faults -= {"suspicion"}

    def around() -> Stack:
        layers = list(stack().layers)
        if "suspicion" in faults and not errs:
            layers.insert(detectors[0], Mistaken())
        return in_place(case, layers)

    return replace(
        case,
        name=name,
        stack=around,
        monitors=lambda: [monitor for monitor in case.monitors() if _is_about(monitor, case, made)],
        faults=faults,
        mutants={},
        above=case.above,
    )


def fit_of(case: Case, layers: tuple[AnyLayer, ...]) -> StackFit | None:
    """Return how well a case fits a stack; None where the topmost layer does not offer what it tries."""
    top, own = layers[0], case.stack().layers
    tried = own[case.above]
    kinds = [kind for layer in own[: case.above] for _, kind, _ in needs(type(layer))]
    kinds += [monitor.watches for monitor in case.monitors()]
    offered = [kind for kind in kinds if isinstance(tried, kind)]
    if not all(isinstance(top, kind) for kind in offered):
        return None
    return StackFit(
        isinstance(top, type(tried)),
        max(len(kind.__mro__) for kind in offered),
        not any(map(_is_tool, own[case.above + 1 : case.above + 2])),
        _can_use(top, layers) == _can_use(tried, own),
    )


def _can_use(layer: AnyLayer, layers: tuple[AnyLayer, ...]) -> list[bool]:
    """Tell of each thing that a layer can do without whether it is there."""
    wanted = [kind for _, kind, is_optional in needs(type(layer)) if is_optional]
    return [any(isinstance(other, kind) for other in layers) for kind in wanted]


def _is_about(monitor: Monitor, case: Case, layers: tuple[AnyLayer, ...]) -> bool:
    """Tell whether a monitor watches the layer that is tried, or one that is there below it."""
    own = case.stack().layers
    there = (*own[: case.above + 1], *layers)
    return any(isinstance(layer, monitor.watches) for layer in there)


def in_place(case: Case, layers: Iterable[AnyLayer]) -> Stack:
    """Return the stack of a case with other layers in place of its own, but for what only a check needs."""
    own = case.stack().layers
    below = own[case.above + 1 :]
    near = list(takewhile(_is_tool, below))
    far = list(takewhile(_is_tool, reversed(below[len(near) :])))
    top, *rest = layers
    return Stack(*own[: case.above], top, *near, *rest, *reversed(far))


def _is_tool(layer: AnyLayer) -> bool:
    """Tell whether a layer is there for a check alone; a detector that knows would stand in for a missing one."""
    return type(layer).__module__.startswith("kumi.checking.") and not isinstance(layer, EventuallyStrong)


def borne_by(layers: Iterable[AnyLayer]) -> frozenset[str]:
    """Return the kinds of fault that all layers bear; one that does not say bears all."""
    borne = frozenset(KINDS)
    for layer in layers:
        said = type(layer).bears
        if said is None:
            continue
        unknown = sorted(set(said) - set(KINDS))
        demand(
            not unknown,
            f"{type(layer).__name__} bears {unknown[0] if unknown else ''!r}, which is no kind of fault; "
            f"there are {', '.join(KINDS)}",
        )
        borne &= frozenset(said)
    return borne


def check_asked(kinds: Iterable[str], layers: Iterable[AnyLayer]) -> None:
    """Refuse to try faults that a layer does not bear."""
    asked = set(kinds)
    for layer in layers:
        said = type(layer).bears
        too_much = [] if said is None else [kind for kind in KINDS if kind in asked - said]
        if said is not None and too_much:
            raise UnknownFault(
                f"{type(layer).__name__} does not bear {', '.join(too_much)}; it bears {in_words(said)}"
            )


def in_words(bears: Iterable[str]) -> str:
    """Say which kinds of fault those are, by the shorter of two lists."""
    there = set(bears)
    kinds = [kind for kind in KINDS if kind in there]
    missing = [kind for kind in KINDS if kind not in there]
    if not missing:
        return "everything"
    return f"all but {', '.join(missing)}" if len(missing) < len(kinds) else ", ".join(kinds) or "nothing"
