"""The trees of URLs, against all pairs of pages, and what is passed up along them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank import InputError
from directrank.retrieval import propagate_to_parents, sitemap

paths = st.lists(st.sampled_from(["a", "b"]), max_size=4).map("/".join)
urls = st.lists(st.builds("{}/{}".format, st.sampled_from(["x.org", "y.org"]), paths), min_size=1, max_size=12)


@given(urls=urls)
def test_the_page_above_has_the_longest_url_that_starts_this_one(urls: list[str]) -> None:
    site = sitemap(urls)
    folders = [url.rstrip("/") + "/" for url in urls]
    for page, folder in enumerate(folders):
        above = [(len(other), -q) for q, other in enumerate(folders) if other != folder and folder.startswith(other)]
        assert site.parent[page] == (-max(above)[1] if above else -1)
        assert site.level[page] == folder.count("/") - 1
    assert [urls[0][:5] == url[:5] for url in urls] == (site.host == site.host[0]).tolist()


@pytest.mark.parametrize(
    ("url", "level", "is_index"),
    [
        ("http://X.org", 0, True),
        ("x.org:80/", 0, True),
        ("https://x.org:443/a", 1, False),
        ("x.org/Default.asp", 0, True),
        ("ftp://x.org/a/index.html#top", 1, True),
        ("x.org/a", 1, False),
        ("x.org/a.html", 1, False),
        ("x.org/a/?q=1/2", 2, False),
        ("x.org/index.html?q=1", 2, False),
        ("", 0, True),
    ],
)
def test_urls(url: str, level: int, is_index: bool) -> None:
    site = sitemap(["x.org", url])
    assert site.level[1] == level and site.is_index[1] == is_index
    assert (site.host[1] == 0) == bool(url)


@given(urls=urls, alpha=st.sampled_from([0.0, 0.3, 1.0]), data=st.data())
def test_propagation_up_is_its_plain_sum(urls: list[str], alpha: float, data) -> None:
    parents = sitemap(urls).parent
    s = data.draw(st.lists(st.integers(0, 9), min_size=len(urls), max_size=len(urls)))
    wanted = []
    for p in range(len(urls)):
        below = [s[q] for q in range(len(urls)) if parents[q] == p]
        wanted.append((1 + alpha) * s[p] + (1 - alpha) * sum(below) / len(below) if below else s[p])
    np.testing.assert_allclose(propagate_to_parents(parents, s, alpha), wanted)
    np.testing.assert_allclose(
        propagate_to_parents(parents, np.column_stack([s, s]), alpha), np.column_stack([wanted, wanted])
    )


@pytest.mark.parametrize(
    ("job", "message"),
    [
        (lambda: propagate_to_parents([0, 2], [1, 1]), "parents must have the number of the page above each page, or -1"),
        (lambda: propagate_to_parents([-1, 0], [1]), "scores must be finite, with 2 rows"),
        (lambda: propagate_to_parents([-1, 0], [1, np.nan]), "scores must be finite"),
        (lambda: propagate_to_parents([-1, 0], [1, 1], 2), "alpha must be from 0 to 1, not 2"),
    ],
)
def test_errors(job, message: str) -> None:
    with pytest.raises(InputError, match=message):
        job()
