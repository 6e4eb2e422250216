"""Touchstone's server, as `streamlit run app.py` starts it; what a visitor sees begins in `pages/main.py`."""

import streamlit as st
from starlette.middleware import Middleware

from pages.server.early_keys import EarlyKeys

app = st.App("pages/main.py", middleware=[Middleware(EarlyKeys)])
