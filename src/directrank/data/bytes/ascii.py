"""ASCII codes by name, for parsers that work on bytes."""

from __future__ import annotations

NEWLINE = 10
LAST_OF_ASCII = 127
