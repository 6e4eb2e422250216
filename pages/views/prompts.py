"""Prompts: what is sent to language models, whose text it is, and the way to replace it."""

import streamlit as st

from core.errors import TouchstoneError
from pages.ui.shared.markup import escape_message
from pages.ui.shared.notices import notices
from pages.ui.shared.prompt_forms import (
    chosen_prompt,
    prompt_difference,
    prompt_form,
    prompt_headline,
    prompt_parts,
    prompt_table,
    read_prompts,
)
from pages.ui.shared.script_run import end_run

notices()
try:
    book = read_prompts()
except TouchstoneError as error:
    st.error(escape_message(str(error)), icon=":material/error:")
    end_run()

entry = chosen_prompt(book)
prompt_headline(entry)
text, edit, compared = st.tabs(["What is sent", "Edit", "Difference"], key="prompt-tabs")
with text:
    prompt_parts(entry)
with edit:
    prompt_form(entry)
with compared:
    prompt_difference(entry)
st.subheader("All prompts")
prompt_table(book)
