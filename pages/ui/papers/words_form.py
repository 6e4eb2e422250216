"""The printed prompts and phrases of a paper, taken out of a reader's copy."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.assessment import Paper, find_in_copy, read_published, save_words
from core.base import read_profile
from core.errors import TouchstoneError
from core.models import PrintedWords, installed_texts, printed_words, replacements_folder
from pages.server import services
from pages.ui.papers.paper_choice import words_state
from pages.ui.shared.background_results import background_result
from pages.ui.shared.markup import escape_markdown, escape_message

_PROMPTS = (
    "Prompts and phrases are the authors' and no part of Touchstone. They are found in your copy by their hashes; "
    "without them ours are used, and signatures end in +own-words."
)
_INSTRUCTIONS = (
    "Instructions for annotators are the authors' and no part of Touchstone. They are found in your copy by their hashes, and "
    "then offered as guidelines where a campaign begins with the paper's template. The PDF prints them as pictures: give a .txt "
    "file with their text, by hand or from text recognition, and see which paragraphs were misread."
)


def words_form(paper: Paper) -> None:
    """The installed texts, and the field for a copy; nothing for a paper that prints no text that is used here."""
    words = printed_words(paper.name)
    if words is None:
        return
    with st.expander(f"The paper's own words: {words_state(paper.name)}", icon=":material/chat:"):
        st.caption(_INSTRUCTIONS if words.instructs else _PROMPTS)
        if services.settings().demo or replacements_folder() is None:
            st.info("Nothing is saved here: texts cannot be taken out of a copy.", icon=":material/visibility_lock:")
        else:
            file = st.file_uploader("Your copy of the paper", type=["pdf", "txt"], key=f"paper-copy-{paper.name}")
            if file:
                work = partial(_read_copy, words, file.name, file.getvalue())
                number = background_result("Reading the paper…", ("paper-words", paper.name, file.file_id), work)
                if number is not None:
                    _copy_read(paper.name, words, escape_message(file.name), number)
        _pieces(words)
        for line in read_profile(paper.name).notes:
            st.caption(f"• {escape_markdown(line)}")


def _read_copy(words: PrintedWords, name: str, data: bytes) -> int:
    """Save the texts that a copy holds; their number."""
    texts, missing = find_in_copy(name, data, words)
    folder = replacements_folder()
    if texts and folder:
        save_words(texts, words, folder)
    return len(words.pieces) - len(missing)


def _copy_read(paper: str, words: PrintedWords, name: str, number: int) -> None:
    """Number of texts that a copy gave, and the reason for which it may lack others."""
    total = len(words.pieces)
    if number == total:
        st.success(f"All {total} texts were found in {name}.", icon=":material/check:")
        return
    other = f" Is it a copy of “{escape_message(read_published(paper).title)}”?" if not number else ""
    st.warning(
        f"{number} of {total} texts were found in {name}.{other} A text that a page or column break tears apart is not: paste the "
        "pages with the prompts into a .txt file, join what belongs together, and give that.",
        icon=":material/error:",
    )


def _pieces(words: PrintedWords) -> None:
    try:
        texts = installed_texts(replacements_folder(), words.profile)
    except TouchstoneError as error:
        st.error(escape_message(str(error)), icon=":material/error:")
        return
    rows = [
        {
            "text": piece.name,
            "part": piece.part,
            "printed in": piece.where,
            "state": "here" if piece.part in texts.get(piece.name, {}) else "ours is used",
        }
        for piece in words.pieces
    ]
    st.dataframe(rows, hide_index=True, height="auto", alt="Printed texts of the paper, and which of them are here")
    for line in words.unprinted:
        st.caption(escape_markdown(f"Not printed: {line}."))
