"""How the world outside calls a station: HTTP, its description, XML-RPC."""
