"""A run that ends early drops nothing that was asked of a fragment meanwhile, as a file that was given to a dialog."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def test_what_is_asked_of_a_fragment_before_a_run_ends_is_answered() -> None:
    def page() -> None:
        import streamlit as st
        from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx
        from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

        from pages.ui.shared.script_run import end_run

        @st.fragment
        def dialog() -> None:
            count = st.session_state["runs"] = st.session_state.get("runs", 0) + 1
            context = get_script_run_ctx()
            assert context
            assert context.script_requests
            if count == 1:  # as a press does that comes while the page is drawn
                context.script_requests.request_rerun(RerunData(fragment_id=ThreadState.get().fragment_id))

        dialog()
        end_run()

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.session_state["runs"] == 2


def test_a_fragment_that_was_not_drawn_is_not_run_again() -> None:
    def page() -> None:
        import streamlit as st
        from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx
        from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState

        from pages.ui.shared.script_run import end_run

        @st.fragment
        def progress() -> None:
            st.session_state["runs"] = st.session_state.get("runs", 0) + 1
            st.session_state["fragment"] = ThreadState.get().fragment_id

        if "fragment" not in st.session_state:
            progress()
            return
        context = get_script_run_ctx()
        assert context
        assert context.script_requests  # as a timer of the browser asks, that has not heard that the fragment is gone
        context.script_requests.request_rerun(RerunData(fragment_id=st.session_state["fragment"]))
        end_run()

    app = AppTest.from_function(page).run().run()
    assert not app.exception
    assert app.session_state["runs"] == 1
