"""A page whose database went away says so in a sentence, and goes on when it is back."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shared.script_errors import show_script_error


def page(folder: str) -> None:
    from pathlib import Path

    import streamlit as st

    from annotations.store.records import StoreError
    from pages.ui.shared.script_errors import show_script_error

    if (Path(folder) / "back").exists():
        st.write("Here it is.")
    else:
        show_script_error(StoreError("The database could not be read: the *server* closed the connection. Check it."))


@pytest.mark.slow
def test_an_error_of_the_database_is_a_sentence_and_the_page_goes_on_when_it_is_back(tmp_path: Path) -> None:
    app = AppTest.from_function(page, args=(str(tmp_path),)).run()
    assert [error.value for error in app.error] == [
        "The database could not be read\\: the \\*server\\* closed the connection\\. Check it\\."
    ]
    (tmp_path / "back").touch()
    app.button(key="try-again").click().run()
    assert not app.error
    assert app.markdown[0].value == "Here it is."


def test_a_fault_of_the_program_is_left_to_streamlit() -> None:
    assert not show_script_error(ValueError("a fault of ours"))
