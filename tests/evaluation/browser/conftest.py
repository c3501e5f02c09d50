"""A real Chromium, without a network; tests that need one are skipped where there is none, unless CI demands them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sync_api = pytest.importorskip("playwright.sync_api")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        if os.environ.get("DIRECTRANK_CHROMIUM") == "required":
            pytest.fail("there is no Chromium, and DIRECTRANK_CHROMIUM=required")
        pytest.skip("there is no Chromium: the report's page was not tested in a browser (Debian: apt install chromium)")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found)
        yield browser
        browser.close()


class Visit:
    """A page that is open, and all it has said and asked for."""

    def __init__(self, page: Any) -> None:
        self.page, self.said, self.requests = page, [], []
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, file: Path) -> Any:
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("#ndcg_at_k svg, #curves[hidden]", state="attached")
        self.page.wait_for_selector("#scatter svg")
        return self.page


@pytest.fixture
def visit(chromium: Any) -> Iterator[Callable[..., Visit]]:
    """Open a new window without a network: width, height, color_scheme and so on may be given."""
    contexts = []

    def make(width: int = 1280, height: int = 900, **options: Any) -> Visit:
        context = chromium.new_context(viewport={"width": width, "height": height}, offline=True, **options)
        context.set_default_timeout(20_000)
        contexts.append(context)
        return Visit(context.new_page())

    yield make
    for context in contexts:
        context.close()
