"""Trees of pages by their URLs, and propagation of scores along them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Ints
from ..data import InputError

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_PORT = re.compile(r":(80|443)\Z")
_INDEX = re.compile(r"(index|default|home|welcome)\.\w{2,5}", re.IGNORECASE)


class Sitemap(NamedTuple):
    """Pages of hosts as trees.

    Attributes
    ----------
    host : int64 array
        Index of each page's host.
    parent : int64 array
        Index of each page's parent, -1 for a root: the page with the longest URL that, as a folder, is a prefix of its own.
        Among pages with the same URL, the first is the parent.
    level : int64 array
        Number of path segments of each page's URL.
    is_index : bool array
        Whether a page is the index page of a folder: its URL ends with a slash or a name such as index.html, or is a host.
    """

    host: Ints
    parent: Ints
    level: Ints
    is_index: NDArray[np.bool_]

    @property
    def n_hosts(self) -> int:
        return int(self.host.max(initial=-1)) + 1


def sitemap(urls: Sequence[str]) -> Sitemap:
    """Build the trees of pages with these URLs.

    Examples
    --------
    >>> sitemap(["http://a.org/", "http://a.org/x/index.html", "http://a.org/x/y.html", "b.org"]).parent.tolist()
    [-1, 0, 1, -1]
    """
    split = [_parts(url) for url in urls]
    hosts: dict[str, int] = {}
    first: dict[tuple[str, ...], int] = {}
    for page, (parts, _) in enumerate(split):
        hosts.setdefault(parts[0], len(hosts))
        first.setdefault(parts, page)
    return Sitemap(
        np.array([hosts[parts[0]] for parts, _ in split], np.int64),
        np.array([_above(parts, first) for parts, _ in split], np.int64),
        np.array([len(parts) - 1 for parts, _ in split], np.int64),
        np.array([is_index for _, is_index in split], np.bool_),
    )


def propagate_to_parents(parents: ArrayLike, scores: ArrayLike, alpha: float = 0.5) -> Floats:
    r"""Propagate scores or term counts from pages to their parents in a site's tree.

    .. math:: s'(p) = (1 + \alpha)\, s(p) + \frac{1 - \alpha}{|C(p)|} \sum_{q \in C(p)} s(q)

    for a page with children C(p); the score of a leaf is unchanged. It is modelled on the sitemap propagation of Song et al.
    (2004) and Qin et al. (2005); these papers were not available, so the factors may differ from theirs.

    Parameters
    ----------
    parents : array
        Index of each page's parent, -1 for a root: `sitemap(urls).parent`.
    scores : array of n, or of n x columns
        Scores for a query, or term counts.
    alpha : float
        The weight of a page's own score, from 0 to 1.
    """
    s, above = np.asarray(scores, np.float64), np.asarray(parents)
    n = above.size
    if above.ndim != 1 or not np.issubdtype(above.dtype, np.integer) or not np.all((above >= -1) & (above < n)):
        raise InputError("parents must have the number of the page above each page, or -1")
    if s.ndim not in (1, 2) or s.shape[0] != n or not np.all(np.isfinite(s)):
        raise InputError(f"scores must be finite, with {n} rows, one for each page")
    if not 0 <= alpha <= 1:
        raise InputError(f"alpha must be from 0 to 1, not {alpha!r}")
    below = np.flatnonzero(above >= 0)
    sums = np.zeros(s.shape)
    np.add.at(sums, above[below], s[below])
    sizes = np.bincount(above[below], minlength=n).reshape((n,) + (1,) * (s.ndim - 1))
    return np.where(sizes > 0, (1 + alpha) * s + (1 - alpha) * sums / np.maximum(sizes, 1), s)


def _parts(url: str) -> tuple[tuple[str, ...], bool]:
    """The host and path segments of a URL, without the name of an index page; and whether it is an index page."""
    address = _SCHEME.sub("", url.strip(), count=1).partition("#")[0]
    place, _, query = address.partition("?")
    host, _, path = place.partition("/")
    parts = [part for part in path.split("/") if part]
    is_index = not query and (not path or path.endswith("/"))
    if parts and not query and _INDEX.fullmatch(parts[-1]):
        parts, is_index = parts[:-1], True
    return (_PORT.sub("", host.lower()), *parts, *([f"?{query}"] if query else [])), is_index


def _above(parts: tuple[str, ...], first: dict[tuple[str, ...], int]) -> int:
    """The page with the longest URL that is a prefix of this one; -1 if there is none."""
    return next((first[parts[:size]] for size in range(len(parts) - 1, 0, -1) if parts[:size] in first), -1)
