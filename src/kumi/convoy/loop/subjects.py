"""Which scenario is to be compared, and which of its robots are real?

One that states its real robots is taken as it is. Of another, robots become real for the comparison: each an emulated
robot made to measure, with the size, the speed and the rangers that the scenario says, and every device of it that such a
robot can have is real.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from kumi.convoy.loop.made_real import tables_of_convoy
from kumi.convoy.loop.subject import ConvoySubject
from kumi.convoy.staging import ConvoyTeam
from kumi.loop.comparing.subject import StagedSubject, Subject
from kumi.loop.made_real import tables_of_team
from kumi.scenario.document import ScenarioError
from kumi.scenario.overrides import Override
from kumi.scenario.scenario import find_loop, load_scenario
from kumi.scenario.staging import Staging


def subject_of(which: str, changes: Sequence[str | Override], chosen: Sequence[str], folder: Path) -> Subject:
    """Return what is to be compared; raises ScenarioError.

    `chosen` names robots of a scenario that states no real ones; without names all become real, or as many as a link has
    addresses. The calibrations of those are written into the folder.
    """
    given = tuple(changes)
    if find_loop(which, given) is not None:
        return _unchosen(ConvoySubject(which, given), chosen)
    scenario = load_scenario(which, given)
    if scenario.settings.real:
        return _unchosen(StagedSubject(which, given), chosen)
    staging = Staging(scenario)
    is_convoy = isinstance(staging.models, ConvoyTeam)
    if isinstance(staging.models, ConvoyTeam):
        made = tables_of_convoy(staging.models, chosen, folder)
    else:
        made = tables_of_team(staging, chosen, folder)
    given += (Override("real", made, "--real"),)
    if scenario.settings.tracking is None:
        given += (Override("tracking", {}, "--real"),)
    return ConvoySubject(which, given) if is_convoy else StagedSubject(which, given)


def _unchosen(subject: Subject, chosen: Sequence[str]) -> Subject:
    """Return a subject that states its real robots; others cannot be chosen then."""
    if chosen:
        names = ", ".join(one.name for one in subject.robots)
        raise ScenarioError(f"--real {chosen[0]}: the scenario states its real robots, {names}")
    return subject
