"""ASCII codes by name, for parsers that work on bytes. Numba compiles module-level integers in as constants."""

from __future__ import annotations

TAB, NEWLINE = 9, 10
SPACE = 32  # this and every code below it separates tokens; only a newline ends a line
HASH = 35  # starts a comment
PLUS, MINUS, POINT = 43, 45, 46
ZERO, NINE = 48, 57
COLON, EQUALS = 58, 61
E = 101

#: ``code | TO_LOWER`` is the lower-case form of a letter.
TO_LOWER = 32

LAST_OF_ASCII = 127
