"""Which version of kumi this is."""

VERSION = "0.1.0"
