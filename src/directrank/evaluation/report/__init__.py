"""Comparing any number of rankings: a value that prints itself in every format, and a page to look at."""

from .compare_all import compare_all
from .page.section import Section
from .report import Mean, Report

__all__ = ["Mean", "Report", "Section", "compare_all"]
