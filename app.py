"""Touchstone's server, as `streamlit run app.py` starts it; what a visitor sees begins in `pages/main.py`."""

import streamlit as st
from starlette.middleware import Middleware

from pages.server import startup
from pages.server.early_keys import EarlyKeys
from pages.server.protection import Protection
from pages.server.script_errors import show_script_error
from pages.server.sign_in import SignIn

startup.begin()
app = st.App(
    "pages/main.py",
    middleware=[Middleware(Protection), Middleware(SignIn), Middleware(EarlyKeys)],
    on_script_error=show_script_error,
)
