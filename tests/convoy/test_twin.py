"""The compiled twin of the convoy against its models, run by run."""

from __future__ import annotations

from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi import _twins
from kumi.experiment.convoy import ConvoyRun, Setup, run_convoy
from kumi.experiment.convoy.twin import run_fast, run_twin, seeds_of, settings_of
from kumi.programs.convoy import Rules

MEASURES = {
    "error",
    "whole_error",
    "largest_error",
    "speed",
    "adjustments",
    "times_lost",
    "steps",
    "time",
    "broke_up_at",
}


@settings(max_examples=20, deadline=None)
@given(
    robots=st.integers(2, 5),
    steps=st.integers(1, 40),
    noise=st.sampled_from([(0.0, 0.0), (0.1, 0.0), (0.0, 0.08), (0.1, 0.08), (0.2, 0.1)]),
    step=st.floats(0.05, 0.5),
    learning=st.sampled_from([0.0, 0.3, 1.0]),
    whisker=st.sampled_from([0.0, 0.03]),
    side=st.floats(6.0, 9.0),
    seed=st.integers(0, 1000),
)
def test_the_twin_measures_what_the_models_measure_or_leaves_it_to_them(
    robots: int,
    steps: int,
    noise: tuple[float, float],
    step: float,
    learning: float,
    whisker: float,
    side: float,
    seed: int,
) -> None:
    setup = Setup(
        robots=robots,
        steps=steps,
        dnf=noise[0],
        anf=noise[1],
        rules=Rules(step=step, learning=learning),
        whisker_length=whisker,
        field_side=side,
    )

    twin = run_twin(setup, seed)
    if twin is None:
        return
    run = ConvoyRun(setup, seed)
    told, truth = asdict(twin), asdict(run.run())

    assert truth["avoided"] == 0
    for name in MEASURES:
        assert (told[name] is None) is (truth[name] is None), name
        assert told[name] is None or told[name] == pytest.approx(truth[name], rel=1e-9, abs=1e-9), name
    found = _twins.convoy(settings_of(setup), steps, seeds_of(setup, seed))
    assert found is not None
    places = [(body.position.x, body.position.y) for body in run.convoy.bodies]
    assert found[-1] == [pytest.approx(place, abs=1e-9) for place in places]


def test_a_run_without_contact_is_left_to_the_twin_and_one_with_contacts_to_the_models() -> None:
    calm = Setup(robots=10, steps=100)
    rough = Setup(robots=10, steps=300, dnf=0.5, anf=0.5, rules=Rules(step=0.6, learning=0.0))

    assert run_fast(calm, 1) == run_twin(calm, 1)
    assert run_twin(rough, 1) is None
    assert run_fast(rough, 1) == run_convoy(rough, 1)


def test_the_same_seed_gives_the_same_hash() -> None:
    setup = Setup(robots=5, steps=50)
    one, same, other = (run_twin(setup, seed) for seed in (1, 1, 2))

    assert one == same
    assert one is not None
    assert other is not None
    assert one.trace_hash != other.trace_hash
