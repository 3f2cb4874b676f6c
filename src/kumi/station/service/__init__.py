"""The station: one service for robots, users and teams."""
