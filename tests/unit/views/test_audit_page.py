"""Audit as a script: what it says where nothing can be audited or shown."""

from __future__ import annotations

from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from pages.ui.audit.audit_form import AuditState

Open = Callable[..., AppTest]


def test_an_audit_without_metric_or_data_says_what_is_missing(probe: Open) -> None:
    app = probe().switch_page("views/audit.py").run()
    for state in (AuditState.metrics, AuditState.datasets):
        app.multiselect(key=state.key).set_value([])
    [button] = [button for button in app.button if button.label == "Audit"]
    button.click().run()
    assert not app.exception
    assert [error.value.replace("\\", "") for error in app.error] == ["Choose at least one metric and one dataset."]
    assert "audit" not in app.query_params


def test_an_address_of_an_audit_that_is_gone_says_where_its_figures_are(probe: Open) -> None:
    app = probe().switch_page("views/audit.py")
    app.query_params["audit"] = "gone"
    app.run()
    assert not app.exception
    assert any("The audit of this address is not open any more" in info.value for info in app.info)
