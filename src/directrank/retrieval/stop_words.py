"""Stop word lists. They are part of the package, so that a saved index does not depend on other packages' versions.

They must not change: a saved index has a digest of its analyser, and cannot be opened with another one.
"""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike as _PathLike
from pathlib import Path

from ..data import InputError
from ..data.io.files import text_lines

#: The 418 stop words of Indri (the Lemur Project, BSD licence), which are those of INQUERY (Callan et al. 1992).
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

#: The 318 English stop words of scikit-learn 1.9 (BSD licence), which are those of the Glasgow Information Retrieval Group.
SCIKIT_LEARN = """
a about above across after afterwards again against all almost alone along already also although always am among
amongst amoungst amount an and another any anyhow anyone anything anyway anywhere are around as at back be became
because become becomes becoming been before beforehand behind being below beside besides between beyond bill both
bottom but by call can cannot cant co con could couldnt cry de describe detail do done down due during each eg eight
either eleven else elsewhere empty enough etc even ever every everyone everything everywhere except few fifteen fifty
fill find fire first five for former formerly forty found four from front full further get give go had has hasnt have
he hence her here hereafter hereby herein hereupon hers herself him himself his how however hundred i ie if in inc
indeed interest into is it its itself keep last latter latterly least less ltd made many may me meanwhile might mill
mine more moreover most mostly move much must my myself name namely neither never nevertheless next nine no nobody
none noone nor not nothing now nowhere of off often on once one only onto or other others otherwise our ours ourselves
out over own part per perhaps please put rather re same see seem seemed seeming seems serious several she should show
side since sincere six sixty so some somehow someone something sometime sometimes somewhere still such system take ten
than that the their them themselves then thence there thereafter thereby therefore therein thereupon these they thick
thin third this those though three through throughout thru thus to together too top toward towards twelve twenty two
un under until up upon us very via was we well were what whatever when whence whenever where whereafter whereas
whereby wherein whereupon wherever whether which while whither who whoever whole whom whose why will with within
without would yet you your yours yourself yourselves
"""

LISTS = {"scikit-learn": SCIKIT_LEARN, "indri": INDRI}


def read_stop_words(path: str | _PathLike[str]) -> list[str]:
    """The words of a file, plain or gzip, separated by whitespace."""
    found = [word for line in text_lines(path) for word in line.split()]
    if not found:
        raise InputError(f"{path}: the file has no stop words; write one on each line")
    return found


def as_words(stop_words: str | _PathLike[str] | Iterable[str]) -> Iterable[str]:
    """Stop words of a list by its name, of a file, or given as they are."""
    if isinstance(stop_words, str) and stop_words in LISTS:
        return LISTS[stop_words].split()
    if isinstance(stop_words, str) and not Path(stop_words).exists():
        raise InputError(f"there are no stop words {stop_words!r}; name scikit-learn, indri, or a file of words")
    return read_stop_words(stop_words) if isinstance(stop_words, (str, _PathLike)) else stop_words
