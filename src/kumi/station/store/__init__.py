"""What a station keeps, and how it is on disk before it is answered."""
