"""On which map does a scenario take place?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kumi.world import Map, MapError, map_from_table

if TYPE_CHECKING:
    from kumi.experiment.scenario import Scenario


def map_of(scenario: Scenario) -> Map:
    """Return the map of a scenario; what is wrong with it is named with its line."""
    given, name = scenario.settings.map, scenario.document.name
    place = scenario.document.place("map")
    try:
        return map_from_table({"file": given} if isinstance(given, str) else given, name, scenario.folder)
    except MapError as error:
        if error.where != name:
            raise place.error(str(error)) from error
        keys = () if isinstance(given, str) else error.keys
        raise place.at(*keys).error(f"map: {error.reason}") from error
