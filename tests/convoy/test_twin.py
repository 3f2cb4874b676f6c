"""The compiled twin of the convoy against its models, run by run: calm runs, contacts, whiskers and break-ups."""

from __future__ import annotations

from dataclasses import asdict
from struct import iter_unpack

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi import _twins
from kumi.convoy import ConvoyRun, Setup, run_convoy, run_twin
from kumi.convoy.program import ConvoyRules
from kumi.convoy.twin import places_after, run_with_history, settings_of

EXACT = 1e-9
FELT = 1e-6
"""A whisker's touch is told within 1e-9 m of where it happens, and later motions carry that on."""


def compare(setup: Setup, seed: int, within: float = EXACT) -> dict[str, object]:
    """Run both, hold all measures and the last places against each other, and return those of the models."""
    run = ConvoyRun(setup, seed)
    told, truth = asdict(run_twin(setup, seed)), asdict(run.run())
    for one in (told, truth):
        one |= {f"break_up.{name}": value for name, value in (one.pop("break_up") or {}).items()}
    assert told.keys() == truth.keys()
    for name in truth.keys() - {"trace_hash"}:
        assert (told[name] is None) is (truth[name] is None), name
        if isinstance(truth[name], str):
            assert told[name] == truth[name], name
        elif truth[name] is not None:
            assert told[name] == pytest.approx(truth[name], rel=within, abs=within), name
    places = [(body.position.x, body.position.y, body.heading) for body in run.convoy.bodies]
    for found, place in zip(places_after(setup, seed), places, strict=True):
        assert found == pytest.approx(place, rel=within, abs=10.0 * within)
    return truth


@settings(max_examples=25, deadline=None)
@given(
    robots=st.integers(2, 8),
    steps=st.integers(1, 60),
    noise=st.sampled_from(
        [(0.0, 0.0), (0.1, 0.0), (0.0, 0.08), (0.1, 0.08), (0.2, 0.1), (0.4, 0.3), (0.6, 0.6)]
    ),
    step=st.floats(0.05, 0.6),
    desired=st.sampled_from([0.4, 0.5, 0.6]),
    learning=st.sampled_from([0.0, 0.3, 1.0]),
    tolerance=st.sampled_from([0.3, 1e9]),
    room=st.floats(0.2, 5.0),
    message_loss=st.sampled_from([0.0, 0.0, 0.02]),
    seed=st.integers(0, 1000),
)
def test_the_twin_measures_what_the_models_measure(
    robots: int,
    steps: int,
    noise: tuple[float, float],
    step: float,
    desired: float,
    learning: float,
    tolerance: float,
    room: float,
    message_loss: float,
    seed: int,
) -> None:
    setup = Setup(
        robots=robots,
        steps=steps,
        dnf=noise[0],
        anf=noise[1],
        rules=ConvoyRules(step=step, desired=desired, learning=learning, tolerance=tolerance),
        whisker_length=0.0,
        field_side=(robots - 1) * desired + 2.0 + room,
        message_loss=message_loss,
    )

    compare(setup, seed)


@pytest.mark.parametrize("seed", range(4))
def test_contacts_and_going_back_are_the_same(seed: int) -> None:
    """In a tight field they touch walls and each other, and the convoy breaks up in some runs."""
    rules = ConvoyRules(step=0.5, learning=0.0)
    setup = Setup(
        robots=8, steps=100, dnf=0.3, anf=0.3, rules=rules, whisker_length=0.0, field_side=5.6, break_up=2.0
    )

    truth = compare(setup, seed)

    assert truth["avoided"]
    assert truth["broke_up_at"] is not None
    assert truth["break_up.cause"] in {"wall", "contact", "lost sight"}


@pytest.mark.some_of(3)
@pytest.mark.parametrize(
    ("seed", "length"), [(1, 0.03), (3, 0.03), (14, 0.03), (3, 0.1), (14, 0.1), (21, 0.1)]
)
def test_whiskers_feel_the_same(seed: int, length: float) -> None:
    setup = Setup(robots=6, steps=150, dnf=0.3, anf=0.15, whisker_length=length, field_side=5.0)

    truth = compare(setup, seed, within=FELT)

    assert truth["avoided"]


@pytest.mark.parametrize(
    "wrong",
    [Setup(infrared_resolution=0.03, robots=5, steps=60), Setup(infrared_reach=1.2, robots=5, steps=60)],
)
def test_readings_of_other_infrared_are_the_same(wrong: Setup) -> None:
    compare(wrong, 4, within=FELT)


def test_the_error_over_time_is_that_of_the_models() -> None:
    setup = Setup(robots=5, steps=30)
    run = ConvoyRun(setup, 2)
    run.errors.keeps_history = True
    run.run()

    _, history = run_with_history(setup, 2)

    truth = {
        time: 100.0 * error for time, error in iter_unpack("=2d", run.errors.history)
    }  # the last of an instant counts
    found = dict(history)
    assert list(found) == pytest.approx(list(truth))
    assert list(found.values()) == pytest.approx(list(truth.values()))


def test_the_same_seed_gives_the_same_hash() -> None:
    setup = Setup(robots=5, steps=50)
    one, same, other = (run_twin(setup, seed) for seed in (1, 1, 2))

    assert one == same
    assert one.trace_hash != other.trace_hash
    assert one.trace_hash != run_convoy(setup, 1).trace_hash, "it hashes what it has, not a trace of events"


def test_numbers_that_are_not_those_of_a_setup_are_refused() -> None:
    with pytest.raises(ValueError, match="settings are 20 numbers of 8 bytes"):
        _twins.convoy(b"", 1, bytes(64))
    with pytest.raises(ValueError, match="32 bytes for each of 2 robots or more"):
        _twins.convoy(settings_of(Setup()), 1, bytes(32))
    with pytest.raises(ValueError, match="32 bytes for each two neighbours, else none"):
        _twins.convoy(settings_of(Setup()), 1, bytes(64), False, 0.5, bytes(64))
