"""Comparison of any number of rankings: reports in many formats, and an HTML page."""

from .compare_all import compare_all
from .page.section import Section
from .report import Mean, Report

__all__ = ["Mean", "Report", "Section", "compare_all"]


def __dir__() -> list[str]:
    return __all__
