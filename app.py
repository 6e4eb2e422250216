"""Touchstone's server, as `streamlit run app.py` starts it; what a visitor sees begins in `pages/main.py`."""

import streamlit as st

app = st.App("pages/main.py")
