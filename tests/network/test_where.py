"""An effect on some links, for some time."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kumi.network import Constant, Cuts, Loss, Where
from kumi.network.errors import NetworkError
from tests.network.stations import Net


def test_one_link_is_slow_in_one_direction() -> None:
    net = Net(Constant(0.5), Where(Constant(2.0), links=[(0, 1)]))
    net.broadcast_at(0.0, 0)
    net.send_at(0.0, 1, 0)
    net.run()

    assert net.arrivals == [(0.5, 2), (0.5, 3), (0.5, 0), (2.5, 1)]


def test_an_effect_lasts_from_its_start_until_just_before_its_end() -> None:
    net = Net(Where(Loss(1.0), start=1.0, end=2.0))
    for time in (0.5, 1.0, 1.5, 2.0):
        net.send_at(time, 0, 1)
    net.run()

    assert net.arrivals == [(0.5, 1), (2.0, 1)]


def test_it_claims_what_the_effect_inside_claims() -> None:
    assert not Where(Loss(0.1)).is_reliable
    assert Where(Constant(1.0), links=[(0, 1)]).is_in_order
    assert not Where(Constant(1.0), end=2.0).is_in_order  # what is sent at 2 s overtakes


def test_what_judges_arrivals_itself_stands_beside_it() -> None:
    with pytest.raises(NetworkError, match="Cuts judges arrivals or reach, too"):
        Net(Where(Cuts()))
    with pytest.raises(ValueError, match="the time of an effect ends at or after its start"):
        Where(Loss(0.1), start=2.0, end=1.0)


@given(
    st.lists(
        st.tuples(st.sampled_from([None, [(0, 1)], [(0, 2), (0, 1)], [(2, 3)]]), st.integers(0, 2)),
        max_size=8,
    ),
    st.integers(1, 2),
)
@settings(deadline=None)
def test_effects_of_links_act_one_after_the_other_however_many_there_are(
    given_effects: list[tuple[list[tuple[int, int]] | None, int]], to: int
) -> None:
    """The delays of all whose link and time it is add up: what was sent at 1 s is later by their sum."""
    effects = [
        Where(Constant(0.5), links=links, start=start, end=start + 1) for links, start in given_effects
    ]
    net = Net(*effects)
    net.send_at(1.0, 0, to)
    net.run()

    meant = [start for links, start in given_effects if start == 1 and (links is None or (0, to) in links)]
    assert net.arrivals == [(1.0 + 0.5 * len(meant), to)]
