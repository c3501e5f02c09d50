"""Lists of words that say little of what a text is about."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike as _PathLike
from pathlib import Path

from ..data import InputError
from ..data.io.files import text_lines

#: The 418 stop words of Indri, which are those of INQUERY (Callan et al. 1992).
INDRI = """
a about above according across after afterwards again against albeit all almost alone along already also although
always am among amongst an and another any anybody anyhow anyone anything anyway anywhere apart are around as at av
be became because become becomes becoming been before beforehand behind being below beside besides between beyond
both but by can cannot canst certain cf choose contrariwise cos could cu day do does doesn't doing dost doth double
down dual during each either else elsewhere enough et etc even ever every everybody everyone everything everywhere
except excepted excepting exception exclude excluding exclusive far farther farthest few ff first for formerly
forth forward from front further furthermore furthest get go had halves hardly has hast hath have he hence
henceforth her here hereabouts hereafter hereby herein hereto hereupon hers herself him himself hindmost his hither
hitherto how however howsoever i ie if in inasmuch inc include included including indeed indoors inside insomuch
instead into inward inwards is it its itself just kg kind km last latter latterly less lest let like little ltd
many may maybe me meantime meanwhile might more moreover most mostly mr mrs ms much must my myself namely need
neither never nevertheless next no nobody none nonetheless noone nope nor not nothing notwithstanding now nowadays
nowhere of off often ok on once one only onto or other others otherwise ought our ours ourselves out outside over
own per perhaps plenty provide quite rather really round said sake same sang save saw see seeing seem seemed
seeming seems seen seldom selves sent several shalt she should shown sideways since slept slew slung slunk smote so
some somebody somehow someone something sometime sometimes somewhat somewhere spake spat spoke spoken sprang sprung
stave staves still such supposing than that the thee their them themselves then thence thenceforth there thereabout
thereabouts thereafter thereby therefore therein thereof thereon thereto thereupon these they this those thou
though thrice through throughout thru thus thy thyself till to together too toward towards ugh unable under
underneath unless unlike until up upon upward upwards us use used using very via vs want was we week well were what
whatever whatsoever when whence whenever whensoever where whereabouts whereafter whereas whereat whereby wherefore
wherefrom wherein whereinto whereof whereon wheresoever whereto whereunto whereupon wherever wherewith whether whew
which whichever whichsoever while whilst whither who whoa whoever whole whom whomever whomsoever whose whosoever
why will wilt with within without worse worst would wow ye year yet yippee you your yours yourself yourselves
"""


def read_stop_words(path: str | _PathLike[str]) -> list[str]:
    """The words of a file, plain or gzip, separated by blanks or line ends."""
    found = [word for line in text_lines(path) for word in line.split()]
    if not found:
        raise InputError(f"{path}: the file has no stop words; write one on each line")
    return found


def as_words(stop_words: str | _PathLike[str] | Iterable[str]) -> Iterable[str]:
    """Stop words from "scikit-learn", "indri", a file, or as they are."""
    if stop_words == "scikit-learn":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return ENGLISH_STOP_WORDS
    if stop_words == "indri":
        return INDRI.split()
    if isinstance(stop_words, str) and not Path(stop_words).exists():
        raise InputError(f"there are no stop words {stop_words!r}; name scikit-learn, indri, or a file of words")
    return read_stop_words(stop_words) if isinstance(stop_words, (str, _PathLike)) else stop_words
