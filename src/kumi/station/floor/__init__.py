"""Which robot may be on which floor, as the station grants it: requests, the keeper, and what is known of robots that do not ask."""
