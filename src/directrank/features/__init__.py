"""From documents to features."""

from .query_scaling import QueryMinMax, QueryPercentile

__all__ = ["QueryMinMax", "QueryPercentile"]
