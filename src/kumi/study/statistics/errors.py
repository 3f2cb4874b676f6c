"""What can be wrong with numbers from which something is to be concluded?"""

from kumi.devs.errors import KumiError


class StatisticsError(KumiError, ValueError):
    """Values, or a question about them, that have no answer."""
