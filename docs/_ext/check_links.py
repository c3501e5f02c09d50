"""Check that all internal links of the built site have targets, anchors included: ``python check_links.py FOLDER``.

External links are not checked, since the build may have no network.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote


class Page(HTMLParser):
    """Anchors and links of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.anchors, self.links = path, set[str](), list[str]()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("id", "name"):
                self.anchors.add(value)
            elif value and name in ("href", "src"):
                self.links.append(value)


def broken_links(site: Path) -> list[str]:
    """A message for each link without a target."""
    files = [path for path in site.resolve().rglob("*.html") if "_static" not in path.parts]
    pages = {path: Page(path) for path in files}
    return [
        f"{page.path.relative_to(site.resolve())}: broken link {link}"
        for page in pages.values()
        for link in page.links
        if not re.match(r"\w+:|//", link) and not _has_target(page, link, pages)
    ]


def _has_target(page: Page, link: str, pages: dict[Path, Page]) -> bool:
    file, _, anchor = link.partition("#")
    target = (page.path.parent / unquote(file.split("?")[0])).resolve() if file else page.path
    if anchor and target in pages:
        return unquote(anchor) in pages[target].anchors
    return target.exists()


if __name__ == "__main__":
    found = broken_links(Path(sys.argv[1]))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))
