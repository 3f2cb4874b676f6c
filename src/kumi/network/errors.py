"""What can be wrong about networks and who is on them."""

from kumi.kernel import KumiError


class NetworkError(KumiError):
    """Something that no network can do."""


class UnknownNode(NetworkError):
    """A node that is not there."""


class TooLarge(NetworkError):
    """A message larger than the network takes."""


class NotAMessage(NetworkError):
    """Something was sent that is no message."""
