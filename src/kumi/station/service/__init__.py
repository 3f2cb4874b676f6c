"""What a station does with each operation: handlers, rights, presence, the robots' door."""
