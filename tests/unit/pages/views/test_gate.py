"""What stands on every page: what keeps Touchstone from working, or the name of the page and what is done there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.unit.pages.views.conftest import APP


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("TOUCHSTONE_DEVICE", "gpu", "TOUCHSTONE_DEVICE: 'gpu' names no devices"),
        ("TOUCHSTONE_DATABASE_URL", "sqlite:///{file}", "file is not a database"),
    ],
)
def test_what_is_set_wrongly_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str, value: str, sentence: str
) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("These are notes, and no database.")
    with monkeypatch.context() as changed:
        changed.setenv(variable, value.format(file=file))
        app = AppTest.from_file(str(APP), default_timeout=60).run()
        st.cache_resource.clear()
    assert not app.exception
    [error] = app.error
    assert sentence in error.value.replace("\\", "")


PAGES = (
    "home",
    "stress",
    "annotate",
    "campaigns",
    "evaluate",
    "audit",
    "metrics",
)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_its_name_as_its_one_first_heading(open_page: Callable[..., AppTest], page: str) -> None:
    app = open_page(page).run()
    assert not app.exception
    drawn = "".join(str(one.proto.body) for one in app.get("html"))
    assert drawn.count("<h1>") + len(app.title) == 1
    assert re.search(r"<h1>[A-Z][a-z ]+</h1><p>.+</p>", drawn, re.DOTALL)


def test_probe_has_the_verdict_on_the_edit_as_its_one_first_heading(probe: Callable[..., AppTest]) -> None:
    drawn = "".join(str(one.proto.body) for one in probe().get("html"))
    assert re.findall("<h1>(.+)</h1>", drawn) == ["Change a word of the summary: which metrics notice?"]
