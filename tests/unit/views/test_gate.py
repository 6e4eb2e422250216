"""What stands on every page: what keeps Touchstone from working, or the name of the page and what is done there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.unit.views.conftest import APP


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


def test_a_page_begins_with_its_name_and_what_is_done_there(probe: Callable[..., AppTest]) -> None:
    app = probe()
    assert not app.exception
    assert app.caption[0].value.startswith("**Touchstone · Probe** — Edit a summary")
