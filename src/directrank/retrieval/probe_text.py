"""A text that shows how an analyser splits, drops and stems words, for digests of analysers."""

from __future__ import annotations

from .stop_words import LISTS

#: The examples of M. F. Porter: An algorithm for suffix stripping. Program 14(3), 1980.
PORTER_EXAMPLES = """
caresses ponies ties caress cats feed agreed plastered bled motoring sing conflated troubled sized hopping tanned
falling hissing fizzed failing filing happy sky relational conditional rational valenci hesitanci digitizer conformabli
radicalli differentli vileli analogousli vietnamization predication operator feudalism decisiveness hopefulness
callousness formaliti sensitiviti sensibiliti triplicate formative formalize electriciti electrical hopeful goodness
revival allowance inference airliner gyroscopic adjustable defensible irritant replacement adjustment dependent
adoption homologou communism activate angulariti homologous effective bowdlerize probate rate cease controll roll
"""

_SCRIPTS = "Ünder_1 don't cafe\u0301 naïve-looking Straße ΣΊΣΥΦΟΣ हिन्दी עִבְרִית ไทย 日本語 x² a.b@c.org 3.14 I\u0307"

PROBE_TEXT = "\n".join([PORTER_EXAMPLES, _SCRIPTS, *LISTS.values()])
