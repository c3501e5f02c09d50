"""Readers of document collections, files or folders, whose formats are recognised by their content.

They are JSON lines and tab-separated lines, TREC's SGML and web pages, and files of the SMART system, such as OHSUMED; plain
or gzip.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import InputError
from ...io.files import PathLike, decoded_lines, opened
from .smart import FIELDS as SMART_FIELDS, smart_entries
from .text_lines import DOCUMENT, parse_line, shown
from .trec_documents import Parsed, trec_documents

_SMART = re.compile(rb"\.I[ \t]+\S")
#: Files on TREC's disks that are not documents.
_BESIDE = re.compile(r"\..*|read.?me.*|readchg.*|readfrcg.*|.*\.dtd(\.gz)?", re.IGNORECASE)
_TEXTS = ("title", "text")


class Document(NamedTuple):
    """A document and the text of each of its fields."""

    docno: str
    fields: dict[str, str]

    @property
    def text(self) -> str:
        """The texts of all fields, joined."""
        return "\n".join(text for text in self.fields.values() if text)


def read_documents(
    path: PathLike, fields: Sequence[str] | None = None, *, max_size: int | None = None
) -> Iterator[Document]:
    """Iterate over the documents of a file or of a folder, in the order of file names.

    The format is recognised by the content of each file:

    - JSON lines, whose text fields have any names, and lines of a docno, a tab and a text;
    - TREC's SGML documents, ``<DOC><DOCNO>...``: the fields are ``title`` (of HEADLINE, HL, HEAD, TITLE, TTL, TI), ``text``
      (of TEXT, LP, LEADPARA, and text outside of fields) and others by their tags, in lower case;
    - web pages as in WT10g and .GOV, ``<DOC><DOCNO>...<DOCHDR>``: ``title``, ``text`` and ``url``;
    - files of the SMART system, ``.I 1``: ``title`` (.T), ``text`` (.W), ``author`` (.A), ``source`` (.B or .S),
      ``mesh`` (.M), ``type`` (.P), ``keywords`` (.K). If there is a MEDLINE identifier (.U), it is the docno, as in the
      judgments of OHSUMED, and .I is the field ``number``.

    In all formats but the first, text is UTF-8, or Latin-1 if it is not valid UTF-8.

    Parameters
    ----------
    path : path
        A file, which may be a pipe; or a folder, whose files are read recursively, except hidden files, DTDs and READMEs.
    fields : sequence of str, optional
        Fields to read, "" if a document lacks one. By default all fields of JSON lines, else title and text.
    max_size : int, optional
        Maximum number of bytes to read from a file, after decompression.

    Examples
    --------
    >>> import pathlib
    >>> _ = pathlib.Path("wsj").write_text("<DOC><DOCNO>WSJ-1</DOCNO><HL>Cats</HL><SO>WSJ</SO><TEXT>A cat sat.</TEXT></DOC>")
    >>> list(read_documents("wsj"))
    [Document(docno='WSJ-1', fields={'title': 'Cats', 'text': 'A cat sat.'})]
    """
    if isinstance(fields, str):
        fields = (fields,)
    seen: set[str] = set()
    known: dict[str, None] = {}
    asked: dict[str, None] = {}
    for file in _files(path):
        for (line, docno, found), texts in _documents_of(file, max_size):
            if docno in seen:
                raise InputError(f"{file}:{line}: document {shown(docno)} is given more than once; keep one")
            seen.add(docno)
            wanted = dict.fromkeys(fields or texts or found)
            known.update(dict.fromkeys(found))
            asked.update(wanted)
            yield Document(docno, {field: found.get(field, "") for field in wanted})
    lacking = [field for field in asked if field not in known]
    if lacking if fields else known and len(lacking) == len(asked):
        raise InputError(f"{path}: no document has the field {' or '.join(lacking)}; name some of these: {', '.join(known)}")


def _files(path: PathLike) -> list[Path]:
    if not Path(path).is_dir():
        return [Path(path)]
    inside = sorted(file for file in Path(path).rglob("*") if file.is_file())
    files = [file for file in inside if not any(_BESIDE.fullmatch(part) for part in file.relative_to(path).parts)]
    if not files:
        raise InputError(f"{path}: the folder has no files of documents; name the folder that has")
    return files


def _documents_of(path: Path, max_size: int | None) -> Iterator[tuple[Parsed, Sequence[str]]]:
    """Documents of a file, each with the default fields of its format; empty for all fields."""
    found = False
    with opened(path, max_size) as stream:
        start = stream.peek().removeprefix(codecs.BOM_UTF8).lstrip()
        is_markup = start.startswith(b"<") and b"<doc>" in start.lower()
        if start.startswith(b"<") and b"<reuters " in start.lower():
            raise InputError(
                f"{path}: this is Reuters-21578, which has a reader of its own: directrank.datasets.read_reuters"
            )
        if start.startswith(b"<") and not is_markup and b"\t" not in start.partition(b"\n")[0]:
            raise InputError(f"{path}: it starts with markup, but no <DOC>, as TREC's documents have, is near its start")
        is_smart = _SMART.match(start) is not None
        for line, docno, fields in (trec_documents if is_markup else _smart if is_smart else _lines)(stream, path):
            found = True
            if "title" in fields and (is_markup or is_smart):
                fields["title"] = " ".join(fields["title"].split())
            yield Parsed(line, docno, fields), _TEXTS if is_markup or is_smart else ()
    if not found:
        raise InputError(f"{path}: the file has no documents")


def _lines(stream: io.BufferedReader, path: Path) -> Iterator[Parsed]:
    for number, line in enumerate(decoded_lines(stream, path), 1):
        if line.strip():
            yield Parsed(number, *parse_line(line, DOCUMENT, f"{path}:{number}"))


def _smart(stream: io.BufferedReader, path: Path) -> Iterator[Parsed]:
    for line, number, letters in smart_entries(stream, path):
        fields: dict[str, str] = {}
        for letter, text in letters.items():
            name = SMART_FIELDS.get(letter, letter.lower())
            fields[name] = f"{fields[name]}\n{text}" if name in fields else text
        docno = fields.pop("u", "")
        yield Parsed(line, docno or number, {**fields, "number": number} if docno else fields)
