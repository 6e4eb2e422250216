"""The site that `make docs` builds: every link in it leads to a page and an anchor of it, and nothing is fetched from elsewhere."""

from __future__ import annotations

import posixpath
import shutil
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from pages.server.docs_pages import CONTENTS, read_contents
from tests.sources import ROOT

CONFIG = "zensical.toml"
PROJECT = tomllib.loads((ROOT / CONFIG).read_text(encoding="utf-8"))["project"]


class Page(HTMLParser):
    """Links, fetches and anchors of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value}
        self.anchors |= {values["id"]} if "id" in values else set()
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag in {"script", "img", "link", "iframe"} and values.get("rel") not in {"canonical", "prev", "next"}:
            self.fetched += [values[name] for name in ("src", "href") if name in values]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("zensical", reason="the group dev of pyproject.toml has zensical, which builds the site")
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copy(ROOT / CONFIG, folder)
    command = [sys.executable, "-m", "zensical", "build", "--strict", "-f", CONFIG]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / PROJECT["site_dir"]


@pytest.mark.slow
def test_every_link_of_the_site_leads_to_a_page_and_an_anchor(site: Path) -> None:
    pages = {
        file.relative_to(site).as_posix(): Page(file.read_text(encoding="utf-8"))
        for file in site.rglob("*.html")
        if file.name != "404.html"  # its links are those of the whole address
    }
    assert len(pages) > 80
    broken = []
    for name, page in pages.items():
        for link in [*page.links, *page.fetched]:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (
                posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path))) if parts.path else name
            )
            if parts.path.endswith("/") or target in {".", ".."} or (site / target).is_dir():
                target = posixpath.normpath(posixpath.join(target, "index.html"))
            anchor = unquote(parts.fragment)
            if not (site / target).is_file() or (anchor and target in pages and anchor not in pages[target].anchors):
                broken.append(f"{name}: {link}")
    assert broken == []


@pytest.mark.slow
def test_the_site_fetches_nothing_from_elsewhere(site: Path) -> None:
    pages = {file: Page(file.read_text(encoding="utf-8")) for file in site.rglob("*.html")}
    elsewhere = {one for page in pages.values() for one in page.fetched if urlsplit(one).netloc}
    assert elsewhere == set()


def test_the_navigation_of_the_site_is_that_of_the_contents() -> None:
    [[contents], *sections] = [[*entry.items()] for entry in PROJECT["nav"]]
    assert contents[1] == f"{CONTENTS}.md"
    navigation = [(title, [(*chapter.items(),)[0] for chapter in chapters]) for [(title, chapters)] in sections]
    listed = [
        (section, [(title, f"{name}.md") for name, title in chapters.items()])
        for section, chapters in read_contents().items()
    ]
    assert navigation == listed
