"""Failure detectors: whom they suspect, when, and how good that is."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log10
from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kumi.checking.quality import Quality
from kumi.network import Flight, Loss
from kumi.protocols.guarantees import EventuallyPerfect, EventuallyStrong, Perfect
from kumi.protocols.heartbeat import Heartbeat, TimedOut
from kumi.protocols.phi_accrual import PhiAccrual, _GapWindow, phi
from kumi.protocols.ping import Ping
from kumi.protocols.suspicion import Mistaken
from tests.protocols.company import Company
from tests.protocols.groups import Fate


def silent_from_2_to_4(detector: Callable[[], EventuallyPerfect]) -> Company:
    """Three nodes; nothing that node 1 sends from 2 s to 4 s arrives."""

    def fate(flight: Flight) -> float | None:
        return None if flight.sender == 1 and 2.0 <= company.simulation.now < 4.0 else 0.0

    company = Company(lambda: (detector(),), Fate(fate))
    return company.run(10.0)


def test_the_classes_are_what_the_detectors_offer() -> None:
    assert issubclass(Perfect, EventuallyPerfect)
    assert issubclass(EventuallyPerfect, EventuallyStrong)
    assert issubclass(TimedOut, Perfect)
    for kind in (Heartbeat, Ping, PhiAccrual, Mistaken):
        assert issubclass(kind, EventuallyPerfect)
        assert not issubclass(kind, Perfect)


def test_a_crashed_node_is_suspected_by_all_when_its_timeout_is_over() -> None:
    """The last heartbeat, of 1.0 s, arrives at 1.01 s. At 1.6 s five periods of 0.1 s have been counted since
    1.1 s, which is not more than 0.5 s; at 1.7 s there are six."""
    company = Company(lambda: (Heartbeat(period=0.1, timeout=0.5),))
    company.at(1.05, company.nodes[2].crash)
    company.run(10.0)

    assert company.told == [(1.7, 0, 2, True), (1.7, 1, 2, True)]
    assert company.top(0).suspected == {2}


def test_a_detector_that_erred_waits_longer() -> None:
    company = silent_from_2_to_4(lambda: Heartbeat(period=0.1, timeout=0.5, growth=0.25))

    assert company.events(0) == [(1, True), (1, False)]
    assert company.top(0).timeout_of(1) == 0.75
    assert company.top(0).timeout_of(2) == 0.5
    assert company.top(1).suspected == frozenset()


def test_who_does_not_answer_is_suspected_and_cleared_by_an_answer() -> None:
    company = silent_from_2_to_4(lambda: Ping(period=0.2, timeout=0.6, growth=0.5))

    assert company.events(0) == [(1, True), (1, False)]
    assert company.top(0).timeout_of(1) == 1.1


def test_a_node_that_asks_nothing_still_answers() -> None:
    company = Company(lambda: (Ping(asks=False),), size=2)
    company.layer(0, Ping)._ask()
    company.run(5.1)

    assert company.told == []
    assert company.network.sent == 2 * 26  # a question every 0.2 s from 0 s to 5 s, and its answer


def test_answers_to_an_earlier_life_do_not_count() -> None:
    """Node 0 comes back; its questions have low numbers again, and old answers high ones."""
    company = Company(lambda: (Ping(period=0.2, timeout=0.6),), size=2, delay=0.1)
    company.at(2.15, company.nodes[0].restart)
    company.at(2.30, company.nodes[1].crash)
    company.run(10.0)

    assert company.top(0).suspected == {1}


@pytest.mark.parametrize("kind", [Heartbeat, Ping])
def test_a_clock_that_jumps_makes_nobody_suspect(kind: type[Heartbeat | Ping]) -> None:
    company = Company(lambda: (kind(),))
    company.at(2.0, lambda: company.nodes[0].clock.jump(100.0))
    company.at(3.0, lambda: company.nodes[0].clock.jump(-200.0))
    company.run(10.0)

    assert company.told == []


def test_phi_of_a_heartbeat_on_time_is_one_bit_of_doubt() -> None:
    """Half of all gaps are longer than the mean: φ = log10 2. Two deviations later: 2.3 % are."""
    assert phi(0.1, 0.1, 0.02) == pytest.approx(log10(2.0))
    assert phi(0.14, 0.1, 0.02) == pytest.approx(1.643, abs=0.001)
    assert phi(inf, 0.1, 0.02) == inf


def test_phi_never_falls_with_the_silence_and_has_no_bound() -> None:
    levels = [phi(0.01 * step, 0.1, 0.05) for step in range(1000)]

    assert levels == sorted(levels)
    assert levels[-1] > 1000.0


def test_phi_accrual_learns_the_gaps_and_suspects_who_is_silent() -> None:
    company = Company(lambda: (PhiAccrual(period=0.1, threshold=8.0, window=5),), size=2)
    company.at(5.05, company.nodes[1].crash)
    company.run(5.0)
    before = company.top(0).level(1)
    company.run(10.0)

    assert before < 1.0
    assert company.events(0) == [(1, True)]
    assert len(company.top(0)._gaps[1]) == 5


def test_phi_accrual_wants_more_after_a_mistake() -> None:
    company = silent_from_2_to_4(lambda: PhiAccrual(period=0.1, threshold=3.0, growth=2.0))

    assert company.events(0) == [(1, True), (1, False)]
    assert company.top(0)._thresholds == {1: 5.0, 2: 3.0}


def test_with_a_known_bound_nobody_is_suspected_before_it_crashes() -> None:
    """Heartbeats take the full bound of 0.3 s; node 1 crashes at 5 s, and is suspected soon, by all."""
    company = Company(lambda: (TimedOut(bound=0.3, period=0.1),), delay=0.3)
    company.at(5.0, company.nodes[1].crash)
    company.run(20.0)

    assert sorted(event[1:] for event in company.told) == [(0, 1, True), (2, 1, True)]
    assert all(5.3 < event[0] < 6.2 for event in company.told)


def test_wrong_suspicions_come_as_often_and_last_as_long_as_asked() -> None:
    """1000 s, T_MR = 10 s between the starts of mistakes, T_M = 1 s: about 100 a pair, P_A near 0.9."""
    quality = Quality()
    company = Company(lambda: (Mistaken(recurrence=10.0, duration=1.0), Heartbeat(period=5.0, timeout=20.0)))
    company.run(1000.0)
    for time, node, other, is_suspected in company.told:
        quality.changed(time, node, other, is_suspected)

    figures = quality.figures
    assert figures.mistake_recurrence == pytest.approx(10.0, rel=0.2)
    assert figures.mistake_duration == pytest.approx(1.0, rel=0.2)
    assert figures.query_accuracy == pytest.approx(0.9, abs=0.03)


def test_a_single_mistake_ends_and_an_own_one_is_not_made() -> None:
    company = Company(lambda: (Mistaken(), Heartbeat()))
    company.at(1.0, lambda: company.top(0).suspect_wrongly(1, 0.5))
    company.at(1.0, lambda: company.top(0).suspect_wrongly(0, 0.5))
    company.run(5.0)

    assert company.told == [(1.0, 0, 1, True), (1.5, 0, 1, False)]


@pytest.mark.parametrize(
    ("first", "second", "ends"), [(0.5, 1.0, 2.25), (2.0, 0.5, 1.75), (0.25, 1.0, 2.25), (2.0, 1.0, 2.25)]
)
def test_a_mistake_lasts_as_the_last_one_says(first: float, second: float, ends: float) -> None:
    """The first from 1 s on, the second from 1.25 s on; where the first is over then, they are two."""
    company = Company(lambda: (Mistaken(), Heartbeat()))
    company.at(1.0, lambda: company.top(0).suspect_wrongly(1, first))
    company.at(1.25, lambda: company.top(0).suspect_wrongly(1, second))
    company.run(5.0)

    assert [(time, is_suspected) for time, *_, is_suspected in company.told][-1] == (ends, False)
    assert len(company.told) in {2, 4}


def test_a_mistake_about_a_crashed_node_becomes_the_truth() -> None:
    company = Company(lambda: (Mistaken(), Heartbeat()))
    company.at(1.0, lambda: company.top(0).suspect_wrongly(1, 2.0))
    company.at(1.5, company.nodes[1].crash)
    company.run(10.0)

    assert company.events(0) == [(1, True)]


def test_mistakes_stop_when_told() -> None:
    company = Company(lambda: (Mistaken(recurrence=0.2, duration=0.1, until=5.0), Heartbeat()))
    company.run(20.0)

    assert max(time for time, *_ in company.told) < 7.0
    assert company.top(0).suspected == frozenset()


def test_quality_of_a_history_one_can_check_by_hand() -> None:
    """Mistakes of node 0 about node 1 at 10 s for 2 s, at 20 s for 4 s; node 1 crashes at 50 s, known at 53 s."""
    quality = Quality()
    for time, is_suspected in ((10.0, True), (12.0, False), (20.0, True), (24.0, False)):
        quality.changed(time, 0, 1, is_suspected)
    quality.crashed(50.0, 1)
    assert quality.figures.undetected == 1
    quality.changed(53.0, 0, 1, True)

    figures = quality.figures
    assert (figures.detection_time, figures.undetected) == (3.0, 0)
    assert (figures.mistake_recurrence, figures.mistake_duration) == (10.0, 3.0)
    assert figures.query_accuracy == pytest.approx(0.7)
    assert figures.misses(detection=3.0, duration=3.0, recurrence=10.0, accuracy=0.69) == []
    assert figures.misses(detection=2.0, accuracy=0.9) == [
        "T_D is 3, not between 0 and 2",
        "P_A is 0.7, not between 0.9 and 1",
    ]
    assert str(figures) == (
        "T_D 3.000 s (longest 3.000 s, 0 undetected), T_MR 10.000 s, T_M 3.000 s, P_A 0.700000"
    )


def test_quality_knows_that_a_node_has_come_back() -> None:
    """Suspected since 11 s for a crash at 10 s, it is wrong from its return at 20 s until it is cleared."""
    quality = Quality()
    quality.crashed(10.0, 1)
    quality.changed(11.0, 0, 1, True)
    quality.restarted(20.0, 1)
    quality.changed(21.5, 0, 1, False)

    assert quality.figures.detection == ()
    assert quality.figures.duration == (1.5,)
    assert quality.figures.query_accuracy is None


def test_detectors_on_a_lossy_network_err_less_and_less() -> None:
    """With 30 % loss and a timeout of one period, most mistakes come in the first fifth of the time."""
    company = Company(lambda: (Heartbeat(period=0.1, timeout=0.1, growth=0.2),), Loss(0.3))
    company.run(100.0)
    mistakes = [time for time, _, _, is_suspected in company.told if is_suspected]

    assert sum(time < 20.0 for time in mistakes) > len(mistakes) / 2


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Heartbeat(period=0.0), "period is a positive number, not 0.0"),
        (lambda: Ping(timeout=-1.0), "timeout is a positive number, not -1.0"),
        (lambda: TimedOut(bound=inf), "bound is a positive number, not inf"),
        (lambda: Mistaken(recurrence=0.0), "recurrence is a positive number of seconds, or inf, not 0.0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(make: object, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()  # type: ignore[operator]


def test_phi_accrual_is_mistaken_about_all_when_the_clock_jumps_ahead_until_their_next_heartbeat() -> None:
    company = Company(lambda: (PhiAccrual(period=0.1),))
    company.at(2.05, lambda: company.nodes[0].clock.jump(100.0))
    company.run(10.0)

    assert company.events(0) == [(1, True), (2, True), (1, False), (2, False)]
    assert max(time for time, *_ in company.told) == pytest.approx(2.11)


@given(st.lists(st.floats(0.0, 1e3), min_size=1, max_size=60), st.integers(1, 20))
def test_phi_learns_from_the_last_gaps_alone(gaps: list[float], size: int) -> None:
    """Mean and deviation are those of the window, however much has left it: counted anew, they are the same."""
    window = _GapWindow(1.0, size)
    for gap in gaps:
        window.add(gap)

    last = [1.0, *gaps][-size:]
    mean = fmean(last)
    found = window.moments()
    assert len(window) == len(last)
    assert found[0] == pytest.approx(mean, abs=1e-9)
    assert found[1] == pytest.approx(pstdev(last), abs=1e-9, rel=1e-9)
