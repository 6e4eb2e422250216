"""The choice of a guard: who checks that the variants that should keep the meaning do."""

from __future__ import annotations

import streamlit as st

from core.errors import TouchstoneError
from core.guard import GUARDS, Guard
from core.llm.addressee import SOURCE, name_in
from core.llm.endpoint import missing_endpoint
from core.types import Checkpoint
from pages.ui import services
from pages.ui.metrics.model_rows import model_row
from pages.ui.plain import plain

_NOBODY = "none"


def guard_choice() -> None:
    """Nobody, one of the guards, or one with settings that is typed; and what it lacks, if anything."""
    titles = {plugin.name: plugin.title for plugin in GUARDS}
    st.selectbox(
        "Check that the meaning was kept",
        [_NOBODY, *titles],
        key="stress-guard",
        format_func=lambda spec: "By nobody" if spec == _NOBODY else titles.get(spec, spec),
        accept_new_options=True,
        help="Every variant that should have kept the meaning is checked for a contradiction with the original. What is "
        "marked can be left out of the figures. Type a guard with settings, as entailment[checkpoint=FOLDER], and press Enter.",
    )
    try:
        guard = chosen_guard()
    except TouchstoneError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    for checkpoint in guard.checkpoints() if guard else ():
        _who_is_asked(checkpoint)


def chosen_guard() -> Guard | None:
    """Raises TouchstoneError for a guard or setting that does not exist."""
    spec: str = st.session_state["stress-guard"]
    return None if spec == _NOBODY else GUARDS.parse(spec)


def _who_is_asked(checkpoint: Checkpoint) -> None:
    """A model with what can be done with it, or the endpoint that is not set."""
    if checkpoint.source != SOURCE:
        model_row(checkpoint, services.engine().pool, 0, "guard")
    elif missing := missing_endpoint(name_in(checkpoint)):
        st.info(plain(missing), icon=":material/cloud_off:")
