"""The page Metrics says which plug-ins are missing and what was noticed about the others, as text and not as markup."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.scoring.plugins import extensions
from core.scoring.plugins.extensions import PluginReport
from pages.ui.shared.markup import escape_markdown


def page() -> None:
    from pages.ui.metrics.plugin_notes import plugin_notes

    plugin_notes()


def test_a_problem_is_a_warning_and_remarks_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = PluginReport(
        "file", "/a/broken.py", error="broken.py does not load. NameError: **bold** (broken.py, line 3)."
    )
    noticed = PluginReport("file", "/a/mine.py", names=("mine",), remarks=("mine: It scores 1 for every text.",))
    monkeypatch.setattr(extensions, "_reports", [broken, noticed])
    shown = AppTest.from_function(page).run()
    assert not shown.exception
    assert [warning.value for warning in shown.warning] == [escape_markdown(broken.error)]
    assert r"\*\*bold\*\*" in shown.warning[0].value
    assert [expander.label for expander in shown.expander] == ["Remarks on plug-ins: 1"]
    assert shown.markdown[0].value == f"- {escape_markdown(noticed.remarks[0])}"


def test_nothing_is_shown_without_plug_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extensions, "_reports", [])
    shown = AppTest.from_function(page).run()
    assert (len(shown.warning), len(shown.expander)) == (0, 0)
