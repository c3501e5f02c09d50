"""Whether every link within the built site leads to a page, and to a place on it: ``python check_links.py FOLDER``.

Addresses elsewhere are not looked at: where the site is built there may be no network.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote


class Page(HTMLParser):
    """The places on a page, and where it leads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.places, self.links = path, set[str](), list[str]()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("id", "name"):
                self.places.add(value)
            elif value and name in ("href", "src"):
                self.links.append(value)


def broken_links(site: Path) -> list[str]:
    """A sentence for each link that leads nowhere."""
    files = [path for path in site.resolve().rglob("*.html") if "_static" not in path.parts]
    pages = {path: Page(path) for path in files}
    return [
        f"{page.path.relative_to(site.resolve())}: {link} leads nowhere"
        for page in pages.values()
        for link in page.links
        if not re.match(r"\w+:|//", link) and not _leads_somewhere(page, link, pages)
    ]


def _leads_somewhere(page: Page, link: str, pages: dict[Path, Page]) -> bool:
    file, _, place = link.partition("#")
    target = (page.path.parent / unquote(file.split("?")[0])).resolve() if file else page.path
    if place and target in pages:
        return unquote(place) in pages[target].places
    return target.exists()


if __name__ == "__main__":
    found = broken_links(Path(sys.argv[1]))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
