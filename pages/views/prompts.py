"""Prompts: what language models are told, whose text it is, and the way to put another in its place."""

import streamlit as st

from core.errors import TouchstoneError
from pages.ui.notices import notices
from pages.ui.plain import plain
from pages.ui.prompts.listing import chosen_prompt, headline, prompt_table, read_book
from pages.ui.prompts.text import difference, form, parts

notices()
try:
    book = read_book()
except TouchstoneError as error:
    st.error(plain(str(error)), icon=":material/error:")
    st.stop()

chosen = chosen_prompt(book)
headline(chosen)
text, edit, compared = st.tabs(["What is sent", "Edit", "Difference"], key="prompt-tabs")
with text:
    parts(chosen)
with edit:
    form(chosen)
with compared:
    difference(chosen)
st.subheader("All prompts")
prompt_table(book)
