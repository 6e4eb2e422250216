"""Templates of HTML: every text is escaped, in quotes and scripts too, and no name is missing in silence."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from core.base.html_templates import open_templates

HOSTILE = "</div><script>alert('x' && \"y\")</script>"


def test_no_text_is_markup(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text('<p title="{{ text }}">{{ text }}</p>', encoding="utf-8")
    page = open_templates(tmp_path).get_template("page.html").render(text=HOSTILE)
    [(title, shown)] = re.findall('<p title="([^"<>]*)">([^<>]*)</p>', page)
    assert (unescape(title), unescape(shown)) == (HOSTILE, HOSTILE)


def test_data_for_a_script_stay_as_they_are_and_are_no_markup(tmp_path: Path) -> None:
    (tmp_path / "feed.html").write_text("{{ data | tojson }}", encoding="utf-8")
    data = {"b": HOSTILE, "a": [1.5, None]}
    shown = open_templates(tmp_path).get_template("feed.html").render(data=data)
    assert not re.search("[<>&]", shown)
    assert list(json.loads(shown).items()) == list(data.items())


def test_a_name_that_nobody_gives_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("{{ text }}", encoding="utf-8")
    with pytest.raises(UndefinedError, match="'text' is undefined"):
        open_templates(tmp_path).get_template("page.html").render(txt="")
