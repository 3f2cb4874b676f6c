"""Mutual exclusion: one at a time, in order, and with tokens that keep late ones out."""

from __future__ import annotations

from functools import partial

import pytest

from kumi.checking.cases.exclusion import CASES
from kumi.checking.trial import Trial
from kumi.protocols import Acknowledged, ToEach
from kumi.protocols.guarantees import EventuallyPerfect
from kumi.protocols.reliable import EagerRelay
from kumi.protocols.ricart_agrawala import RicartAgrawala
from kumi.protocols.suspicion import Suspicions
from kumi.protocols.token_ring import STRIDE, Fence, TokenRing
from tests.protocols.company import Company


class Blamed(Suspicions, EventuallyPerfect):
    """Suspects whom a test says."""

    def blame(self, address: int) -> None:
        self._suspect(address)


def asking(size: int = 3) -> Company:
    return Company(lambda: (RicartAgrawala(),), size=size)


def ring(size: int = 3) -> Company:
    return Company(lambda: (TokenRing(), Blamed(), EagerRelay(), ToEach(), Acknowledged()), size=size)


def test_who_asks_comes_in_when_all_have_replied() -> None:
    """A round trip later; the token is made of time 1 and place 1 of 3."""
    company = asking()
    company.at(1.0, lambda: company.top(1).enter())
    company.run()

    assert company.told == [(1.02, 1, 1 * 3 + 1)]


def test_of_two_who_ask_at_the_same_time_the_lower_comes_first() -> None:
    company = asking()
    company.at(1.0, lambda: company.top(2).enter())
    company.at(1.0, lambda: company.top(1).enter())
    company.at(2.0, lambda: company.top(1).leave())
    company.run()

    assert company.told == [(1.02, 1, 4), (2.01, 2, 5)]


def test_who_asked_before_comes_in_before() -> None:
    """Node 2 knows of the request of 1 when it asks, so it waits, though node 0 has nothing against it."""
    company = asking()
    company.at(1.0, lambda: company.top(1).enter())
    company.at(1.015, lambda: company.top(2).enter())
    company.at(5.0, lambda: company.top(1).leave())
    company.run()

    assert [(time, node) for time, node, _ in company.told] == [(1.02, 1), (5.01, 2)]
    assert company.told[0][2] < company.told[1][2]


def test_a_node_alone_comes_in_at_once() -> None:
    company = asking(size=1)
    company.at(1.0, lambda: company.top(0).enter())
    company.run()

    assert company.told == [(1.0, 0, 1)]


def test_when_somebody_crashed_nobody_else_comes_in() -> None:
    """Safety holds all the same: the search lets one node crash, and judges that alone."""
    company = asking()
    company.nodes[0].crash()
    company.at(1.0, lambda: company.top(1).enter())
    company.run()

    assert company.told == []
    trial = Trial(CASES[0], seed=3)
    trial.simulation.schedule(2.0, lambda: trial.crash(2), rank=1)
    violation = trial.run().violation
    assert violation is not None
    assert violation.rule == "each comes in"


@pytest.mark.parametrize("make", [asking, ring])
def test_one_request_at_a_time_and_no_leaving_from_outside(make: type) -> None:
    company = make()
    with pytest.raises(RuntimeError, match="not inside"):
        company.top(0).leave()
    company.top(0).enter()
    with pytest.raises(RuntimeError, match="asked already"):
        company.top(0).enter()


def test_the_token_goes_to_the_next_on_the_ring_who_wants_it() -> None:
    """Node 0 has it; 2 asks first and 1 second, but 1 is the next on the ring."""
    company = ring()
    company.at(1.0, lambda: company.top(0).enter())
    company.at(1.1, lambda: company.top(2).enter())
    company.at(1.2, lambda: company.top(1).enter())
    company.at(2.0, lambda: company.top(0).leave())
    company.at(3.0, lambda: company.top(1).leave())
    company.run()

    assert [(time, node) for time, node, _ in company.told] == [(1.0, 0), (2.01, 1), (3.01, 2)]


def test_each_entry_has_a_higher_token() -> None:
    company = ring()
    for turn in range(4):
        company.at(1.0 + turn, lambda: company.top(0).enter())
        company.at(1.5 + turn, lambda: company.top(0).leave())
    company.run()

    tokens = [token for _, _, token in company.told]
    assert tokens == [1, 2, 3, 4]


def test_where_nobody_asks_nothing_is_sent() -> None:
    company = ring()
    company.run()

    assert company.network.sent == 0


def test_a_token_that_is_gone_is_replaced_by_the_lowest_who_is_left() -> None:
    """Node 1 makes the token number 1 * 3 + 1, half a second after it suspects node 0."""
    company = ring()
    company.at(1.0, company.nodes[0].crash)
    company.at(1.5, lambda: company.top(2).enter())
    for address in (1, 2):
        company.at(2.0, partial(company.layer(address, Blamed).blame, 0))
    company.run()

    assert company.told == [(2.51, 2, 4 * STRIDE + 2)]


def test_a_holder_that_is_only_slow_is_kept_out_by_the_fence() -> None:
    """Node 0 is inside and suspected; node 1 comes in with a higher token, and the fence knows."""
    company = ring()
    company.at(1.0, lambda: company.top(0).enter())
    company.at(2.0, lambda: company.top(1).enter())
    company.at(3.0, lambda: company.layer(1, Blamed).blame(0))
    company.run(until=10.0)
    (_, _, old), (_, _, new) = company.told
    fence = Fence()

    assert [fence.accepts(token) for token in (old, new, old, new)] == [True, True, False, True]


def test_who_lost_its_token_while_inside_gives_no_other_away() -> None:
    company = ring()
    company.at(1.0, lambda: company.top(0).enter())
    company.at(2.0, lambda: company.top(1).enter())
    company.at(2.5, lambda: company.top(2).enter())
    company.at(3.0, lambda: company.layer(1, Blamed).blame(0))
    company.at(5.0, lambda: company.top(0).leave())
    company.at(6.0, lambda: company.top(1).leave())
    company.run()

    assert [node for _, node, _ in company.told] == [0, 1, 2]
    assert company.told[2][0] > 6.0
