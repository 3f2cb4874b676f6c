"""What can be wrong about networks and who is on them."""

from kumi.devs import KumiError


class NetworkError(KumiError):
    """Something that no network can do."""


class UnknownNode(NetworkError):
    """A node that is not there."""


class TooLarge(NetworkError):
    """A message larger than the network takes."""


class NotAMessage(NetworkError):
    """Something was sent that is no message."""


class Malformed(NetworkError):
    """Bytes that are no message, or one whose fields are not what its class says."""


class SameName(NetworkError):
    """Two classes of messages have one name, by which a wire could not tell them apart."""
